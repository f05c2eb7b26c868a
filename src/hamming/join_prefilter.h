/* Which of many fingerprints can be within k of one of a few: those that differ from one of them by
 * at most e_i bits in one of some windows (bit_window.h), for which the e_i + 1 add up to more than
 * k. A bit for each number of a window says whether one of the few is so near it. */
#ifndef ND_HAMMING_JOIN_PREFILTER_H
#define ND_HAMMING_JOIN_PREFILTER_H

#include "base/alloc.h"
#include "base/status.h"
#include "hamming/bit_window.h"

typedef struct nd_join_prefilter nd_join_prefilter;

/* For about so many fingerprints, which vary in the bits of `varying`, where letting one through
 * costs `pass` nanoseconds. *out NULL: it does not pay. Memory: at most 32 MB a window. */
nd_status nd_join_prefilter_create(uint32_t k, const uint64_t varying[2], double few, double many,
                                   double pass, const nd_allocator *allocator,
                                   nd_join_prefilter **out, nd_error *error);
/* NULL is accepted. */
void nd_join_prefilter_free(nd_join_prefilter *filter);

/* A fingerprint of one or two words, the low one first. */
void nd_join_prefilter_add(nd_join_prefilter *filter, const uint64_t *fingerprint);
/* Of records of `words` words, each of which begins with a fingerprint: may[i] says whether number
 * i can be near one that has been added. Any number of threads when all have been. */
void nd_join_prefilter_probe(const nd_join_prefilter *filter, const uint64_t *records,
                             unsigned words, size_t count, bool *may);

#endif

/* Semi-join filter: which of many fingerprints may be within distance k of one of a few.
 *
 * The fingerprints are cut into windows (bit_window.h), each with a number of errors e_i. The
 * e_i + 1 add up to more than k, so a fingerprint within k of one of the few has, in at least one
 * window, at most e_i bits that differ from it. Each window has a bitmap over its values: a bit is
 * set if the value is within e_i of one of the few. */
#ifndef ND_HAMMING_JOIN_PREFILTER_H
#define ND_HAMMING_JOIN_PREFILTER_H

#include "base/alloc.h"
#include "base/status.h"
#include "hamming/bit_window.h"

typedef struct nd_join_prefilter nd_join_prefilter;

typedef struct nd_join_prefilter_settings {
    uint32_t k;
    uint64_t varying[2]; /* the bits that vary in the fingerprints: low word, high word */
    double few, many;    /* about so many fingerprints */
    double pass;         /* nanoseconds that each fingerprint costs that is not rejected */
} nd_join_prefilter_settings;
/* *out NULL: a filter does not pay. Memory: at most 32 MB per window. */
nd_status nd_join_prefilter_create(const nd_join_prefilter_settings *settings,
                                   const nd_allocator *allocator, nd_join_prefilter **out,
                                   nd_error *error);
/* NULL is accepted. */
void nd_join_prefilter_free(nd_join_prefilter *filter);

/* Adds one of the few: one or two words, the low one first. */
void nd_join_prefilter_add(nd_join_prefilter *filter, const uint64_t *fingerprint);
/* Probes with records of `words` words, which begin with a fingerprint. may[i]: record i may be
 * near an added fingerprint. Any number of threads, once all are added. */
void nd_join_prefilter_probe(const nd_join_prefilter *filter, const uint64_t *records,
                             unsigned words, size_t count, bool *may);

#endif

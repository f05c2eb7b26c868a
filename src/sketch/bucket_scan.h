/* From the sorted words of a band part to candidates. A bucket is a run of words with one key. A
 * bucket of one says nothing; a small one gives its pairs; a wide one gives each member with the
 * bucket's number, which stays linear however wide it is. */
#ifndef ND_SKETCH_BUCKET_SCAN_H
#define ND_SKETCH_BUCKET_SCAN_H

#include "base/status.h"

/* Members up to which a bucket gives pairs. */
enum { ND_SMALL_BUCKET = 8 };

/* Receives what is found. Members are ranks (places in the order of priority), ascending within a
 * bucket. */
typedef struct nd_bucket_sink {
    void *context;
    /* earlier < later */
    nd_status (*pair)(void *context, uint32_t later, uint32_t earlier, nd_error *error);
    /* A wide bucket's members, at least ND_SMALL_BUCKET + 1. */
    nd_status (*wide)(void *context, const uint32_t *members, size_t count, nd_error *error);
} nd_bucket_sink;

/* Which documents count, and their ranks. */
typedef struct nd_bucket_filter {
    const uint8_t *left_out; /* bit d: document d is an exact copy of another; NULL: none is */
    const uint32_t *rank_of; /* NULL: a document's number is its rank */
    uint32_t base;           /* added to every rank */
} nd_bucket_filter;

/* `words` are sorted by their upper half, and by the lower one, the document, where that is equal.
 * They are overwritten. `members` has room for count. */
nd_status nd_bucket_scan(uint64_t *words, size_t count, const nd_bucket_filter *filter,
                         uint32_t *members, const nd_bucket_sink *sink, nd_error *error);

#endif

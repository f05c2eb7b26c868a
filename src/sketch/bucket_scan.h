/* Finds candidate pairs in the sorted words of a band part. A bucket is a run of words with equal
 * keys. A bucket of one word gives nothing; a small bucket gives all its pairs; a large bucket
 * gives its members once, so that it costs linear time and memory. */
#ifndef ND_SKETCH_BUCKET_SCAN_H
#define ND_SKETCH_BUCKET_SCAN_H

#include "base/status.h"

/* A bucket with at most so many members is small. */
enum { ND_SMALL_BUCKET = 8 };

/* Receives the results. Members are ranks (positions in the order of priority), ascending within a
 * bucket. */
typedef struct nd_bucket_sink {
    void *context;
    /* earlier < later */
    nd_status (*pair)(void *context, uint32_t later, uint32_t earlier, nd_error *error);
    /* The members of a large bucket; count > ND_SMALL_BUCKET. */
    nd_status (*large)(void *context, const uint32_t *members, size_t count, nd_error *error);
} nd_bucket_sink;

/* Which documents take part, and their ranks. */
typedef struct nd_bucket_filter {
    const uint8_t
        *left_out; /* bit d: document d is an exact copy and takes no part; NULL: all do */
    const uint32_t *rank_of; /* by document; NULL: a document's number is its rank */
    uint32_t base;           /* added to every rank */
} nd_bucket_filter;

/* REQUIRES: `words` are sorted (by key, the upper half, then by document, the lower half);
 * `members` has room for `count`. Overwrites `words`. */
nd_status nd_bucket_scan(uint64_t *words, size_t count, const nd_bucket_filter *filter,
                         uint32_t *members, const nd_bucket_sink *sink, nd_error *error);

#endif

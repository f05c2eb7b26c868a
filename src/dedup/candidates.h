/* Candidates: pairs of ranks that may be duplicates, and large buckets with their members, sorted
 * by the later document. The stages that propose write it; nd_decide consumes it.
 *
 * The members of a large bucket are kept as postings, one per member, so that the work stays linear
 * in its size. */
#ifndef ND_DEDUP_CANDIDATES_H
#define ND_DEDUP_CANDIDATES_H

#include "base/limits.h"
#include "dedup/first_neighbours.h"
#include "dedup/ranks.h"
#include "io/external_sort.h"

/* Documents that are decided together, in the order of rank, and the documents of a part of the
 * sorters. Part of the definition of the counts in the summary, not of the answer. */
enum { ND_DECIDE_BLOCK = ND_LIMIT(8192, 16) };

/* A large bucket that has documents of the index. */
typedef struct nd_indexed_bucket {
    uint32_t bucket;
    uint32_t left_out; /* documents of the index beyond those listed */
    size_t begin;      /* in `indexed_members`: ranks, ascending */
    uint32_t count;
} nd_indexed_bucket;

typedef struct nd_candidates {
    nd_allocator allocator;
    uint32_t base;              /* rank of the first document of the run */
    nd_external_sort *pairs;    /* later rank << 32 | earlier rank; part: block of the later one */
    nd_external_sort *postings; /* rank << 32 | large bucket; part: block of the rank */
    uint32_t large_buckets;
    uint32_t *bucket_sizes; /* members of the run, of each large bucket */
    size_t bucket_capacity;
    nd_indexed_bucket *indexed;
    uint32_t *indexed_members;
    size_t indexed_count, indexed_capacity, indexed_member_count, indexed_member_capacity;
    nd_first_neighbours neighbours; /* of fingerprints: whose pairs were left out; else zeros */
} nd_candidates;

/* *out is valid for nd_candidates_free in any case. */
nd_status nd_candidates_init(nd_candidates *out, const nd_run *run, const nd_ranks *ranks,
                             nd_error *error);
void nd_candidates_free(nd_candidates *candidates);

/* The functions below: one thread at a time. Ranks of the later documents are ranks of the run. */

/* REQUIRES: earlier < later. */
nd_status nd_candidates_add_pair(nd_candidates *candidates, uint32_t later, uint32_t earlier,
                                 nd_error *error);
/* A new large bucket: its number is large_buckets before the call. */
nd_status nd_candidates_add_bucket(nd_candidates *candidates, const uint32_t *members, size_t count,
                                   nd_error *error);
/* More members of a large bucket, which it does not have yet. */
nd_status nd_candidates_join_bucket(nd_candidates *candidates, uint32_t bucket,
                                    const uint32_t *members, size_t count, nd_error *error);
/* Documents of the index that a large bucket has: `count` of `total` are listed, ascending. */
nd_status nd_candidates_add_indexed(nd_candidates *candidates, uint32_t bucket,
                                    const uint32_t *members, size_t count, uint64_t total,
                                    nd_error *error);

#endif

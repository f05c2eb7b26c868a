/* Candidates: pairs of ranks that may be duplicates, and large buckets with their members, sorted
 * by the later document. The stages that propose write them; nd_decide reads them.
 *
 * A large bucket is stored as postings, one per member, not as pairs. So the work stays linear in
 * its size. */
#ifndef ND_DEDUP_CANDIDATES_H
#define ND_DEDUP_CANDIDATES_H

#include "base/limits.h"
#include "dedup/first_neighbours.h"
#include "dedup/ranks.h"
#include "io/external_sort.h"

/* The number of documents that are decided together, in the order of rank; also the documents of a
 * part of the sorters. The counts in the summary depend on it, the answer does not. */
enum { ND_DECIDE_BLOCK = ND_LIMIT(8192, 16) };

/* A large bucket with documents of the index. */
typedef struct nd_indexed_bucket {
    uint32_t bucket;
    uint32_t left_out; /* documents of the index in the bucket that are not listed */
    size_t begin;      /* index in `indexed_members` of the listed ones: ranks, ascending */
    uint32_t count;
} nd_indexed_bucket;

#define ND_NO_BUCKET UINT32_MAX

typedef struct nd_candidates {
    nd_allocator allocator;
    uint32_t base;              /* rank of the first document of the run */
    nd_external_sort *pairs;    /* later rank << 32 | earlier rank; part: block of the later one */
    nd_external_sort *postings; /* rank << 32 | large bucket; part: block of the rank */
    uint32_t large_buckets;
    uint32_t *bucket_sizes; /* by large bucket: its members that are documents of the run */
    size_t bucket_capacity;
    nd_indexed_bucket *indexed;
    uint32_t *indexed_members;
    size_t indexed_count, indexed_capacity, indexed_member_count, indexed_member_capacity;
    nd_first_neighbours neighbours; /* with fingerprints: counts the pairs that were left out; else
                                       zeros */
    /* With anchors, by rank: the large bucket of the document's pattern (anchor_table.h);
     * ND_NO_BUCKET: it has none. Of a large bucket only pairs with a document of its own are
     * candidates. NULL: all are. */
    uint32_t *own;
    /* Before deciding, as in nd_decide_counts: comparisons that were left out, and pairs that were
     * kept apart. */
    uint64_t bounded_documents, left_out, kept_apart;
} nd_candidates;

/* *out is valid for nd_candidates_free in any case. */
nd_status nd_candidates_init(nd_candidates *out, const nd_run *run, const nd_ranks *ranks,
                             nd_error *error);
void nd_candidates_free(nd_candidates *candidates);

/* Begins `own`, without any bucket, for ranks from 0 on. */
nd_status nd_candidates_init_own(nd_candidates *candidates, uint32_t documents, nd_error *error);

/* The functions below are called by one thread at a time. Later documents are always documents of
 * the run. */

/* REQUIRES: earlier < later. */
nd_status nd_candidates_add_pair(nd_candidates *candidates, uint32_t later, uint32_t earlier,
                                 nd_error *error);
/* Adds a large bucket. Its number is the value of large_buckets before the call. */
nd_status nd_candidates_add_bucket(nd_candidates *candidates, const uint32_t *members, size_t count,
                                   nd_error *error);
/* Adds members to a large bucket that it does not have yet. */
nd_status nd_candidates_join_bucket(nd_candidates *candidates, uint32_t bucket,
                                    const uint32_t *members, size_t count, nd_error *error);
/* Adds the documents of the index that are in a large bucket, ascending, at least one. `left_out`:
 * how many more of them there are, at most. */
nd_status nd_candidates_add_indexed(nd_candidates *candidates, uint32_t bucket,
                                    const uint32_t *members, size_t count, uint64_t left_out,
                                    nd_error *error);

#endif

/* Posting lists: for each large bucket its kept members so far, ascending, up to a bound. Later
 * members are compared with these. The list of a bucket is freed when its last member has been
 * decided. */
#ifndef ND_DEDUP_POSTING_LISTS_H
#define ND_DEDUP_POSTING_LISTS_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_posting_list {
    uint32_t *members; /* ranks */
    uint32_t count, capacity;
    uint32_t left_out;  /* kept members that are not listed, because of the bound */
    uint32_t undecided; /* members that have not been decided yet */
} nd_posting_list;

typedef struct nd_postings {
    nd_allocator allocator;
    nd_posting_list *lists;
    size_t count;
    uint32_t bound;
} nd_postings;

/* sizes[b]: the number of members of bucket b that will be decided. */
nd_status nd_postings_init(nd_postings *postings, const nd_allocator *allocator,
                           const uint32_t *sizes, size_t count, uint32_t bound, nd_error *error);
void nd_postings_free(nd_postings *postings);

/* The kept members with which a list begins. */
typedef struct nd_posting_start {
    uint32_t bucket;
    const uint32_t *ranks; /* ascending */
    uint32_t count;
    uint32_t left_out; /* further kept members, which are not listed */
} nd_posting_start;
nd_status nd_postings_begin(nd_postings *postings, const nd_posting_start *start, nd_error *error);

/* Reports the decision on a member of a bucket. It is added to the list if it is kept and the bound
 * allows it. */
nd_status nd_postings_decide(nd_postings *postings, uint32_t bucket, uint32_t rank, bool kept,
                             nd_error *error);

#endif

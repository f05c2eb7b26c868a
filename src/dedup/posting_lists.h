/* For each wide bucket the kept members so far, ascending, at most a bound of them: later members
 * are compared with these. A bucket's list goes when its last member has been decided. */
#ifndef ND_DEDUP_POSTING_LISTS_H
#define ND_DEDUP_POSTING_LISTS_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_wide_list {
    uint32_t *members; /* ranks */
    uint32_t count, capacity;
    uint32_t left_out;  /* kept members beyond the bound */
    uint32_t undecided; /* members still to come */
} nd_wide_list;

typedef struct nd_wide_lists {
    nd_allocator allocator;
    nd_wide_list *lists;
    size_t count;
    uint32_t bound;
} nd_wide_lists;

nd_status nd_wide_lists_init(nd_wide_lists *lists, const nd_allocator *allocator,
                             const uint32_t *sizes, size_t count, uint32_t bound, nd_error *error);
void nd_wide_lists_free(nd_wide_lists *lists);

/* A list begins with these, ascending, and says of others that they are left out. */
nd_status nd_wide_lists_begin(nd_wide_lists *lists, uint32_t bucket, const uint32_t *ranks,
                              uint32_t count, uint32_t left_out, nd_error *error);

/* A member of a bucket has been decided; when it stays it joins the list. */
nd_status nd_wide_lists_decided(nd_wide_lists *lists, uint32_t bucket, uint32_t rank, bool kept,
                                nd_error *error);

#endif

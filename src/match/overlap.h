/* Exact overlap of shingle sets that come as they stand in the texts: unsorted and with repeats. */
#ifndef ND_MATCH_OVERLAP_H
#define ND_MATCH_OVERLAP_H

#include "base/alloc.h"
#include "base/status.h"

/* A hash set for one side, reused from pair to pair. One thread at a time. */
typedef struct nd_overlap_table {
    nd_allocator allocator;
    uint64_t *slots;  /* a hash each; 0 is empty, the hash 0 itself is counted apart */
    uint8_t *marks;   /* 0: only in A so far; else seen in B */
    size_t capacity;  /* power of two, or 0 */
    size_t allocated; /* slots that memory was taken for */
    const uint64_t *a;
    size_t a_count;
    uint64_t a_size; /* distinct hashes of A */
    bool a_has_zero;
    bool has_b; /* a B has left its hashes in the table */
} nd_overlap_table;

void nd_overlap_table_init(nd_overlap_table *table, const nd_allocator *allocator);
void nd_overlap_table_free(nd_overlap_table *table);

/* Makes the set A. `hashes` must stay as it is while nd_overlap_with is called. */
nd_status nd_overlap_set_a(nd_overlap_table *table, const uint64_t *hashes, size_t count, nd_error *error);

/* |A|, |B| and |A and B| for the set of `hashes`. Expected time O(count). */
nd_status nd_overlap_with(nd_overlap_table *table, const uint64_t *hashes, size_t count, nd_overlap *out, nd_error *error);

#endif

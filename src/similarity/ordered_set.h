/* Exact overlap of the shingles of two texts, in the order of the texts.
 *
 * Texts that are compared are mostly similar, and similar texts have the same shingles in the same
 * order, with a few of their own in between. So a set keeps the order in which its shingles occur
 * first, and a text is compared with it run by run: as long as the next shingle of the text is the
 * next of the set, the two are compared without a lookup. A table of places finds where a run
 * begins, and says which shingles the text has alone. In the set each shingle has one place, so any
 * order gives the same numbers. Only the time depends on the order: for unrelated ones each shingle
 * costs a lookup. */
#ifndef ND_SIMILARITY_ORDERED_SET_H
#define ND_SIMILARITY_ORDERED_SET_H

#include "base/alloc.h"
#include "base/status.h"
#include "neardup.h"

/* A set, reused from document to document. Used by one thread at a time. */
typedef struct nd_ordered_set {
    nd_allocator allocator;
    uint64_t *values; /* distinct, in the order of their first occurrence */
    size_t size;      /* values */
    uint32_t *places; /* 1 + the index of a value; 0: free */
    size_t slots;     /* places in use: a power of two */
    uint64_t *marks;  /* a bit for each value: a text that is compared has it */
    size_t allocated; /* shingles that there is memory for */
} nd_ordered_set;

void nd_ordered_set_init(nd_ordered_set *set, const nd_allocator *allocator);
void nd_ordered_set_free(nd_ordered_set *set);

/* Makes the set of `count` < 2^31 shingles, unsorted and with repeats. Expected time O(count). */
nd_status nd_ordered_set_make(nd_ordered_set *set, const uint64_t *shingles, size_t count,
                              nd_error *error);

/* Compares a text, as `count` < 2^31 shingles with repeats, with a set. No set is made of the text,
 * but of its shingles that are not in `set`: `others` becomes that set. Of *overlap, size_a is the
 * text's number of distinct shingles, and size_b is set->size. */
nd_status nd_ordered_set_compare(nd_ordered_set *set, nd_ordered_set *others,
                                 const uint64_t *shingles, size_t count, nd_overlap *overlap,
                                 nd_error *error);

#endif

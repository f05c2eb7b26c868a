/* Exact overlap of the shingles of a text with a packed set (packed_set.h).
 *
 * A packed set gives its values in ascending order. The top bits of a value are the number of its
 * bucket, of which there are one or two for each value, and a table leads to each bucket's last
 * values, its window. So the shingles of a text are looked up as they come, unsorted and with
 * repeats. Of the text only the shingles that the set lacks become a set, in order to count them.
 * Shingles are hashes, so nearly all buckets have at most as many values as a window, which is
 * compared at once, without a branch; in a longer one the value is searched. Whatever the values, a
 * lookup is O(log n). */
#ifndef ND_SIMILARITY_ASCENDING_SET_H
#define ND_SIMILARITY_ASCENDING_SET_H

#include "similarity/ordered_set.h"

/* A set, reused from document to document. Used by one thread at a time. */
typedef struct nd_ascending_set {
    nd_allocator allocator;
    uint64_t *values;  /* behind as many others as a window has */
    uint32_t *windows; /* of each bucket: where in `values` its window begins */
    uint8_t *marks;    /* bits of each window: a text has these values */
    size_t size;       /* values of the set */
    unsigned shift;    /* value >> shift is the number of its bucket */
    size_t value_capacity, window_capacity, mark_capacity;
    uint64_t *others; /* shingles that the text has alone, with repeats */
    size_t other_capacity;
    nd_ordered_set alone; /* the same without repeats */
} nd_ascending_set;

void nd_ascending_set_init(nd_ascending_set *set, const nd_allocator *allocator);
void nd_ascending_set_free(nd_ascending_set *set);

/* Makes the set from a packed one of `size` bytes; 8 bytes behind it can be read. *whole false: the
 * packed set is damaged, and the set is undefined. */
nd_status nd_ascending_set_unpack(nd_ascending_set *set, const unsigned char *packed, size_t size,
                                  bool *whole, nd_error *error);

/* Compares a text, as `count` < 2^31 shingles with repeats, with the set. The shingles need not be
 * narrowed. Of *overlap, size_a is set->size, and size_b is the text's number of distinct narrowed
 * shingles. */
nd_status nd_ascending_set_compare(nd_ascending_set *set, const uint64_t *shingles, size_t count,
                                   nd_overlap *overlap, nd_error *error);

#endif

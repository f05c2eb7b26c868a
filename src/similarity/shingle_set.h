/* Exact overlap of shingle sets, made from shingles as they come from a text: unsorted and with
 * repeats. */
#ifndef ND_SIMILARITY_SHINGLE_SET_H
#define ND_SIMILARITY_SHINGLE_SET_H

#include "base/alloc.h"
#include "base/status.h"

/* A hash set, reused from document to document. Used by one thread at a time.
 *
 * It consists of buckets of ND_BUCKET_SLOTS hashes, half a cache line, filled from the first slot
 * on. The low bits of a hash are the number of its bucket; if that is full, the hash goes to the
 * next one. A lookup compares all slots of a bucket without a branch that depends on the slot, or
 * on whether the hash is there: for similar texts the answer is unpredictable at every shingle, and
 * a probe slot by slot would pay for it in mispredicted branches. */
typedef struct nd_shingle_set {
    nd_allocator allocator;
    uint64_t *slots;  /* 0: free */
    size_t buckets;   /* in use: a power of two */
    size_t allocated; /* buckets that there is memory for */
    size_t size;      /* distinct hashes */
} nd_shingle_set;

enum { ND_BUCKET_SLOTS = 4 };

void nd_shingle_set_init(nd_shingle_set *set, const nd_allocator *allocator);
void nd_shingle_set_free(nd_shingle_set *set);

/* Makes the set of `count` hashes, and moves one of each to the front of the array: the first
 * set->size hashes are then distinct. The hash 0 becomes 1, in the set and in the array. Expected
 * time O(count). */
nd_status nd_shingle_set_make(nd_shingle_set *set, uint64_t *hashes, size_t count, nd_error *error);

/* Returns how many of `count` hashes are in the set. REQUIRES: they are distinct and not 0, as
 * nd_shingle_set_make leaves them. As soon as the number cannot reach `least` any more, the search
 * ends, and the result is some number below `least`. */
size_t nd_shingle_set_overlap(const nd_shingle_set *set, const uint64_t *hashes, size_t count,
                              size_t least);

/* Returns the smallest intersection with which two sets of these sizes have a Jaccard similarity of
 * at least `threshold`, computed as nd_jaccard does; more than the smaller size: no intersection is
 * large enough. */
size_t nd_least_intersection(size_t size_a, size_t size_b, double threshold);

#endif

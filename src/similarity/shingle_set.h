/* Exact overlap of shingle sets that come as they stand in the texts: unsorted and with repeats. */
#ifndef ND_SIMILARITY_SHINGLE_SET_H
#define ND_SIMILARITY_SHINGLE_SET_H

#include "base/alloc.h"
#include "base/status.h"

/* A hash set, reused from document to document. One thread at a time.
 *
 * Buckets of ND_BUCKET_SLOTS hashes, half a cache line, filled from the first slot on; the hash's
 * low bits are its bucket's number, and what finds it full goes to the next one. A bucket is looked
 * at as a whole, without a branch that depends on where, or whether, the hash is found: for similar
 * texts that is a coin thrown at every shingle, which a probe by slots pays for in mispredicted
 * branches. */
typedef struct nd_hash_set {
    nd_allocator allocator;
    uint64_t *slots;  /* 0 is empty */
    size_t buckets;   /* in use: a power of two */
    size_t allocated; /* buckets that memory was taken for */
    size_t size;      /* distinct hashes */
} nd_hash_set;

enum { ND_BUCKET_SLOTS = 4 };

void nd_hash_set_init(nd_hash_set *set, const nd_allocator *allocator);
void nd_hash_set_free(nd_hash_set *set);

/* Makes the set of `count` hashes, and moves one of each to the front of the array: the first
 * set->size are distinct. The hash 0 becomes 1, in the set and in the array. Expected time
 * O(count). */
nd_status nd_hash_set_make(nd_hash_set *set, uint64_t *hashes, size_t count, nd_error *error);

/* How many of `count` distinct hashes, as nd_hash_set_make leaves them, are in the set; but as soon
 * as that cannot reach `least` any more, some number below it. */
size_t nd_hash_set_overlap(const nd_hash_set *set, const uint64_t *hashes, size_t count,
                           size_t least);

/* The smallest intersection for which two sets of these sizes have a Jaccard similarity of at least
 * `threshold` in nd_jaccard's arithmetic; more than the smaller size when no intersection does. */
size_t nd_least_intersection(size_t size_a, size_t size_b, double threshold);

#endif

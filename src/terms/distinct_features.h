/* The distinct ones among a text's features, in any order. */
#ifndef ND_TERMS_DISTINCT_FEATURES_H
#define ND_TERMS_DISTINCT_FEATURES_H

#include "base/alloc.h"
#include "base/status.h"

/* Scratch memory, reused from text to text. One thread at a time. */
typedef struct nd_distinct {
    nd_allocator allocator;
    uint64_t *seen; /* an open table of those met, 0 being a free slot */
    size_t capacity;
} nd_distinct;

void nd_distinct_init(nd_distinct *distinct, const nd_allocator *allocator);
void nd_distinct_free(nd_distinct *distinct);

/* Moves one of each to the front, and says in *count how many there are. Expected time O(count),
 * O(count log count) for very many. */
nd_status nd_distinct_make(nd_distinct *distinct, uint64_t *features, size_t *count,
                           nd_error *error);

#endif

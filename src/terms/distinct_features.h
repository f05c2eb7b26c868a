/* Removes the repeats among a text's features. */
#ifndef ND_TERMS_DISTINCT_FEATURES_H
#define ND_TERMS_DISTINCT_FEATURES_H

#include "base/alloc.h"
#include "base/status.h"

/* Scratch memory, reused from text to text. Used by one thread at a time. */
typedef struct nd_distinct_features {
    nd_allocator allocator;
    uint64_t *seen; /* an open-addressing table of the features met; 0: a free slot */
    size_t capacity;
} nd_distinct_features;

void nd_distinct_features_init(nd_distinct_features *distinct, const nd_allocator *allocator);
void nd_distinct_features_free(nd_distinct_features *distinct);

/* Moves one of each feature to the front, in no particular order, and sets *count to their number.
 * Expected time O(count); O(count log count) for more than 2^16 features. */
nd_status nd_distinct_features_find(nd_distinct_features *distinct, uint64_t *features,
                                    size_t *count, nd_error *error);

#endif

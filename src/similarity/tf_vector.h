/* A text as what SimHash sees of it: a vector with an element for each feature, the sum of the
 * weights of its occurrences. Fingerprints estimate the angle between two of them; here is its
 * cosine. */
#ifndef ND_SIMILARITY_TF_VECTOR_H
#define ND_SIMILARITY_TF_VECTOR_H

#include "sketch/text_simhash.h"

/* words[0, count): the features, ascending; words[count, 2 count): their elements in units of
 * 1/4096. Zero-initialised, reused from text to text, ended by nd_feature_vector_free. */
typedef struct nd_feature_vector {
    uint64_t *words, *scratch;
    size_t count, capacity, scratch_capacity;
} nd_feature_vector;

void nd_feature_vector_free(const nd_allocator *allocator, nd_feature_vector *vector);

/* Of the shingles that the SimHash's analyzer has made of a text, which are sorted on the way,
 * without its stop words. */
nd_status nd_feature_vector_make(nd_text_simhash *simhash, const nd_allocator *allocator,
                                 nd_shingles *shingles, nd_feature_vector *vector, nd_error *error);

/* The cosine of the angle between two vectors given by their words: 0 to 1; exactly 1 of one with
 * itself; 0 where one of them is null, which has no direction. Products are exact; only the
 * quotient is rounded, so that it is the same everywhere. O(count_a + count_b). */
double nd_feature_cosine(const uint64_t *a, size_t count_a, const uint64_t *b, size_t count_b);

#endif

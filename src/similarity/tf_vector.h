/* A text as a vector of term frequencies: for each feature the sum of the weights of its
 * occurrences, as SimHash adds them. Fingerprints estimate the angle between two such vectors;
 * nd_tf_vector_cosine computes its cosine. */
#ifndef ND_SIMILARITY_TF_VECTOR_H
#define ND_SIMILARITY_TF_VECTOR_H

#include "sketch/text_simhash.h"

/* words[0 .. count - 1] are the features, ascending; words[count .. 2 count - 1] are their
 * elements, in units of 1/4096. Starts zero-initialised, is reused from text to text, and ends with
 * nd_tf_vector_free. */
typedef struct nd_tf_vector {
    uint64_t *words, *scratch;
    size_t count, capacity, scratch_capacity;
} nd_tf_vector;

void nd_tf_vector_free(const nd_allocator *allocator, nd_tf_vector *vector);

/* Makes the vector of a text, without its stop words, from the shingles that the analyzer of
 * `simhash` made of it. Sorts the shingles. */
nd_status nd_tf_vector_make(nd_text_simhash *simhash, const nd_allocator *allocator,
                            nd_shingles *shingles, nd_tf_vector *vector, nd_error *error);

/* The cosine of the angle between two vectors, given by their words: 0 to 1; exactly 1 for equal
 * vectors; 0 if one of them is null, which has no direction. Products are exact and only the
 * quotient is rounded, so that the result is the same on every machine. O(count_a + count_b). */
double nd_tf_vector_cosine(const uint64_t *a, size_t count_a, const uint64_t *b, size_t count_b);

#endif

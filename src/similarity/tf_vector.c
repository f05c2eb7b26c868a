#include "similarity/tf_vector.h"

#include "base/alloc.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "terms/weight_table.h"

#include <math.h>

/* A sum of products of elements. The elements of a text of 2^30 bytes sum up to less than 2^59
 * units, so a sum of products is below 2^118. */
__extension__ typedef unsigned __int128 product;

void nd_tf_vector_free(const nd_allocator *allocator, nd_tf_vector *vector) {
    nd_release(allocator, vector->words);
    nd_release(allocator, vector->scratch);
    *vector = (nd_tf_vector){0};
}

/* So many features are weighed at a time. */
enum { BLOCK = 256 };

static void weigh(nd_text_simhash *simhash, const nd_shingles *shingles, uint64_t *words,
                  size_t count) {
    double weights[BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t block = count - done < BLOCK ? count - done : BLOCK;
        nd_text_simhash_weigh(simhash, shingles, words + done, block, weights);
        for (size_t i = 0; i < block; i++)
            words[count + done + i] *= (uint64_t)(weights[i] * ND_WEIGHT_UNITS);
    }
}

nd_status nd_tf_vector_make(nd_text_simhash *simhash, const nd_allocator *allocator,
                            nd_shingles *shingles, nd_tf_vector *vector, nd_error *error) {
    nd_text_simhash_remove_stop_words(simhash, shingles);
    uint64_t *hashes = shingles->hashes;
    size_t all = shingles->count, distinct = 0;
    vector->count = 0;
    if (all == 0) return ND_OK; /* all were stop words; there may be no array yet */
    if (!nd_reserve(allocator, &vector->scratch, &vector->scratch_capacity, all))
        return nd_fail_memory(error, all * sizeof *hashes, "a text's features");
    nd_radix_sort_spread(hashes, vector->scratch, all, 64);
    for (size_t i = 0; i < all; i++) distinct += i == 0 || hashes[i] != hashes[i - 1];
    if (!nd_reserve(allocator, &vector->words, &vector->capacity, 2 * distinct))
        return nd_fail_memory(error, 2 * distinct * sizeof *hashes, "a text's features");
    uint64_t *features = vector->words, *elements = features + distinct;
    bool repeats = nd_text_simhash_repeats(simhash);
    for (size_t begin = 0, end; begin < all; begin = end) {
        for (end = begin + 1; end < all && hashes[end] == hashes[begin];) end++;
        features[vector->count] = hashes[begin];
        elements[vector->count++] = repeats ? end - begin : 1;
    }
    weigh(simhash, shingles, features, distinct);
    return ND_OK;
}

static double square(const uint64_t *elements, size_t count) {
    product sum = 0;
    for (size_t i = 0; i < count; i++) sum += (product)elements[i] * elements[i];
    return (double)sum;
}

double nd_tf_vector_cosine(const uint64_t *a, size_t count_a, const uint64_t *b, size_t count_b) {
    product sum = 0;
    for (size_t i = 0, j = 0; i < count_a && j < count_b;) {
        uint64_t x = a[i], y = b[j];
        if (x == y) sum += (product)a[count_a + i] * b[count_b + j];
        i += x <= y;
        j += y <= x;
    }
    double square_a = square(a + count_a, count_a), square_b = square(b + count_b, count_b);
    if (square_a == 0 || square_b == 0) return 0;
    double cosine = (double)sum / sqrt(square_a * square_b);
    return cosine < 1 ? cosine : 1;
}

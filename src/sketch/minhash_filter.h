/* Filters pairs by their MinHash sketches (the low bits of each value) before their sets are
 * compared. Of b bits two values are equal with probability p = J + (1 - J) / 2^b. */
#ifndef ND_SKETCH_MINHASH_FILTER_H
#define ND_SKETCH_MINHASH_FILTER_H

#include "base/binomial.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef enum nd_sketch_use {
    ND_SKETCH_FILTERS, /* the sets of a pair that passes are compared */
    ND_SKETCH_DECIDES  /* a pair that passes is a duplicate */
} nd_sketch_use;

/* The number of equal values of k <= ND_MOST_TRIALS that a pair needs to pass. To decide, by values
 * of 8 bits, it is the expected number at the threshold. To filter, it is the largest number that a
 * duplicate misses at most once in 10^9. Then only values with equal minima are counted on. Others
 * that are equal by chance only add to these: in sets of a few elements they depend on each other.
 *
 * With independent permutations, the number of equal minima has the binomial distribution of k
 * trials and J. But four values are of one function, mostly of different elements (neardup.h). Then
 * they agree as if these were drawn without replacement: the number of equal ones is like that of
 * independent trials of mean probability J (Vatutin, Mikhailov 1982). k such trials have at most c
 * <= k J - 1 successes no more often than k trials of probability J (Hoeffding 1956). In
 * unions of few elements, where two values may be of one, minhash_test computes the probability. */
static inline size_t nd_sketch_required_matches(double threshold, uint32_t k, nd_sketch_use use) {
    if (use == ND_SKETCH_FILTERS) return nd_binomial_least(k, threshold, 1e-9);
    double chance = (1.0 - threshold) / 256.0, least = k * (threshold + chance);
    return (size_t)ceil(least - 1e-9);
}

/* The Jaccard similarity at which `equal` of k values of 8 bits are expected to be equal. */
static inline double nd_sketch_estimate(size_t equal, uint32_t k) {
    double j = ((double)equal / k - 1.0 / 256.0) / (1.0 - 1.0 / 256.0);
    return j < 0.0 ? 0.0 : j;
}

#endif

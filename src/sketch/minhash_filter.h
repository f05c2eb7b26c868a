/* What two MinHash sketches, the low bytes of signatures, say of a pair before its sets are
 * compared.
 *
 * Bytes agree with probability p = J + (1 - J) / 256. */
#ifndef ND_SKETCH_MINHASH_FILTER_H
#define ND_SKETCH_MINHASH_FILTER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Equal bytes of k from which on a pair is looked at: six standard deviations below the threshold's
 * p a duplicate is found once in 10^9. `decides`: nothing follows, and the estimate itself decides.
 */
static inline size_t nd_sketch_least_equal(double threshold, uint32_t k, bool decides) {
    double p = threshold + (1.0 - threshold) / 256.0, n = k;
    double least = decides ? n * p : n * p - 6.0 * sqrt(n * p * (1.0 - p));
    return least <= 0.0 ? 0 : (size_t)ceil(least - 1e-9);
}

/* The Jaccard similarity that makes `equal` of k bytes agree. */
static inline double nd_sketch_estimate(size_t equal, uint32_t k) {
    double j = ((double)equal / k - 1.0 / 256.0) / (1.0 - 1.0 / 256.0);
    return j < 0.0 ? 0.0 : j;
}

#endif

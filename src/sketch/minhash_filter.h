/* Filters pairs by their MinHash sketches (the low bytes of signatures) before their sets are
 * compared. Two bytes are equal with probability p = J + (1 - J) / 256. */
#ifndef ND_SKETCH_MINHASH_FILTER_H
#define ND_SKETCH_MINHASH_FILTER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef enum nd_sketch_use {
    ND_SKETCH_FILTERS, /* the sets of a pair that passes are compared */
    ND_SKETCH_DECIDES  /* a pair that passes is a duplicate */
} nd_sketch_use;

/* The number of equal bytes of k that a pair needs to pass. To decide, it is the expected number at
 * the threshold; to filter, six standard deviations less, so that a duplicate fails once in 10^9.
 */
static inline size_t nd_sketch_required_matches(double threshold, uint32_t k, nd_sketch_use use) {
    double p = threshold + (1.0 - threshold) / 256.0, n = k;
    double least = use == ND_SKETCH_DECIDES ? n * p : n * p - 6.0 * sqrt(n * p * (1.0 - p));
    return least <= 0.0 ? 0 : (size_t)ceil(least - 1e-9);
}

/* The Jaccard similarity at which `equal` of k bytes are expected to be equal. */
static inline double nd_sketch_estimate(size_t equal, uint32_t k) {
    double j = ((double)equal / k - 1.0 / 256.0) / (1.0 - 1.0 / 256.0);
    return j < 0.0 ? 0.0 : j;
}

#endif

/* Sets of fingerprints for the tests of joins and batches: even, clustered, identical and hostile
 * ones. */
#ifndef ND_TESTS_FINGERPRINT_SHAPES_H
#define ND_TESTS_FINGERPRINT_SHAPES_H

#include "hamming/bit_order.h"
#include "hamming/hamming_design.h"
#include "test.h"

static inline nd_fingerprint random_fingerprint(uint64_t *seed, uint32_t bits) {
    nd_fingerprint f = {random_next(seed), random_next(seed)};
    return nd_fingerprint_and(f, nd_fingerprint_mask(bits));
}

static inline nd_fingerprint flip_some(nd_fingerprint f, uint64_t *seed, uint32_t bits,
                                       uint32_t most) {
    for (uint64_t i = random_below(seed, most + 1); i > 0; i--) {
        uint32_t bit = (uint32_t)random_below(seed, bits);
        if (bit < 64) f.low ^= UINT64_C(1) << bit;
        else f.high ^= UINT64_C(1) << (bit - 64);
    }
    return f;
}

typedef enum shape { EVEN, CLUSTERED, IDENTICAL, ENDS, SAME_UPPER, FEW_BITS, CENTRE, SHAPES } shape;

static inline nd_fingerprint make(shape kind, uint64_t *seed, uint32_t bits,
                                  const nd_fingerprint *before, size_t count) {
    nd_fingerprint all = nd_fingerprint_mask(bits),
                   centre = nd_fingerprint_and(
                       (nd_fingerprint){0x0123456789abcdefULL, 0xfedcba9876543210ULL}, all);
    nd_fingerprint f = random_fingerprint(seed, bits);
    switch (kind) {
    case CLUSTERED:
        return count && random_below(seed, 3)
                   ? flip_some(before[random_below(seed, count)], seed, bits, 4)
                   : f;
    case IDENTICAL: return random_below(seed, 4) ? centre : flip_some(centre, seed, bits, 3);
    case ENDS:
        return flip_some(random_below(seed, 2) ? all : (nd_fingerprint){0, 0}, seed, bits, 2);
    case SAME_UPPER:
        return bits > 64 ? (nd_fingerprint){f.low, centre.high}
                         : (nd_fingerprint){(f.low & all.low >> bits / 2) | centre.low, 0};
    case FEW_BITS:
        return nd_fingerprint_and(f,
                                  (nd_fingerprint){0x00f0100f00ff010fULL, 0x1000000000000001ULL});
    case CENTRE: return flip_some(centre, seed, bits, bits / 8);
    default: return f;
    }
}

#endif

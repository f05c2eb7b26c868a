/* The distance of two bodies of TLSH digests, by bits. A bucket has two bits, and all buckets of a
 * word are compared at once. With x the bits that differ, low and high, the difference of a bucket
 * is 0, 1 or 2 if at most one of its bits differs. If both differ, it is 3 if the two bits of each
 * are equal, which costs 6, else it is 1. */
#include "base/bits.h"

static inline unsigned tlsh_body_cost(const uint64_t *a, const uint64_t *b, size_t words) {
    const uint64_t lows = UINT64_C(0x5555555555555555);
    unsigned ones = 0, twos = 0, threes = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t x = a[i] ^ b[i], low = x & lows, high = x >> 1 & lows;
        uint64_t equal = ~(a[i] ^ a[i] >> 1);
        ones += nd_popcount(low);
        twos += nd_popcount(high & ~low);
        threes += nd_popcount(low & high & equal);
    }
    return ones + 2 * twos + 5 * threes;
}

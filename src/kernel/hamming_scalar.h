/* Scalar search for keys within a Hamming distance. The generic kernel is made of it. SIMD kernels
 * use it for the keys that do not fill a vector, and to redo a group that has a hit. No branch on
 * the result: each index is stored at hits[found], and `found` grows only for a hit, so the next
 * key overwrites a miss. */
#ifndef ND_KERNEL_HAMMING_SCALAR_H
#define ND_KERNEL_HAMMING_SCALAR_H

#include "kernel/kernel_common.h"

/* Number of queries that are compared with a key at a time, in the functions for pairs. */
#define PAIR_QUERIES 8

/* Each function appends the hits among the keys [i, end) to the first `found` hits, and returns the
 * new number of hits. */
static inline size_t near64_range(const uint64_t *keys, size_t i, size_t end, uint64_t query,
                                  unsigned most, uint32_t *hits, size_t found) {
    for (; i < end; i++) {
        hits[found] = (uint32_t)i;
        found += nd_popcount(keys[i] ^ query) <= most;
    }
    return found;
}

static inline size_t near128_range(const uint64_t *keys, size_t i, size_t end, uint64_t low,
                                   uint64_t high, unsigned most, uint32_t *hits, size_t found) {
    for (; i < end; i++) {
        hits[found] = (uint32_t)i;
        found += nd_popcount(keys[2 * i] ^ low) + nd_popcount(keys[2 * i + 1] ^ high) <= most;
    }
    return found;
}

static inline size_t near32_range(const uint32_t *keys, size_t i, size_t end, uint32_t query,
                                  unsigned most, uint32_t *hits, size_t found) {
    for (; i < end; i++) {
        hits[found] = (uint32_t)i;
        found += nd_popcount(keys[i] ^ query) <= most;
    }
    return found;
}

/* The same for the pairs of queries [first, last) and keys [i, end). */
static inline size_t near64_pairs_range(const uint64_t *queries, size_t first, size_t last,
                                        const uint64_t *keys, size_t i, size_t end, unsigned most,
                                        uint64_t *hits, size_t found) {
    for (; i < end; i++) {
        uint64_t key = keys[i];
        for (size_t q = first; q < last; q++) {
            uint64_t distance = nd_popcount(key ^ queries[q]);
            hits[found] = (uint64_t)q << 32 | i;
            found += distance <= most;
        }
    }
    return found;
}

static inline size_t near128_pairs_range(const uint64_t *queries, size_t first, size_t last,
                                         const uint64_t *keys, size_t i, size_t end, unsigned most,
                                         uint64_t *hits, size_t found) {
    for (; i < end; i++) {
        uint64_t low = keys[2 * i], high = keys[2 * i + 1];
        for (size_t q = first; q < last; q++) {
            uint64_t distance = nd_popcount(low ^ queries[2 * q]) +
                                nd_popcount(high ^ queries[2 * q + 1]);
            hits[found] = (uint64_t)q << 32 | i;
            found += distance <= most;
        }
    }
    return found;
}

__attribute__((unused)) static size_t near_packed_plain(const unsigned char *packed, uint64_t first,
                                                        size_t count, unsigned width,
                                                        uint64_t query, unsigned most,
                                                        uint32_t *hits) {
    uint64_t mask = UINT64_MAX >> (64 - width), bit = first * width;
    size_t found = 0;
    for (size_t i = 0; i < count; i++, bit += width) {
        uint64_t key = nd_load_le64(packed + (bit >> 3)) >> (bit & 7);
        hits[found] = (uint32_t)i;
        found += nd_popcount((key ^ query) & mask) <= most;
    }
    return found;
}

#endif

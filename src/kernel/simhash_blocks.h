/* The body of the simhash kernel. The file of an instruction set includes this once, after it has
 * defined:
 *
 *   static inline void mix_features(const uint64_t *features, size_t count, uint64_t addend,
 *                                   uint64_t *mixed);
 *       nd_mix64(x + addend) of each feature; may write zeros up to the next multiple of 8.
 *
 *   static void count_ones(const uint64_t *features, size_t count, uint64_t addend,
 *                          uint16_t ones[64]);
 *       For each bit the number of mixed features that have it; count <= ND_COUNT_BLOCK.
 *
 *   static void weigh(const uint64_t *mixed, const int32_t *weights, size_t count,
 *                     int32_t with[64]);
 *       For each bit the sum of the weights of the features that have it; count <=
 *       ND_WEIGH_BLOCK, and the sum of |weights| is below 2^31.
 *
 * SimHash adds the weights of the features that have a bit and subtracts all others. So the result
 * is twice the sum of the weights of features that have it, minus the sum of all weights. */
#ifndef ND_KERNEL_SIMHASH_BLOCKS_H
#define ND_KERNEL_SIMHASH_BLOCKS_H

#include "kernel/kernel_common.h"

static inline void add_weighed(const uint64_t *mixed, const int32_t *weights, size_t count,
                               unsigned width, unsigned shift, int64_t *sums) {
    int32_t with[64];
    int64_t all = 0;
    weigh(mixed, weights, count, with);
    for (size_t j = 0; j < count; j++) all += weights[j];
    for (unsigned i = 0; i < width; i++)
        sums[i] += (2 * (int64_t)with[i] - all) * ((int64_t)1 << shift);
}

/* Adds weights whose sum may not fit 32 bits: the low 15 bits and the rest separately. */
static __attribute__((noinline)) void add_heavy(const uint64_t *mixed, const int32_t *weights,
                                                size_t count, unsigned width, int64_t *sums) {
    int32_t part[ND_WEIGH_BLOCK] = {0};
    for (size_t j = 0; j < count; j++) part[j] = weights[j] & 0x7fff;
    add_weighed(mixed, part, count, width, 0, sums);
    for (size_t j = 0; j < count; j++) part[j] = weights[j] >> 15;
    add_weighed(mixed, part, count, width, 15, sums);
}

static void simhash_weighed(const uint64_t *features, const int32_t *weights, size_t count,
                            unsigned bits, int64_t *sums) {
    for (size_t done = 0; done < count; done += ND_WEIGH_BLOCK) {
        size_t block = count - done < ND_WEIGH_BLOCK ? count - done : ND_WEIGH_BLOCK;
        uint64_t mixed[ND_WEIGH_BLOCK];
        int64_t magnitude = 0;
        for (size_t j = 0; j < block; j++)
            magnitude += weights[done + j] < 0 ? -weights[done + j] : weights[done + j];
        for (unsigned first = 0; first < bits; first += 64) {
            unsigned width = bits - first < 64 ? bits - first : 64;
            mix_features(features + done, block, first ? ND_HASH_C1 : ND_HASH_C0, mixed);
            if (magnitude > INT32_MAX) add_heavy(mixed, weights + done, block, width, sums + first);
            else add_weighed(mixed, weights + done, block, width, 0, sums + first);
        }
    }
}

static void simhash(const uint64_t *features, const int32_t *weights, size_t count, unsigned bits,
                    int64_t *sums) {
    if (weights) {
        simhash_weighed(features, weights, count, bits, sums);
        return;
    }
    for (size_t done = 0; done < count; done += ND_COUNT_BLOCK) {
        size_t block = count - done < ND_COUNT_BLOCK ? count - done : ND_COUNT_BLOCK;
        for (unsigned first = 0; first < bits; first += 64) {
            unsigned width = bits - first < 64 ? bits - first : 64;
            uint16_t ones[64];
            count_ones(features + done, block, first ? ND_HASH_C1 : ND_HASH_C0, ones);
            for (unsigned i = 0; i < width; i++)
                sums[first + i] += 2 * (int64_t)ones[i] - (int64_t)block;
        }
    }
}

#endif

/* count_ones of simhash_blocks.h for instruction sets without masks: a positional popcount by
 * carry-save adders (Mula, Kurz and Lemire, "Faster population counts using AVX2 instructions",
 * 2018; Klarqvist, Mula and Lemire, "Efficient computation of positional population counts using
 * SIMD instructions", 2021). The file of an instruction set includes this once, after it has
 * defined mix_features and:
 *
 *   typedef ... bit_vector;
 *       A vector of 64-bit lanes, or a single one, with the operators of C.
 *
 * Carry-save adders turn eight vectors of mixed features into one vector, each bit of which counts
 * eight. These bits are added up in bytes, separately for each of the eight positions in a byte. */
#ifndef ND_KERNEL_BIT_COUNTS_H
#define ND_KERNEL_BIT_COUNTS_H

#include "kernel/kernel_common.h"

#define BIT_LANES (sizeof(bit_vector) / 8)
#define COUNT_SLOTS ((ND_COUNT_BLOCK + 8 * BIT_LANES - 1) / (8 * BIT_LANES) * (8 * BIT_LANES))

/* Adds three bits, one of which is *sum. Returns the carry; *sum becomes the sum. */
static inline bit_vector carry_save(bit_vector *sum, bit_vector a, bit_vector b) {
    bit_vector u = *sum ^ a, carry = (*sum & a) | (u & b);
    *sum = u ^ b;
    return carry;
}

static inline bit_vector load_bits(const uint64_t *from) {
    bit_vector x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* Sums the even bytes, or the odd ones, over the lanes: four sums of 16 bits. */
static inline uint64_t sum_lanes(bit_vector bytes, unsigned odd) {
    uint64_t lanes[BIT_LANES], sum = 0;
    memcpy(lanes, &bytes, sizeof bytes);
    for (size_t q = 0; q < BIT_LANES; q++)
        sum += lanes[q] >> 8 * odd & UINT64_C(0x00ff00ff00ff00ff);
    return sum;
}

static void count_ones(const uint64_t *features, size_t count, uint64_t addend, uint16_t ones[64]) {
    uint64_t mixed[COUNT_SLOTS], low_bits = UINT64_C(0x0101010101010101);
    mix_features(features, count, addend, mixed);
    for (size_t j = count; j % (8 * BIT_LANES); j++) mixed[j] = 0;
    const bit_vector none = {0};
    bit_vector by_1 = none, by_2 = none, by_4 = none, eights[8];
    for (unsigned k = 0; k < 8; k++) eights[k] = none;
    for (size_t j = 0; j < count; j += 8 * BIT_LANES) {
        bit_vector x[8];
        for (size_t k = 0; k < 8; k++) x[k] = load_bits(mixed + j + k * BIT_LANES);
        bit_vector two_a = carry_save(&by_1, x[0], x[1]), two_b = carry_save(&by_1, x[2], x[3]);
        bit_vector two_c = carry_save(&by_1, x[4], x[5]), two_d = carry_save(&by_1, x[6], x[7]);
        bit_vector four_a = carry_save(&by_2, two_a, two_b),
                   four_b = carry_save(&by_2, two_c, two_d);
        bit_vector eight = carry_save(&by_4, four_a, four_b);
        for (unsigned k = 0; k < 8; k++) eights[k] += eight >> k & low_bits;
    }
    for (unsigned k = 0; k < 8; k++) {
        bit_vector rest = (by_1 >> k & low_bits) + ((by_2 >> k & low_bits) << 1) +
                          ((by_4 >> k & low_bits) << 2);
        for (unsigned odd = 0; odd < 2; odd++) {
            uint64_t four = sum_lanes(eights[k], odd) * 8 + sum_lanes(rest, odd);
            for (unsigned i = 0; i < 4; i++)
                ones[16 * i + 8 * odd + k] = (uint16_t)(four >> 16 * i);
        }
    }
}

#endif

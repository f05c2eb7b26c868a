/* Pseudorandom numbers from a seed (SplitMix64: Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014), and the Fisher-Yates shuffle drawn from them. Families of
 * hash functions are made with both, so they are frozen like base/hash.h. */
#ifndef ND_BASE_SHUFFLE_H
#define ND_BASE_SHUFFLE_H

#include "base/hash.h"

/* The next number. *state starts as the seed. */
static inline uint64_t nd_splitmix64_next(uint64_t *state) {
    return nd_mix64(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* The high half of the next number. */
static inline uint32_t nd_splitmix64_next_high(uint64_t *state) {
    return (uint32_t)(nd_splitmix64_next(state) >> 32);
}

/* Fills `numbers` with 0 .. count-1 and shuffles them: for i = count-1 down to 1 the elements i and
 * (high half of the next number) * (i + 1) >> 32 are swapped. */
static inline void nd_shuffle(uint32_t *numbers, uint32_t count, uint64_t *state) {
    for (uint32_t i = 0; i < count; i++) numbers[i] = i;
    for (uint32_t i = count; i-- > 1;) {
        uint32_t j = (uint32_t)((uint64_t)nd_splitmix64_next_high(state) * (i + 1) >> 32),
                 number = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = number;
    }
}

#endif

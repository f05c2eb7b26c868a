#include "sketch/anchors.h"

/* An odd number near 2^64 divided by the golden ratio, and its inverse modulo 2^64. */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define INVERSE UINT64_C(0xf1de83e19937733d)
_Static_assert((uint64_t)(FACTOR *INVERSE) == 1, "every key has its shingle");

/* Keeps the `most` least keys, each once. *limit: no larger key is one of them. */
static size_t keep_least(uint64_t *keys, size_t count, uint32_t most, uint64_t *limit) {
    count = nd_set_make(keys, count);
    if (count < most) return count;
    *limit = keys[most - 1];
    return most;
}

/* Collects the keys up to a limit. */
static size_t collect(uint64_t *keys, const uint64_t *shingles, size_t count, uint32_t most,
                      uint64_t limit) {
    size_t capacity = 4 * (size_t)most, used = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = shingles[i] * FACTOR;
        keys[used] = key;
        used += key <= limit;
        if (used == capacity) used = keep_least(keys, used, most, &limit);
    }
    return keep_least(keys, used, most, &limit);
}

/* If shingles are distinct, about one and a half times the wanted keys are below the first limit,
 * so that few are sorted. If too few are, there are many repeats, and all keys are collected. */
const uint64_t *nd_anchors_sample(nd_anchor_sampler *sampler, const uint64_t *shingles,
                                  size_t count, uint32_t most, uint32_t *found) {
    uint64_t *keys = sampler->keys, limit = UINT64_MAX;
    size_t guess = most + most / 2;
    if (count > guess) limit = UINT64_MAX / count * guess;
    size_t used = collect(keys, shingles, count, most, limit);
    if (used < most && limit < UINT64_MAX) used = collect(keys, shingles, count, most, UINT64_MAX);
    for (size_t i = 0; i < used; i++) keys[i] *= INVERSE;
    *found = (uint32_t)used;
    return keys;
}

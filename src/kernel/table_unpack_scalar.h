/* Unpacks keys for table_unpack.h, one after the other. */
#include "base/bits.h"

static inline void unpack_ends(uint64_t ones, uint32_t keys, uint16_t *ends) {
    for (uint32_t i = 0; ones; ones &= ones - 1, i++)
        ends[i] = (uint16_t)(keys + (unsigned)__builtin_ctzll(ones) - i);
}

static inline void unpack_heads(const unsigned char *heads, uint64_t bit, unsigned width,
                                size_t count, uint32_t *keys) {
    const uint64_t mask = UINT64_MAX >> (64 - width);
    for (size_t i = 0; i < count; i++, bit += width) {
        const unsigned char *p = heads + bit / 8;
        if (i % 8 == 0) __builtin_prefetch(p + ND_HEADS_AHEAD);
        keys[i] = (uint32_t)(nd_load_le64(p) >> bit % 8 & mask);
    }
}

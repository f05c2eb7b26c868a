/* Unpacks a word for table_unpack.h, one key after the other. */
#include "base/bits.h"

typedef struct unpack_lanes {
    uint64_t mask;
    unsigned width, shift;
} unpack_lanes;

static inline unpack_lanes spread_heads(const nd_packed_keys *packed) {
    return (unpack_lanes){UINT64_MAX >> (64 - packed->width), packed->width, packed->shift};
}

static inline void unpack_word(const unpack_lanes *lanes, uint64_t zeros, uint64_t bucket,
                               const unsigned char *heads, uint64_t bit, uint64_t *keys) {
    for (size_t i = 0; zeros; zeros &= zeros - 1, bit += lanes->width, i++) {
        uint64_t head = nd_load_le64(heads + bit / 8) >> bit % 8 & lanes->mask;
        keys[i] = ((bucket + (unsigned)__builtin_ctzll(zeros) - i) << lanes->width | head)
                  << lanes->shift;
    }
}

static inline void unpack_ends(uint64_t ones, uint32_t keys, uint16_t *ends) {
    for (uint32_t i = 0; ones; ones &= ones - 1, i++)
        ends[i] = (uint16_t)(keys + (unsigned)__builtin_ctzll(ones) - i);
}

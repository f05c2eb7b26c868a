/* Unpacking a packed table's keys, word by word of its directory: one body for the files of all instruction sets. Before it they define
 *     unpack_lanes, spread_heads                                        what is the same for all keys of a run
 *     unpack_word(const unpack_lanes *, zeros, bucket, heads, bit, keys)   writes the keys of a word's 0 bits, and up to ND_UNPACK_BEHIND behind them (table_unpack_scalar.h, or vectors) */
#include "base/bits.h"

static size_t unpack(const nd_packed_keys *packed, size_t room, uint64_t *keys, size_t *words, uint64_t *last) {
    const unpack_lanes lanes = spread_heads(packed);
    size_t count = 0, at = 0;
    uint64_t bit = packed->bit;
    *last = 0;
    for (; at < packed->words && room - count >= 64; at++) {
        uint64_t zeros = ~nd_load_le64(packed->directory + at * 8), bucket = packed->bucket + at * 64 - count;
        if (at == 0) zeros &= packed->first_mask;
        if (at + 1 == packed->words) zeros &= packed->last_mask;
        if (zeros == 0) continue;
        unsigned ones = nd_ones(zeros);
        unpack_word(&lanes, zeros, bucket, packed->heads + bit / 8, bit % 8, keys + count);
        *last = bucket + 64 - (unsigned)__builtin_clzll(zeros) - ones;
        count += ones;
        bit += ones * packed->width;
    }
    *words = at;
    return count;
}

/* The body of the unpack kernel: unpacks the keys of an Elias-Fano table: first the directory, word
 * by word, then the heads of the keys that it has. The file of an instruction set includes this
 * once, after it has defined, with table_unpack_scalar.h or with vectors:
 *
 *   unpack_ends(ones, keys, ends)
 *       Writes for each 1 bit of a word the number of 0 bits before it, `keys` of which are before
 *       the word; and up to ND_ENDS_BEHIND - 64 more behind them.
 *
 *   unpack_heads(heads, bit, width, count, keys)
 *       Writes the lowest 32 bits of `count` heads, the first of which begins at bit `bit` < 8; and
 *       up to ND_KEYS_BEHIND more behind them. It prefetches ND_HEADS_AHEAD bytes ahead. */
#include "base/bits.h"

static nd_unpacked unpack(const nd_packed_keys *packed, uint32_t *keys, uint16_t *ends) {
    nd_unpacked done = {0};
    for (; done.words < packed->words && packed->key_room - done.keys >= 64 &&
           done.buckets < packed->bucket_room;
         done.words++) {
        uint64_t word = nd_load_le64(packed->directory + done.words * 8), mask = ~UINT64_C(0);
        uint32_t before = (uint32_t)done.keys;
        if (done.words == 0) {
            mask = packed->first_mask;
            before -= (uint32_t)__builtin_ctzll(mask);
        }
        if (done.words + 1 == packed->words) mask &= packed->last_mask;
        uint64_t ones = word & mask;
        unpack_ends(ones, before, ends + done.buckets);
        done.keys += nd_popcount(~word & mask);
        done.buckets += nd_popcount(ones);
    }
    unpack_heads(packed->heads + packed->bit / 8, packed->bit % 8, packed->width,
                 done.keys < packed->heads_there ? done.keys : packed->heads_there, keys);
    return done;
}

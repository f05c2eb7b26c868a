/* The body of the unpack kernel: unpacks the keys of an Elias-Fano table, word by word of its
 * directory. The file of an instruction set includes this once, after it has defined, with
 * table_unpack_scalar.h or with vectors:
 *
 *   unpack_lanes, spread_heads
 *       Values that are the same for all keys of a run.
 *
 *   unpack_word(const unpack_lanes *, zeros, bucket, heads, bit, keys)
 *       Writes the keys of the 0 bits of a word, and up to ND_KEYS_BEHIND more behind them.
 *
 *   unpack_ends(ones, keys, ends)
 *       Writes for each 1 bit of a word the number of 0 bits before it, `keys` of which are before
 *       the word; and up to ND_ENDS_BEHIND - 64 more behind them. */
#include "base/bits.h"

/* Heads are prefetched so many bytes ahead, because the hardware does not prefetch across pages. */
static nd_unpacked unpack(const nd_packed_keys *packed, uint64_t *keys, uint16_t *ends) {
    enum { AHEAD = 1024 };
    const unpack_lanes lanes = spread_heads(packed);
    nd_unpacked done = {0};
    uint64_t bit = packed->bit;
    for (; done.words < packed->words && packed->key_room - done.keys >= 64 &&
           done.buckets < packed->bucket_room;
         done.words++) {
        uint64_t word = nd_load_le64(packed->directory + done.words * 8),
                 bucket = packed->bucket + done.words * 64 - done.keys, mask = ~UINT64_C(0);
        uint32_t before = (uint32_t)done.keys;
        if (done.words == 0) {
            mask = packed->first_mask;
            before -= (uint32_t)__builtin_ctzll(mask);
        }
        if (done.words + 1 == packed->words) mask &= packed->last_mask;
        uint64_t zeros = ~word & mask, ones = word & mask;
        unsigned count = nd_popcount(zeros);
        for (unsigned line = 0; line < 3; line++)
            __builtin_prefetch(packed->heads + bit / 8 + AHEAD + 64 * line);
        unpack_word(&lanes, zeros, bucket, packed->heads + bit / 8, bit % 8, keys + done.keys);
        unpack_ends(ones, before, ends + done.buckets);
        done.keys += count;
        done.buckets += nd_popcount(ones);
        bit += count * packed->width;
    }
    return done;
}

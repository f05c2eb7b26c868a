/* Unpacking a packed table's keys, word by word of its directory: one body for the files of all
 * instruction sets. Before it they define unpack_lanes, spread_heads what is the same for all keys
 * of a run unpack_word(const unpack_lanes *, zeros, bucket, heads, bit, keys)   writes the keys of
 * a word's 0 bits, and up to ND_KEYS_BEHIND behind them unpack_ends(ones, keys, ends)   writes of
 * each of a word's 1 bits how many 0 bits are before it, with `keys` before the word, and up to
 * ND_ENDS_BEHIND - 64 behind them (table_unpack_scalar.h, or vectors) */
#include "base/bits.h"

/* Memory is asked for so many bytes of heads before they are unpacked, since a machine does not
 * foresee what lies behind a page. */
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
        unsigned count = nd_ones(zeros);
        for (unsigned line = 0; line < 3; line++)
            __builtin_prefetch(packed->heads + bit / 8 + AHEAD + 64 * line);
        unpack_word(&lanes, zeros, bucket, packed->heads + bit / 8, bit % 8, keys + done.keys);
        unpack_ends(ones, before, ends + done.buckets);
        done.keys += count;
        done.buckets += nd_ones(ones);
        bit += count * packed->width;
    }
    return done;
}

/* The hot loops, one table of functions an instruction set, chosen once at run time: best first,
 * minus what ND_DISABLE_CPU names. The generic table is the reference; every other gives the same
 * bits. */
#ifndef ND_KERNEL_KERNEL_H
#define ND_KERNEL_KERNEL_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The block of the unified ideographs, each a token of its own. */
static inline bool nd_words_take_han(uint32_t code_point) { return code_point - 0x4e00 < 0x5200; }

/* The characters that the words kernels take: ASCII; Latin-1; the dashes, quotes and other
 * punctuation of U+2010-203E without the line separators and direction controls U+2028-202E; Han;
 * of the punctuation between Han U+3000-3020 without the letters U+3005-3007, and U+FF01-FF65
 * without digits, letters and the low line. The set is chosen so that text of western European
 * languages and Chinese is all in it, that UTF-8 shows a character's class by its bytes, that
 * folding keeps the length in bytes, and that none changes what is before it under NFC. */
static inline bool nd_words_take(uint32_t code_point) {
    if (code_point < 0x3000)
        return code_point < 0x100 || code_point - 0x2010 < 0x18 || code_point - 0x202f < 0x10;
    if (code_point < 0xff00)
        return nd_words_take_han(code_point) || code_point - 0x3000 < 5 ||
               code_point - 0x3008 < 0x19;
    return code_point - 0xff01 < 15 || code_point - 0xff1a < 7 || code_point - 0xff3b < 4 ||
           code_point == 0xff40 || code_point - 0xff5b < 11;
}

/* Neighbouring keys of a packed table (hamming/elias_fano_table.h): the entries whose 0 bits are in
 * so many words of its directory, and the buckets whose 1 bits are. */
typedef struct nd_packed_keys {
    const unsigned char *directory, *heads;
    size_t words;
    uint64_t first_mask,
        last_mask; /* bits of the first word, from one on, and of the last, up to one, that count */
    uint64_t bucket;              /* that of the first word's bit 0, if it were the first key's */
    uint64_t bit;                 /* where the first key's head begins */
    unsigned width, shift;        /* bits of a head; 0 bits below it */
    size_t key_room, bucket_room; /* for how many there is room: of keys 64 to 65,535 */
} nd_packed_keys;
enum { ND_KEYS_BEHIND = 8, ND_ENDS_BEHIND = 128 }; /* so many more can be written */
typedef struct nd_unpacked {
    size_t words, keys, buckets;
} nd_unpacked;

/* Sorted keys of one word, or of two, and the places at which queries look: 2^wide buckets, among
 * which is the query's own with some bits flipped. */
typedef struct nd_key_places {
    const uint64_t *keys;   /* ND_PLACES_BEHIND more can be read */
    const uint16_t *starts; /* bucket b's keys are [starts[b], starts[b + 1]) */
    unsigned above, bits; /* a query's bucket: `bits` bits, at most 32, of its first word behind the
                             highest `above` */
    unsigned wide;        /* at most `bits` */
    uint32_t pattern;     /* of the bits that are flipped */
    uint32_t crowded;     /* a place with more keys than that, 8 or more, is not looked at */
} nd_key_places;
enum { ND_PLACES_BEHIND = 32 };
#define ND_CROWDED UINT32_MAX

/* The first bucket of a query's place is (first word >> 1 >> down ^ pattern) & mask, and behind the
 * last is `span` more. */
typedef struct nd_key_place {
    unsigned down;
    uint32_t pattern, mask, span;
} nd_key_place;
static inline nd_key_place nd_key_place_of(const nd_key_places *p) {
    return (nd_key_place){63 - p->above - p->bits, p->pattern,
                          (uint32_t)((UINT64_C(1) << p->bits) - (UINT64_C(1) << p->wide)),
                          UINT32_C(1) << p->wide};
}
static inline uint32_t nd_key_place_first(nd_key_place place, uint64_t query) {
    return ((uint32_t)(query >> 1 >> place.down) ^ place.pattern) & place.mask;
}

typedef struct nd_kernel {
    const char *name;

    /* MinHash values: for each i < perms, signature[i] = min(signature[i], v_i(x)) over the hashes;
     * m = nd_mix64(x ^ key), v_i = a[i] * lo(m) + hi(m) mod 2^32. a and signature have perms
     * entries, any number. */
    void (*minhash)(const uint64_t *hashes, size_t count, uint64_t key, const uint32_t *a,
                    uint32_t *signature, size_t perms);

    /* How many of `length` bytes are equal. */
    size_t (*count_equal)(const uint8_t *a, const uint8_t *b, size_t length);

    /* How many of `length` 32-bit values are equal. */
    size_t (*count_equal32)(const uint32_t *a, const uint32_t *b, size_t length);

    /* Tokens of a text's prefix of characters that nd_words_take: folds, cuts Han and maximal runs
     * of word characters, hashes each as nd_hash_token does, and writes the hashes to tokens[], at
     * most `room` (>= 64). Stops early when fewer than 64 places of room are left, or before the
     * first character that is not taken or byte that is no part of a character. Returns the number
     * of tokens; *consumed = how far the text is settled: all tokens that lie wholly before it are
     * written, and it is at the start of the token (or of the character) that touches what stopped
     * the scan, so that the careful path can begin there; `length` when everything is done. When
     * the whole rest is taken a token that touches the end of the text is complete. Reads nothing
     * outside the text. */
    size_t (*words)(const char *text, size_t length, const nd_hash_key *key, uint64_t *tokens,
                    size_t room, size_t *consumed);

    /* Shingle hashes of count >= n tokens: out[i] = nd_mix64(sum over k < n of tokens[i + k] *
     * powers[n - 1 - k]) for i <= count - n, where powers[k] = ND_HASH_POLY^k mod 2^64. `out` may
     * be `tokens`. */
    void (*shingles)(const uint64_t *tokens, size_t count, size_t n, const uint64_t *powers,
                     uint64_t *out);

    /* Of a packed table of fingerprints (hamming/elias_fano_table.h): where the entries of `count`
     * places are, [begins[i], ends[i]). Place i is the buckets [p, p + 2^shift) with p =
     * prefixes[i] << shift, shift 0 to 6; befores[i] is the sample before it. directory: `words`
     * words of 8 bytes. Where a sample leads out of it, begins[i] > ends[i]; what samples say else
     * is not checked. */
    void (*find_buckets)(const unsigned char *directory, uint64_t words, const uint32_t *befores,
                         const uint32_t *prefixes, unsigned shift, size_t count, uint32_t *begins,
                         uint32_t *ends);

    /* Of such a table's heads, `width` bits each (1 to 57): the entries of `count` ranges
     * [begins[i], ends[i]) with at most most[i] bits unlike the query's, as i << 32 | entry, in
     * that order. query < 2^width. `packed` is aligned to 64 bytes; so many behind each range,
     * empty ones too, can be read. `hits` has room for all entries and one more. Returns how many
     * there are. */
    size_t (*near_ranges)(const unsigned char *packed, unsigned width, uint64_t query,
                          const uint32_t *begins, const uint32_t *ends, const uint8_t *most,
                          size_t count, uint64_t *hits);

    /* The keys of word after word while there is room for 64 more keys, and for a bucket: keys[i] =
     * (bucket << width | head) << shift, of the i-th 0 bit, at bit p from the first word on, with
     * bucket = packed->bucket + p - i; ends[b]: how many 0 bits are before the b-th 1 bit. 64 bytes
     * behind the last head can be read. */
    nd_unpacked (*unpack)(const nd_packed_keys *packed, uint64_t *keys, uint16_t *ends);

    /* SimHash sums: for each i < bits (16, 32, 64 or 128), sums[i] += the sum over the features of
     * (bit i of the mixed feature ? weight : -weight); bits 0 to 63 are those of nd_mix64(x +
     * ND_HASH_C0), 64 to 127 those of nd_mix64(x + ND_HASH_C1). `weights` NULL: each is 1; else
     * they are of magnitude at most 2^30. The sums are exact, the caller sees to it that they fit.
     */
    void (*simhash)(const uint64_t *features, const int32_t *weights, size_t count, unsigned bits,
                    int64_t *sums);

    /* Keys within a Hamming distance. Each writes the hits to hits[] and returns how many there
     * are; hits[] has room for 16 more than there are keys (pairs). `most` can be any number; from
     * the width of a key on, all are hits.
     *
     * Keys of `width` bits, 1 to 57, in a little-endian bit string: key i is bits [i * width, (i +
     * 1) * width). Writes i - first for each i in [first, first + count) with popcount(key ^ query)
     * <= most, ascending. 64 bytes behind the last byte of the last key can be read. query <
     * 2^width. */
    size_t (*near_packed)(const unsigned char *packed, uint64_t first, size_t count, unsigned width,
                          uint64_t query, unsigned most, uint32_t *hits);

    /* The same of plain arrays, ascending; a key of 128 bits is two words, the low one first. */
    size_t (*near64)(const uint64_t *keys, size_t count, uint64_t query, unsigned most,
                     uint32_t *hits);
    size_t (*near128)(const uint64_t *keys, size_t count, uint64_t query_low, uint64_t query_high,
                      unsigned most, uint32_t *hits);
    size_t (*near32)(const uint32_t *keys, size_t count, uint32_t query, unsigned most,
                     uint32_t *hits);

    /* All pairs of a query and a key, as query number << 32 | key number. The order: queries in
     * blocks of 8 (the last may be smaller), in a block by key, for a key by query. Fast where the
     * keys stay in a cache. */
    size_t (*near64_pairs)(const uint64_t *queries, size_t query_count, const uint64_t *keys,
                           size_t count, unsigned most, uint64_t *hits);
    size_t (*near128_pairs)(const uint64_t *queries, size_t query_count, const uint64_t *keys,
                            size_t count, unsigned most, uint64_t *hits);

    /* Of each query the keys in its place that are at most `most` bits unlike it, as query number
     * << 32 | key number, by query, by key; of a crowded place query number << 32 | ND_CROWDED
     * alone. hits[] has room for `crowded` of each query and one more. */
    size_t (*near64_places)(const nd_key_places *places, const uint64_t *queries, size_t count,
                            unsigned most, uint64_t *hits);
    size_t (*near128_places)(const nd_key_places *places, const uint64_t *queries, size_t count,
                             unsigned most, uint64_t *hits);

    /* Length of the valid UTF-8 prefix: the first byte of the first bad sequence, or length. */
    size_t (*utf8_valid_prefix)(const char *text, size_t length);

    /* Length of the prefix of bytes below 0x80. */
    size_t (*ascii_prefix)(const char *text, size_t length);
} nd_kernel;

/* The chosen table. Safe from any thread; the choice is made at the first call. */
const nd_kernel *nd_kernel_get(void);

/* All tables that this CPU can run, generic last (ND_DISABLE_CPU heeded): for tests and benchmarks.
 * Returns their number, at most 4. */
size_t nd_kernel_all(const nd_kernel *tables[4]);

/* Tables by name; NULL where this build or CPU does not have it. */
extern const nd_kernel nd_kernel_generic;

#endif

/* The table of functions that each instruction set fills, and the types of their parameters. */
#ifndef ND_KERNEL_KERNEL_FUNCTIONS_H
#define ND_KERNEL_KERNEL_FUNCTIONS_H

#include "base/hash_chains.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of an Elias-Fano table (hamming/elias_fano_table.h): the keys and buckets of `words`
 * words of its directory, in which a 0 bit is a key and a 1 bit ends a bucket. */
typedef struct nd_packed_keys {
    const unsigned char *directory, *heads;
    size_t words;
    uint64_t first_mask;          /* bits of the first word that count: from one bit on */
    uint64_t last_mask;           /* bits of the last word that count: up to one bit */
    uint64_t bit;                 /* offset of the first key's head */
    size_t heads_there;           /* no more are read, whatever the directory says */
    unsigned width;               /* bits of a head, 1 to 57 */
    size_t key_room, bucket_room; /* the most keys, 64 to 65,535, and buckets */
} nd_packed_keys;
enum {
    ND_KEYS_BEHIND = 8,
    ND_ENDS_BEHIND = 128
}; /* so many more keys and ends may be written
      behind the last one */
typedef struct nd_unpacked {
    size_t words, keys, buckets;
} nd_unpacked;

/* 32 bits of each of some keys in buckets, and a pattern of errors: each query probes the 2^wide
 * adjacent buckets around its own bucket with the bits of the pattern flipped. */
typedef struct nd_key_probes {
    const uint32_t *keys;   /* ND_PROBES_BEHIND more can be read */
    const uint16_t *starts; /* the keys of bucket b are [starts[b], starts[b + 1]) */
    /* A query's bucket is given by `bits` bits, at most 32, of its word, below the highest `above`
     * bits. Keys are compared with the 32 bits from bit `low` on. */
    unsigned above, bits, low;
    unsigned wide;    /* at most `bits` */
    uint32_t pattern; /* bits that are flipped */
    uint32_t crowded; /* a probe that meets more keys, 8 or more, is not scanned */
} nd_key_probes;
enum { ND_PROBES_BEHIND = 16 };
#define ND_CROWDED UINT32_MAX

/* A probe. Its first bucket is (query >> 1 >> down ^ pattern) & mask, and it has `span` buckets. */
typedef struct nd_key_probe {
    unsigned down;
    uint32_t pattern, mask, span;
} nd_key_probe;
static inline nd_key_probe nd_key_probe_of(const nd_key_probes *p) {
    return (nd_key_probe){.down = 63 - p->above - p->bits,
                          .pattern = p->pattern,
                          .mask = (uint32_t)((UINT64_C(1) << p->bits) - (UINT64_C(1) << p->wide)),
                          .span = UINT32_C(1) << p->wide};
}
static inline uint32_t nd_key_probe_first(nd_key_probe probe, uint64_t query) {
    return ((uint32_t)(query >> 1 >> probe.down) ^ probe.pattern) & probe.mask;
}

enum { ND_STRING_BEHIND = 64 };

/* A line of a text. A sign is an ASCII character that is not in [0-9A-Za-z_]. `words` counts these
 * characters at the line's begin and directly behind signs. So a line of ASCII has `words` words,
 * and any other one has at least so many. */
typedef struct nd_line {
    size_t end; /* its newline, or the end of the text */
    uint32_t words;
    bool ascii;
} nd_line;

/* Folded tokens, one behind the other: token t ends at bytes[ends[t]], where the next one begins.
 */
typedef struct nd_token_letters {
    unsigned char *bytes;
    size_t size; /* of the tokens so far */
    size_t *ends;
} nd_token_letters;
enum { ND_LETTERS_BEHIND = 16 }; /* so many more bytes may be written behind the last token */

/* A set of values, looked up by windows (similarity/ascending_set.h). A value's bucket is its bits
 * from `shift` on. The window of a bucket, values[windows[bucket]] and the ND_WINDOW_VALUES - 1
 * behind it, ends with the bucket's last value; that of an empty one has no value of the bucket. */
typedef struct nd_value_windows {
    const uint64_t *values; /* ascending, behind ND_WINDOW_VALUES times UINT64_MAX */
    const uint32_t *windows;
    unsigned shift;
    uint64_t mask; /* the bits of a value, fewer than 64 */
} nd_value_windows;
enum { ND_WINDOW_VALUES = 4 };

/* The orders in which a MinHash function has a least value: ascending, descending, and the same two
 * of signed numbers, whose top bit is turned. So a kernel takes the least and the greatest value,
 * of unsigned and of signed numbers, each by one instruction. */
enum { ND_MINHASH_ORDERS = 4, ND_MINHASH_STEP = 16 };
static const uint32_t nd_minhash_orders[ND_MINHASH_ORDERS] = {0, 0xffffffff, 0x80000000,
                                                              0x7fffffff};

typedef struct nd_kernel {
    const char *name;

    /* MinHash values: for each i < functions, a multiple of ND_MINHASH_STEP, each k < 4 and each
     * hash x, values[k * functions + i] becomes the least of itself and nd_minhash_orders[k] xor
     * (a[i] * lo(m) + hi(m) mod 2^32), m = nd_mix64(x ^ key). */
    void (*minhash)(const uint64_t *hashes, size_t count, uint64_t key, const uint32_t *a,
                    size_t functions, uint32_t *values);

    /* The number of equal bytes among `length`. */
    size_t (*count_equal)(const uint8_t *a, const uint8_t *b, size_t length);

    /* The number of equal 32-bit values among `length`. */
    size_t (*count_equal32)(const uint32_t *a, const uint32_t *b, size_t length);

    /* Looks up shingles in a set, narrowed: those of their bits that are in the mask, and 1 for 0.
     * Of each one that is there, sets a bit of marks[w] for a window w: always the same bit for the
     * same value. Writes the others to others[], with repeats, and returns their number. `others`
     * has room for all and one more. */
    size_t (*mark_values)(const nd_value_windows *set, const uint64_t *shingles, size_t count,
                          uint8_t *marks, uint64_t *others);

    /* Tokens of the longest prefix of a text whose characters are all accepted (script_pages.h).
     * Folds, cuts unspaced characters and maximal runs of word characters, both with the marks
     * behind them, hashes each token like nd_hash_token, and writes at most `room` >= 64 hashes to
     * tokens[]. Stops early if the room is for fewer than 64 more, or before the first character
     * that is not accepted or clashes with the one before it, or byte that is not part of a
     * character. Reads nothing outside the text.
     *
     * Returns the number of tokens. All tokens that end before *consumed are written. If everything
     * is done, *consumed is `length`; a token that touches the end of the text is then complete.
     * Otherwise it is the start of the token that touches the position at which the scan stopped,
     * or of the character there with the marks behind it, so that the scalar tokenizer can begin
     * there.
     *
     * `letters`, which may be NULL, also gets the tokens: `bytes` has room for `length` more and
     * ND_LETTERS_BEHIND, and `ends` for `room`. Then the scan may also stop at the beginning of a
     * token of more than 64 bytes. */
    size_t (*words)(const char *text, size_t length, const nd_hash_key *key, uint64_t *tokens,
                    size_t room, nd_token_letters *letters, size_t *consumed);

    /* Shingle hashes of count >= n tokens: out[i] = nd_mix64(sum over k < n of tokens[i + k] *
     * powers[n - 1 - k]) for i <= count - n, where powers[k] = ND_HASH_POLY^k mod 2^64. `out` may
     * be `tokens`. `text`, which may be NULL, absorbs the tokens that fill steps of four: beside
     * vectors that takes hardly any time. */
    void (*shingles)(const uint64_t *tokens, size_t count, size_t n, const uint64_t *powers,
                     uint64_t *out, nd_chains *text);

    /* Looks up `count` probes in the directory of an Elias-Fano table (hamming/elias_fano_table.h),
     * of `words` words of 8 bytes. Probe i is the buckets [p, p + 2^shift) with p = prefixes[i] <<
     * shift, shift 0 to 6; befores[i] is the sample before it. Its entries are [begins[i],
     * ends[i]). If a sample leads out of the directory, begins[i] > ends[i]; other wrong samples
     * are not noticed. */
    void (*find_buckets)(const unsigned char *directory, uint64_t words, const uint32_t *befores,
                         const uint32_t *prefixes, unsigned shift, size_t count, uint32_t *begins,
                         uint32_t *ends);

    /* Compares a query with the heads of such a table, `width` bits each, 1 to 57, in `count`
     * ranges [begins[i], ends[i]). Writes each entry with at most most[i] different bits to `hits`,
     * as i << 32 | entry, in that order, and returns their number. query < 2^width. `packed` is
     * aligned to 64 bytes, and 64 bytes behind each range, also an empty one, can be read. `hits`
     * has room for all entries and one more. */
    size_t (*near_ranges)(const unsigned char *packed, unsigned width, uint64_t query,
                          const uint32_t *begins, const uint32_t *ends, const uint8_t *most,
                          size_t count, uint64_t *hits);

    /* Unpacks keys word by word of the directory, while there is room for 64 more keys and for a
     * bucket. keys[i]: the lowest 32 bits of the i-th head, if it is there. ends[b]: the number of
     * 0 bits before the b-th 1 bit. 64 bytes behind the last head can be read. */
    nd_unpacked (*unpack)(const nd_packed_keys *packed, uint32_t *keys, uint16_t *ends);

    /* SimHash sums: for each i < bits (16, 32, 64 or 128), sums[i] += the sum over the features of
     * (bit i of the mixed feature ? weight : -weight). The mixed feature is nd_mix64(x +
     * ND_HASH_C0) for bits 0 to 63, and nd_mix64(x + ND_HASH_C1) for bits 64 to 127. `weights`
     * NULL: all are 1; otherwise |weight| <= 2^30. The sums are exact. REQUIRES: 64 bits hold them.
     */
    void (*simhash)(const uint64_t *features, const int32_t *weights, size_t count, unsigned bits,
                    int64_t *sums);

    /* Search for keys within a Hamming distance. Each of the following functions writes the hits to
     * hits[] and returns their number. hits[] has room for 16 entries more than keys or pairs.
     * `most` can be any number; if it is at least the width of a key, all keys are hits.
     *
     * near_packed: keys of `width` bits, 1 to 57, in a little-endian bit string; key i is the bits
     * [i * width, (i + 1) * width). Writes i - first for each i in [first, first + count) with
     * popcount(key ^ query) <= most, ascending. 64 bytes behind the last byte of the last key can
     * be read. query < 2^width. */
    size_t (*near_packed)(const unsigned char *packed, uint64_t first, size_t count, unsigned width,
                          uint64_t query, unsigned most, uint32_t *hits);

    /* The same for plain arrays, ascending; a key of 128 bits is two words, the low one first. */
    size_t (*near64)(const uint64_t *keys, size_t count, uint64_t query, unsigned most,
                     uint32_t *hits);
    size_t (*near128)(const uint64_t *keys, size_t count, uint64_t query_low, uint64_t query_high,
                      unsigned most, uint32_t *hits);
    size_t (*near32)(const uint32_t *keys, size_t count, uint32_t query, unsigned most,
                     uint32_t *hits);

    /* All pairs of a query and a key, as query number << 32 | key number. Queries come in blocks of
     * 8 (the last may be smaller), within a block ordered by key, and for a key by query. Fast if
     * the keys stay in a cache. */
    size_t (*near64_pairs)(const uint64_t *queries, size_t query_count, const uint64_t *keys,
                           size_t count, unsigned most, uint64_t *hits);
    size_t (*near128_pairs)(const uint64_t *queries, size_t query_count, const uint64_t *keys,
                            size_t count, unsigned most, uint64_t *hits);

    /* For each query the keys of its probe with at most `most` different bits, as query number <<
     * 32 | key number, ordered by query and key. A crowded probe gives only query number << 32 |
     * ND_CROWDED. hits[] has room for `crowded` entries per query, and one more. */
    size_t (*near32_probes)(const nd_key_probes *probes, const uint64_t *queries, size_t count,
                            unsigned most, uint64_t *hits);

    /* Bodies of TLSH digests, each of 4 or 8 words: for each of at most 2^32 bodies whose distance
     * from the query's is at most `most` (nd_tlsh_distance, "body"), its distance << 32 | its
     * number, ascending by number. hits[] has room for an entry more than bodies. Returns the hits.
     */
    size_t (*near_tlsh)(const uint64_t *bodies, size_t words, size_t count, const uint64_t *query,
                        unsigned most, uint64_t *hits);

    /* The length of the valid UTF-8 prefix: the offset of the first ill-formed sequence, or length.
     */
    size_t (*utf8_valid_prefix)(const char *text, size_t length);

    /* The length of the prefix of bytes below 0x80. */
    size_t (*ascii_prefix)(const char *text, size_t length);

    /* Copies the characters of a JSON string (RFC 8259, section 7), from text[0] on, and replaces
     * escapes by their characters in UTF-8. Stops before the first quote that is not escaped,
     * control character below U+0020, or backslash that begins no whole escape, or that of a lone
     * surrogate; otherwise at the end. Returns the number of bytes read; *written: of bytes
     * written, never more. The bytes are not checked to be UTF-8. `out` has room for length +
     * ND_STRING_BEHIND. */
    size_t (*json_string)(const char *text, size_t length, char *out, size_t *written);

    /* Passes the characters of a JSON string that stand for *bytes bytes of its text. Stops earlier
     * before the first quote that is not escaped, escape \u, or backslash at the end. Returns the
     * number of bytes read; *bytes: of bytes of the text. */
    size_t (*json_pass)(const char *text, size_t length, size_t *bytes);

    /* Finds the lines of a text, the last of which may have no newline; at most `room`, which is
     * not 0. Returns their number; *read: where the line behind them begins, or `length`. REQUIRES:
     * length > 0. */
    size_t (*lines)(const char *text, size_t length, nd_line *out, size_t room, size_t *read);
} nd_kernel;

/* json_string of the kernels that have no faster one: by words of 8 bytes. */
size_t nd_json_string_by_words(const char *text, size_t length, char *out, size_t *written);

#endif

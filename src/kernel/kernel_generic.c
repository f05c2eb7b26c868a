/* The reference: plain C, which processes eight bytes at a time if that is faster. */
#include "kernel/kernel_common.h"

static inline uint32_t least_of(uint32_t x, uint32_t y) { return x < y ? x : y; }

/* Updates the values of 2 functions, of `all`. They stay in registers while the hashes stream by.
 */
static inline void minhash_tile(const uint32_t *lo, const uint32_t *hi, size_t count,
                                const uint32_t *a, uint32_t *values, size_t all) {
    uint32_t least[2][ND_MINHASH_ORDERS];
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < ND_MINHASH_ORDERS; k++) least[i][k] = values[k * all + i];
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < 2; i++) {
            uint32_t value = a[i] * lo[j] + hi[j];
            for (size_t k = 0; k < ND_MINHASH_ORDERS; k++)
                least[i][k] = least_of(least[i][k], value ^ nd_minhash_orders[k]);
        }
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < ND_MINHASH_ORDERS; k++) values[k * all + i] = least[i][k];
}

static void minhash(const uint64_t *hashes, size_t count, uint64_t key, const uint32_t *a,
                    size_t functions, uint32_t *values) {
    uint32_t lo[ND_MINHASH_BLOCK], hi[ND_MINHASH_BLOCK];
    for (size_t done = 0; done < count; done += ND_MINHASH_BLOCK) {
        size_t block = count - done < ND_MINHASH_BLOCK ? count - done : ND_MINHASH_BLOCK;
        nd_minhash_mix(hashes + done, block, key, lo, hi);
        for (size_t i = 0; i < functions; i += 2)
            minhash_tile(lo, hi, block, a + i, values + i, functions);
    }
}

static size_t count_equal(const uint8_t *a, const uint8_t *b, size_t length) {
    size_t equal = 0;
    for (size_t i = 0; i < length; i++) equal += a[i] == b[i];
    return equal;
}

static size_t count_equal32(const uint32_t *a, const uint32_t *b, size_t length) {
    size_t equal = 0;
    for (size_t i = 0; i < length; i++) equal += a[i] == b[i];
    return equal;
}

/* Gathers the top bits of eight bytes: bit i of the result is the top bit of byte i. REQUIRES: x
 * has no other bits. */
static inline uint64_t top_bits(uint64_t x) {
    return (x >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline nd_word_block classify_block(const unsigned char *p, unsigned char *lower) {
    const uint64_t tops = UINT64_C(0x8080808080808080);
    nd_word_block block = {0, 0};
    for (unsigned i = 0; i < 8; i++) {
        uint64_t x = nd_load_le64(p + 8 * i), other = x & tops;
        x &= ~tops;
        uint64_t small = nd_lower_word8(x);
        uint64_t word = nd_range8(x, '0', '9' + 1) | nd_range8(small, 'a', 'z' + 1) |
                        nd_range8(x, '_', '_' + 1);
        nd_store_le64(lower + 8 * i, small);
        block.word |= top_bits(word & ~other) << (8 * i);
        block.other |= top_bits(other) << (8 * i);
    }
    return block;
}

#define G ND_LATIN_GENERAL
const unsigned char nd_latin_class[64] = {
    [0x00] = ND_LATIN_BYTE_80,     [0x10 ... 0x16] = G,
    [0x17] = G | ND_LATIN_SIGN_C3, [0x18 ... 0x1e] = G,
    [0x1f] = G | ND_LATIN_BYTE_9F, [0x20 ... 0x27] = G,
    [0x2a] = ND_LATIN_WORD_C2,     [0x2f ... 0x34] = G,
    [0x35] = G | ND_LATIN_WORD_C2, [0x36] = G,
    [0x37] = G | ND_LATIN_SIGN_C3, [0x38 ... 0x39] = G,
    [0x3a] = G | ND_LATIN_WORD_C2, [0x3b ... 0x3e] = G,
};
#undef G

/* Sets bit `at` of each mask if the class has the mask's bit. */
static inline void put_class(nd_latin_block *latin, unsigned class, unsigned at) {
    uint64_t bit = UINT64_C(1) << at;
    latin->sign_c3 |= class & ND_LATIN_SIGN_C3 ? bit : 0;
    latin->word_c2 |= class & ND_LATIN_WORD_C2 ? bit : 0;
    latin->general |= class & ND_LATIN_GENERAL ? bit : 0;
    latin->byte_9f |= class & ND_LATIN_BYTE_9F ? bit : 0;
    latin->byte_80 |= class & ND_LATIN_BYTE_80 ? bit : 0;
}

/* First finds the continuation and the leading bytes, eight bytes at a time; then reads the leading
 * bytes one by one, with the classes of the bytes behind them. */
static inline nd_latin_block classify_latin(const unsigned char *p, unsigned char *lower) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    nd_latin_block latin = {0};
    uint64_t leads = 0;
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t text = nd_load_le64(p + i), tops = text & ones << 7, high = (tops >> 7) * 255;
        nd_store_le64(lower + i, (nd_load_le64(lower + i) & ~high) | (text & high));
        latin.continuation |= top_bits(tops & ~(text << 1)) << i;
        leads |= top_bits(tops & text << 1) << i;
    }
    for (; leads; leads &= leads - 1) {
        unsigned at = (unsigned)__builtin_ctzll(leads), c = p[at];
        if (at == 63 || (c != 0xc2 && c != 0xc3 && c != 0xe2)) continue;
        *(c == 0xc2 ? &latin.c2 : c == 0xc3 ? &latin.c3 : &latin.e2) |= leads & -leads;
        if (c == 0xc3) lower[at + 1] |= 0x20;
        put_class(&latin, nd_latin_class[p[at + 1] & 63], at + 1);
        if (at < 62) put_class(&latin, nd_latin_class[p[at + 2] & 63], at + 2);
    }
    latin.byte_80 &= latin.continuation;
    return latin;
}

static inline nd_script_leads find_leads(const unsigned char *p) {
    nd_script_leads leads = {0};
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t text = nd_load_le64(p + i), tops = text & UINT64_C(0x8080808080808080),
                 two = tops & text << 1, three = two & text << 2, four = three & text << 3;
        leads.two |= top_bits(two & ~three) << i;
        leads.three |= top_bits(three & ~four) << i;
        leads.four |= top_bits(four) << i;
        leads.continuation |= top_bits(tops & ~two) << i;
    }
    return leads;
}

/* Nothing is remembered. */
typedef struct nd_recent_pages {
    char unused;
} nd_recent_pages;
static inline void forget_pages(nd_recent_pages *recent) { (void)recent; }

/* Looks up the characters one by one. */
static inline nd_script_classes64 classify_script(const unsigned char *p, nd_script_leads leads,
                                                  nd_recent_pages *recent, unsigned char *lower,
                                                  unsigned char *classes) {
    nd_script_classes64 found = {0};
    (void)recent;
    memset(classes, 0, 64);
    for (uint64_t rest = leads.two | leads.three | leads.four; rest; rest &= rest - 1) {
        unsigned at = (unsigned)__builtin_ctzll(rest);
        memcpy(lower + at, p + at, nd_script_length(p[at]));
        nd_look_up_character(p, at, lower, classes, &found);
    }
    return found;
}

static inline nd_stop_classes64 stop_classes(const unsigned char *classes) {
    nd_stop_classes64 found = {0};
    for (unsigned i = 0; i < 64; i++) {
        found.forward |= (uint64_t)(classes[i] >> 3 & 1) << i;
        found.refused |= (uint64_t)(classes[i] == ND_WORDS_REFUSED) << i;
    }
    return found;
}

static inline uint16_t *put_edges(uint16_t *to, uint64_t edges, unsigned base) {
    for (; edges; edges &= edges - 1) *to++ = (uint16_t)(base + (unsigned)__builtin_ctzll(edges));
    return to;
}

static inline uint16_t *put_alternately(uint16_t *to, uint64_t first, uint64_t second,
                                        unsigned base) {
    for (uint64_t now = first, next = second, rest; now; now = next, next = rest) {
        *to++ = (uint16_t)(base + (unsigned)__builtin_ctzll(now));
        rest = now & (now - 1);
    }
    return to;
}

static inline uint16_t *put_threes(uint16_t *to, uint64_t first, unsigned base) {
    for (; first; first &= first - 1, to += 2) {
        to[0] = (uint16_t)(base + (unsigned)__builtin_ctzll(first));
        to[1] = (uint16_t)(to[0] + 3);
    }
    return to;
}

#include "kernel/token_hashes_scalar.h"

#include "kernel/word_blocks.h"

static void shingles(const uint64_t *tokens, size_t count, size_t n, const uint64_t *powers,
                     uint64_t *out, nd_chains *text) {
    nd_shingles_plain(tokens, count, n, powers, out, text);
}

static inline void mix_features(const uint64_t *features, size_t count, uint64_t addend,
                                uint64_t *mixed) {
    for (size_t j = 0; j < count; j++) mixed[j] = nd_mix64(features[j] + addend);
}

/* Four bits at a time: a feature's four bits name a slot, to which its weight is added. The sum of
 * a bit is the sum of the slots that have the bit. */
static void weigh(const uint64_t *mixed, const int32_t *weights, size_t count, int32_t with[64]) {
    int32_t slots[16][16] = {{0}};
    for (size_t j = 0; j < count; j++) {
        uint64_t m = mixed[j];
        for (unsigned k = 0; k < 16; k++) slots[k][m >> 4 * k & 15] += weights[j];
    }
    for (unsigned k = 0; k < 16; k++) {
        const int32_t *p = slots[k];
        int32_t odd = p[1] + p[3] + p[5] + p[7], high_odd = p[9] + p[11] + p[13] + p[15];
        with[4 * k] = odd + high_odd;
        with[4 * k + 1] = p[2] + p[3] + p[6] + p[7] + p[10] + p[11] + p[14] + p[15];
        with[4 * k + 2] = p[4] + p[5] + p[6] + p[7] + p[12] + p[13] + p[14] + p[15];
        with[4 * k + 3] = high_odd + p[8] + p[10] + p[12] + p[14];
    }
}

typedef uint64_t bit_vector;

#include "kernel/bit_counts.h"
#include "kernel/simhash_blocks.h"

#include "kernel/hamming_scalar.h"

static size_t near64(const uint64_t *keys, size_t count, uint64_t query, unsigned most,
                     uint32_t *hits) {
    return near64_range(keys, 0, count, query, most, hits, 0);
}

static size_t near128(const uint64_t *keys, size_t count, uint64_t low, uint64_t high,
                      unsigned most, uint32_t *hits) {
    return near128_range(keys, 0, count, low, high, most, hits, 0);
}

static size_t near32(const uint32_t *keys, size_t count, uint32_t query, unsigned most,
                     uint32_t *hits) {
    return near32_range(keys, 0, count, query, most, hits, 0);
}

static size_t near64_pairs(const uint64_t *queries, size_t query_count, const uint64_t *keys,
                           size_t count, unsigned most, uint64_t *hits) {
    size_t found = 0;
    for (size_t first = 0, last; first < query_count; first = last) {
        last = query_count - first < PAIR_QUERIES ? query_count : first + PAIR_QUERIES;
        found = near64_pairs_range(queries, first, last, keys, 0, count, most, hits, found);
    }
    return found;
}

static size_t near128_pairs(const uint64_t *queries, size_t query_count, const uint64_t *keys,
                            size_t count, unsigned most, uint64_t *hits) {
    size_t found = 0;
    for (size_t first = 0, last; first < query_count; first = last) {
        last = query_count - first < PAIR_QUERIES ? query_count : first + PAIR_QUERIES;
        found = near128_pairs_range(queries, first, last, keys, 0, count, most, hits, found);
    }
    return found;
}

static size_t near32_probes(const nd_key_probes *probes, const uint64_t *queries, size_t count,
                            unsigned most, uint64_t *hits) {
    const nd_key_probe probe = nd_key_probe_of(probes);
    size_t found = 0;
    for (size_t q = 0; q < count; q++) {
        uint32_t first = nd_key_probe_first(probe, queries[q]), begin = probes->starts[first],
                 end = probes->starts[first + probe.span],
                 query = (uint32_t)(queries[q] >> probes->low);
        if (end - begin > probes->crowded) hits[found++] = (uint64_t)q << 32 | ND_CROWDED;
        else
            for (uint32_t i = begin; i < end; i++) {
                hits[found] = (uint64_t)q << 32 | i;
                found += nd_popcount(probes->keys[i] ^ query) <= most;
            }
    }
    return found;
}

static size_t ascii_prefix(const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0;
    while (length - at >= 8 && !(nd_load_le64(p + at) & UINT64_C(0x8080808080808080))) at += 8;
    while (at < length && p[at] < 0x80) at++;
    return at;
}

static inline bool continues(unsigned char c) { return (c & 0xc0) == 0x80; }

/* Returns the bytes of the well-formed sequence at p (RFC 3629, section 4, its grammar line by
 * line); 0: there is none. `left` bytes can be read. */
static inline size_t sequence(const unsigned char *p, size_t left) {
    unsigned char c = p[0];
    if (c < 0x80) return 1;
    if (c < 0xc2 || c > 0xf4 || left < 2) return 0;
    unsigned char low = 0x80, high = 0xbf; /* bounds of the second byte: no overlong forms, no
                                              surrogates, nothing above U+10FFFF */
    if (c == 0xe0) low = 0xa0;
    if (c == 0xed) high = 0x9f;
    if (c == 0xf0) low = 0x90;
    if (c == 0xf4) high = 0x8f;
    if (p[1] < low || p[1] > high) return 0;
    if (c < 0xe0) return 2;
    if (left < 3 || !continues(p[2])) return 0;
    if (c < 0xf0) return 3;
    return left >= 4 && continues(p[3]) ? 4 : 0;
}

size_t nd_utf8_valid_from(const unsigned char *p, size_t length, size_t from) {
    size_t at = from;
    while (at < length) {
        if (length - at >= 8 && !(nd_load_le64(p + at) & UINT64_C(0x8080808080808080))) {
            at += 8;
            continue;
        }
        size_t bytes = sequence(p + at, length - at);
        if (!bytes) break;
        at += bytes;
    }
    return at;
}

static size_t utf8_valid_prefix(const char *text, size_t length) {
    return nd_utf8_valid_from((const unsigned char *)text, length, 0);
}

/* ---- strings of JSON */

const char nd_json_escapes[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                   ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};

/* Sets bit 7 of the first byte that is a quote, a backslash or below 0x20; bytes behind it may have
 * theirs, too. */
static inline uint64_t special8(uint64_t x) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = x ^ ones * '"', backslash = x ^ ones * '\\';
    return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
            ((x - ones * 0x20) & ~x)) &
           (ones << 7);
}

/* Reads an escape \\uXXXX, of which `text` may have the beginning. */
static inline uint32_t read_unit(const char *text, size_t length) {
    const uint64_t ones = 0x01010101;
    if (length < 6 || text[0] != '\\' || text[1] != 'u') return ND_NO_UNIT;
    uint64_t digits = nd_load_le32(text + 2), x = digits & ones * 0x7f,
             letters = nd_range8(x | ones << 5, 'a', 'f' + 1), figures = nd_range8(x, '0', '9' + 1);
    if (((letters | figures) & ~digits) != ones << 7) return ND_NO_UNIT;
    uint64_t values = (x & ones * 0xf) + (letters >> 7) * 9, pairs = values << 4 | values >> 8;
    return (uint32_t)((pairs & 0xff) << 8 | (pairs >> 16 & 0xff));
}

/* Reads such an escape, or those of both surrogates of a character, and writes its UTF-8. Returns
 * the number of bytes read; *width: of bytes written. */
static inline size_t replace_unit(const char *text, size_t length, char *out, unsigned *width) {
    uint32_t unit = read_unit(text, length), next = ND_NO_UNIT;
    if (nd_is_surrogate(unit)) next = read_unit(text + 6, length - 6);
    *width = nd_put_units(unit, next, out);
    return *width == 0 ? 0 : *width == 4 ? 12 : 6;
}

size_t nd_json_string_by_words(const char *text, size_t length, char *out, size_t *written) {
    size_t at = 0, to = 0;
    for (;;) {
        while (length - at >= 8) {
            uint64_t word = nd_load_le64(text + at), special = special8(word);
            nd_store_le64(out + to, word);
            size_t plain = special ? (size_t)__builtin_ctzll(special) / 8 : 8;
            at += plain;
            to += plain;
            if (special) break;
        }
        unsigned char byte = at < length ? (unsigned char)text[at] : '"';
        if (byte == '\\' && length - at > 1) {
            unsigned char second = (unsigned char)text[at + 1];
            char escaped = second < 0x80 ? nd_json_escapes[second] : 0;
            if (escaped) {
                out[to++] = escaped;
                at += 2;
                continue;
            }
            unsigned width;
            size_t read = replace_unit(text + at, length - at, out + to, &width);
            if (read == 0) break;
            to += width;
            at += read;
            continue;
        }
        if (byte == '"' || byte == '\\' || byte < 0x20) break;
        out[to++] = text[at++];
    }
    *written = to;
    return at;
}

static size_t json_pass(const char *text, size_t length, size_t *bytes) {
    size_t at = 0, passed = 0;
    while (at < length && passed < *bytes && text[at] != '"') {
        bool escape = text[at] == '\\';
        if (escape && (length - at == 1 || text[at + 1] == 'u')) break;
        at += 1 + escape;
        passed++;
    }
    *bytes = passed;
    return at;
}

/* ---- lines */

static inline bool is_word_byte(unsigned char c) {
    unsigned char letter = c | 0x20;
    return (c >= '0' && c <= '9') || (letter >= 'a' && letter <= 'z') || c == '_';
}

static size_t lines(const char *text, size_t length, nd_line *out, size_t room, size_t *read) {
    size_t count = 0;
    for (size_t at = 0; at < length && count < room; *read = ++at) {
        nd_line line = {.ascii = true};
        for (bool within = false; at < length && text[at] != '\n'; at++) {
            unsigned char c = (unsigned char)text[at];
            bool other = c >= 0x80, word = is_word_byte(c);
            line.words += word && !within;
            line.ascii = line.ascii && !other;
            within = word || other;
        }
        line.end = at;
        out[count++] = line;
    }
    if (*read > length) *read = length;
    return count;
}

/* ---- packed tables */

#include "kernel/table_probe.h"
#include "kernel/table_probe_scalar.h"

#include "kernel/table_unpack_scalar.h"

#include "kernel/table_unpack.h"

#include "kernel/tlsh_scalar.h"

#include "kernel/tlsh_blocks.h"

#include "kernel/value_windows_scalar.h"

#include "kernel/value_windows.h"

const nd_kernel nd_kernel_generic = {
    .name = "generic",
    .minhash = minhash,
    .count_equal = count_equal,
    .count_equal32 = count_equal32,
    .mark_values = mark_values,
    .words = words,
    .shingles = shingles,
    .find_buckets = find_buckets,
    .near_ranges = near_ranges,
    .unpack = unpack,
    .simhash = simhash,
    .near_packed = near_packed_plain,
    .near64 = near64,
    .near128 = near128,
    .near32 = near32,
    .near64_pairs = near64_pairs,
    .near128_pairs = near128_pairs,
    .near32_probes = near32_probes,
    .near_tlsh = near_tlsh,
    .utf8_valid_prefix = utf8_valid_prefix,
    .ascii_prefix = ascii_prefix,
    .json_string = nd_json_string_by_words,
    .json_pass = json_pass,
    .lines = lines,
};

/* Shared by the kernel files: the tables that exist on this architecture, and the scalar steps with
 * which every instruction set ends its loops. */
#ifndef ND_KERNEL_KERNEL_COMMON_H
#define ND_KERNEL_KERNEL_COMMON_H

#include "base/limits.h"
#include "kernel/kernel_functions.h"
#include "kernel/script_pages.h"

#if defined(__x86_64__)
#define ND_KERNEL_X86 1
#else
#define ND_KERNEL_X86 0
#endif
#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ND_KERNEL_ARM 1
#else
#define ND_KERNEL_ARM 0
#endif

/* Each is defined in its own file if the architecture has it, and runs only if nd_cpu_sets allows
 * it. */
extern const nd_kernel nd_kernel_avx512, nd_kernel_avx2, nd_kernel_neon, nd_kernel_generic;

/* Hashes that minhash mixes at a time, a multiple of 8. The two halves, 1 KiB each, stay in the L1
 * cache beside the parameters. */
#define ND_MINHASH_BLOCK ND_LIMIT(256, 8)

/* Features that simhash processes at a time, multiples of 8. Eight features count as one unit of a
 * byte, in eight lanes, so 31 * 64 features fill the bytes. */
#define ND_COUNT_BLOCK ND_LIMIT(31 * 64, 80)
#define ND_WEIGH_BLOCK ND_LIMIT(256, 24)

/* Bytes by which unpacking prefetches, because the hardware does not prefetch across pages. */
enum { ND_HEADS_AHEAD = 1024 };

static inline void nd_minhash_mix(const uint64_t *hashes, size_t count, uint64_t key, uint32_t *lo,
                                  uint32_t *hi) {
    for (size_t j = 0; j < count; j++) {
        uint64_t m = nd_mix64(hashes[j] ^ key);
        lo[j] = (uint32_t)m;
        hi[j] = (uint32_t)(m >> 32);
    }
}

/* Returns the polynomial of n tokens, by Horner's rule. */
static inline uint64_t nd_shingle_polynomial(const uint64_t *tokens, size_t n) {
    uint64_t h = 0;
    for (size_t k = 0; k < n; k++) h = h * ND_HASH_POLY + tokens[k];
    return h;
}

/* The polynomials of the shingles [begin, end) by rolling: H' = (H - t_out c^(n-1)) c + t_in, exact
 * modulo 2^64 for any n. h: the polynomial of shingle `begin`. Returns that of shingle `end`, which
 * the text has. It makes two steps at once, with one chain of a product and a sum for two shingles.
 * So the multiplier is the limit, at 2.5 products per shingle, and two more if each is mixed at
 * once. Tokens are read before they are overwritten: `out` may be `tokens`. */
static inline __attribute__((always_inline)) uint64_t
nd_shingles_roll(const uint64_t *tokens, size_t begin, size_t end, size_t n, const uint64_t *powers,
                 uint64_t *out, uint64_t h, const bool mix) {
    const uint64_t c = ND_HASH_POLY, leave = powers[n - 1] * ND_HASH_POLY;
    size_t i = begin;
    for (; end - i >= 2; i += 2) {
        uint64_t first = tokens[i + n] - tokens[i] * leave,
                 second = tokens[i + 1 + n] - tokens[i + 1] * leave, next = h * c + first;
        out[i] = mix ? nd_mix64(h) : h;
        out[i + 1] = mix ? nd_mix64(next) : next;
        h = h * (c * c) + (first * c + second);
    }
    if (i == end) return h;
    uint64_t next = h * c + tokens[i + n] - tokens[i] * leave;
    out[i] = mix ? nd_mix64(h) : h;
    return next;
}

/* The kernel's `shingles`, in plain C. */
static inline void nd_shingles_plain(const uint64_t *tokens, size_t count, size_t n,
                                     const uint64_t *powers, uint64_t *out, nd_chains *text) {
    const size_t last = count - n;
    if (text) nd_chains_absorb_all(text, tokens, count / 4 * 4);
    uint64_t h = nd_shingle_polynomial(tokens, n);
    h = nd_shingles_roll(tokens, 0, last, n, powers, out, h, true);
    out[last] = nd_mix64(h);
}

/* Returns the offset at which scalar code must begin to find an error that a vector version has met
 * in the bytes from `block` on: the start of the sequence that reaches into them. Everything before
 * it is valid. */
static inline size_t nd_utf8_back_up(const unsigned char *p, size_t block) {
    size_t i = block;
    while (i > 0 && block - i < 3 && (p[i - 1] & 0xc0) == 0x80) i--;
    return i > 0 && p[i - 1] >= 0xc0 ? i - 1 : i;
}

/* A block of 64 bytes of text. Bit i of `word`: byte i is one of [0-9A-Za-z_]. Bit i of `other`: it
 * is not ASCII. */
typedef struct nd_word_block {
    uint64_t word, other;
} nd_word_block;

/* The classes of a continuation byte 0x80 + i in Latin text: Latin-1, and the punctuation
 * U+2010-203E without the line separators and direction controls. Tests check them against the
 * tables of unicode_data.h. */
enum {
    ND_LATIN_SIGN_C3 = 1, /* after C3 no letter: U+00D7, U+00F7 */
    ND_LATIN_WORD_C2 = 2, /* after C2 a word character: U+00AA, U+00B5, U+00BA */
    ND_LATIN_GENERAL = 4, /* after E2 80 one of U+2010-2027, U+202F-203E */
    ND_LATIN_BYTE_9F = 8, /* after C3 U+00DF, which folds to "ss" */
    ND_LATIN_BYTE_80 = 16
};
extern const unsigned char nd_latin_class[64];

/* The bytes of a block that are at least 0x80: masks of the leading bytes C2, C3, E2, of all
 * continuation bytes (0x80-0xBF), and of each bit of their class. Except in byte_80, the bits of
 * the class may have any value at other bytes. */
typedef struct nd_latin_block {
    uint64_t c2, c3, e2, continuation, sign_c3, word_c2, general, byte_9f, byte_80;
} nd_latin_block;

/* The bytes of a block that are at least 0x80: masks of the leading bytes of two, three and four
 * bytes (from C0, E0 and F0 on), and of the continuation bytes. */
typedef struct nd_script_leads {
    uint64_t two, three, four, continuation;
} nd_script_leads;

/* Bits of the classes of a block's characters (script_pages.h), as masks of their last bytes: the
 * low and the high bit of ND_WORDS_CLASS, and ND_WORDS_AFTER; then ND_WORDS_FORWARD, and
 * the classes ND_WORDS_REFUSED. */
typedef struct nd_script_classes64 {
    uint64_t low, high, after;
} nd_script_classes64;
typedef struct nd_stop_classes64 {
    uint64_t forward, refused;
} nd_stop_classes64;

/* Looks up the character that begins at bit `at` of a block. Writes its class to its last byte in
 * classes[], and its last two bytes, folded, to the same positions in lower[]. */
static inline void nd_look_up_character(const unsigned char *p, unsigned at, unsigned char *lower,
                                        unsigned char *classes, nd_script_classes64 *found) {
    const nd_script_page *page = nd_script_page_of(p + at);
    const unsigned last = at + page->length - 1u, low = p[last] & 63u;
    const uint8_t *folds = nd_script_folds + 128 * page->folds + low;
    const uint64_t class = classes[last] = nd_script_classes[64 * page->classes + low];
    lower[last - 1] = p[last - 1] ^ folds[0];
    lower[last] = p[last] ^ folds[64];
    found->low |= (class & 1) << last;
    found->high |= (class >> 1 & 1) << last;
    found->after |= (class >> 4 & 1) << last;
}

/* Sets bit 7 of each byte that is at least `low` and below `end`. REQUIRES: all bytes are below
 * 0x80, so no carry crosses a byte. */
static inline uint64_t nd_range8(uint64_t x, unsigned low, unsigned end) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    return (x + ones * (0x80 - low)) & ~(x + ones * (0x80 - end)) & (ones << 7);
}

/* Returns 8 ASCII bytes in lower case. */
static inline uint64_t nd_lower_word8(uint64_t x) { return x | nd_range8(x, 'A', 'Z' + 1) >> 2; }

/* nd_utf8_valid_prefix by the generic kernel, beginning at `from`, the start of a character. */
size_t nd_utf8_valid_from(const unsigned char *p, size_t length, size_t from);

/* The character that an escape of two characters stands for, by its second one; 0: it is none. */
extern const char nd_json_escapes[128];

/* The value of an escape \\uXXXX that is missing, or has wrong digits. */
#define ND_NO_UNIT UINT32_MAX

static inline bool nd_is_surrogate(uint32_t unit) { return unit - 0xd800 < 0x800; }

/* Writes the character of one unit of UTF-16, or of two, as UTF-8, with bytes behind it up to four.
 * Returns its bytes: 1 to 3; 4: it is of two units; 0: there is none. */
static inline unsigned nd_put_units(uint32_t unit, uint32_t next, char *out) {
    uint32_t last = 0x80 | (unit & 0x3f), bytes = unit;
    unsigned width = unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (unit == ND_NO_UNIT) return 0;
    if (nd_is_surrogate(unit)) {
        if (unit >= 0xdc00 || next - 0xdc00 >= 0x400) return 0;
        uint32_t high = unit - 0xd800 + 0x40, low = next - 0xdc00;
        bytes = (0xf0 | high >> 8) | (0x80 | (high >> 2 & 0x3f)) << 8 |
                (0x80 | (high << 4 & 0x30) | low >> 6) << 16 | (0x80 | (low & 0x3f)) << 24;
        width = 4;
    } else if (width == 2) {
        bytes = (0xc0 | unit >> 6) | last << 8;
    } else if (width == 3) {
        bytes = (0xe0 | unit >> 12) | (0x80 | (unit >> 6 & 0x3f)) << 8 | last << 16;
    }
    nd_store_le32(out, bytes);
    return width;
}

/* Returns the positions behind backslashes that begin an escape. A run of backslashes that begins
 * at an even position escapes at odd ones, and the other way round (the method of simdjson). */
static inline uint64_t nd_escaped_positions(uint64_t backslashes) {
    const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
    uint64_t behind = backslashes << 1;
    return (((behind | odd) - backslashes) ^ odd) ^ backslashes;
}

/* Masks of 64 bytes of a JSON string. */
typedef struct nd_string_block {
    uint64_t backslashes, quotes, us;
} nd_string_block;

#endif

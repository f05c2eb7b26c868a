/* AVX-512 F, BW, DQ, VL, VBMI, VBMI2: Ice Lake, Zen 4 and later. Masked loads and stores take the ends. */
#include "kernel/kernel_common.h"

#if ND_KERNEL_X86
#include "kernel/utf8_tables.h"

#include <immintrin.h>

/* The lowest n of 64 bits. */
static inline uint64_t low_bits(size_t n) { return _bzhi_u64(UINT64_MAX, (unsigned)n); }

static inline __m512i mix8(__m512i x) {
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 30));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)UINT64_C(0xbf58476d1ce4e5b9)));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 27));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)UINT64_C(0x94d049bb133111eb)));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

static inline void mix_block(const uint64_t *hashes, size_t count, uint64_t key, uint32_t *lo, uint32_t *hi) {
    __m512i keys = _mm512_set1_epi64((long long)key);
    for (size_t j = 0; j < count; j += 8) {
        __mmask8 mask = (__mmask8)low_bits(count - j < 8 ? count - j : 8);
        __m512i m = mix8(_mm512_xor_si512(_mm512_maskz_loadu_epi64(mask, hashes + j), keys));
        _mm256_storeu_si256((__m256i *)(lo + j), _mm512_cvtepi64_epi32(m));
        _mm256_storeu_si256((__m256i *)(hi + j), _mm512_cvtepi64_epi32(_mm512_srli_epi64(m, 32)));
    }
}

/* `vectors` (a constant) times 16 permutations in registers, the hashes streaming by; `last` masks the last vector. */
__attribute__((always_inline)) static inline void minhash_tile(const uint32_t *lo, const uint32_t *hi, size_t count, const uint32_t *a,
                                                               uint32_t *signature, int vectors, __mmask16 last) {
    __m512i as[8], least[8];
#pragma GCC unroll 8
    for (int k = 0; k < vectors; k++) {
        __mmask16 mask = k == vectors - 1 ? last : (__mmask16)0xffff;
        as[k] = _mm512_maskz_loadu_epi32(mask, a + 16 * k);
        least[k] = _mm512_maskz_loadu_epi32(mask, signature + 16 * k);
    }
    for (size_t j = 0; j < count; j++) {
        __m512i l = _mm512_set1_epi32((int)lo[j]), h = _mm512_set1_epi32((int)hi[j]);
#pragma GCC unroll 8
        for (int k = 0; k < vectors; k++) least[k] = _mm512_min_epu32(least[k], _mm512_add_epi32(_mm512_mullo_epi32(as[k], l), h));
    }
#pragma GCC unroll 8
    for (int k = 0; k < vectors; k++) {
        __mmask16 mask = k == vectors - 1 ? last : (__mmask16)0xffff;
        _mm512_mask_storeu_epi32(signature + 16 * k, mask, least[k]);
    }
}

static void minhash(const uint64_t *hashes, size_t count, uint64_t key, const uint32_t *a, uint32_t *signature, size_t perms) {
    uint32_t lo[ND_MINHASH_BLOCK], hi[ND_MINHASH_BLOCK];
    for (size_t done = 0; done < count; done += ND_MINHASH_BLOCK) {
        size_t block = count - done < ND_MINHASH_BLOCK ? count - done : ND_MINHASH_BLOCK, i = 0;
        mix_block(hashes + done, block, key, lo, hi);
        for (; perms - i >= 128; i += 128) minhash_tile(lo, hi, block, a + i, signature + i, 8, 0xffff);
        if (perms - i >= 64) {
            minhash_tile(lo, hi, block, a + i, signature + i, 4, 0xffff);
            i += 64;
        }
        for (; perms - i >= 16; i += 16) minhash_tile(lo, hi, block, a + i, signature + i, 1, 0xffff);
        if (perms > i) minhash_tile(lo, hi, block, a + i, signature + i, 1, (__mmask16)low_bits(perms - i));
    }
}

static size_t count_equal(const uint8_t *a, const uint8_t *b, size_t length) {
    size_t equal = 0, i = 0;
    for (; length - i >= 64; i += 64) {
        __mmask64 same = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        equal += (size_t)__builtin_popcountll(same);
    }
    __mmask64 mask = low_bits(length - i);
    __m512i last_a = _mm512_maskz_loadu_epi8(mask, a + i), last_b = _mm512_maskz_loadu_epi8(mask, b + i);
    return equal + (size_t)__builtin_popcountll(_mm512_mask_cmpeq_epi8_mask(mask, last_a, last_b));
}

static size_t count_equal32(const uint32_t *a, const uint32_t *b, size_t length) {
    size_t equal = 0, i = 0;
    for (; length - i >= 16; i += 16) {
        __mmask16 same = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        equal += (size_t)__builtin_popcount(same);
    }
    __mmask16 mask = (__mmask16)low_bits(length - i);
    __m512i last_a = _mm512_maskz_loadu_epi32(mask, a + i), last_b = _mm512_maskz_loadu_epi32(mask, b + i);
    return equal + (size_t)__builtin_popcount(_mm512_mask_cmpeq_epi32_mask(mask, last_a, last_b));
}

/* A word character's lower case, 0 for every other: a table of 128 bytes in two registers. */
static const unsigned char word_lower[128] = {
    [48] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', [65] = 'a', 'b', 'c', 'd', 'e', 'f',        'g',        'h', 'i', 'j', 'k',
    'l',        'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v',        'w', 'x', 'y', 'z', [95] = '_', [97] = 'a', 'b', 'c', 'd', 'e',
    'f',        'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p',        'q', 'r', 's', 't', 'u',        'v',        'w', 'x', 'y', 'z',
};

static inline nd_word_block classify_block(const unsigned char *p, unsigned char *lower) {
    __m512i x = _mm512_loadu_si512(p);
    __mmask64 other = _mm512_movepi8_mask(x);
    __m512i small = _mm512_permutex2var_epi8(_mm512_loadu_si512(word_lower), x, _mm512_loadu_si512(word_lower + 64));
    _mm512_storeu_si512(lower, small);
    nd_word_block block = {_mm512_test_epi8_mask(small, small) & ~other, other};
    return block;
}

static inline nd_latin_block classify_latin(const unsigned char *p, unsigned char *lower) {
    __m512i x = _mm512_loadu_si512(p);
    nd_latin_block latin;
    latin.c2 = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)0xc2));
    latin.c3 = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)0xc3));
    latin.e2 = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)0xe2));
    latin.continuation = _mm512_cmplt_epi8_mask(x, _mm512_set1_epi8((char)0xc0));
    __m512i class = _mm512_maskz_permutexvar_epi8(latin.continuation, x, _mm512_loadu_si512(nd_latin_class));
    latin.sign_c3 = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_SIGN_C3));
    latin.word_c2 = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_WORD_C2));
    latin.general = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_GENERAL));
    latin.byte_9f = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_BYTE_9F));
    latin.byte_80 = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_BYTE_80));
    __m512i folded = _mm512_or_si512(x, _mm512_maskz_set1_epi8(latin.c3 << 1, 0x20));
    _mm512_mask_storeu_epi8(lower, _mm512_movepi8_mask(x), folded);
    return latin;
}

static inline uint64_t equal(__m512i x, unsigned c) { return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)c)); }

static inline nd_wide_block classify_wide(const unsigned char *p, nd_latin_block latin) {
    __m512i x = _mm512_loadu_si512(p), class = _mm512_permutexvar_epi8(x, _mm512_loadu_si512(nd_latin_class));
    nd_wide_bytes wide;
    wide.e3 = equal(x, 0xe3);
    wide.e4 = equal(x, 0xe4);
    wide.e5_e9 = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8((char)0xe5)), _mm512_set1_epi8(5));
    wide.ef = equal(x, 0xef);
    wide.from_b8 = _mm512_cmpge_epu8_mask(x, _mm512_set1_epi8((char)0xb8));
    wide.bc = equal(x, 0xbc);
    wide.bd = equal(x, 0xbd);
    wide.sign_80 = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_WIDE_SIGN_80));
    wide.sign_bc = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_WIDE_SIGN_BC));
    wide.sign_bd = _mm512_test_epi8_mask(class, _mm512_set1_epi8((char)ND_WIDE_SIGN_BD));
    return nd_wide_characters(latin, wide);
}

static const unsigned char numbers[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                          22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
                                          44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* The positions of the set bits by one compress of the numbers 0 to 63. */
static inline uint16_t *put_edges(uint16_t *to, uint64_t edges, unsigned base) {
    __m512i bases = _mm512_set1_epi16((short)base);
    __m512i at = _mm512_maskz_compress_epi8(edges, _mm512_loadu_si512(numbers));
    int count = __builtin_popcountll(edges);
    _mm512_storeu_si512(to, _mm512_add_epi16(bases, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(at))));
    if (__builtin_expect(count > 32, 0)) {
        __m512i upper = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(at, 1));
        _mm512_storeu_si512(to + 32, _mm512_add_epi16(bases, upper));
    }
    return to + count;
}

/* A compress for each mask, side by side in the bytes of 32 pairs. */
static inline uint16_t *put_by_turns(uint16_t *to, uint64_t first, uint64_t second, unsigned base) {
    __m512i bases = _mm512_set1_epi16((short)base), all = _mm512_loadu_si512(numbers);
    __m512i a = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(_mm512_maskz_compress_epi8(first, all)));
    __m512i b = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(_mm512_maskz_compress_epi8(second, all)));
    __m512i pairs = _mm512_or_si512(a, _mm512_slli_epi16(b, 8));
    _mm512_storeu_si512(to, _mm512_add_epi16(bases, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(pairs))));
    _mm512_storeu_si512(to + 32, _mm512_add_epi16(bases, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(pairs, 1))));
    return to + __builtin_popcountll(first) + __builtin_popcountll(second);
}

#include "kernel/word_blocks.h"

/* From this many tokens a shingle on, rolling beats n products in vectors. */
#define ROLL_FROM 32

/* All loads of a step come before its store, and later steps load behind it: `out` may be `tokens`. */
static void shingles(const uint64_t *tokens, size_t count, size_t n, const uint64_t *powers, uint64_t *out) {
    if (n >= ROLL_FROM) {
        nd_shingles_roll(tokens, count, n, powers, out);
        return;
    }
    __m512i c = _mm512_set1_epi64((long long)ND_HASH_POLY);
    size_t shingle_count = count - n + 1, i = 0;
    for (; shingle_count - i >= 8; i += 8) {
        __m512i h = _mm512_loadu_si512(tokens + i);
        for (size_t k = 1; k < n; k++) h = _mm512_add_epi64(_mm512_mullo_epi64(h, c), _mm512_loadu_si512(tokens + i + k));
        _mm512_storeu_si512(out + i, mix8(h));
    }
    __mmask8 mask = (__mmask8)low_bits(shingle_count - i);
    if (!mask) return;
    __m512i h = _mm512_maskz_loadu_epi64(mask, tokens + i);
    for (size_t k = 1; k < n; k++) h = _mm512_add_epi64(_mm512_mullo_epi64(h, c), _mm512_maskz_loadu_epi64(mask, tokens + i + k));
    _mm512_mask_storeu_epi64(out + i, mask, mix8(h));
}

static size_t ascii_prefix(const char *text, size_t length) {
    size_t at = 0;
    for (; length - at >= 64; at += 64) {
        __mmask64 other = _mm512_movepi8_mask(_mm512_loadu_si512(text + at));
        if (other) return at + (size_t)__builtin_ctzll(other);
    }
    __mmask64 other = _mm512_movepi8_mask(_mm512_maskz_loadu_epi8(low_bits(length - at), text + at));
    return other ? at + (size_t)__builtin_ctzll(other) : length;
}

#define TABLE(name) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(name)))

static inline bool utf8_block_bad(const unsigned char *p) {
    __m512i x = _mm512_loadu_si512(p);
    if (!_mm512_movepi8_mask(x) && p[-1] < 0x80) return false;
    const __m512i half = _mm512_set1_epi8(15);
    __m512i one = _mm512_loadu_si512(p - 1), two = _mm512_loadu_si512(p - 2), three = _mm512_loadu_si512(p - 3);
    __m512i first_high = _mm512_shuffle_epi8(TABLE(utf8_first_high), _mm512_and_si512(_mm512_srli_epi16(one, 4), half));
    __m512i first_low = _mm512_shuffle_epi8(TABLE(utf8_first_low), _mm512_and_si512(one, half));
    __m512i second_high = _mm512_shuffle_epi8(TABLE(utf8_second_high), _mm512_and_si512(_mm512_srli_epi16(x, 4), half));
    __m512i pair = _mm512_ternarylogic_epi64(first_high, first_low, second_high, 0x80);
    /* E0 and up two before, F0 and up three before: bit 7 set, and then `pair` must say two continuations and nothing else. */
    __m512i third = _mm512_subs_epu8(two, _mm512_set1_epi8(0xe0 - 0x80)), fourth = _mm512_subs_epu8(three, _mm512_set1_epi8(0xf0 - 0x80));
    __m512i must = _mm512_and_si512(_mm512_or_si512(third, fourth), _mm512_set1_epi8((char)0x80));
    return _mm512_cmpneq_epi8_mask(pair, must) != 0;
}

#include "kernel/utf8_blocks.h"

const nd_kernel nd_kernel_avx512 = {
    .name = "avx512",
    .minhash = minhash,
    .count_equal = count_equal,
    .count_equal32 = count_equal32,
    .words = words,
    .shingles = shingles,
    .simhash = nd_simhash_plain,
    .utf8_valid_prefix = utf8_valid_prefix,
    .ascii_prefix = ascii_prefix,
};
#endif

/* AVX-512 F, BW, DQ, VL, VBMI, VBMI2, VPOPCNTDQ: Ice Lake, Zen 4 and later. Ends that do not fill a
 * vector are read and written with masks. */
#include "kernel/kernel_common.h"

#if ND_KERNEL_X86
#include "kernel/utf8_tables.h"

#include <immintrin.h>

/* Returns a word with its lowest n bits set. */
static inline uint64_t low_bits(size_t n) { return _bzhi_u64(UINT64_MAX, (unsigned)n); }

static inline __m512i mix8(__m512i x) {
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 30));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)UINT64_C(0xbf58476d1ce4e5b9)));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 27));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)UINT64_C(0x94d049bb133111eb)));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

static inline void mix_block(const uint64_t *hashes, size_t count, uint64_t key, uint32_t *lo,
                             uint32_t *hi) {
    __m512i keys = _mm512_set1_epi64((long long)key);
    for (size_t j = 0; j < count; j += 8) {
        __mmask8 mask = (__mmask8)low_bits(count - j < 8 ? count - j : 8);
        __m512i m = mix8(_mm512_xor_si512(_mm512_maskz_loadu_epi64(mask, hashes + j), keys));
        _mm256_storeu_si256((__m256i *)(lo + j), _mm512_cvtepi64_epi32(m));
        _mm256_storeu_si256((__m256i *)(hi + j), _mm512_cvtepi64_epi32(_mm512_srli_epi64(m, 32)));
    }
}

/* Updates the values of `vectors` (a constant, at most 2) times 16 functions, of `all`. Their
 * extremes stay in registers while the hashes stream by. */
__attribute__((always_inline)) static inline void minhash_tile(const uint32_t *lo,
                                                               const uint32_t *hi, size_t count,
                                                               const uint32_t *a, int vectors,
                                                               uint32_t *values, size_t all) {
    __m512i as[2], extremes[2][ND_MINHASH_ORDERS];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
        as[v] = _mm512_loadu_si512(a + 16 * v);
#pragma GCC unroll 4
        for (size_t k = 0; k < ND_MINHASH_ORDERS; k++)
            extremes[v][k] = _mm512_xor_si512(_mm512_loadu_si512(values + k * all + 16 * v),
                                              _mm512_set1_epi32((int)nd_minhash_orders[k]));
    }
    for (size_t j = 0; j < count; j++) {
        __m512i l = _mm512_set1_epi32((int)lo[j]), h = _mm512_set1_epi32((int)hi[j]);
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) {
            __m512i value = _mm512_add_epi32(_mm512_mullo_epi32(as[v], l), h);
            extremes[v][0] = _mm512_min_epu32(extremes[v][0], value);
            extremes[v][1] = _mm512_max_epu32(extremes[v][1], value);
            extremes[v][2] = _mm512_min_epi32(extremes[v][2], value);
            extremes[v][3] = _mm512_max_epi32(extremes[v][3], value);
        }
    }
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++)
#pragma GCC unroll 4
        for (size_t k = 0; k < ND_MINHASH_ORDERS; k++)
            _mm512_storeu_si512(
                values + k * all + 16 * v,
                _mm512_xor_si512(extremes[v][k], _mm512_set1_epi32((int)nd_minhash_orders[k])));
}

static void minhash(const uint64_t *hashes, size_t count, uint64_t key, const uint32_t *a,
                    size_t functions, uint32_t *values) {
    uint32_t lo[ND_MINHASH_BLOCK], hi[ND_MINHASH_BLOCK];
    for (size_t done = 0; done < count; done += ND_MINHASH_BLOCK) {
        size_t block = count - done < ND_MINHASH_BLOCK ? count - done : ND_MINHASH_BLOCK, i = 0;
        mix_block(hashes + done, block, key, lo, hi);
        for (; functions - i >= 32; i += 32)
            minhash_tile(lo, hi, block, a + i, 2, values + i, functions);
        if (i < functions) minhash_tile(lo, hi, block, a + i, 1, values + i, functions);
    }
}

static size_t count_equal(const uint8_t *a, const uint8_t *b, size_t length) {
    size_t equal = 0, i = 0;
    for (; length - i >= 64; i += 64) {
        __mmask64 same = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(a + i),
                                                _mm512_loadu_si512(b + i));
        equal += (size_t)__builtin_popcountll(same);
    }
    __mmask64 mask = low_bits(length - i);
    __m512i last_a = _mm512_maskz_loadu_epi8(mask, a + i),
            last_b = _mm512_maskz_loadu_epi8(mask, b + i);
    return equal + (size_t)__builtin_popcountll(_mm512_mask_cmpeq_epi8_mask(mask, last_a, last_b));
}

static size_t count_equal32(const uint32_t *a, const uint32_t *b, size_t length) {
    size_t equal = 0, i = 0;
    for (; length - i >= 16; i += 16) {
        __mmask16 same = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(a + i),
                                                 _mm512_loadu_si512(b + i));
        equal += (size_t)__builtin_popcount(same);
    }
    __mmask16 mask = (__mmask16)low_bits(length - i);
    __m512i last_a = _mm512_maskz_loadu_epi32(mask, a + i),
            last_b = _mm512_maskz_loadu_epi32(mask, b + i);
    return equal + (size_t)__builtin_popcount(_mm512_mask_cmpeq_epi32_mask(mask, last_a, last_b));
}

/* The lower case of a word character; 0 for every other character. The 128 bytes are in two
 * registers. */
static const unsigned char word_lower[128] = {
    [48] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', [65] = 'a', 'b',        'c',
    'd',        'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n',        'o',        'p',
    'q',        'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', [95] = '_', [97] = 'a', 'b',
    'c',        'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',        'n',        'o',
    'p',        'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
};

static inline nd_word_block classify_block(const unsigned char *p, unsigned char *lower) {
    __m512i x = _mm512_loadu_si512(p);
    __mmask64 other = _mm512_movepi8_mask(x);
    __m512i small = _mm512_permutex2var_epi8(_mm512_loadu_si512(word_lower), x,
                                             _mm512_loadu_si512(word_lower + 64));
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
    __m512i class = _mm512_maskz_permutexvar_epi8(latin.continuation, x,
                                                  _mm512_loadu_si512(nd_latin_class));
    latin.sign_c3 = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_SIGN_C3));
    latin.word_c2 = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_WORD_C2));
    latin.general = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_GENERAL));
    latin.byte_9f = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_BYTE_9F));
    latin.byte_80 = _mm512_test_epi8_mask(class, _mm512_set1_epi8(ND_LATIN_BYTE_80));
    __m512i folded = _mm512_or_si512(x, _mm512_maskz_set1_epi8(latin.c3 << 1, 0x20));
    _mm512_mask_storeu_epi8(lower, _mm512_movepi8_mask(x), folded);
    return latin;
}

static inline uint64_t equal(__m512i x, unsigned c) {
    return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)c));
}

static const unsigned char numbers[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

typedef __m512i bytes64, same_bytes;
static inline same_bytes same_bytes_of(unsigned c) { return _mm512_set1_epi8((char)c); }
static inline bytes64 load64(const unsigned char *p) { return _mm512_loadu_si512(p); }
static inline void store64(unsigned char *p, bytes64 x) { _mm512_storeu_si512(p, x); }

static inline void fold64(unsigned char *p, bytes64 x, bytes64 before, bytes64 last) {
    __m512i behind = _mm512_add_epi8(_mm512_loadu_si512(numbers), _mm512_set1_epi8(1));
    __m512i folds = _mm512_xor_si512(last, _mm512_permutexvar_epi8(behind, before));
    _mm512_mask_storeu_epi8(p, _mm512_movepi8_mask(x), _mm512_xor_si512(x, folds));
}

static inline uint64_t within64(bytes64 x, same_bytes first, same_bytes last) {
    return _mm512_mask_cmple_epu8_mask(_mm512_cmpge_epu8_mask(x, first), x, last);
}

static inline uint64_t bit64(bytes64 x, int k) {
    return _mm512_test_epi8_mask(x, _mm512_set1_epi8((char)(1 << k)));
}

static inline bytes64 look_up64(bytes64 x, uint64_t at, const uint8_t *table, bytes64 others) {
    return _mm512_mask_permutexvar_epi8(others, at, x, _mm512_loadu_si512(table));
}

/* One instruction looks up a page. */
enum { FEW_CHARACTERS = 0 };

#include "kernel/script_blocks.h"

/* One compress of the numbers 0 to 63 gives the positions of the set bits. */
static inline uint16_t *put_edges(uint16_t *to, uint64_t edges, unsigned base) {
    __m512i bases = _mm512_set1_epi16((short)base);
    __m512i at = _mm512_maskz_compress_epi8(edges, _mm512_loadu_si512(numbers));
    int count = __builtin_popcountll(edges);
    _mm512_storeu_si512(to,
                        _mm512_add_epi16(bases, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(at))));
    if (__builtin_expect(count > 32, 0)) {
        __m512i upper = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(at, 1));
        _mm512_storeu_si512(to + 32, _mm512_add_epi16(bases, upper));
    }
    return to + count;
}

/* The positions of the set bits, 16 bits each; of at most 32 bits. */
static inline __m512i positions_of(uint64_t bits) {
    return _mm512_cvtepu8_epi16(
        _mm512_castsi512_si256(_mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(numbers))));
}

/* Writes 32 pairs, each of two bytes, as numbers of 16 bits above `base`. */
static inline void put_pairs(uint16_t *to, __m512i pairs, unsigned base) {
    __m512i bases = _mm512_set1_epi16((short)base),
            low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(pairs)),
            high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(pairs, 1));
    _mm512_storeu_si512(to, _mm512_add_epi16(bases, low));
    _mm512_storeu_si512(to + 32, _mm512_add_epi16(bases, high));
}

static inline uint16_t *put_alternately(uint16_t *to, uint64_t first, uint64_t second,
                                        unsigned base) {
    __m512i b = _mm512_slli_epi16(positions_of(second), 8);
    put_pairs(to, _mm512_or_si512(positions_of(first), b), base);
    return to + __builtin_popcountll(first) + __builtin_popcountll(second);
}

static inline uint16_t *put_threes(uint16_t *to, uint64_t first, unsigned base) {
    __m512i a = positions_of(first), b = _mm512_add_epi16(a, _mm512_set1_epi16(3));
    put_pairs(to, _mm512_or_si512(a, _mm512_slli_epi16(b, 8)), base);
    return to + 2 * __builtin_popcountll(first);
}

#include "kernel/token_hashes_avx512.h"

#include "kernel/word_blocks.h"

/* From so many tokens per shingle on, rolling is faster than n products in vectors. */
#define ROLL_FROM 32

/* The integer registers absorb the text while vectors make the shingles. `out` may be `tokens`,
 * because all loads of a step come before its store, and later steps load only behind it. */
static void shingles(const uint64_t *tokens, size_t count, size_t n, const uint64_t *powers,
                     uint64_t *out, nd_chains *text) {
    if (n >= ROLL_FROM) {
        nd_shingles_plain(tokens, count, n, powers, out, text);
        return;
    }
    const __m512i c = _mm512_set1_epi64((long long)ND_HASH_POLY);
    nd_chains chains = text ? *text : (nd_chains){0};
    size_t shingle_count = count - n + 1, i = 0;
    for (; shingle_count - i >= 8; i += 8) {
        __m512i h = _mm512_loadu_si512(tokens + i);
        for (size_t k = 1; k < n; k++)
            h = _mm512_add_epi64(_mm512_mullo_epi64(h, c), _mm512_loadu_si512(tokens + i + k));
        if (text) nd_chains_absorb_all(&chains, tokens + i, 8);
        _mm512_storeu_si512(out + i, mix8(h));
    }
    if (text) {
        nd_chains_absorb_all(&chains, tokens + i, count / 4 * 4 - i);
        *text = chains;
    }
    __mmask8 mask = (__mmask8)low_bits(shingle_count - i);
    if (!mask) return;
    __m512i h = _mm512_maskz_loadu_epi64(mask, tokens + i);
    for (size_t k = 1; k < n; k++)
        h = _mm512_add_epi64(_mm512_mullo_epi64(h, c),
                             _mm512_maskz_loadu_epi64(mask, tokens + i + k));
    _mm512_mask_storeu_epi64(out + i, mask, mix8(h));
}

static inline __m512i mix_features8(const uint64_t *features, size_t count, uint64_t addend) {
    __mmask8 mask = (__mmask8)low_bits(count < 8 ? count : 8);
    __m512i x = _mm512_add_epi64(_mm512_maskz_loadu_epi64(mask, features),
                                 _mm512_set1_epi64((long long)addend));
    return _mm512_maskz_mov_epi64(mask, mix8(x));
}

static inline void mix_features(const uint64_t *features, size_t count, uint64_t addend,
                                uint64_t *mixed) {
    for (size_t j = 0; j < count; j += 8)
        _mm512_storeu_si512(mixed + j, mix_features8(features + j, count - j, addend));
}

/* Sums of all subsets of four weights: lane p has the sum of the weights whose bit is set in p. */
static inline __m512i subset_sums(const int32_t *weights) {
    __m512i sums = _mm512_maskz_set1_epi32(0xaaaa, weights[0]);
    sums = _mm512_mask_add_epi32(sums, 0xcccc, sums, _mm512_set1_epi32(weights[1]));
    sums = _mm512_mask_add_epi32(sums, 0xf0f0, sums, _mm512_set1_epi32(weights[2]));
    return _mm512_mask_add_epi32(sums, 0xff00, sums, _mm512_set1_epi32(weights[3]));
}

/* Reorders 64 bytes, one per bit of a feature: byte s of 32-bit lane l becomes the byte of bit 16 s
 * + l. */
static const unsigned char alternate[64] = {
    0,  16, 32, 48, 1,  17, 33, 49, 2,  18, 34, 50, 3,  19, 35, 51, 4,  20, 36, 52, 5,  21,
    37, 53, 6,  22, 38, 54, 7,  23, 39, 55, 8,  24, 40, 56, 9,  25, 41, 57, 10, 26, 42, 58,
    11, 27, 43, 59, 12, 28, 44, 60, 13, 29, 45, 61, 14, 30, 46, 62, 15, 31, 47, 63};

/* Adds the weights of eight features to the sums of the bits that they have. For each bit, `having`
 * gets a byte with one bit per feature that has it; a mixed feature is the mask of the bytes in
 * which its own bit is set. The two halves of the byte are looked up in two tables of 16 sums, and
 * the results are added to the bit's sum. */
static inline void weigh8(const uint64_t *mixed, const int32_t *weights, __m512i sums[4]) {
    __m512i having = _mm512_maskz_set1_epi8(mixed[0], 1);
#pragma GCC unroll 8
    for (int k = 1; k < 8; k++)
        having = _mm512_mask_add_epi8(having, mixed[k], having, _mm512_set1_epi8((char)(1 << k)));
    having = _mm512_permutexvar_epi8(_mm512_loadu_si512(alternate), having);
    __m512i first = subset_sums(weights), second = subset_sums(weights + 4);
#pragma GCC unroll 4
    for (unsigned s = 0; s < 4; s++) {
        /* The permutation uses only the low four bits of a lane. */
        __m512i low = _mm512_permutexvar_epi32(_mm512_srli_epi32(having, 8 * s), first);
        __m512i high = _mm512_permutexvar_epi32(_mm512_srli_epi32(having, 8 * s + 4), second);
        sums[s] = _mm512_add_epi32(sums[s], _mm512_add_epi32(low, high));
    }
}

static void weigh(const uint64_t *mixed, const int32_t *weights, size_t count, int32_t with[64]) {
    __m512i sums[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                       _mm512_setzero_si512()};
    size_t j = 0;
    for (; count - j >= 8; j += 8) weigh8(mixed + j, weights + j, sums);
    if (count > j) {
        /* mix_features has filled the last eight features with zeros. */
        int32_t last[8] = {0};
        memcpy(last, weights + j, (count - j) * sizeof *weights);
        weigh8(mixed + j, last, sums);
    }
    for (int s = 0; s < 4; s++) _mm512_storeu_si512(with + 16 * s, sums[s]);
}

/* Adds three bits, one of which is *sum. Returns the carry; *sum becomes the sum. */
static inline __m512i carry_save(__m512i *sum, __m512i a, __m512i b) {
    __m512i carry = _mm512_ternarylogic_epi64(*sum, a, b, 0xe8);
    *sum = _mm512_ternarylogic_epi64(*sum, a, b, 0x96);
    return carry;
}

/* Adds `unit` to the byte of each bit that is set in a lane. A lane is the mask of the bytes. */
static inline __m512i add_lanes(__m512i bytes, __m512i lanes, int unit) {
    uint64_t masks[8];
    _mm512_storeu_si512(masks, lanes);
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++)
        bytes = _mm512_mask_add_epi8(bytes, masks[k], bytes, _mm512_set1_epi8((char)unit));
    return bytes;
}

/* Positional popcount: carry-save adders turn eight vectors into one vector, each bit of which
 * counts eight (Harley-Seal; Klarqvist, Mula and Lemire, "Efficient computation of positional
 * population counts using SIMD instructions", 2021). A lane of this vector is a mask of bytes, one
 * byte per bit. */
static void count_ones(const uint64_t *features, size_t count, uint64_t addend, uint16_t ones[64]) {
    __m512i by_1 = _mm512_setzero_si512(), by_2 = by_1, by_4 = by_1, eights = by_1, rest = by_1;
    for (size_t j = 0; j < count; j += 64) {
        __m512i x[8];
        if (count - j >= 64) {
#pragma GCC unroll 8
            for (size_t k = 0; k < 8; k++) x[k] = mix_features8(features + j + 8 * k, 8, addend);
        } else {
#pragma GCC unroll 8
            for (size_t k = 0; k < 8; k++)
                x[k] = j + 8 * k < count
                           ? mix_features8(features + j + 8 * k, count - j - 8 * k, addend)
                           : _mm512_setzero_si512();
        }
        __m512i two_a = carry_save(&by_1, x[0], x[1]), two_b = carry_save(&by_1, x[2], x[3]);
        __m512i two_c = carry_save(&by_1, x[4], x[5]), two_d = carry_save(&by_1, x[6], x[7]);
        __m512i four_a = carry_save(&by_2, two_a, two_b), four_b = carry_save(&by_2, two_c, two_d);
        eights = add_lanes(eights, carry_save(&by_4, four_a, four_b), 1);
    }
    rest = add_lanes(add_lanes(add_lanes(rest, by_1, 1), by_2, 2), by_4, 4);
    for (int half = 0; half < 2; half++) {
        __m512i by_8 = _mm512_cvtepu8_epi16(half ? _mm512_extracti64x4_epi64(eights, 1)
                                                 : _mm512_castsi512_si256(eights));
        __m512i by_one = _mm512_cvtepu8_epi16(half ? _mm512_extracti64x4_epi64(rest, 1)
                                                   : _mm512_castsi512_si256(rest));
        _mm512_storeu_si512(ones + 32 * half, _mm512_add_epi16(_mm512_slli_epi16(by_8, 3), by_one));
    }
}

#include "kernel/simhash_blocks.h"

static inline __m512i distances64(__m512i x, uint64_t query) {
    return _mm512_popcnt_epi64(_mm512_xor_si512(x, _mm512_set1_epi64((long long)query)));
}

static inline bool lane_within(__m512i distances, unsigned most) {
    return _mm512_cmple_epu64_mask(distances, _mm512_set1_epi64((long long)most)) != 0;
}

/* Distances fit the low half of a lane, and a minimum of 32-bit lanes is cheaper. */
#define NEAR64_GROUP 32
static inline bool near64_any(const uint64_t *keys, uint64_t query, unsigned most) {
    __m512i least = distances64(_mm512_loadu_si512(keys), query);
#pragma GCC unroll 3
    for (int k = 8; k < NEAR64_GROUP; k += 8)
        least = _mm512_min_epu32(least, distances64(_mm512_loadu_si512(keys + k), query));
    return lane_within(least, most);
}

/* Distances of eight keys, with their low words in one vector and their high words in another. */
static inline __m512i distances128(__m512i lows, __m512i highs, uint64_t low, uint64_t high) {
    return _mm512_add_epi64(distances64(lows, low), distances64(highs, high));
}

/* Loads the low words of eight keys, in some order; load_highs loads the high words in the same
 * order. */
static inline __m512i load_lows(const uint64_t *keys) {
    return _mm512_unpacklo_epi64(_mm512_loadu_si512(keys), _mm512_loadu_si512(keys + 8));
}
static inline __m512i load_highs(const uint64_t *keys) {
    return _mm512_unpackhi_epi64(_mm512_loadu_si512(keys), _mm512_loadu_si512(keys + 8));
}

#define NEAR128_GROUP 16
static inline bool near128_any(const uint64_t *keys, uint64_t low, uint64_t high, unsigned most) {
    __m512i first = distances128(load_lows(keys), load_highs(keys), low, high);
    __m512i second = distances128(load_lows(keys + 16), load_highs(keys + 16), low, high);
    return lane_within(_mm512_min_epu32(first, second), most);
}

#define NEAR32_GROUP 64
static inline bool near32_any(const uint32_t *keys, uint32_t query, unsigned most) {
    const __m512i all = _mm512_set1_epi32((int32_t)query);
    __m512i least = _mm512_popcnt_epi32(_mm512_xor_si512(_mm512_loadu_si512(keys), all));
#pragma GCC unroll 3
    for (int k = 16; k < NEAR32_GROUP; k += 16)
        least = _mm512_min_epu32(
            least, _mm512_popcnt_epi32(_mm512_xor_si512(_mm512_loadu_si512(keys + k), all)));
    return _mm512_cmple_epu32_mask(least, _mm512_set1_epi32((int32_t)most)) != 0;
}

#define PROBE_GROUP 16
static inline uint32_t near32_within(const uint32_t *keys, uint32_t query, unsigned most) {
    __m512i unlike = _mm512_xor_si512(_mm512_loadu_si512(keys), _mm512_set1_epi32((int32_t)query));
    return _mm512_cmple_epu32_mask(_mm512_popcnt_epi32(unlike), _mm512_set1_epi32((int32_t)most));
}

#define PAIR64_GROUP 8
__attribute__((always_inline)) static inline bool
near64_pairs_any(const uint64_t *queries, size_t count, const uint64_t *keys, unsigned most) {
    __m512i x = _mm512_loadu_si512(keys), least = distances64(x, queries[0]);
#pragma GCC unroll 8
    for (size_t q = 1; q < count; q++) least = _mm512_min_epu32(least, distances64(x, queries[q]));
    return lane_within(least, most);
}

#define PAIR128_GROUP 8
__attribute__((always_inline)) static inline bool
near128_pairs_any(const uint64_t *queries, size_t count, const uint64_t *keys, unsigned most) {
    __m512i lows = load_lows(keys), highs = load_highs(keys),
            least = distances128(lows, highs, queries[0], queries[1]);
#pragma GCC unroll 8
    for (size_t q = 1; q < count; q++)
        least = _mm512_min_epu32(least,
                                 distances128(lows, highs, queries[2 * q], queries[2 * q + 1]));
    return lane_within(least, most);
}

typedef struct packed_lanes {
    __m512i bytes, query, own;
} packed_lanes;

#define PACKED_LEAST 1
static inline packed_lanes spread_query(unsigned width, uint64_t query) {
    const __m512i numbers8 = _mm512_set1_epi64(INT64_C(0x0706050403020100));
    __m512i bit = _mm512_mul_epu32(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0),
                                   _mm512_set1_epi64(width));
    __m512i shift = _mm512_and_si512(bit, _mm512_set1_epi64(7)),
            begin = _mm512_mul_epu32(_mm512_srli_epi64(bit, 3), _mm512_set1_epi64(0x01010101));
    packed_lanes lanes;
    lanes.bytes = _mm512_add_epi8(_mm512_or_si512(begin, _mm512_slli_epi64(begin, 32)), numbers8);
    lanes.query = _mm512_sllv_epi64(_mm512_set1_epi64((long long)query), shift);
    lanes.own = _mm512_sllv_epi64(_mm512_set1_epi64((long long)low_bits(width)), shift);
    return lanes;
}

static inline unsigned packed_within(const unsigned char *p, const packed_lanes *lanes,
                                     unsigned most) {
    __m512i x = _mm512_permutexvar_epi8(lanes->bytes, _mm512_loadu_si512(p));
    __m512i differ = _mm512_ternarylogic_epi64(x, lanes->query, lanes->own,
                                               0x28); /* (x ^ query) & own */
    return _mm512_cmple_epu64_mask(_mm512_popcnt_epi64(differ), _mm512_set1_epi64((long long)most));
}

#include "kernel/hamming_blocks.h"

static size_t ascii_prefix(const char *text, size_t length) {
    size_t at = 0;
    for (; length - at >= 64; at += 64) {
        __mmask64 other = _mm512_movepi8_mask(_mm512_loadu_si512(text + at));
        if (other) return at + (size_t)__builtin_ctzll(other);
    }
    __mmask64 other = _mm512_movepi8_mask(
        _mm512_maskz_loadu_epi8(low_bits(length - at), text + at));
    return other ? at + (size_t)__builtin_ctzll(other) : length;
}

#define TABLE(name) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(name)))

static inline bool utf8_block_bad(const unsigned char *p) {
    __m512i x = _mm512_loadu_si512(p);
    if (!_mm512_movepi8_mask(x) && p[-1] < 0x80) return false;
    const __m512i half = _mm512_set1_epi8(15);
    __m512i one = _mm512_loadu_si512(p - 1), two = _mm512_loadu_si512(p - 2),
            three = _mm512_loadu_si512(p - 3);
    __m512i first_high = _mm512_shuffle_epi8(TABLE(utf8_first_high),
                                             _mm512_and_si512(_mm512_srli_epi16(one, 4), half));
    __m512i first_low = _mm512_shuffle_epi8(TABLE(utf8_first_low), _mm512_and_si512(one, half));
    __m512i second_high = _mm512_shuffle_epi8(TABLE(utf8_second_high),
                                              _mm512_and_si512(_mm512_srli_epi16(x, 4), half));
    __m512i pair = _mm512_ternarylogic_epi64(first_high, first_low, second_high, 0x80);
    /* The byte must be the third or fourth of a sequence if the byte two before is at least E0, or
     * the byte three before at least F0: then bit 7 is set, and `pair` must have "two
     * continuations" and no other error. */
    __m512i third = _mm512_subs_epu8(two, _mm512_set1_epi8(0xe0 - 0x80)),
            fourth = _mm512_subs_epu8(three, _mm512_set1_epi8(0xf0 - 0x80));
    __m512i must = _mm512_and_si512(_mm512_or_si512(third, fourth), _mm512_set1_epi8((char)0x80));
    return _mm512_cmpneq_epi8_mask(pair, must) != 0;
}

#include "kernel/utf8_blocks.h"

#include "kernel/table_probe.h"

/* The positions of the keys of a range in 64 bytes, with the first key in lane 0. A byte
 * permutation brings to each lane the word in which its key begins. */
typedef struct range_lanes {
    __m512i queries, mask, bits; /* bits: offset of each lane's key from the first key, in bits */
} range_lanes;

/* A mask of the eight keys from bit `bit` of 64 bytes on: keys that differ from the query in at
 * most `limit` bits. */
static inline __mmask8 range_within(const range_lanes *lanes, __m512i bytes, uint64_t bit,
                                    __mmask8 wanted, __m512i limit) {
    const __m512i spread = _mm512_broadcast_i32x4(
        _mm_set_epi8(8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0));
    __m512i offsets = _mm512_add_epi64(lanes->bits, _mm512_set1_epi64((long long)bit));
    __m512i index = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi64(offsets, 3), spread),
                                    _mm512_set1_epi64(0x0706050403020100));
    __m512i keys = _mm512_srlv_epi64(_mm512_permutexvar_epi8(index, bytes),
                                     _mm512_and_si512(offsets, _mm512_set1_epi64(7)));
    __m512i unlike = _mm512_ternarylogic_epi64(keys, lanes->queries, lanes->mask,
                                               0x28); /* (keys ^ queries) & mask */
    return _mm512_mask_cmple_epu64_mask(wanted, _mm512_popcnt_epi64(unlike), limit);
}

static inline size_t put_near(uint64_t number, uint64_t at, __mmask8 near, uint64_t *hits,
                              size_t found) {
    for (; near; near &= (__mmask8)(near - 1))
        hits[found++] = number << 32 | (at + (unsigned)__builtin_ctz(near));
    return found;
}

/* The last keys of a range, at most eight, mostly lie in one cache line. Then the load begins at
 * the line's begin, so that nothing is read of the next line, which has not been prefetched. No
 * branch depends on that. */
static size_t near_ranges(const unsigned char *packed, unsigned width, uint64_t query,
                          const uint32_t *begins, const uint32_t *ends, const uint8_t *most,
                          size_t count, uint64_t *hits) {
    const range_lanes lanes = {
        _mm512_set1_epi64((long long)query), _mm512_set1_epi64((long long)low_bits(width)),
        _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(width))};
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const __m512i limit = _mm512_set1_epi64(most[i]);
        uint64_t at = begins[i], end = ends[i], bit = at * width, shift = bit & 7;
        const unsigned char *p = packed + (bit >> 3);
        for (; __builtin_expect(end - at > 8, 0); at += 8, p += width) {
            __mmask8 near = range_within(&lanes, _mm512_loadu_si512(p), shift, 0xff, limit);
            if (__builtin_expect(near, 0)) found = put_near(i, at, near, hits, found);
        }
        uint64_t in_line = (uintptr_t)p & 63,
                 beyond = in_line * 8 + shift + (end - at) * width - 513;
        uint64_t back = in_line & (0 - (beyond >> 63)); /* to the line's begin, if the line holds
                                                           all keys */
        __mmask8 near = range_within(&lanes, _mm512_loadu_si512(p - back), back * 8 + shift,
                                     (__mmask8)low_bits(end - at), limit);
        if (__builtin_expect(near, 0)) found = put_near(i, at, near, hits, found);
    }
    return found;
}

/* The position of a 1 bit minus the number of 1 bits before it: the number of 0 bits before it. */
static inline void unpack_ends(uint64_t ones, uint32_t keys, uint16_t *ends) {
    const __m512i all = _mm512_loadu_si512(numbers), before = _mm512_set1_epi16((short)keys);
    __m512i positions = _mm512_sub_epi8(_mm512_maskz_compress_epi8(ones, all), all);
    _mm512_storeu_si512(
        ends, _mm512_add_epi16(before, _mm512_cvtepi8_epi16(_mm512_castsi512_si256(positions))));
    _mm512_storeu_si512(
        ends + 32,
        _mm512_add_epi16(before, _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(positions, 1))));
}

/* Unpacks eight heads at a time, which take a whole number of bytes. Each lane gets the word in
 * which its head begins. */
static inline void unpack_heads(const unsigned char *heads, uint64_t bit, unsigned width,
                                size_t count, uint32_t *keys) {
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0),
                  numbers8 = _mm512_set1_epi64(0x0706050403020100);
    const __m512i spread = _mm512_broadcast_i32x4(
        _mm_set_epi8(8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0));
    __m512i bits = _mm512_add_epi64(_mm512_mullo_epi64(lane, _mm512_set1_epi64(width)),
                                    _mm512_set1_epi64((long long)bit));
    const __m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi64(bits, 3), spread),
                                          numbers8),
                  in_byte = _mm512_and_si512(bits, _mm512_set1_epi64(7));
    const __m256i own = _mm256_set1_epi32((int32_t)low_bits(width));
    for (size_t i = 0; i < count; i += 8, heads += width) {
        __builtin_prefetch(heads + ND_HEADS_AHEAD);
        __m512i head = _mm512_srlv_epi64(_mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(heads)),
                                         in_byte);
        _mm256_storeu_si256((__m256i *)(keys + i),
                            _mm256_and_si256(_mm512_cvtepi64_epi32(head), own));
    }
}

#include "kernel/table_unpack.h"

/* ---- strings of JSON */

/* A block of a string with its escapes \\uXXXX replaced: the last bytes of each are UTF-8. */
typedef struct unit_block {
    __m512i bytes;
    uint64_t dropped; /* bytes of escapes that are not UTF-8, without their backslashes */
    uint64_t bad;     /* escapes that are none, or of a lone surrogate */
    uint64_t cut;     /* of those, surrogates whose other half is behind the block */
} unit_block;

/* UTF-8 of a lane: its fields of six bits, from the given bit of the lane on, masked, with the high
 * bits of each byte. */
static inline __m512i utf8_lanes(__m512i character, int64_t bits, uint32_t mask, uint32_t high) {
    __m512i fields = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(bits), character);
    return _mm512_ternarylogic_epi32(fields, _mm512_set1_epi32((int)mask),
                                     _mm512_set1_epi32((int)high), 0xea); /* x & y | z */
}

/* Replaces the surrogates of a block; the lanes of the low ones become the UTF-8 of four bytes. */
static inline __m512i replace_surrogates(__m512i unit, __mmask16 highs, __mmask16 lows,
                                         uint64_t units, __m512i utf8, unit_block *block) {
    uint64_t high = _pdep_u64(highs, units), low = _pdep_u64(lows, units) & ~block->bad,
             pairs = high << 6 & low, bad = (low & ~pairs) | (high & ~(pairs >> 6));
    __m512i first = _mm512_alignr_epi32(unit, unit, 15); /* the lane before */
    __m512i character = _mm512_add_epi32(
        _mm512_slli_epi32(first, 10),
        _mm512_add_epi32(unit, _mm512_set1_epi32(0x10000 - (0xd800 << 10) - 0xdc00)));
    __m512i wide = utf8_lanes(character, INT64_C(0x20262c3200060c12), 0x3f3f3f07, 0x808080f0);
    block->bad |= bad;
    block->cut = bad & high & ~low_bits(53);
    block->dropped = (block->dropped & ~(low << 2)) | high << 3 | high << 4 | high << 5;
    return _mm512_mask_mov_epi32(utf8, lows, wide);
}

/* Replaces escapes. The digits of all are squeezed together, and each four become a lane of 32
 * bits. A block has ten escapes at most. */
static inline unit_block replace_units(__m512i v, uint64_t units) {
    const __m512i case_bit = _mm512_set1_epi8(0x20);
    uint64_t digits = units << 2 | units << 3 | units << 4 | units << 5;
    __m512i letter = _mm512_sub_epi8(_mm512_or_si512(v, case_bit), _mm512_set1_epi8('a')),
            figure = _mm512_sub_epi8(v, _mm512_set1_epi8('0')),
            value = _mm512_and_si512(v, _mm512_set1_epi8(0xf));
    uint64_t letters = _mm512_cmplt_epu8_mask(letter, _mm512_set1_epi8(6)),
             wrong = digits & ~letters & ~_mm512_cmplt_epu8_mask(figure, _mm512_set1_epi8(10));
    value = _mm512_mask_add_epi8(value, letters, value, _mm512_set1_epi8(9));
    __m512i packed = _mm512_maskz_compress_epi8(digits, value);
    __m512i unit = _mm512_madd_epi16(_mm512_maddubs_epi16(packed, _mm512_set1_epi16(0x0110)),
                                     _mm512_set1_epi32(0x00010100));
    __m512i top = _mm512_and_si512(unit, _mm512_set1_epi32(0xfc00));
    __mmask16 highs = _mm512_cmpeq_epi32_mask(top, _mm512_set1_epi32(0xd800)),
              lows = _mm512_cmpeq_epi32_mask(top, _mm512_set1_epi32(0xdc00)),
              narrow = _mm512_cmplt_epu32_mask(unit, _mm512_set1_epi32(0x800)),
              ascii = _mm512_cmplt_epu32_mask(unit, _mm512_set1_epi32(0x80));
    __m512i utf8 = utf8_lanes(unit, INT64_C(0x20262c0000060c00), 0x3f3f0f00, 0x8080e000);
    utf8 = _mm512_mask_or_epi32(utf8, narrow, utf8, _mm512_set1_epi32(0x00400000));
    utf8 = _mm512_mask_slli_epi32(utf8, ascii, unit, 24);
    unit_block block = {.dropped = units << 1 | units << 2 | _pdep_u64(narrow, units) << 3 |
                                   _pdep_u64(ascii, units) << 4,
                        .bad = units & (wrong >> 2 | wrong >> 3 | wrong >> 4 | wrong >> 5)};
    if (highs | lows) utf8 = replace_surrogates(unit, highs, lows, units, utf8, &block);
    block.bytes = _mm512_mask_expand_epi8(v, digits, utf8);
    return block;
}

/* A block of at most 64 bytes without a backslash is stored as it is. Of any other one the second
 * characters of escapes are replaced, and the backslashes before them are squeezed out. An escape
 * that the end of the block cuts is left to the next one. */
static size_t json_string(const char *text, size_t length, char *out, size_t *written) {
    const __m512i low = _mm512_loadu_si512(nd_json_escapes),
                  high = _mm512_loadu_si512(nd_json_escapes + 64);
    const uint64_t whole = low_bits(59); /* where an escape of six bytes ends in the block */
    size_t at = 0, to = 0;
    while (at < length) {
        uint64_t within = low_bits(length - at < 64 ? length - at : 64);
        __m512i v = _mm512_maskz_loadu_epi8(within, text + at);
        uint64_t backslashes = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\\')),
                 quotes = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('"')),
                 stops = _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8(0x20)), escaped = 0, taken,
                 dropped = 0, cut = 0;
        if (backslashes) {
            escaped = nd_escaped_positions(backslashes);
            uint64_t begins = backslashes & ~escaped,
                     units = begins & _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('u')) >> 1;
            cut = (units & ~whole) | (begins & UINT64_C(1) << 63);
            units &= whole;
            __m512i second = _mm512_permutex2var_epi8(low, v, high);
            uint64_t good = _mm512_test_epi8_mask(second, second) & ~_mm512_movepi8_mask(v);
            stops |= begins & ~(good >> 1) & ~units; /* also one that is cut */
            v = _mm512_mask_mov_epi8(v, escaped, second);
            dropped = begins;
            if (units) {
                unit_block replaced = replace_units(v, units);
                v = replaced.bytes;
                dropped |= replaced.dropped;
                stops |= replaced.bad;
                cut |= replaced.cut;
            }
        }
        stops |= quotes & ~escaped;
        taken = stops ? low_bits(_tzcnt_u64(stops)) : within;
        v = _mm512_maskz_compress_epi8(taken & ~dropped, v);
        _mm512_storeu_si512(out + to, v);
        size_t count = nd_popcount(taken);
        to += nd_popcount(taken & ~dropped);
        at += count;
        if (count < 64 && !(cut >> count & 1)) break;
    }
    *written = to;
    return at;
}

static inline nd_string_block string_block(const unsigned char *p) {
    __m512i x = _mm512_loadu_si512(p);
    return (nd_string_block){equal(x, '\\'), equal(x, '"'), equal(x, 'u')};
}

#include "kernel/string_blocks.h"

/* ---- lines */

static inline uint64_t newlines_of(const unsigned char *p) {
    return equal(_mm512_loadu_si512(p), '\n');
}

#include "kernel/line_blocks.h"

#include "kernel/tlsh_avx2.h"

#include "kernel/tlsh_blocks.h"

#include "kernel/value_windows_avx2.h"

#include "kernel/value_windows.h"

const nd_kernel nd_kernel_avx512 = {
    .name = "avx512",
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
    .near_packed = near_packed,
    .near64 = near64,
    .near128 = near128,
    .near32 = near32,
    .near64_pairs = near64_pairs,
    .near128_pairs = near128_pairs,
    .near32_probes = near32_probes,
    .near_tlsh = near_tlsh,
    .utf8_valid_prefix = utf8_valid_prefix,
    .ascii_prefix = ascii_prefix,
    .json_string = json_string,
    .json_pass = json_pass,
    .lines = lines,
};
#endif

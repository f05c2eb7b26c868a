/* AVX2 with BMI: Haswell and Zen, and later. Ends that do not fill a vector are done in plain C. */
#include "kernel/kernel_common.h"

#if ND_KERNEL_X86
#include "kernel/utf8_tables.h"

#include <immintrin.h>

static inline __m256i load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }

static inline void store(void *p, __m256i x) { _mm256_storeu_si256((__m256i *)p, x); }

/* `vectors` (a constant, at most 6: parameters, minima and two temporaries fill the 16 registers) times 8 permutations, the hashes streaming by. */
__attribute__((always_inline)) static inline void minhash_tile(const uint32_t *lo, const uint32_t *hi, size_t count, const uint32_t *a,
                                                               uint32_t *signature, int vectors) {
    __m256i as[6], least[6];
#pragma GCC unroll 6
    for (int k = 0; k < vectors; k++) {
        as[k] = load(a + 8 * k);
        least[k] = load(signature + 8 * k);
    }
    for (size_t j = 0; j < count; j++) {
        __m256i l = _mm256_set1_epi32((int)lo[j]), h = _mm256_set1_epi32((int)hi[j]);
#pragma GCC unroll 6
        for (int k = 0; k < vectors; k++) least[k] = _mm256_min_epu32(least[k], _mm256_add_epi32(_mm256_mullo_epi32(as[k], l), h));
    }
#pragma GCC unroll 6
    for (int k = 0; k < vectors; k++) store(signature + 8 * k, least[k]);
}

static void minhash(const uint64_t *hashes, size_t count, uint64_t key, const uint32_t *a, uint32_t *signature, size_t perms) {
    uint32_t lo[ND_MINHASH_BLOCK], hi[ND_MINHASH_BLOCK];
    for (size_t done = 0; done < count; done += ND_MINHASH_BLOCK) {
        size_t block = count - done < ND_MINHASH_BLOCK ? count - done : ND_MINHASH_BLOCK, i = 0;
        nd_minhash_mix(hashes + done, block, key, lo, hi);
        for (; perms - i >= 32; i += 32) minhash_tile(lo, hi, block, a + i, signature + i, 4);
        for (; perms - i >= 8; i += 8) minhash_tile(lo, hi, block, a + i, signature + i, 1);
        if (perms == i) continue;
        uint32_t last_a[8] = {0}, last[8] = {0};
        memcpy(last_a, a + i, (perms - i) * sizeof *a);
        memcpy(last, signature + i, (perms - i) * sizeof *a);
        minhash_tile(lo, hi, block, last_a, last, 1);
        memcpy(signature + i, last, (perms - i) * sizeof *a);
    }
}

static inline size_t sum4(__m256i x) {
    uint64_t lanes[4];
    store(lanes, x);
    return (size_t)(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
}

/* Equal bytes count down in 8-bit lanes, at most 255 times before they are summed. */
static size_t count_equal(const uint8_t *a, const uint8_t *b, size_t length) {
    size_t i = 0;
    __m256i total = _mm256_setzero_si256();
    while (length - i >= 32) {
        size_t end = i + (length - i < 255 * 32 ? (length - i) / 32 * 32 : 255 * 32);
        __m256i lanes = _mm256_setzero_si256();
        for (; i < end; i += 32) lanes = _mm256_sub_epi8(lanes, _mm256_cmpeq_epi8(load(a + i), load(b + i)));
        total = _mm256_add_epi64(total, _mm256_sad_epu8(lanes, _mm256_setzero_si256()));
    }
    size_t equal = sum4(total);
    for (; i < length; i++) equal += a[i] == b[i];
    return equal;
}

static size_t count_equal32(const uint32_t *a, const uint32_t *b, size_t length) {
    size_t equal = 0, i = 0;
    for (; length - i >= 8; i += 8) {
        __m256i same = _mm256_cmpeq_epi32(load(a + i), load(b + i));
        equal += (size_t)__builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same)));
    }
    for (; i < length; i++) equal += a[i] == b[i];
    return equal;
}

#define TABLE(name) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(name)))

/* Classes of ASCII characters, a bit each, found where the tables of the two halves agree: 1 digits, 2 and 4 a-z, 8 underscore, 16 and 32 A-Z. */
static const unsigned char class_low[16] = {37, 55, 55, 55, 55, 55, 55, 55, 55, 55, 54, 18, 18, 18, 18, 26};
static const unsigned char class_high[16] = {0, 0, 0, 1, 16, 32 | 8, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0};

static inline uint32_t classify32(__m256i x, unsigned char *lower) {
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15));
    /* A byte with bit 7 set finds 0 in the first table. */
    __m256i class = _mm256_and_si256(_mm256_shuffle_epi8(TABLE(class_low), x), _mm256_shuffle_epi8(TABLE(class_high), high));
    __m256i capital = _mm256_cmpgt_epi8(class, _mm256_set1_epi8(15));
    store(lower, _mm256_or_si256(x, _mm256_and_si256(capital, _mm256_set1_epi8(0x20))));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(class, _mm256_setzero_si256()));
}

static inline nd_word_block classify_block(const unsigned char *p, unsigned char *lower) {
    __m256i x = load(p), y = load(p + 32);
    nd_word_block block;
    block.word = classify32(x, lower) | (uint64_t)classify32(y, lower + 32) << 32;
    block.other = (uint32_t)_mm256_movemask_epi8(x) | (uint64_t)(uint32_t)_mm256_movemask_epi8(y) << 32;
    return block;
}

static inline uint64_t mask64(__m256i x, __m256i y) { return (uint32_t)_mm256_movemask_epi8(x) | (uint64_t)(uint32_t)_mm256_movemask_epi8(y) << 32; }

static inline uint64_t mask_equal(__m256i x, __m256i y, unsigned c) {
    const __m256i all = _mm256_set1_epi8((char)c);
    return mask64(_mm256_cmpeq_epi8(x, all), _mm256_cmpeq_epi8(y, all));
}

/* Bit `k` of each byte, shifted to where the mask is taken from; what comes over from the neighbour stays below. */
static inline uint64_t mask_bit(__m256i x, __m256i y, int k) { return mask64(_mm256_slli_epi16(x, 7 - k), _mm256_slli_epi16(y, 7 - k)); }

/* nd_latin_class of continuation bytes, any value for others: looked up by the lower half of the byte in each row, the upper half says in which. */
static inline __m256i latin_class32(__m256i x) {
    const __m256i low = _mm256_and_si256(x, _mm256_set1_epi8(15));
    __m256i row_8 = _mm256_shuffle_epi8(TABLE(nd_latin_class), low), row_9 = _mm256_shuffle_epi8(TABLE(nd_latin_class + 16), low);
    __m256i row_a = _mm256_shuffle_epi8(TABLE(nd_latin_class + 32), low), row_b = _mm256_shuffle_epi8(TABLE(nd_latin_class + 48), low);
    __m256i bit_4 = _mm256_slli_epi16(x, 3), bit_5 = _mm256_slli_epi16(x, 2); /* in bit 7, which blendv asks */
    return _mm256_blendv_epi8(_mm256_blendv_epi8(row_8, row_9, bit_4), _mm256_blendv_epi8(row_a, row_b, bit_4), bit_5);
}

/* classify32 has left the bytes from 0x80 on as they are. `before` has the byte before each. */
static inline void fold_latin32(__m256i before, unsigned char *lower) {
    __m256i after_c3 = _mm256_cmpeq_epi8(before, _mm256_set1_epi8((char)0xc3));
    store(lower, _mm256_or_si256(load(lower), _mm256_and_si256(after_c3, _mm256_set1_epi8(0x20))));
}

static inline nd_latin_block classify_latin(const unsigned char *p, unsigned char *lower) {
    __m256i x = load(p), y = load(p + 32), class_x = latin_class32(x), class_y = latin_class32(y);
    const __m256i lead = _mm256_set1_epi8((char)0xc0);
    nd_latin_block latin;
    latin.c2 = mask_equal(x, y, 0xc2);
    latin.c3 = mask_equal(x, y, 0xc3);
    latin.e2 = mask_equal(x, y, 0xe2);
    latin.continuation = mask64(_mm256_cmpgt_epi8(lead, x), _mm256_cmpgt_epi8(lead, y));
    latin.sign_c3 = mask_bit(class_x, class_y, 0);
    latin.word_c2 = mask_bit(class_x, class_y, 1);
    latin.general = mask_bit(class_x, class_y, 2);
    latin.byte_9f = mask_bit(class_x, class_y, 3);
    latin.byte_80 = mask_equal(x, y, 0x80);
    /* No byte before the first: a block begins with a character. */
    fold_latin32(_mm256_alignr_epi8(x, _mm256_permute2x128_si256(x, x, 0x08), 15), lower);
    fold_latin32(load(p + 31), lower + 32);
    return latin;
}

/* All ones where a byte is at least `c`. */
static inline __m256i from32(__m256i x, unsigned c) { return _mm256_cmpeq_epi8(_mm256_max_epu8(x, _mm256_set1_epi8((char)c)), x); }

static inline __m256i e5_e9(__m256i x) { return _mm256_andnot_si256(from32(x, 0xea), from32(x, 0xe5)); }

static inline nd_wide_block classify_wide(const unsigned char *p, nd_latin_block latin) {
    __m256i x = load(p), y = load(p + 32), class_x = latin_class32(x), class_y = latin_class32(y);
    nd_wide_bytes wide;
    wide.e3 = mask_equal(x, y, 0xe3);
    wide.e4 = mask_equal(x, y, 0xe4);
    wide.e5_e9 = mask64(e5_e9(x), e5_e9(y));
    wide.ef = mask_equal(x, y, 0xef);
    wide.from_b8 = mask64(from32(x, 0xb8), from32(y, 0xb8));
    wide.bc = mask_equal(x, y, 0xbc);
    wide.bd = mask_equal(x, y, 0xbd);
    wide.sign_80 = mask_bit(class_x, class_y, 5);
    wide.sign_bc = mask_bit(class_x, class_y, 6);
    wide.sign_bd = mask_bit(class_x, class_y, 7);
    return nd_wide_characters(latin, wide);
}

/* Eight places a round whether they are needed or not: English has 16 edges in 64 bytes, and a branch for each would be guessed wrongly. */
static inline uint16_t *put_edges(uint16_t *to, uint64_t edges, unsigned base) {
    uint16_t *end = to + __builtin_popcountll(edges);
    while (to < end) {
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) {
            to[k] = (uint16_t)(base + (unsigned)_tzcnt_u64(edges));
            edges = _blsr_u64(edges);
        }
        to += 8;
    }
    return end;
}

static inline uint16_t *put_by_turns(uint16_t *to, uint64_t first, uint64_t second, unsigned base) {
    uint16_t *end = to + __builtin_popcountll(first) + __builtin_popcountll(second);
    while (to < end) {
#pragma GCC unroll 4
        for (int k = 0; k < 8; k += 2) {
            to[k] = (uint16_t)(base + (unsigned)_tzcnt_u64(first));
            to[k + 1] = (uint16_t)(base + (unsigned)_tzcnt_u64(second));
            first = _blsr_u64(first);
            second = _blsr_u64(second);
        }
        to += 8;
    }
    return end;
}

#include "kernel/word_blocks.h"

/* No vectors: without a 64-bit vector product the integer registers are faster. */
static void shingles(const uint64_t *tokens, size_t count, size_t n, const uint64_t *powers, uint64_t *out) {
    nd_shingles_roll(tokens, count, n, powers, out);
}

/* As with shingles: integer registers. */
static inline void mix_features(const uint64_t *features, size_t count, uint64_t addend, uint64_t *mixed) {
    for (size_t j = 0; j < count; j++) mixed[j] = nd_mix64(features[j] + addend);
}

/* Bits 32 * half to 32 * half + 31, in four registers. */
__attribute__((always_inline)) static inline void weigh_half(const uint64_t *mixed, const int32_t *weights, size_t count, int half, int32_t *with) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i sums[4], own[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        sums[k] = _mm256_setzero_si256();
        own[k] = _mm256_slli_epi32(bits, 8 * k);
    }
    for (size_t j = 0; j < count; j++) {
        __m256i m = _mm256_set1_epi32((int32_t)(mixed[j] >> 32 * half)), weight = _mm256_set1_epi32(weights[j]);
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            __m256i has = _mm256_cmpeq_epi32(_mm256_and_si256(m, own[k]), own[k]);
            sums[k] = _mm256_add_epi32(sums[k], _mm256_and_si256(has, weight));
        }
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) store(with + 8 * k, sums[k]);
}

static void weigh(const uint64_t *mixed, const int32_t *weights, size_t count, int32_t with[64]) {
    weigh_half(mixed, weights, count, 0, with);
    weigh_half(mixed, weights, count, 1, with + 32);
}

typedef uint64_t bit_vector __attribute__((vector_size(32)));

#include "kernel/bit_counts.h"
#include "kernel/simhash_blocks.h"

static size_t ascii_prefix(const char *text, size_t length) {
    size_t at = 0;
    for (; length - at >= 32; at += 32) {
        unsigned other = (unsigned)_mm256_movemask_epi8(load(text + at));
        if (other) return at + (size_t)__builtin_ctz(other);
    }
    while (at < length && (unsigned char)text[at] < 0x80) at++;
    return at;
}

/* Not 0 where a byte of p[0..32) is an error. */
static inline __m256i utf8_errors(const unsigned char *p, __m256i x) {
    const __m256i half = _mm256_set1_epi8(15);
    __m256i one = load(p - 1), two = load(p - 2), three = load(p - 3);
    __m256i first_high = _mm256_shuffle_epi8(TABLE(utf8_first_high), _mm256_and_si256(_mm256_srli_epi16(one, 4), half));
    __m256i first_low = _mm256_shuffle_epi8(TABLE(utf8_first_low), _mm256_and_si256(one, half));
    __m256i second_high = _mm256_shuffle_epi8(TABLE(utf8_second_high), _mm256_and_si256(_mm256_srli_epi16(x, 4), half));
    __m256i pair = _mm256_and_si256(_mm256_and_si256(first_high, first_low), second_high);
    /* E0 and up two before, F0 and up three before: bit 7 set, and then `pair` must say two continuations and nothing else. */
    __m256i third = _mm256_subs_epu8(two, _mm256_set1_epi8(0xe0 - 0x80)), fourth = _mm256_subs_epu8(three, _mm256_set1_epi8(0xf0 - 0x80));
    return _mm256_xor_si256(pair, _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80)));
}

static inline bool utf8_block_bad(const unsigned char *p) {
    __m256i x = load(p), y = load(p + 32);
    if (!_mm256_movemask_epi8(_mm256_or_si256(x, y)) && p[-1] < 0x80) return false;
    __m256i errors = _mm256_or_si256(utf8_errors(p, x), utf8_errors(p + 32, y));
    return !_mm256_testz_si256(errors, errors);
}

#include "kernel/utf8_blocks.h"

const nd_kernel nd_kernel_avx2 = {
    .name = "avx2",
    .minhash = minhash,
    .count_equal = count_equal,
    .count_equal32 = count_equal32,
    .words = words,
    .shingles = shingles,
    .simhash = simhash,
    .utf8_valid_prefix = utf8_valid_prefix,
    .ascii_prefix = ascii_prefix,
};
#endif

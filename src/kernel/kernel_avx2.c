/* AVX2 with BMI: Haswell and Zen, and later. Ends that do not fill a vector are left to plain C. */
#include "kernel/kernel_common.h"

#if ND_KERNEL_X86
#include "kernel/utf8_tables.h"

#include <immintrin.h>

static inline __m256i load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }

static inline void store(void *p, __m256i x) { _mm256_storeu_si256((__m256i *)p, x); }

/* Updates the values of 8 functions, of `all`. Their extremes stay in registers while the hashes
 * stream by. */
static inline void minhash_tile(const uint32_t *lo, const uint32_t *hi, size_t count,
                                const uint32_t *a, uint32_t *values, size_t all) {
    __m256i as = load(a), extremes[ND_MINHASH_ORDERS];
#pragma GCC unroll 4
    for (size_t k = 0; k < ND_MINHASH_ORDERS; k++)
        extremes[k] = _mm256_xor_si256(load(values + k * all),
                                       _mm256_set1_epi32((int)nd_minhash_orders[k]));
    for (size_t j = 0; j < count; j++) {
        __m256i l = _mm256_set1_epi32((int)lo[j]), h = _mm256_set1_epi32((int)hi[j]);
        __m256i value = _mm256_add_epi32(_mm256_mullo_epi32(as, l), h);
        extremes[0] = _mm256_min_epu32(extremes[0], value);
        extremes[1] = _mm256_max_epu32(extremes[1], value);
        extremes[2] = _mm256_min_epi32(extremes[2], value);
        extremes[3] = _mm256_max_epi32(extremes[3], value);
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < ND_MINHASH_ORDERS; k++)
        store(values + k * all,
              _mm256_xor_si256(extremes[k], _mm256_set1_epi32((int)nd_minhash_orders[k])));
}

static void minhash(const uint64_t *hashes, size_t count, uint64_t key, const uint32_t *a,
                    size_t functions, uint32_t *values) {
    uint32_t lo[ND_MINHASH_BLOCK], hi[ND_MINHASH_BLOCK];
    for (size_t done = 0; done < count; done += ND_MINHASH_BLOCK) {
        size_t block = count - done < ND_MINHASH_BLOCK ? count - done : ND_MINHASH_BLOCK;
        nd_minhash_mix(hashes + done, block, key, lo, hi);
        for (size_t i = 0; i < functions; i += 8)
            minhash_tile(lo, hi, block, a + i, values + i, functions);
    }
}

static inline size_t sum4(__m256i x) {
    uint64_t lanes[4];
    store(lanes, x);
    return (size_t)(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
}

/* An equal byte counts 1 in its 8-bit lane. Lanes are summed at least every 255 steps. */
static size_t count_equal(const uint8_t *a, const uint8_t *b, size_t length) {
    size_t i = 0;
    __m256i total = _mm256_setzero_si256();
    while (length - i >= 32) {
        size_t end = i + (length - i < 255 * 32 ? (length - i) / 32 * 32 : 255 * 32);
        __m256i lanes = _mm256_setzero_si256();
        for (; i < end; i += 32)
            lanes = _mm256_sub_epi8(lanes, _mm256_cmpeq_epi8(load(a + i), load(b + i)));
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
        equal += (size_t)__builtin_popcount(
            (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same)));
    }
    for (; i < length; i++) equal += a[i] == b[i];
    return equal;
}

#define TABLE(name) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(name)))

/* Classes of ASCII characters, one bit each, by two tables: of the low half of a byte and of its
 * high half. A byte is in a class if both have the bit. 1: digits; 2 and 4: a-z; 8: underscore; 16
 * and 32: A-Z. */
static const unsigned char class_low[16] = {37, 55, 55, 55, 55, 55, 55, 55,
                                            55, 55, 54, 18, 18, 18, 18, 26};
static const unsigned char class_high[16] = {0, 0, 0, 1, 16, 32 | 8, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0};

static inline uint32_t classify32(__m256i x, unsigned char *lower) {
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15));
    /* A byte with bit 7 set finds 0 in the first table. */
    __m256i class = _mm256_and_si256(_mm256_shuffle_epi8(TABLE(class_low), x),
                                     _mm256_shuffle_epi8(TABLE(class_high), high));
    __m256i capital = _mm256_cmpgt_epi8(class, _mm256_set1_epi8(15));
    store(lower, _mm256_or_si256(x, _mm256_and_si256(capital, _mm256_set1_epi8(0x20))));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(class, _mm256_setzero_si256()));
}

static inline nd_word_block classify_block(const unsigned char *p, unsigned char *lower) {
    __m256i x = load(p), y = load(p + 32);
    nd_word_block block;
    block.word = classify32(x, lower) | (uint64_t)classify32(y, lower + 32) << 32;
    block.other = (uint32_t)_mm256_movemask_epi8(x) | (uint64_t)(uint32_t)_mm256_movemask_epi8(y)
                                                          << 32;
    return block;
}

static inline uint64_t mask64(__m256i x, __m256i y) {
    return (uint32_t)_mm256_movemask_epi8(x) | (uint64_t)(uint32_t)_mm256_movemask_epi8(y) << 32;
}

static inline uint64_t mask_equal(__m256i x, __m256i y, unsigned c) {
    const __m256i all = _mm256_set1_epi8((char)c);
    return mask64(_mm256_cmpeq_epi8(x, all), _mm256_cmpeq_epi8(y, all));
}

/* A mask of bit `k` of each byte. The shift moves the bit to the top of the byte, from which the
 * mask is taken; bits that come from the byte below stay below the top. */
static inline uint64_t mask_bit(__m256i x, __m256i y, int k) {
    return mask64(_mm256_slli_epi16(x, 7 - k), _mm256_slli_epi16(y, 7 - k));
}

/* Entries of a table of 64, by the low six bits of each byte. The low half of a byte is looked up
 * in all four rows of the table, and bits 4 and 5 select the row. */
static inline __m256i look_up32(__m256i x, const uint8_t *table) {
    const __m256i low = _mm256_and_si256(x, _mm256_set1_epi8(15));
    __m256i row_8 = _mm256_shuffle_epi8(TABLE(table), low),
            row_9 = _mm256_shuffle_epi8(TABLE(table + 16), low);
    __m256i row_a = _mm256_shuffle_epi8(TABLE(table + 32), low),
            row_b = _mm256_shuffle_epi8(TABLE(table + 48), low);
    __m256i bit_4 = _mm256_slli_epi16(x, 3),
            bit_5 = _mm256_slli_epi16(x, 2); /* moved to bit 7, which blendv tests */
    return _mm256_blendv_epi8(_mm256_blendv_epi8(row_8, row_9, bit_4),
                              _mm256_blendv_epi8(row_a, row_b, bit_4), bit_5);
}

/* Folds a byte after 0xC3 by setting bit 5. classify32 has left the bytes from 0x80 on as they are.
 * `before` has the byte before each byte. */
static inline void fold_latin32(__m256i before, unsigned char *lower) {
    __m256i after_c3 = _mm256_cmpeq_epi8(before, _mm256_set1_epi8((char)0xc3));
    store(lower, _mm256_or_si256(load(lower), _mm256_and_si256(after_c3, _mm256_set1_epi8(0x20))));
}

static inline nd_latin_block classify_latin(const unsigned char *p, unsigned char *lower) {
    __m256i x = load(p), y = load(p + 32), class_x = look_up32(x, nd_latin_class),
            class_y = look_up32(y, nd_latin_class);
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
    /* A block begins with a character, so no byte is needed before the first. */
    fold_latin32(_mm256_alignr_epi8(x, _mm256_permute2x128_si256(x, x, 0x08), 15), lower);
    fold_latin32(load(p + 31), lower + 32);
    return latin;
}

typedef struct bytes64 {
    __m256i low, high;
} bytes64;
typedef __m256i same_bytes;
static inline same_bytes same_bytes_of(unsigned c) { return _mm256_set1_epi8((char)c); }
static inline bytes64 load64(const unsigned char *p) { return (bytes64){load(p), load(p + 32)}; }
static inline void store64(unsigned char *p, bytes64 x) {
    store(p, x.low);
    store(p + 32, x.high);
}

/* Folds of ASCII are 0, and classify32 has left the bytes from 0x80 on as they are. */
static inline void fold64(unsigned char *p, bytes64 x, bytes64 before, bytes64 last) {
    (void)x;
    __m256i middle = _mm256_permute2x128_si256(before.low, before.high, 0x21),
            end = _mm256_permute2x128_si256(before.high, before.high, 0x81);
    __m256i low = _mm256_xor_si256(last.low, _mm256_alignr_epi8(middle, before.low, 1)),
            high = _mm256_xor_si256(last.high, _mm256_alignr_epi8(end, before.high, 1));
    store(p, _mm256_xor_si256(load(p), low));
    store(p + 32, _mm256_xor_si256(load(p + 32), high));
}

static inline __m256i within32(__m256i x, __m256i first, __m256i last) {
    return _mm256_cmpeq_epi8(_mm256_min_epu8(_mm256_max_epu8(x, first), last), x);
}

static inline uint64_t within64(bytes64 x, same_bytes first, same_bytes last) {
    return mask64(within32(x.low, first, last), within32(x.high, first, last));
}

static inline uint64_t bit64(bytes64 x, int k) { return mask_bit(x.low, x.high, k); }

/* Returns all ones in each byte whose bit is set. */
static inline __m256i spread_bits(uint32_t bits) {
    const __m256i bytes = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                           2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3),
                  own = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    __m256i x = _mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)bits), bytes);
    return _mm256_cmpeq_epi8(_mm256_and_si256(x, own), own);
}

static inline bytes64 look_up64(bytes64 x, uint64_t at, const uint8_t *table, bytes64 others) {
    __m256i low = look_up32(x.low, table), high = look_up32(x.high, table);
    return (bytes64){_mm256_blendv_epi8(others.low, low, spread_bits((uint32_t)at)),
                     _mm256_blendv_epi8(others.high, high, spread_bits((uint32_t)(at >> 32)))};
}

/* A look-up of a page takes as long as look-ups of some characters. */
enum { FEW_CHARACTERS = 3 };

#include "kernel/script_blocks.h"

/* The positions of the set bits of each byte, ascending, in the lowest bytes of a word. A row is
 * made from the highest bit down: each set bit moves the positions above it up. */
static const uint64_t bit_positions[256] = {
#define ND_BIT_0(row) row, (row) << 8
#define ND_BIT_1(row) ND_BIT_0(row), ND_BIT_0((row) << 8 | 1)
#define ND_BIT_2(row) ND_BIT_1(row), ND_BIT_1((row) << 8 | 2)
#define ND_BIT_3(row) ND_BIT_2(row), ND_BIT_2((row) << 8 | 3)
#define ND_BIT_4(row) ND_BIT_3(row), ND_BIT_3((row) << 8 | 4)
#define ND_BIT_5(row) ND_BIT_4(row), ND_BIT_4((row) << 8 | 5)
#define ND_BIT_6(row) ND_BIT_5(row), ND_BIT_5((row) << 8 | 6)
    ND_BIT_6(UINT64_C(0)), ND_BIT_6(UINT64_C(7))
#undef ND_BIT_0
#undef ND_BIT_1
#undef ND_BIT_2
#undef ND_BIT_3
#undef ND_BIT_4
#undef ND_BIT_5
#undef ND_BIT_6
};

/* The same of one byte as 16-bit numbers; zeros behind them. */
static inline __m128i positions_in(unsigned byte) {
    return _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)&bit_positions[byte]));
}

/* Eight bits a step, whether bits are set or not: a branch would often be mispredicted. */
static inline uint16_t *put_edges(uint16_t *to, uint64_t edges, unsigned base) {
#pragma GCC unroll 8
    for (unsigned bit = 0; bit < 64; bit += 8) {
        unsigned byte = edges >> bit & 0xff;
        __m128i first = _mm_set1_epi16((short)(base + bit));
        _mm_storeu_si128((__m128i *)to, _mm_add_epi16(positions_in(byte), first));
        to += __builtin_popcount(byte);
    }
    return to;
}

/* Writes the positions of the set bits as bytes, as put_edges does. */
static inline size_t put_positions(unsigned char *to, uint64_t bits) {
    const unsigned char *begin = to;
#pragma GCC unroll 8
    for (unsigned bit = 0; bit < 64; bit += 8) {
        unsigned byte = bits >> bit & 0xff;
        nd_store_le64(to, bit_positions[byte] + bit * UINT64_C(0x0101010101010101));
        to += __builtin_popcount(byte);
    }
    return (size_t)(to - begin);
}

/* Writes 16 pairs of positions. */
static inline void put_pairs(uint16_t *to, __m128i a, __m128i b, unsigned base) {
    const __m256i bases = _mm256_set1_epi16((short)base);
    store(to, _mm256_add_epi16(bases, _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b))));
    store(to + 16, _mm256_add_epi16(bases, _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b))));
}

static inline uint16_t *put_alternately(uint16_t *to, uint64_t first, uint64_t second,
                                        unsigned base) {
    unsigned char firsts[72], seconds[72];
    size_t count = put_positions(firsts, first) + put_positions(seconds, second);
    for (size_t i = 0; 2 * i < count; i += 16)
        put_pairs(to + 2 * i, _mm_loadu_si128((const __m128i *)(firsts + i)),
                  _mm_loadu_si128((const __m128i *)(seconds + i)), base);
    return to + count;
}

/* Eight bits a step, of which three are set at most. */
static inline uint16_t *put_threes(uint16_t *to, uint64_t first, unsigned base) {
    const __m128i three = _mm_set1_epi16(3);
#pragma GCC unroll 8
    for (unsigned bit = 0; bit < 64; bit += 8) {
        unsigned byte = first >> bit & 0xff;
        __m128i begins = _mm_add_epi16(positions_in(byte), _mm_set1_epi16((short)(base + bit)));
        _mm_storeu_si128((__m128i *)to, _mm_unpacklo_epi16(begins, _mm_add_epi16(begins, three)));
        to += 2 * __builtin_popcount(byte);
    }
    return to;
}

#include "kernel/token_hashes_avx2.h"

#include "kernel/word_blocks.h"

/* Products modulo 2^64, from three of 32 bits: there is no instruction for them. */
static inline __m256i multiply4(__m256i x, uint64_t by) {
    const __m256i low = _mm256_set1_epi64x((long long)(by & UINT32_MAX)),
                  high = _mm256_set1_epi64x((long long)(by >> 32));
    __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), low),
                                       _mm256_mul_epu32(x, high));
    return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(crossed, 32));
}

/* nd_mix64 */
static inline __m256i mix4(__m256i x) {
    x = multiply4(_mm256_xor_si256(x, _mm256_srli_epi64(x, 30)), UINT64_C(0xbf58476d1ce4e5b9));
    x = multiply4(_mm256_xor_si256(x, _mm256_srli_epi64(x, 27)), UINT64_C(0x94d049bb133111eb));
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, 31));
}

/* Mixes polynomials with vectors. Meanwhile the integer registers absorb the words of `next` into
 * the text, at most as many as there are polynomials. Returns how many, a multiple of 4. */
static inline size_t mix_and_absorb(uint64_t *polynomials, size_t count, nd_chains *text,
                                    const uint64_t *next, size_t words) {
    size_t i = 0, both = (words < count ? words : count) / 4 * 4;
    nd_chains chains = *text;
    for (; i < both; i += 4) {
        store(polynomials + i, mix4(load(polynomials + i)));
        nd_chains_absorb(&chains, next + i);
    }
    *text = chains;
    for (; count - i >= 4; i += 4) store(polynomials + i, mix4(load(polynomials + i)));
    for (; i < count; i++) polynomials[i] = nd_mix64(polynomials[i]);
    return both;
}

/* The chain of products runs in the integer registers, where it is faster; vectors mix, `rolled`
 * polynomials at a time, a multiple of 4: they stay in the L1 cache. */
static inline __attribute__((always_inline)) void roll_and_mix(const uint64_t *tokens, size_t count,
                                                               size_t n, const uint64_t *powers,
                                                               uint64_t *out, nd_chains *text,
                                                               size_t words, const size_t rolled) {
    const size_t last = count - n;
    size_t absorbed = words < rolled ? words : rolled; /* before these are overwritten */
    uint64_t h = nd_shingle_polynomial(tokens, n);
    nd_chains_absorb_all(text, tokens, absorbed);
    for (size_t begin = 0, end; begin <= last; begin = end) {
        const bool ends = last - begin < rolled;
        end = ends ? last : begin + rolled;
        h = nd_shingles_roll(tokens, begin, end, n, powers, out, h, false);
        if (ends) out[end++] = h;
        absorbed += mix_and_absorb(out + begin, end - begin, text, tokens + absorbed,
                                   words - absorbed);
    }
    nd_chains_absorb_all(text, tokens + absorbed, words - absorbed);
}

/* With a text few are rolled at a time, because its first words are absorbed before there are
 * polynomials to mix. */
static void shingles(const uint64_t *tokens, size_t count, size_t n, const uint64_t *powers,
                     uint64_t *out, nd_chains *text) {
    enum { ROLLED = ND_LIMIT(512, 8), ROLLED_WITH_TEXT = ND_LIMIT(64, 8) };
    nd_chains none = {0};
    if (text) roll_and_mix(tokens, count, n, powers, out, text, count / 4 * 4, ROLLED_WITH_TEXT);
    else roll_and_mix(tokens, count, n, powers, out, &none, 0, ROLLED);
}

/* Integer registers are as fast here. */
static inline void mix_features(const uint64_t *features, size_t count, uint64_t addend,
                                uint64_t *mixed) {
    for (size_t j = 0; j < count; j++) mixed[j] = nd_mix64(features[j] + addend);
}

/* Sums the weights for bits 32 * half to 32 * half + 31, in four registers. */
__attribute__((always_inline)) static inline void
weigh_half(const uint64_t *mixed, const int32_t *weights, size_t count, int half, int32_t *with) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i sums[4], own[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        sums[k] = _mm256_setzero_si256();
        own[k] = _mm256_slli_epi32(bits, 8 * k);
    }
    for (size_t j = 0; j < count; j++) {
        __m256i m = _mm256_set1_epi32((int32_t)(mixed[j] >> 32 * half)),
                weight = _mm256_set1_epi32(weights[j]);
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

/* Returns the number of bits set in each byte. */
static inline __m256i byte_ones(__m256i x) {
    static const unsigned char ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    const __m256i half = _mm256_set1_epi8(15), table = TABLE(ones);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), half);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(x, half)),
                           _mm256_shuffle_epi8(table, high));
}

/* Returns the sum of the bytes of each 64-bit lane. */
static inline __m256i lane_sums(__m256i bytes) {
    return _mm256_sad_epu8(bytes, _mm256_setzero_si256());
}

static inline bool lane_within(__m256i distances, unsigned most) {
    __m256i beyond = _mm256_cmpgt_epi64(distances, _mm256_set1_epi64x((long long)most));
    return _mm256_movemask_pd(_mm256_castsi256_pd(beyond)) != 15;
}

#define NEAR64_GROUP 16
static inline bool near64_any(const uint64_t *keys, uint64_t query, unsigned most) {
    const __m256i all = _mm256_set1_epi64x((long long)query);
    __m256i least = lane_sums(byte_ones(_mm256_xor_si256(load(keys), all)));
#pragma GCC unroll 3
    for (int k = 4; k < NEAR64_GROUP; k += 4)
        least = _mm256_min_epu8(least, lane_sums(byte_ones(_mm256_xor_si256(load(keys + k), all))));
    return lane_within(least, most);
}

/* Distances of the four keys in two vectors, in some order. */
static inline __m256i distances128(__m256i a, __m256i b, __m256i query) {
    __m256i ones_a = byte_ones(_mm256_xor_si256(a, query)),
            ones_b = byte_ones(_mm256_xor_si256(b, query));
    return lane_sums(_mm256_add_epi8(_mm256_unpacklo_epi64(ones_a, ones_b),
                                     _mm256_unpackhi_epi64(ones_a, ones_b)));
}

static inline __m256i set_pair(uint64_t low, uint64_t high) {
    return _mm256_set_epi64x((long long)high, (long long)low, (long long)high, (long long)low);
}

#define NEAR128_GROUP 8
static inline bool near128_any(const uint64_t *keys, uint64_t low, uint64_t high, unsigned most) {
    const __m256i query = set_pair(low, high);
    __m256i first = distances128(load(keys), load(keys + 4), query),
            second = distances128(load(keys + 8), load(keys + 12), query);
    return lane_within(_mm256_min_epu8(first, second), most);
}

static inline __m256i distances32(const uint32_t *keys, uint32_t query) {
    __m256i unlike = _mm256_xor_si256(load(keys), _mm256_set1_epi32((int32_t)query));
    return _mm256_madd_epi16(_mm256_maddubs_epi16(byte_ones(unlike), _mm256_set1_epi8(1)),
                             _mm256_set1_epi16(1));
}

static inline uint32_t lanes32_within(__m256i distances, unsigned most) {
    __m256i beyond = _mm256_cmpgt_epi32(distances,
                                        _mm256_set1_epi32(most < 32 ? (int32_t)most : 32));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(beyond)) ^ 255;
}

#define NEAR32_GROUP 32
static inline bool near32_any(const uint32_t *keys, uint32_t query, unsigned most) {
    __m256i least = _mm256_set1_epi32(32);
#pragma GCC unroll 4
    for (int k = 0; k < NEAR32_GROUP; k += 8)
        least = _mm256_min_epi32(least, distances32(keys + k, query));
    return lanes32_within(least, most) != 0;
}

#define PROBE_GROUP 8
static inline uint32_t near32_within(const uint32_t *keys, uint32_t query, unsigned most) {
    return lanes32_within(distances32(keys, query), most);
}

#define PAIR64_GROUP 4
__attribute__((always_inline)) static inline bool
near64_pairs_any(const uint64_t *queries, size_t count, const uint64_t *keys, unsigned most) {
    __m256i x = load(keys), least = lane_sums(byte_ones(
                                _mm256_xor_si256(x, _mm256_set1_epi64x((long long)queries[0]))));
#pragma GCC unroll 8
    for (size_t q = 1; q < count; q++)
        least = _mm256_min_epu8(
            least,
            lane_sums(byte_ones(_mm256_xor_si256(x, _mm256_set1_epi64x((long long)queries[q])))));
    return lane_within(least, most);
}

#define PAIR128_GROUP 4
__attribute__((always_inline)) static inline bool
near128_pairs_any(const uint64_t *queries, size_t count, const uint64_t *keys, unsigned most) {
    __m256i a = load(keys), b = load(keys + 4),
            least = distances128(a, b, set_pair(queries[0], queries[1]));
#pragma GCC unroll 8
    for (size_t q = 1; q < count; q++)
        least = _mm256_min_epu8(least,
                                distances128(a, b, set_pair(queries[2 * q], queries[2 * q + 1])));
    return lane_within(least, most);
}

/* The places of the eight bytes from byte `begin` of a lane's half of the vector on. */
static inline __m256i bytes_from(__m256i begin) {
    const __m256i first = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0,
                                           0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);
    return _mm256_add_epi8(_mm256_shuffle_epi8(begin, first),
                           _mm256_set1_epi64x(INT64_C(0x0706050403020100)));
}

/* Two keys are read from each window of 16 bytes: the second begins in one of the first eight bytes
 * of the window. */
typedef struct packed_lanes {
    __m256i bytes[2], query[2], own[2];
    size_t window[4];
} packed_lanes;

#define PACKED_LEAST 12
static inline packed_lanes spread_query(unsigned width, uint64_t query) {
    const __m256i factor = _mm256_set1_epi64x(width), seven = _mm256_set1_epi64x(7);
    packed_lanes lanes;
    for (unsigned k = 0; k < 4; k++) lanes.window[k] = 2 * k * width / 8;
    for (int k = 0; k < 2; k++) {
        __m256i bit = _mm256_mul_epu32(_mm256_setr_epi64x(4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3),
                                       factor),
                shift = _mm256_and_si256(bit, seven);
        __m256i window = _mm256_srli_epi64(
            _mm256_mul_epu32(_mm256_setr_epi64x(4 * k, 4 * k, 4 * k + 2, 4 * k + 2), factor), 3);
        __m256i begin = _mm256_sub_epi64(_mm256_srli_epi64(bit, 3), window);
        lanes.bytes[k] = bytes_from(begin);
        lanes.query[k] = _mm256_sllv_epi64(_mm256_set1_epi64x((long long)query), shift);
        lanes.own[k] = _mm256_sllv_epi64(
            _mm256_set1_epi64x((long long)_bzhi_u64(UINT64_MAX, width)), shift);
    }
    return lanes;
}

static inline unsigned packed_within(const unsigned char *p, const packed_lanes *lanes,
                                     unsigned most) {
    unsigned beyond[2];
    for (int k = 0; k < 2; k++) {
        __m128i low = _mm_loadu_si128((const __m128i *)(p + lanes->window[2 * k]));
        __m128i high = _mm_loadu_si128((const __m128i *)(p + lanes->window[2 * k + 1]));
        __m256i x = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), lanes->bytes[k]);
        __m256i differ = _mm256_and_si256(_mm256_xor_si256(x, lanes->query[k]), lanes->own[k]);
        __m256i far = _mm256_cmpgt_epi64(lane_sums(byte_ones(differ)),
                                         _mm256_set1_epi64x((long long)most));
        beyond[k] = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(far));
    }
    return (beyond[0] | beyond[1] << 4) ^ 255;
}

#include "kernel/hamming_blocks.h"

static size_t ascii_prefix(const char *text, size_t length) {
    size_t at = 0;
    for (; length - at >= 32; at += 32) {
        unsigned other = (unsigned)_mm256_movemask_epi8(load(text + at));
        if (other) return at + (size_t)__builtin_ctz(other);
    }
    while (at < length && (unsigned char)text[at] < 0x80) at++;
    return at;
}

/* Returns a byte other than 0 for each byte of p[0..32) that is an error. */
static inline __m256i utf8_errors(const unsigned char *p, __m256i x) {
    const __m256i half = _mm256_set1_epi8(15);
    __m256i one = load(p - 1), two = load(p - 2), three = load(p - 3);
    __m256i first_high = _mm256_shuffle_epi8(TABLE(utf8_first_high),
                                             _mm256_and_si256(_mm256_srli_epi16(one, 4), half));
    __m256i first_low = _mm256_shuffle_epi8(TABLE(utf8_first_low), _mm256_and_si256(one, half));
    __m256i second_high = _mm256_shuffle_epi8(TABLE(utf8_second_high),
                                              _mm256_and_si256(_mm256_srli_epi16(x, 4), half));
    __m256i pair = _mm256_and_si256(_mm256_and_si256(first_high, first_low), second_high);
    /* The byte must be the third or fourth of a sequence if the byte two before is at least E0, or
     * the byte three before at least F0: then bit 7 is set, and `pair` must have "two
     * continuations" and no other error. */
    __m256i third = _mm256_subs_epu8(two, _mm256_set1_epi8(0xe0 - 0x80)),
            fourth = _mm256_subs_epu8(three, _mm256_set1_epi8(0xf0 - 0x80));
    return _mm256_xor_si256(
        pair, _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80)));
}

static inline bool utf8_block_bad(const unsigned char *p) {
    __m256i x = load(p), y = load(p + 32);
    if (!_mm256_movemask_epi8(_mm256_or_si256(x, y)) && p[-1] < 0x80) return false;
    __m256i errors = _mm256_or_si256(utf8_errors(p, x), utf8_errors(p + 32, y));
    return !_mm256_testz_si256(errors, errors);
}

#include "kernel/utf8_blocks.h"

#include "kernel/table_probe.h"
#include "kernel/table_probe_scalar.h"

#include "kernel/table_unpack_avx2.h"

#include "kernel/table_unpack.h"

#include "kernel/json_string_avx2.h"

static inline nd_string_block string_block(const unsigned char *p) {
    __m256i x = load(p), y = load(p + 32);
    return (nd_string_block){mask_equal(x, y, '\\'), mask_equal(x, y, '"'), mask_equal(x, y, 'u')};
}

#include "kernel/string_blocks.h"

/* ---- lines */

static inline uint64_t newlines_of(const unsigned char *p) {
    return mask_equal(load(p), load(p + 32), '\n');
}

#include "kernel/line_blocks.h"

#include "kernel/tlsh_avx2.h"

#include "kernel/tlsh_blocks.h"

#include "kernel/value_windows_avx2.h"

#include "kernel/value_windows.h"

const nd_kernel nd_kernel_avx2 = {
    .name = "avx2",
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

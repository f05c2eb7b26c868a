/* AArch64 Advanced SIMD. Ends that do not fill a vector are left to plain C, and so are shingles,
 * because there is no 64-bit vector product. */
#include "kernel/kernel_common.h"

#if ND_KERNEL_ARM
#include "kernel/utf8_tables.h"

#include <arm_neon.h>

/* Updates the values of 16 functions, of `all`. Their extremes stay in registers while the hashes
 * stream by. */
static inline void minhash_tile(const uint32_t *lo, const uint32_t *hi, size_t count,
                                const uint32_t *a, uint32_t *values, size_t all) {
    uint32x4_t as[4], extremes[4][ND_MINHASH_ORDERS];
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; v++) {
        as[v] = vld1q_u32(a + 4 * v);
#pragma GCC unroll 4
        for (size_t k = 0; k < ND_MINHASH_ORDERS; k++)
            extremes[v][k] = veorq_u32(vld1q_u32(values + k * all + 4 * v),
                                       vdupq_n_u32(nd_minhash_orders[k]));
    }
    for (size_t j = 0; j < count; j++) {
        uint32x4_t l = vld1q_dup_u32(lo + j), h = vld1q_dup_u32(hi + j);
#pragma GCC unroll 4
        for (size_t v = 0; v < 4; v++) {
            uint32x4_t value = vmlaq_u32(h, as[v], l), *extreme = extremes[v];
            int32x4_t as_signed = vreinterpretq_s32_u32(value);
            extreme[0] = vminq_u32(extreme[0], value);
            extreme[1] = vmaxq_u32(extreme[1], value);
            extreme[2] = vreinterpretq_u32_s32(
                vminq_s32(vreinterpretq_s32_u32(extreme[2]), as_signed));
            extreme[3] = vreinterpretq_u32_s32(
                vmaxq_s32(vreinterpretq_s32_u32(extreme[3]), as_signed));
        }
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; v++)
#pragma GCC unroll 4
        for (size_t k = 0; k < ND_MINHASH_ORDERS; k++)
            vst1q_u32(values + k * all + 4 * v,
                      veorq_u32(extremes[v][k], vdupq_n_u32(nd_minhash_orders[k])));
}

static void minhash(const uint64_t *hashes, size_t count, uint64_t key, const uint32_t *a,
                    size_t functions, uint32_t *values) {
    uint32_t lo[ND_MINHASH_BLOCK], hi[ND_MINHASH_BLOCK];
    for (size_t done = 0; done < count; done += ND_MINHASH_BLOCK) {
        size_t block = count - done < ND_MINHASH_BLOCK ? count - done : ND_MINHASH_BLOCK;
        nd_minhash_mix(hashes + done, block, key, lo, hi);
        for (size_t i = 0; i < functions; i += 16)
            minhash_tile(lo, hi, block, a + i, values + i, functions);
    }
}

/* An equal byte counts 1 in its 8-bit lane. Lanes are summed at least every 255 steps. */
static size_t count_equal(const uint8_t *a, const uint8_t *b, size_t length) {
    size_t i = 0, equal = 0;
    while (length - i >= 16) {
        size_t end = i + (length - i < 255 * 16 ? (length - i) / 16 * 16 : 255 * 16);
        uint8x16_t lanes = vdupq_n_u8(0);
        for (; i < end; i += 16)
            lanes = vsubq_u8(lanes, vceqq_u8(vld1q_u8(a + i), vld1q_u8(b + i)));
        equal += vaddlvq_u8(lanes);
    }
    for (; i < length; i++) equal += a[i] == b[i];
    return equal;
}

/* Adds the low bit of each comparison in its lane. Lanes are summed at least every 2^30 values. */
static size_t count_equal32(const uint32_t *a, const uint32_t *b, size_t length) {
    size_t i = 0, equal = 0;
    while (length - i >= 4) {
        size_t end = i + (length - i < (size_t)1 << 30 ? (length - i) / 4 * 4 : (size_t)1 << 30);
        uint32x4_t lanes = vdupq_n_u32(0);
        for (; i < end; i += 4)
            lanes = vsubq_u32(lanes, vceqq_u32(vld1q_u32(a + i), vld1q_u32(b + i)));
        equal += vaddlvq_u32(lanes);
    }
    for (; i < length; i++) equal += a[i] == b[i];
    return equal;
}

/* Sets bit i of the result if byte i of the 64 is all ones; otherwise it is all zeros. Pairwise
 * sums of distinct bits gather the bits. */
static inline uint64_t mask64(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
    const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    uint8x16_t ab = vpaddq_u8(vandq_u8(a, bits), vandq_u8(b, bits)),
               cd = vpaddq_u8(vandq_u8(c, bits), vandq_u8(d, bits));
    uint8x16_t all = vpaddq_u8(ab, cd);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

static inline uint8x16_t between(uint8x16_t x, char low, char high) {
    return vcleq_u8(vsubq_u8(x, vdupq_n_u8((uint8_t)low)), vdupq_n_u8((uint8_t)(high - low)));
}

/* Returns all ones in each byte that is a word character, and writes its lower case to lower[]. */
static inline uint8x16_t classify16(uint8x16_t x, unsigned char *lower) {
    uint8x16_t small = vorrq_u8(x, vandq_u8(between(x, 'A', 'Z'), vdupq_n_u8(0x20)));
    vst1q_u8(lower, small);
    return vorrq_u8(vorrq_u8(between(small, 'a', 'z'), between(x, '0', '9')),
                    vceqq_u8(x, vdupq_n_u8('_')));
}

static inline uint8x16_t not_ascii(uint8x16_t x) { return vcgeq_u8(x, vdupq_n_u8(0x80)); }

static inline nd_word_block classify_block(const unsigned char *p, unsigned char *lower) {
    uint8x16_t x0 = vld1q_u8(p), x1 = vld1q_u8(p + 16), x2 = vld1q_u8(p + 32),
               x3 = vld1q_u8(p + 48);
    nd_word_block block = {0, 0};
    block.word = mask64(classify16(x0, lower), classify16(x1, lower + 16),
                        classify16(x2, lower + 32), classify16(x3, lower + 48));
    if (vmaxvq_u8(vorrq_u8(vorrq_u8(x0, x1), vorrq_u8(x2, x3))) >= 0x80)
        block.other = mask64(not_ascii(x0), not_ascii(x1), not_ascii(x2), not_ascii(x3));
    return block;
}

static inline uint64_t mask_equal(const uint8x16_t x[4], unsigned char c) {
    uint8x16_t all = vdupq_n_u8(c);
    return mask64(vceqq_u8(x[0], all), vceqq_u8(x[1], all), vceqq_u8(x[2], all),
                  vceqq_u8(x[3], all));
}

static inline uint64_t mask_test(const uint8x16_t x[4], unsigned char bit) {
    uint8x16_t all = vdupq_n_u8(bit);
    return mask64(vtstq_u8(x[0], all), vtstq_u8(x[1], all), vtstq_u8(x[2], all),
                  vtstq_u8(x[3], all));
}

static inline nd_latin_block classify_latin(const unsigned char *p, unsigned char *lower) {
    const uint8x16x4_t table = vld1q_u8_x4(nd_latin_class);
    uint8x16_t x[4], class[4], continuation[4], before = vdupq_n_u8(0);
    for (int k = 0; k < 4; k++) {
        x[k] = vld1q_u8(p + 16 * k);
        uint8x16_t slot = vsubq_u8(x[k], vdupq_n_u8(0x80)); /* 64 and more give 0 */
        class[k] = vqtbl4q_u8(table, slot);
        continuation[k] = vcltq_u8(slot, vdupq_n_u8(64));
        uint8x16_t after_c3 = vceqq_u8(vextq_u8(before, x[k], 15), vdupq_n_u8(0xc3));
        /* classify16 has left the bytes from 0x80 on as they are. */
        vst1q_u8(lower + 16 * k,
                 vorrq_u8(vld1q_u8(lower + 16 * k), vandq_u8(after_c3, vdupq_n_u8(0x20))));
        before = x[k];
    }
    nd_latin_block latin;
    latin.c2 = mask_equal(x, 0xc2);
    latin.c3 = mask_equal(x, 0xc3);
    latin.e2 = mask_equal(x, 0xe2);
    latin.continuation = mask64(continuation[0], continuation[1], continuation[2], continuation[3]);
    latin.sign_c3 = mask_test(class, ND_LATIN_SIGN_C3);
    latin.word_c2 = mask_test(class, ND_LATIN_WORD_C2);
    latin.general = mask_test(class, ND_LATIN_GENERAL);
    latin.byte_9f = mask_test(class, ND_LATIN_BYTE_9F);
    latin.byte_80 = mask_test(class, ND_LATIN_BYTE_80);
    return latin;
}

typedef uint8x16x4_t bytes64;
typedef uint8x16_t same_bytes;
static inline same_bytes same_bytes_of(unsigned c) { return vdupq_n_u8((uint8_t)c); }
static inline bytes64 load64(const unsigned char *p) { return vld1q_u8_x4(p); }
static inline void store64(unsigned char *p, bytes64 x) { vst1q_u8_x4(p, x); }

/* Folds of ASCII are 0, and classify16 has left the bytes from 0x80 on as they are. */
static inline void fold64(unsigned char *p, bytes64 x, bytes64 before, bytes64 last) {
    (void)x;
    for (int k = 0; k < 4; k++) {
        uint8x16_t next = k < 3 ? before.val[k + 1] : vdupq_n_u8(0);
        uint8x16_t folds = veorq_u8(last.val[k], vextq_u8(before.val[k], next, 1));
        vst1q_u8(p + 16 * k, veorq_u8(vld1q_u8(p + 16 * k), folds));
    }
}

static inline uint8x16_t within16(uint8x16_t x, same_bytes first, same_bytes last) {
    return vandq_u8(vcgeq_u8(x, first), vcleq_u8(x, last));
}

static inline uint64_t within64(bytes64 x, same_bytes first, same_bytes last) {
    return mask64(within16(x.val[0], first, last), within16(x.val[1], first, last),
                  within16(x.val[2], first, last), within16(x.val[3], first, last));
}

static inline uint64_t bit64(bytes64 x, int k) { return mask_test(x.val, (unsigned char)(1 << k)); }

/* Returns all ones in each byte whose bit is set. */
static inline uint8x16_t spread_bits(uint64_t bits) {
    const uint8x16_t own = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    return vtstq_u8(vcombine_u8(vdup_n_u8((uint8_t)bits), vdup_n_u8((uint8_t)(bits >> 8))), own);
}

static inline bytes64 look_up64(bytes64 x, uint64_t at, const uint8_t *table, bytes64 others) {
    const uint8x16x4_t entries = vld1q_u8_x4(table);
    for (int k = 0; k < 4; k++) {
        uint8x16_t found = vqtbl4q_u8(entries, vandq_u8(x.val[k], vdupq_n_u8(63)));
        others.val[k] = vbslq_u8(spread_bits(at >> (16 * k)), found, others.val[k]);
    }
    return others;
}

/* A look-up of a page takes as long as look-ups of some characters. */
enum { FEW_CHARACTERS = 3 };

#include "kernel/script_blocks.h"

/* Writes eight positions per round, whether they are needed or not. English has about 16 edges in
 * 64 bytes, and a branch per edge would often be mispredicted. Bit 63 is added to the mask for
 * counting, because the mask may be used up. */
static inline uint16_t *put_edges(uint16_t *to, uint64_t edges, unsigned base) {
    uint16_t *end = to + __builtin_popcountll(edges);
    while (to < end) {
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) {
            to[k] = (uint16_t)(base + (unsigned)__builtin_ctzll(edges | UINT64_C(1) << 63));
            edges &= edges - 1;
        }
        to += 8;
    }
    return end;
}

static inline uint16_t *put_alternately(uint16_t *to, uint64_t first, uint64_t second,
                                        unsigned base) {
    uint16_t *end = to + __builtin_popcountll(first) + __builtin_popcountll(second);
    while (to < end) {
#pragma GCC unroll 4
        for (int k = 0; k < 8; k += 2) {
            to[k] = (uint16_t)(base + (unsigned)__builtin_ctzll(first | UINT64_C(1) << 63));
            to[k + 1] = (uint16_t)(base + (unsigned)__builtin_ctzll(second | UINT64_C(1) << 63));
            first &= first - 1;
            second &= second - 1;
        }
        to += 8;
    }
    return end;
}

static inline uint16_t *put_threes(uint16_t *to, uint64_t first, unsigned base) {
    uint16_t *end = to + 2 * __builtin_popcountll(first);
    for (; to < end; to += 8)
#pragma GCC unroll 4
        for (int k = 0; k < 8; k += 2) {
            to[k] = (uint16_t)(base + (unsigned)__builtin_ctzll(first | UINT64_C(1) << 63));
            to[k + 1] = (uint16_t)(to[k] + 3);
            first &= first - 1;
        }
    return end;
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

/* Sums the weights for bits 32 * half to 32 * half + 31, in eight registers. A test for a bit gives
 * 0 or -1, so the product of weight and test is subtracted. */
__attribute__((always_inline)) static inline void
weigh_half(const uint64_t *mixed, const int32_t *weights, size_t count, int half, int32_t *with) {
    static const uint32_t first[4] = {1, 2, 4, 8};
    uint32x4_t own[8];
    int32x4_t sums[8];
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) {
        sums[k] = vdupq_n_s32(0);
        own[k] = vshlq_u32(vld1q_u32(first), vdupq_n_s32(4 * k));
    }
    for (size_t j = 0; j < count; j++) {
        uint32x4_t m = vdupq_n_u32((uint32_t)(mixed[j] >> 32 * half));
        int32x4_t weight = vld1q_dup_s32(weights + j);
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++)
            sums[k] = vmlsq_s32(sums[k], vreinterpretq_s32_u32(vtstq_u32(m, own[k])), weight);
    }
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) vst1q_s32(with + 4 * k, sums[k]);
}

static void weigh(const uint64_t *mixed, const int32_t *weights, size_t count, int32_t with[64]) {
    weigh_half(mixed, weights, count, 0, with);
    weigh_half(mixed, weights, count, 1, with + 32);
}

typedef uint64_t bit_vector __attribute__((vector_size(16)));

#include "kernel/bit_counts.h"
#include "kernel/simhash_blocks.h"

/* Adds adjacent bytes of the vectors of counts, again and again, until one vector is left. */
static inline uint8x16_t add_counts(const uint8x16_t *x, size_t vectors) {
    uint8x16_t sums[8];
    for (size_t k = 0; k < vectors / 2; k++) sums[k] = vpaddq_u8(x[2 * k], x[2 * k + 1]);
    for (size_t n = vectors / 2; n > 1; n /= 2)
        for (size_t k = 0; k < n / 2; k++) sums[k] = vpaddq_u8(sums[2 * k], sums[2 * k + 1]);
    return sums[0];
}

/* Counts the bits in which `vectors` times 16 bytes differ from a query of 16 bytes, added up in
 * one vector. */
__attribute__((always_inline)) static inline uint8x16_t
count_differences(const void *keys, uint8x16_t query, size_t vectors) {
    uint8x16_t x[16];
#pragma GCC unroll 16
    for (size_t k = 0; k < vectors; k++)
        x[k] = vcntq_u8(veorq_u8(vld1q_u8((const uint8_t *)keys + 16 * k), query));
    return add_counts(x, vectors);
}

static inline uint8x16_t set_pair(uint64_t low, uint64_t high) {
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
}

#define NEAR64_GROUP 16
static inline bool near64_any(const uint64_t *keys, uint64_t query, unsigned most) {
    return vminvq_u8(count_differences(keys, set_pair(query, query), 8)) <= most;
}

#define NEAR128_GROUP 16
static inline bool near128_any(const uint64_t *keys, uint64_t low, uint64_t high, unsigned most) {
    return vminvq_u8(count_differences(keys, set_pair(low, high), 16)) <= most;
}

#define NEAR32_GROUP 16
static inline bool near32_any(const uint32_t *keys, uint32_t query, unsigned most) {
    return vminvq_u8(count_differences(keys, vreinterpretq_u8_u32(vdupq_n_u32(query)), 4)) <= most;
}

#define PROBE_GROUP 16
static inline uint32_t near32_within(const uint32_t *keys, uint32_t query, unsigned most) {
    const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    uint8x16_t distances = count_differences(keys, vreinterpretq_u8_u32(vdupq_n_u32(query)), 4);
    uint8x16_t near = vandq_u8(vcleq_u8(distances, vdupq_n_u8((uint8_t)(most < 255 ? most : 255))),
                               bits);
    return vaddv_u8(vget_low_u8(near)) | (uint32_t)vaddv_u8(vget_high_u8(near)) << 8;
}

/* A query gives two bytes per key. They are added to one, together with the bytes of a second
 * query. */
#define PAIR64_GROUP 8
__attribute__((always_inline)) static inline bool
near64_pairs_any(const uint64_t *queries, size_t count, const uint64_t *keys, unsigned most) {
    uint8x16_t least = vdupq_n_u8(255);
#pragma GCC unroll 4
    for (size_t q = 0; q < count; q += 2) {
        uint64_t other = queries[q + 1 < count ? q + 1 : q];
        uint8x16_t a = count_differences(keys, set_pair(queries[q], queries[q]), 4),
                   b = count_differences(keys, set_pair(other, other), 4);
        least = vminq_u8(least, vpaddq_u8(a, b));
    }
    return vminvq_u8(least) <= most;
}

#define PAIR128_GROUP 8
__attribute__((always_inline)) static inline bool
near128_pairs_any(const uint64_t *queries, size_t count, const uint64_t *keys, unsigned most) {
    uint8x16_t least = vdupq_n_u8(255);
#pragma GCC unroll 4
    for (size_t q = 0; q < count; q += 2) {
        const uint64_t *other = queries + 2 * (q + 1 < count ? q + 1 : q);
        uint8x16_t a = count_differences(keys, set_pair(queries[2 * q], queries[2 * q + 1]), 8);
        uint8x16_t b = count_differences(keys, set_pair(other[0], other[1]), 8);
        least = vminq_u8(least, vpaddq_u8(a, b));
    }
    return vminvq_u8(least) <= most;
}

/* Two keys are read from each window of 16 bytes: the second begins in one of the first eight bytes
 * of the window. */
typedef struct packed_lanes {
    uint8x16_t bytes[4], query[4], own[4];
    size_t window[4];
} packed_lanes;

#define PACKED_LEAST 12
static inline packed_lanes spread_query(unsigned width, uint64_t query) {
    const uint8x8_t numbers8 = vcreate_u8(UINT64_C(0x0706050403020100));
    uint64_t own = UINT64_MAX >> (64 - width);
    packed_lanes lanes;
    for (unsigned k = 0; k < 4; k++) {
        unsigned bit = 2 * k * width, second = bit + width, begin = second / 8 - bit / 8;
        lanes.window[k] = bit / 8;
        lanes.bytes[k] = vcombine_u8(numbers8, vadd_u8(numbers8, vdup_n_u8((uint8_t)begin)));
        lanes.query[k] = set_pair(query << bit % 8, query << second % 8);
        lanes.own[k] = set_pair(own << bit % 8, own << second % 8);
    }
    return lanes;
}

static inline unsigned packed_within(const unsigned char *p, const packed_lanes *lanes,
                                     unsigned most) {
    uint8x16_t x[4];
    for (int k = 0; k < 4; k++) {
        uint8x16_t keys = vqtbl1q_u8(vld1q_u8(p + lanes->window[k]), lanes->bytes[k]);
        x[k] = vcntq_u8(vandq_u8(veorq_u8(keys, lanes->query[k]), lanes->own[k]));
    }
    uint8x16_t two_each = add_counts(x, 4);
    uint8x8_t near = vcle_u8(vget_low_u8(vpaddq_u8(two_each, two_each)),
                             vdup_n_u8((uint8_t)(most < 255 ? most : 255)));
    return vaddv_u8(vand_u8(near, vcreate_u8(UINT64_C(0x8040201008040201))));
}

#include "kernel/hamming_blocks.h"

static size_t ascii_prefix(const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0;
    while (length - at >= 16 && vmaxvq_u8(vld1q_u8(p + at)) < 0x80) at += 16;
    while (at < length && p[at] < 0x80) at++;
    return at;
}

/* Returns a byte other than 0 for each byte of p[0..16) that is an error. */
static inline uint8x16_t utf8_errors(const unsigned char *p) {
    const uint8x16_t half = vdupq_n_u8(15);
    uint8x16_t x = vld1q_u8(p), one = vld1q_u8(p - 1), two = vld1q_u8(p - 2),
               three = vld1q_u8(p - 3);
    uint8x16_t first_high = vqtbl1q_u8(vld1q_u8(utf8_first_high), vshrq_n_u8(one, 4));
    uint8x16_t first_low = vqtbl1q_u8(vld1q_u8(utf8_first_low), vandq_u8(one, half));
    uint8x16_t second_high = vqtbl1q_u8(vld1q_u8(utf8_second_high), vshrq_n_u8(x, 4));
    uint8x16_t pair = vandq_u8(vandq_u8(first_high, first_low), second_high);
    /* The byte must be the third or fourth of a sequence if the byte two before is at least E0, or
     * the byte three before at least F0: then `pair` must have "two continuations" and no other
     * error. */
    uint8x16_t must = vorrq_u8(vcgeq_u8(two, vdupq_n_u8(0xe0)), vcgeq_u8(three, vdupq_n_u8(0xf0)));
    return veorq_u8(pair, vandq_u8(must, vdupq_n_u8(0x80)));
}

static inline bool utf8_block_bad(const unsigned char *p) {
    uint8x16_t all = vorrq_u8(vorrq_u8(vld1q_u8(p), vld1q_u8(p + 16)),
                              vorrq_u8(vld1q_u8(p + 32), vld1q_u8(p + 48)));
    if (vmaxvq_u8(all) < 0x80 && p[-1] < 0x80) return false;
    uint8x16_t errors = vorrq_u8(vorrq_u8(utf8_errors(p), utf8_errors(p + 16)),
                                 vorrq_u8(utf8_errors(p + 32), utf8_errors(p + 48)));
    return vmaxvq_u8(errors) != 0;
}

#include "kernel/utf8_blocks.h"

/* ---- strings of JSON */

static inline nd_string_block string_block(const unsigned char *p) {
    const uint8x16_t x[4] = {vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32), vld1q_u8(p + 48)};
    return (nd_string_block){mask_equal(x, '\\'), mask_equal(x, '"'), mask_equal(x, 'u')};
}

#include "kernel/string_blocks.h"

/* ---- lines */

static inline uint64_t newlines_of(const unsigned char *p) {
    const uint8x16_t x[4] = {vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32), vld1q_u8(p + 48)};
    return mask_equal(x, '\n');
}

#include "kernel/line_blocks.h"

/* ---- packed tables */

#include "kernel/table_probe.h"
#include "kernel/table_probe_scalar.h"

#include "kernel/table_unpack_scalar.h"

#include "kernel/table_unpack.h"

#include "kernel/tlsh_scalar.h"

#include "kernel/tlsh_blocks.h"

#include "kernel/value_windows_scalar.h"

#include "kernel/value_windows.h"

const nd_kernel nd_kernel_neon = {
    .name = "neon",
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
    .json_string = nd_json_string_by_words,
    .json_pass = json_pass,
    .lines = lines,
};
#endif

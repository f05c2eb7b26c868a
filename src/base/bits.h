/* Words with the same result on every machine: little-endian loads and stores, folded
 * multiplication, and counting and selecting bits. */
#ifndef ND_BASE_BITS_H
#define ND_BASE_BITS_H

#include <stdint.h>
#include <string.h>

#ifdef __BMI2__
#include <immintrin.h>
#endif

static inline uint64_t nd_from_le64(uint64_t x) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(x);
#else
    return x;
#endif
}

static inline uint32_t nd_from_le32(uint32_t x) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap32(x);
#else
    return x;
#endif
}

static inline uint64_t nd_load_le64(const void *p) {
    uint64_t x;
    memcpy(&x, p, 8);
    return nd_from_le64(x);
}

static inline uint32_t nd_load_le32(const void *p) {
    uint32_t x;
    memcpy(&x, p, 4);
    return nd_from_le32(x);
}

static inline void nd_store_le64(void *p, uint64_t x) {
    x = nd_from_le64(x);
    memcpy(p, &x, 8);
}

static inline void nd_store_le32(void *p, uint32_t x) {
    x = nd_from_le32(x);
    memcpy(p, &x, 4);
}

/* IEEE binary64. */
static inline double nd_load_double(const void *p) {
    uint64_t bits = nd_load_le64(p);
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static inline void nd_store_double(void *p, double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    nd_store_le64(p, bits);
}

static inline uint64_t nd_rotl64(uint64_t x, unsigned r) {
    return (x << r) | (x >> ((64 - r) & 63));
}

/* The high half of the 128-bit product, xor its low half. */
static inline uint64_t nd_fold_multiply(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* In each byte: the number of bits set in that byte and in all lower ones. */
static inline uint64_t nd_popcount_running(uint64_t x) {
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return x * UINT64_C(0x0101010101010101);
}

/* The number of bits set. Without an instruction for it, __builtin_popcountll is a function call,
 * which is slower than these few operations. */
static inline unsigned nd_popcount(uint64_t x) {
#if defined(__POPCNT__) || defined(__ARM_NEON)
    return (unsigned)__builtin_popcountll(x);
#else
    return (unsigned)(nd_popcount_running(x) >> 56);
#endif
}

/* The position of the set bit number `rank` (from 0). REQUIRES: the word has more than `rank` bits
 * set. The byte comes first: the bytes whose running count is not above the rank lie before it
 * (Vigna 2008, "Broadword implementation of rank/select queries"). Then bits of that byte are
 * cleared one by one. */
static inline unsigned nd_select_bit(uint64_t word, unsigned rank) {
#ifdef __BMI2__
    return (unsigned)_tzcnt_u64(_pdep_u64(UINT64_C(1) << rank, word));
#else
    const uint64_t each = UINT64_C(0x0101010101010101), highest = each << 7;
    uint64_t through = nd_popcount_running(word),
             passed = ((rank * each | highest) - through) & highest;
    unsigned position = (unsigned)((passed >> 7) * each >> 56) * 8;
    word >>= position;
    for (rank -= (unsigned)(through << 8 >> position & 0xff); rank > 0; rank--) word &= word - 1;
    return position + (unsigned)__builtin_ctzll(word);
#endif
}

#endif

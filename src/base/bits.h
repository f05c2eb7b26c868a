/* Little-endian loads and stores, and 64 x 64 -> 128 bit multiplication folded: the bytes of the formats and hashes on every machine. */
#ifndef ND_BASE_BITS_H
#define ND_BASE_BITS_H

#include <stdint.h>
#include <string.h>

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

static inline uint64_t nd_rotl64(uint64_t x, unsigned r) { return (x << r) | (x >> ((64 - r) & 63)); }

/* High half xor low half of the 128-bit product. */
static inline uint64_t nd_fold_multiply(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif

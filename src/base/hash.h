/* The hash functions of the formats (doc/internals/formats.md, "Hashes", version 1). Everything
 * here is frozen: a change is a new format version.
 *
 * Token. A token of up to 16 bytes is two little-endian words, zero-padded, multiplied and folded;
 * a longer one chains the same step. Padding is not ambiguous: the only token with a NUL byte is
 * the single character U+0000, and no other token equals it after padding.
 *
 * Shingle. The shingle of n token hashes t_1 .. t_n is
 *     nd_mix64(t_1 c^(n-1) + ... + t_n)              with c = ND_HASH_POLY, modulo 2^64,
 * a bijection of the polynomial. A text of m < n tokens, m > 0, has one shingle,
 *     nd_mix64(t_1 c^(m-1) + ... + t_m + m * ND_HASH_C2),
 * whose addend is different for each m, so that it is not the shingle of another length.
 *
 * The hash of a whole token sequence is defined in text/shingle.h. */
#ifndef ND_BASE_HASH_H
#define ND_BASE_HASH_H

#include "base/bits.h"

#include <stddef.h>

/* Odd constants with random-looking bits: the first 64 bits of the fractional parts of sqrt(2),
 * sqrt(3), sqrt(5), sqrt(7), like the initial values of SHA-512, with the lowest bit set. */
#define ND_HASH_C0 UINT64_C(0x6a09e667f3bcc909)
#define ND_HASH_C1 UINT64_C(0xbb67ae8584caa73b)
#define ND_HASH_C2 UINT64_C(0x3c6ef372fe94f82b)
#define ND_HASH_C3 UINT64_C(0xa54ff53a5f1d36f1)

/* The multiplier of the shingle polynomial. It is 5 mod 8, so its powers differ in the low bits. */
#define ND_HASH_POLY UINT64_C(0x9e3779b97f4a7c15)

/* A bijective mixer of 64 bits (David Stafford's variant 13 of the murmur3 finaliser, 2011). */
static inline uint64_t nd_mix64(uint64_t x) {
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The keys derived from a seed. */
typedef struct nd_hash_key {
    uint64_t k0, k1, k2, k3;
} nd_hash_key;

static inline nd_hash_key nd_hash_key_of(uint64_t seed) {
    nd_hash_key key = {nd_mix64(seed + ND_HASH_C0), nd_mix64(seed + ND_HASH_C1),
                       nd_mix64(seed + ND_HASH_C2), nd_mix64(seed + ND_HASH_C3)};
    return key;
}

/* Hashes the two words of a token of at most 16 bytes. */
static inline uint64_t nd_hash_words(const nd_hash_key *key, uint64_t a, uint64_t b) {
    return nd_fold_multiply(a ^ key->k0, b ^ key->k1);
}

/* Loads up to 8 bytes, zero-padded, by parts that may overlap. */
static inline uint64_t nd_load_partial(const unsigned char *p, size_t n) {
    if (n == 8) return nd_load_le64(p);
    if (n >= 4) return nd_load_le32(p) | (uint64_t)nd_load_le32(p + n - 4) << 8 * (n - 4);
    if (n == 0) return 0;
    return p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1);
}

/* Hashes a token of any length. Reads only its bytes. */
static inline uint64_t nd_hash_token(const nd_hash_key *key, const void *token, size_t length) {
    const unsigned char *p = token;
    uint64_t h = 0;
    while (length > 16) {
        h = nd_fold_multiply(nd_load_le64(p) ^ key->k2 ^ h, nd_load_le64(p + 8) ^ key->k3);
        p += 16;
        length -= 16;
    }
    uint64_t a = nd_load_partial(p, length < 8 ? length : 8);
    uint64_t b = length > 8 ? nd_load_partial(p + 8, length - 8) : 0;
    return nd_hash_words(key, a ^ h, b);
}

/* The same, without branches for the last bytes. REQUIRES: 16 bytes can be read from the start of
 * the token's last block of 16, even if the token ends inside that block. */
static inline uint64_t nd_hash_token_padded(const nd_hash_key *key, const void *token,
                                            size_t length) {
    const unsigned char *p = token;
    uint64_t h = 0;
    while (length > 16) {
        h = nd_fold_multiply(nd_load_le64(p) ^ key->k2 ^ h, nd_load_le64(p + 8) ^ key->k3);
        p += 16;
        length -= 16;
    }
    uint64_t a = nd_load_le64(p), b = nd_load_le64(p + 8);
    if (length <= 8) {
        a &= ~UINT64_C(0) >> ((8 - length) * 8 & 63);
        b = 0;
    } else {
        b &= ~UINT64_C(0) >> ((16 - length) * 8 & 63);
    }
    return nd_hash_words(key, a ^ h, b);
}

#endif

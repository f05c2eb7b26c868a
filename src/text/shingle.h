/* Token hashes to shingle hashes, and to the hash of the whole sequence. */
#ifndef ND_TEXT_SHINGLE_H
#define ND_TEXT_SHINGLE_H

#include <stddef.h>
#include <stdint.h>

/* powers[k] = ND_HASH_POLY^k mod 2^64 for k < n, as the kernel wants them. */
void nd_shingle_powers(uint64_t *powers, size_t n);

/* The shingles of count >= 1 tokens, in place; returns their number: count - n + 1, or 1 where
 * count < n (formula in base/hash.h). */
size_t nd_shingle_make(uint64_t *tokens, size_t count, size_t n, const uint64_t *powers);

/* 128-bit hash of a sequence of token hashes, order and number included. Frozen, version 1: two
 * lane pairs (a0, b0) and (a1, b1), started from C0, C1, C2, C3 of base/hash.h, take four tokens t0
 * .. t3 a step (missing ones are 0), with f = nd_fold_multiply: a0 = f(a0 ^ t0, t1 ^ C1)   b0 =
 * f(b0 ^ t1, t0 ^ C2)   a1 = f(a1 ^ t2, t3 ^ C3)   b1 = f(b1 ^ t3, t2 ^ C0) so that each token
 * enters 128 bits of state, and the four chains run side by side. At the end, with m tokens:
 *     hash[0] = nd_mix64(f(a0 ^ m, b1 ^ C0) + a1)           hash[1] = nd_mix64(f(b0 ^ m, a1 ^ C3) +
 * b1) Tokens being 64-bit hashes themselves, two texts that differ in one token agree with
 * probability 2^-64. */
void nd_shingle_text_hash(const uint64_t *tokens, size_t count, uint64_t hash[2]);

#endif

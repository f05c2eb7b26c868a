/* From token hashes to shingle hashes, and to the hash of the whole token sequence. */
#ifndef ND_TEXT_SHINGLE_H
#define ND_TEXT_SHINGLE_H

#include <stddef.h>
#include <stdint.h>

/* Sets powers[k] = ND_HASH_POLY^k mod 2^64 for k < n, as the kernel wants them. */
void nd_shingle_powers(uint64_t *powers, size_t n);

/* Replaces count >= 1 token hashes by the hashes of their shingles (formula in base/hash.h) and
 * returns the number of shingles: count - n + 1, or 1 if count < n. */
size_t nd_shingle_make(uint64_t *tokens, size_t count, size_t n, const uint64_t *powers);

/* Computes a 128-bit hash of a sequence of token hashes, which depends on their order and number.
 * Frozen, version 1.
 *
 * Two lane pairs (a0, b0) and (a1, b1) start as (C0, C1) and (C2, C3) of base/hash.h. Each step
 * takes four tokens t0 to t3, missing ones being 0. With f = nd_fold_multiply:
 *
 *     a0 = f(a0 ^ t0, t1 ^ C1)
 *     b0 = f(b0 ^ t1, t0 ^ C2)
 *     a1 = f(a1 ^ t2, t3 ^ C3)
 *     b1 = f(b1 ^ t3, t2 ^ C0)
 *
 * So each token enters 128 bits of state, and the four chains run in parallel. At the end, with m
 * tokens:
 *
 *     hash[0] = nd_mix64(f(a0 ^ m, b1 ^ C0) + a1)
 *     hash[1] = nd_mix64(f(b0 ^ m, a1 ^ C3) + b1)
 *
 * Tokens are 64-bit hashes themselves, so two texts that differ in one token have equal hashes with
 * probability 2^-64. */
void nd_shingle_text_hash(const uint64_t *tokens, size_t count, uint64_t hash[2]);

#endif

/* From token hashes to shingle hashes, and to the hash of the whole token sequence. */
#ifndef ND_TEXT_SHINGLE_H
#define ND_TEXT_SHINGLE_H

#include <stddef.h>
#include <stdint.h>

/* Sets powers[k] = ND_HASH_POLY^k mod 2^64 for k < n, as the kernel wants them. */
void nd_shingle_powers(uint64_t *powers, size_t n);

/* Replaces count >= 1 token hashes by the hashes of their shingles (formula in base/hash.h) and
 * returns the number of shingles: count - n + 1, or 1 if count < n.
 *
 * text_hash (NULL: not wanted): the 128-bit hash of the token hashes, as words, and of their number
 * (base/hash_chains.h). Tokens are 64-bit hashes themselves, so two texts that differ in one token
 * have equal hashes with probability 2^-64. */
size_t nd_shingle_make(uint64_t *tokens, size_t count, size_t n, const uint64_t *powers,
                       uint64_t text_hash[2]);

#endif

/* Hashes the tokens that the words kernel has found. The file of an instruction set includes this,
 * by word_blocks.h, after it has defined, with one of token_hashes_scalar.h, token_hashes_avx2.h
 * and token_hashes_avx512.h:
 *
 *   enum { TOKEN_GROUP = ... };
 *       How many tokens are hashed together.
 *
 *   static inline unsigned hash_group(const nd_hash_key *key, const unsigned char *lower,
 *                                     const uint16_t *edges, const size_t usual,
 *                                     uint64_t *tokens);
 *       Hashes TOKEN_GROUP tokens, without a branch that depends on them. Token t is the bytes of
 *       lower[] from edges[2 t] to edges[2 t + 1]. Most tokens have up to `usual` bytes, which is
 *       a constant: 8, 16 or 32. Returns a mask of the tokens that it leaves to the caller: only
 *       longer ones. May read 16 bytes from the beginning of a token, and 16 more if it is longer
 *       than that. */
#ifndef ND_KERNEL_TOKEN_HASHES_H
#define ND_KERNEL_TOKEN_HASHES_H

#include "base/hash.h"

static inline __attribute__((always_inline)) void
hash_whole_group(const nd_hash_key *key, const unsigned char *lower, const uint16_t *edges,
                 const size_t usual, uint64_t *tokens) {
    unsigned left = hash_group(key, lower, edges, usual, tokens);
    for (; __builtin_expect(left != 0, 0); left &= left - 1) {
        unsigned t = (unsigned)__builtin_ctz(left);
        tokens[t] = nd_hash_token_padded(key, lower + edges[2 * t],
                                         (size_t)edges[2 * t + 1] - edges[2 * t]);
    }
}

static inline __attribute__((always_inline)) void
hash_tokens_of(const nd_hash_key *key, const unsigned char *lower, const uint16_t *edges,
               size_t count, const size_t usual, uint64_t *tokens) {
    if (count < TOKEN_GROUP) { /* empty tokens make a group of them */
        uint16_t group_edges[2 * TOKEN_GROUP] = {0};
        uint64_t group[TOKEN_GROUP];
        memcpy(group_edges, edges, count * 2 * sizeof *edges);
        hash_whole_group(key, lower, group_edges, usual, group);
        memcpy(tokens, group, count * sizeof *tokens);
        return;
    }
    for (size_t t = 0; t < count; t += TOKEN_GROUP) {
        size_t from = t < count - TOKEN_GROUP ? t : count - TOKEN_GROUP; /* the last two overlap */
        hash_whole_group(key, lower, edges + 2 * from, usual, tokens + from);
    }
}

/* `bytes`: of the tokens and all between them. Not inlined, so that its loops have all registers.
 */
static __attribute__((noinline)) void hash_tokens(const nd_hash_key *key,
                                                  const unsigned char *lower, const uint16_t *edges,
                                                  size_t count, size_t bytes, uint64_t *tokens) {
    if (bytes < 5 * count) hash_tokens_of(key, lower, edges, count, 8, tokens);
    else if (bytes < 10 * count) hash_tokens_of(key, lower, edges, count, 16, tokens);
    else hash_tokens_of(key, lower, edges, count, 32, tokens);
}

#endif

/* The 128-bit hash of a sequence of 64-bit words, which depends on their order and number. Frozen,
 * version 1 (doc/internals/formats.md, "Hashes").
 *
 * Two pairs of chains (a0, b0) and (a1, b1) start as (C0, C1) and (C2, C3) of base/hash.h. Each
 * step takes four words t0 to t3, missing ones being 0. With f = nd_fold_multiply:
 *
 *     a0 = f(a0 ^ t0, t1 ^ C1)
 *     b0 = f(b0 ^ t1, t0 ^ C2)
 *     a1 = f(a1 ^ t2, t3 ^ C3)
 *     b1 = f(b1 ^ t3, t2 ^ C0)
 *
 * So each word enters 128 bits of state, and the four chains run in parallel. At the end, with a
 * length m:
 *
 *     hash[0] = nd_mix64(f(a0 ^ m, b1 ^ C0) + a1)
 *     hash[1] = nd_mix64(f(b0 ^ m, a1 ^ C3) + b1) */
#ifndef ND_BASE_HASH_CHAINS_H
#define ND_BASE_HASH_CHAINS_H

#include "base/hash.h"

typedef struct nd_chains {
    uint64_t a0, b0, a1, b1;
} nd_chains;

static inline nd_chains nd_chains_begin(void) {
    return (nd_chains){ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
}

static inline void nd_chains_absorb(nd_chains *s, const uint64_t words[4]) {
    *s = (nd_chains){nd_fold_multiply(s->a0 ^ words[0], words[1] ^ ND_HASH_C1),
                     nd_fold_multiply(s->b0 ^ words[1], words[0] ^ ND_HASH_C2),
                     nd_fold_multiply(s->a1 ^ words[2], words[3] ^ ND_HASH_C3),
                     nd_fold_multiply(s->b1 ^ words[3], words[2] ^ ND_HASH_C0)};
}

/* count: a multiple of 4. */
static inline void nd_chains_absorb_all(nd_chains *s, const uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i += 4) nd_chains_absorb(s, words + i);
}

static inline void nd_chains_end(const nd_chains *s, uint64_t length, uint64_t hash[2]) {
    hash[0] = nd_mix64(nd_fold_multiply(s->a0 ^ length, s->b1 ^ ND_HASH_C0) + s->a1);
    hash[1] = nd_mix64(nd_fold_multiply(s->b0 ^ length, s->a1 ^ ND_HASH_C3) + s->b1);
}

#endif

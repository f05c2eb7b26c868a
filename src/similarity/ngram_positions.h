/* The positions of all n-grams (runs of n tokens) of some texts: a table from the hash of an n-gram
 * to its positions. The n-grams of another text are looked up in it while that text is read. */
#ifndef ND_SIMILARITY_NGRAM_POSITIONS_H
#define ND_SIMILARITY_NGRAM_POSITIONS_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/status.h"

/* A rolling hash of n tokens, which moves one token further at each call. Starts as
 * nd_ngram_hash_of. */
typedef struct nd_ngram_hash {
    size_t n;
    uint64_t leaving; /* ND_HASH_POLY^n: the factor of the token that leaves */
    uint64_t polynomial;
} nd_ngram_hash;

nd_ngram_hash nd_ngram_hash_of(size_t n);

/* Returns the hash of tokens[i - n + 1 .. i], if i + 1 >= n. REQUIRES: called for each i from 0 on,
 * in order. */
static inline uint64_t nd_ngram_hash_next(nd_ngram_hash *hash, const uint64_t *tokens, size_t i) {
    hash->polynomial = hash->polynomial * ND_HASH_POLY + tokens[i];
    if (i >= hash->n) hash->polynomial -= hash->leaving * tokens[i - hash->n];
    return nd_mix64(hash->polynomial);
}

/* The same for n = 1. */
static inline uint64_t nd_ngram_hash_of_one(uint64_t token) { return nd_mix64(token); }

/* Immutable: any number of threads may use it. Memory: 24 to 44 bytes per position. */
typedef struct nd_ngram_positions nd_ngram_positions;

/* The texts are one after the other in `tokens`: text t is tokens[begins[t] .. begins[t + 1] - 1].
 * A position is an index into `tokens`. n >= 1. Keeps no pointer to its arguments. Expected time
 * O(tokens). */
nd_status nd_ngram_positions_create(const uint64_t *tokens, const uint32_t *begins, size_t texts,
                                    size_t n, const nd_allocator *allocator,
                                    nd_ngram_positions **out, nd_error *error);
/* NULL is accepted. */
void nd_ngram_positions_free(nd_ngram_positions *places);

#define ND_NO_POSITION UINT32_MAX

/* Returns the last position of an n-gram, by its hash; ND_NO_POSITION: it does not occur. Different
 * n-grams have different hashes, except by chance. */
uint32_t nd_ngram_positions_last(const nd_ngram_positions *places, uint64_t hash);
/* Returns the position before `place` of the same n-gram; ND_NO_POSITION: there is none. */
uint32_t nd_ngram_positions_previous(const nd_ngram_positions *places, uint32_t place);

#endif

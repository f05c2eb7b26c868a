/* Where the runs of n tokens of some texts begin: a table from the hash of a run to its places,
 * which another text's runs are looked up in while that text streams by. */
#ifndef ND_SIMILARITY_NGRAM_POSITIONS_H
#define ND_SIMILARITY_NGRAM_POSITIONS_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/status.h"

/* The hash of n tokens, one token further with each call: zero-initialised but for what
 * nd_ngram_hash_of gives. */
typedef struct nd_ngram_hash {
    size_t n;
    uint64_t leaving; /* ND_HASH_POLY^n */
    uint64_t polynomial;
} nd_ngram_hash;

nd_ngram_hash nd_ngram_hash_of(size_t n);

/* The hash of tokens[i - n + 1, i], where i + 1 >= n; asked for each i from 0 on. */
static inline uint64_t nd_ngram_hash_next(nd_ngram_hash *hash, const uint64_t *tokens, size_t i) {
    hash->polynomial = hash->polynomial * ND_HASH_POLY + tokens[i];
    if (i >= hash->n) hash->polynomial -= hash->leaving * tokens[i - hash->n];
    return nd_mix64(hash->polynomial);
}

/* The same for n = 1. */
static inline uint64_t nd_ngram_hash_of_one(uint64_t token) { return nd_mix64(token); }

/* Immutable: any number of threads. 24 to 44 bytes a place. */
typedef struct nd_ngram_places nd_ngram_places;

/* The texts lie behind each other in `tokens`: text t begins at begins[t] and ends where the next
 * one begins, the last at begins[texts]. n >= 1. Nothing is kept of the arguments. Time O(tokens),
 * expected. */
nd_status nd_ngram_places_create(const uint64_t *tokens, const uint32_t *begins, size_t texts,
                                 size_t n, const nd_allocator *allocator, nd_ngram_places **out,
                                 nd_error *error);
/* NULL is accepted. */
void nd_ngram_places_free(nd_ngram_places *places);

#define ND_NO_PLACE UINT32_MAX

/* The last place of a hash; ND_NO_PLACE: it has none. Different runs have different hashes, but for
 * chance. */
uint32_t nd_ngram_places_last(const nd_ngram_places *places, uint64_t hash);
/* The one before it; ND_NO_PLACE: there is none. */
uint32_t nd_ngram_places_previous(const nd_ngram_places *places, uint32_t place);

#endif

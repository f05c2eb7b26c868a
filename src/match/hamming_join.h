/* All pairs of fingerprints within k in a set, each once.
 *
 * Equal fingerprints are found first, by sorting; one number stands for all that have the same. What is left is distributed by each of k + 1 windows of the bits that vary (fingerprint_window.h), one after the
 * other: two fingerprints within k agree in at least one of them, and the first one tells of the pair. Where a window leaves many together, they are split again by windows of the other bits, in the cache; where
 * windows do not pay, all are held against all (near_pairs.h).
 *
 * For n fingerprints that is k + 1 passes over 16 or 24 bytes each, and about n^2 / 2^(64 / (k + 1) + 1) comparisons a pass before splitting, at some 30 a nanosecond. Memory: the limit; for each thread the largest part of a
 * window, some thousand fingerprints where they are spread evenly, three times over; and for each 2^16 fingerprints 512 bytes. */
#ifndef ND_MATCH_HAMMING_JOIN_H
#define ND_MATCH_HAMMING_JOIN_H

#include "io/scratch_disk.h"
#include "match/pair_queue.h"

typedef struct nd_hamming_join nd_hamming_join;

/* bits: 16, 32, 64 or 128; k: at most a quarter of them. About `expected` fingerprints will come: what else comes costs time. threads: 1 to ND_MAX_WORKERS. */
nd_status nd_hamming_join_create(uint32_t bits, uint32_t k, uint64_t expected, size_t memory_limit, uint32_t threads, nd_scratch_disk *disk,
                                 const nd_allocator *allocator, nd_hamming_join **out, nd_error *error);
/* NULL is accepted. */
void nd_hamming_join_free(nd_hamming_join *join);

/* In any order; numbers are distinct. A fingerprint that has more bits than the join is ND_ERR_ARGUMENT. */
nd_status nd_hamming_join_put(nd_hamming_join *join, nd_fingerprint fingerprint, uint32_t number, nd_error *error);

/* Callbacks come from one thread at a time. What they get, and in which order, is the same at any number of threads, on any instruction set and with any memory. Each can end it: ND_ERR_CANCELLED. */
typedef struct nd_hamming_join_sink {
    void *context;
    /* All numbers, at least two, that have the same fingerprint, ascending. The first stands for them in the pairs, which come when all of these have come. NULL: not wanted. */
    nd_status (*equal)(void *context, const uint32_t *numbers, size_t count, nd_error *error);
    /* Pairs of different fingerprints within k. */
    nd_hamming_pairs_fn *pairs;
} nd_hamming_join_sink;

/* Once. */
nd_status nd_hamming_join_run(nd_hamming_join *join, const nd_hamming_join_sink *sink, nd_error *error);

#endif

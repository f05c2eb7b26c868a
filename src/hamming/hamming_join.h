/* All pairs of fingerprints within k in a set, or between two sets, each once.
 *
 * Equal fingerprints of a set are found first, by sorting; one number stands for all that have the
 * same. What is left is distributed by each of k + 1 windows of the bits that vary (bit_window.h),
 * one after the other: two fingerprints within k agree in at least one of them, and the first one
 * tells of the pair. Where a window leaves many together, they are split again by windows of the
 * other bits, in the cache; where windows do not pay, all are held against all (block_join.h). Of
 * two sets the records go the same way together, each with its set, and those of one are held
 * against those of the other alone; where one is much smaller, what cannot be near it is left out
 * before (join_prefilter.h).
 *
 * For n fingerprints that is k + 1 passes over 16 or 24 bytes each, and about n^2 / 2^(64 / (k + 1)
 * + 1) comparisons a pass before splitting, at some 30 a nanosecond. Where one of two sets is much
 * larger and has tables, hamming_batch_search.h is faster. Memory: the limit; for each thread the
 * largest part of a window, some thousand fingerprints where they are spread evenly, three times
 * over, and the largest lot of equal ones, likewise; for each 2^16 fingerprints 512 bytes; and of
 * the filter 32 MB a window, mostly of two. */
#ifndef ND_HAMMING_HAMMING_JOIN_H
#define ND_HAMMING_HAMMING_JOIN_H

#include "io/temp_space.h"
#include "hamming/ordered_pairs.h"

typedef struct nd_hamming_join nd_hamming_join;

typedef struct nd_hamming_join_settings {
    uint32_t bits, k; /* 16, 32, 64 or 128; at most a quarter of them */
    bool two_sets;
    /* Pairs may be left out whose two are connected by others that come, so that the groups are the
     * same: where 100,000 are near each other there are not 5 * 10^9 pairs to take, but some for
     * each. One may come more than once. */
    bool groups;
    uint32_t threads;  /* 1 to ND_MAX_WORKERS */
    uint64_t expected; /* about so many fingerprints will come: what else comes costs time */
    size_t memory_limit;
} nd_hamming_join_settings;

nd_status nd_hamming_join_create(const nd_hamming_join_settings *settings, nd_scratch_disk *disk,
                                 const nd_allocator *allocator, nd_hamming_join **out,
                                 nd_error *error);
/* NULL is accepted. */
void nd_hamming_join_free(nd_hamming_join *join);

/* In any order; the numbers of a set are distinct. set: 0, or 1 of two. A fingerprint that has more
 * bits than the join is ND_ERR_ARGUMENT. */
nd_status nd_hamming_join_put(nd_hamming_join *join, uint32_t set, nd_fingerprint fingerprint,
                              uint32_t number, nd_error *error);

/* Callbacks come from one thread at a time. What they get, and in which order, is the same at any
 * number of threads, on any instruction set and with any memory. Each can end it: ND_ERR_CANCELLED.
 */
typedef struct nd_hamming_join_sink {
    void *context;
    /* All numbers of a set, at least two, that have the same fingerprint, ascending. The first
     * stands for them in the pairs, which come when all of these have come. NULL: not wanted. */
    nd_status (*equal)(void *context, uint32_t set, const uint32_t *numbers, size_t count,
                       nd_error *error);
    /* Pairs within k: of one set of different fingerprints, a < b; of two sets a of the first and b
     * of the second, equal ones too. */
    nd_hamming_pairs_fn *pairs;
} nd_hamming_join_sink;

/* Once. */
nd_status nd_hamming_join_run(nd_hamming_join *join, const nd_hamming_join_sink *sink,
                              nd_error *error);

#endif

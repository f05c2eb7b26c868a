/* Hamming join: all pairs of fingerprints within distance k in a set, or between two sets, each
 * once.
 *
 * 1. Equal fingerprints of a set are found by sorting. One number then stands for all that have the
 *    same fingerprint.
 * 2. Between two sets, if one is much smaller, fingerprints of the larger that cannot be near it
 *    are dropped (join_prefilter.h).
 * 3. The rest is partitioned by each of k + 1 windows of the bits that vary (bit_window.h), one
 *    after the other (window_partitions.h): two fingerprints within k agree in at least one window,
 *    and the first such window reports the pair.
 * 4. The fingerprints of a window value are joined in the cache, and split again by windows of the
 *    other bits if they are many (block_join.h). If windows do not pay, all are compared with all.
 *
 * The records of two sets go through these steps together, each with its set, but only pairs of
 * different sets are compared.
 *
 * Time for n fingerprints: k + 1 passes over 16 or 24 bytes each, and about n^2 / 2^(64 / (k + 1)
 * + 1) comparisons per pass before splitting, about 30 per nanosecond. If one of two sets is much
 * larger and has tables, hamming_batch_search.h is faster.
 *
 * Memory: the limit. Besides: for each thread, three times the largest partition of a window (some
 * thousand fingerprints if they are spread evenly) and the largest group of equal fingerprints; 512
 * bytes for each 2^16 fingerprints; up to 32 MB per window of the filter, which mostly has two. */
#ifndef ND_HAMMING_HAMMING_JOIN_H
#define ND_HAMMING_HAMMING_JOIN_H

#include "io/temp_space.h"
#include "hamming/ordered_pairs.h"

typedef struct nd_hamming_joiner nd_hamming_joiner;

typedef struct nd_hamming_joiner_settings {
    uint32_t bits, k; /* bits: 16, 32, 64 or 128; k: at most a quarter of them */
    bool two_sets;
    /* Only the connected components are wanted. Pairs may be left out if other pairs connect their
     * two fingerprints, and a pair may be reported twice. Where 100,000 fingerprints are near each
     * other this reports a few pairs for each, not 5 * 10^9. */
    bool groups;
    uint32_t threads;    /* 1 to ND_MAX_WORKERS */
    uint64_t expected;   /* about so many fingerprints; a wrong number costs time */
    size_t memory_limit; /* bytes */
} nd_hamming_joiner_settings;

nd_status nd_hamming_joiner_create(const nd_hamming_joiner_settings *settings, nd_temp_space *disk,
                                   const nd_allocator *allocator, nd_hamming_joiner **out,
                                   nd_error *error);
/* NULL is accepted. */
void nd_hamming_joiner_free(nd_hamming_joiner *join);

/* Puts a fingerprint, in any order, from one thread. The numbers of a set are distinct. set: 0; of
 * two sets 0 or 1. ND_ERR_ARGUMENT: the fingerprint has more bits than the join, or there is no
 * such set. */
nd_status nd_hamming_joiner_put(nd_hamming_joiner *join, uint32_t set, nd_fingerprint fingerprint,
                                uint32_t number, nd_error *error);

/* Callbacks come from one thread at a time. Their arguments and their order are the same at any
 * number of threads, on any instruction set and with any memory limit. Each callback can end the
 * join: it returns ND_ERR_CANCELLED. */
typedef struct nd_hamming_joiner_sink {
    void *context;
    /* The numbers of a set that have the same fingerprint, at least two, ascending. The first one
     * stands for them in the pairs. All calls come before the first pairs. NULL: not wanted. */
    nd_status (*equal)(void *context, uint32_t set, const uint32_t *numbers, size_t count,
                       nd_error *error);
    /* Pairs within k. Of one set: different fingerprints, a < b. Of two sets: a of the first, b of
     * the second; they may be equal. */
    nd_numbered_pairs_fn *pairs;
} nd_hamming_joiner_sink;

/* Runs the join, once. */
nd_status nd_hamming_joiner_run(nd_hamming_joiner *join, const nd_hamming_joiner_sink *sink,
                                nd_error *error);

#endif

/* Block nested-loop join: all pairs within Hamming distance k in a set of fingerprints in memory,
 * or between two sets.
 *
 * Small sets are compared all with all, in blocks that stay in the cache. A larger set, where that
 * costs less, is split by each of k + 1 windows (bit_window.h) of the bits that vary in it: two
 * fingerprints within k agree in at least one window, so only fingerprints of one group (with the
 * same number in the window) are compared. Groups may be split again. */
#ifndef ND_HAMMING_BLOCK_JOIN_H
#define ND_HAMMING_BLOCK_JOIN_H

#include "base/alloc.h"
#include "base/status.h"
#include "hamming/bit_window.h"

/* Fingerprints of one or two words each, the low one first, and a number for each. Kernels read up
 * to ND_BLOCK_PADDING fingerprints behind the last one: the memory must be there. */
typedef struct nd_block_set {
    const uint64_t *keys;
    const uint32_t *numbers;
    size_t count;
} nd_block_set;
enum { ND_BLOCK_PADDING = 8 };

/* A found pair. Between two sets, a is of the first set and b of the second. The keys are valid
 * during the callback only. */
typedef struct nd_block_pair {
    const uint64_t *a_key, *b_key;
    uint32_t a, b, distance;
} nd_block_pair;
/* Return ND_ERR_CANCELLED, or another failure, to end the join. */
typedef nd_status nd_block_pair_fn(void *context, const nd_block_pair *pair, nd_error *error);

typedef struct nd_block_join_settings {
    uint32_t bits, k; /* bits: up to 64, or 128; k: below ND_WINDOW_MOST */
    /* Only the connected components are wanted. Pairs may be left out if other pairs connect their
     * two fingerprints, and a pair may be reported twice. Where nearly all n fingerprints are near
     * each other this reports a few pairs for each, not n^2. */
    bool groups;
    /* Pairs that agree in all bits of one of these windows are not reported: the caller has found
     * them elsewhere. Read by nd_block_join_create only; at most ND_WINDOW_MOST. */
    const nd_bit_window *excluded;
    size_t excluded_count;
    nd_block_pair_fn *fn;
    void *context;
} nd_block_join_settings;

/* Buffers of a join, for one thread. */
typedef struct nd_block_join nd_block_join;
nd_status nd_block_join_create(const nd_block_join_settings *settings,
                               const nd_allocator *allocator, nd_block_join **out, nd_error *error);
/* NULL is accepted. */
void nd_block_join_free(nd_block_join *join);

/* Reports each pair of the set once. The order of the pairs depends on the set and its order alone.
 */
nd_status nd_block_join_within(nd_block_join *join, const nd_block_set *set, nd_error *error);
/* Reports each pair of one fingerprint of `a` and one of `b`. */
nd_status nd_block_join_between(nd_block_join *join, const nd_block_set *a, const nd_block_set *b,
                                nd_error *error);

/* Comparisons between `a` and `b` fingerprints, as a fraction of the square of a + b. Within one
 * set the fraction is 1/2. */
static inline double nd_block_join_share(double a, double b) {
    return a + b > 0 ? a * b / ((a + b) * (a + b)) : 0;
}

/* A set of `count` fingerprints that may be split by k + 1 windows. */
typedef struct nd_block_split {
    uint32_t bits, k;
    double varying; /* bits that vary in the set */
    double count;
    double share; /* nd_block_join_share, or 0.5 */
    double move;  /* nanoseconds to move one fingerprint to its group of one window */
} nd_block_split;
/* The most bits that each window should have; 0: comparing all with all costs less. */
uint32_t nd_block_join_window_bits(const nd_block_split *split);

/* Records to group by the `width` lowest bits of their number in a window. A record is a
 * fingerprint of words - 1 words, then a word with the fingerprint's number in the low 32 bits and
 * its set, 0 or 1, above. */
typedef struct nd_block_grouping {
    const nd_bit_window *window;
    uint32_t width;
    bool two_sets;
    const uint64_t *records;
    size_t count;
    unsigned words; /* of a record: 2 or 3 */
} nd_block_grouping;
/* Sorts the records by group, stable. Group g is from starts[g] to starts[g + 1] in keys and
 * numbers. With two sets there are two groups for each number: number x of set s is group 2 x + s.
 * starts has room for one more than there are groups. keys has room for ND_BLOCK_PADDING more
 * fingerprints, which are set to 0. */
void nd_block_join_group(const nd_block_grouping *grouping, uint32_t *starts, uint64_t *keys,
                         uint32_t *numbers);

#endif

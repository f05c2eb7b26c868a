/* All pairs within k of a set of fingerprints in memory, and of two sets: everything against
 * everything in blocks that stay in the cache, or, where that costs less, only what agrees in one
 * of k + 1 windows (bit_window.h) of the bits that vary, and there again. */
#ifndef ND_HAMMING_BLOCK_JOIN_H
#define ND_HAMMING_BLOCK_JOIN_H

#include "base/alloc.h"
#include "base/status.h"
#include "hamming/bit_window.h"

/* Fingerprints of one or two words, the low one first, and their numbers. ND_BLOCK_PADDING
 * fingerprints behind the last one can be read. */
typedef struct nd_block_set {
    const uint64_t *keys;
    const uint32_t *numbers;
    size_t count;
} nd_block_set;
enum { ND_BLOCK_PADDING = 8 };

/* A pair that was found: of nd_block_join_between, a is of the first set. Keys last as long as the
 * call.
 */
typedef struct nd_block_pair {
    const uint64_t *a_key, *b_key;
    uint32_t a, b, distance;
} nd_block_pair;
/* Return ND_ERR_CANCELLED, or another failure, to end it. */
typedef nd_status nd_block_pair_fn(void *context, const nd_block_pair *pair, nd_error *error);

typedef struct nd_block_join_settings {
    uint32_t bits, k; /* up to 64, or 128; below ND_WINDOW_MOST */
    bool groups; /* pairs may be left out whose two are connected by those that come: where nearly
                    all are near each other there are not n^2 of them, but some for each. One may
                    come more than once */
    nd_block_pair_fn *fn;
    void *context;
} nd_block_join_settings;

/* One thread's means. */
typedef struct nd_block_join nd_block_join;
nd_status nd_block_join_create(const nd_block_join_settings *settings,
                               const nd_allocator *allocator, nd_block_join **out, nd_error *error);
/* NULL is accepted. */
void nd_block_join_free(nd_block_join *finder);

/* From now on pairs that agree in all bits of one of these windows are not told: they have been
 * elsewhere. */
void nd_block_join_exclude(nd_block_join *finder, const nd_bit_window *windows, size_t count);

/* Each pair of the set once; the order depends on the set and its order alone. */
nd_status nd_block_join_within(nd_block_join *finder, const nd_block_set *set, nd_error *error);
/* Each pair of one of `a` and one of `b`. */
nd_status nd_block_join_between(nd_block_join *finder, const nd_block_set *a, const nd_block_set *b,
                                nd_error *error);

/* Comparisons between `a` and `b` fingerprints, as a share of the square of their sum; of those
 * within a set: half. */
static inline double nd_block_join_share(double a, double b) {
    return a + b > 0 ? a * b / ((a + b) * (a + b)) : 0;
}

/* The most bits of the k + 1 windows to split `count` fingerprints by, which vary in `varying`
 * bits, when moving one costs `move` nanoseconds; 0: to compare all with all costs less. */
uint32_t nd_block_join_window_bits(uint32_t bits, uint32_t k, uint32_t varying, double count,
                                   double share, double move);

/* Distributes records, a fingerprint (one or two words) and a word each, by the `width` lowest bits
 * of their numbers in a window: group g is from starts[g] to starts[g + 1], in the order of the
 * records. The word has a number and, above its 32 bits, the set, 0 or 1; with `two_sets` those of
 * set s with number g are group 2 g + s. starts has room for one more than there are groups; keys
 * for ND_BLOCK_PADDING more, which are set. */
void nd_block_join_group(const nd_bit_window *window, uint32_t width, bool two_sets,
                         const uint64_t *records, size_t count, unsigned words, uint32_t *starts,
                         uint64_t *keys, uint32_t *numbers);

#endif

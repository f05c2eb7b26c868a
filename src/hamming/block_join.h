/* All pairs within k of a set of fingerprints in memory, and of two sets: everything against
 * everything in blocks that stay in the cache, or, where that costs less, only what agrees in one
 * of k + 1 windows (bit_window.h) of the bits that vary, and there again. */
#ifndef ND_HAMMING_BLOCK_JOIN_H
#define ND_HAMMING_BLOCK_JOIN_H

#include "base/alloc.h"
#include "base/status.h"
#include "hamming/bit_window.h"

/* Fingerprints of one or two words, the low one first, and their numbers. ND_NEAR_BEHIND
 * fingerprints behind the last one can be read. */
typedef struct nd_near_set {
    const uint64_t *keys;
    const uint32_t *numbers;
    size_t count;
} nd_near_set;
enum { ND_NEAR_BEHIND = 8 };

/* A pair that was found: of nd_near_between, a is of the first set. Keys last as long as the call.
 */
typedef struct nd_near_pair {
    const uint64_t *a_key, *b_key;
    uint32_t a, b, distance;
} nd_near_pair;
/* Return ND_ERR_CANCELLED, or another failure, to end it. */
typedef nd_status nd_near_fn(void *context, const nd_near_pair *pair, nd_error *error);

typedef struct nd_near_settings {
    uint32_t bits, k; /* up to 64, or 128; below ND_WINDOW_MOST */
    bool groups; /* pairs may be left out whose two are connected by those that come: where nearly
                    all are near each other there are not n^2 of them, but some for each. One may
                    come more than once */
    nd_near_fn *fn;
    void *context;
} nd_near_settings;

/* One thread's means. */
typedef struct nd_near_finder nd_near_finder;
nd_status nd_near_finder_create(const nd_near_settings *settings, const nd_allocator *allocator,
                                nd_near_finder **out, nd_error *error);
/* NULL is accepted. */
void nd_near_finder_free(nd_near_finder *finder);

/* From now on pairs that agree in all bits of one of these windows are not told: they have been
 * elsewhere. */
void nd_near_leave_out(nd_near_finder *finder, const nd_fingerprint_window *windows, size_t count);

/* Each pair of the set once; the order depends on the set and its order alone. */
nd_status nd_near_within(nd_near_finder *finder, const nd_near_set *set, nd_error *error);
/* Each pair of one of `a` and one of `b`. */
nd_status nd_near_between(nd_near_finder *finder, const nd_near_set *a, const nd_near_set *b,
                          nd_error *error);

/* Comparisons between `a` and `b` fingerprints, as a share of the square of their sum; of those
 * within a set: half. */
static inline double nd_near_share(double a, double b) {
    return a + b > 0 ? a * b / ((a + b) * (a + b)) : 0;
}

/* The most bits of the k + 1 windows to split `count` fingerprints by, which vary in `varying`
 * bits, when moving one costs `move` nanoseconds; 0: to compare all with all costs less. */
uint32_t nd_near_split(uint32_t bits, uint32_t k, uint32_t varying, double count, double share,
                       double move);

/* Distributes records, a fingerprint (one or two words) and a word each, by the `width` lowest bits
 * of their numbers in a window: group g is from starts[g] to starts[g + 1], in the order of the
 * records. The word has a number and, above its 32 bits, the set, 0 or 1; with `two_sets` those of
 * set s with number g are group 2 g + s. starts has room for one more than there are groups; keys
 * for ND_NEAR_BEHIND more, which are set. */
void nd_near_group(const nd_fingerprint_window *window, uint32_t width, bool two_sets,
                   const uint64_t *records, size_t count, unsigned words, uint32_t *starts,
                   uint64_t *keys, uint32_t *numbers);

#endif

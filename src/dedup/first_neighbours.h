/* Which pairs of near fingerprints are candidates. A document that has at most `bound` neighbours
 * before it is compared with all of them. Of one that has more, as the pages of a template do,
 * those that come first in the order of rank are taken: pairs come in any order, and so what has
 * come tells how far is far enough, more strictly the more there are. In the end all neighbours up
 * to the limit have been taken, in general bound / 4 of them at least, and some others that came
 * before the limit was what it is; the rest is counted. A function of the pairs and their order.
 *
 * Memory: 4 bytes a document and 32 for each that has too many. Taken of one with n neighbours:
 * about bound (2 + log2(n / bound) / 2) in an order that knows nothing of rank, and never more than
 * 17 bound + 32. */
#ifndef ND_DEDUP_FIRST_NEIGHBOURS_H
#define ND_DEDUP_FIRST_NEIGHBOURS_H

#include "base/alloc.h"
#include "base/status.h"

/* Of a document with too many. */
typedef struct nd_many_neighbours {
    uint64_t sum, left_out; /* of the ranks taken since the limit was set; comparisons */
    uint32_t taken, limit;  /* since then; ranks above it are not taken */
    uint32_t tightened;     /* so often */
} nd_many_neighbours;

typedef struct nd_first_neighbours {
    nd_allocator allocator;
    uint32_t bound;
    uint32_t *states; /* by rank: the neighbours taken, or, from `bound` on, bound + its number
                         among the many */
    nd_many_neighbours *many;
    size_t many_count, many_capacity;
} nd_first_neighbours;

/* bound >= 1. Zeros are accepted by nd_first_neighbours_free, and by what asks: nobody has many
 * then. */
nd_status nd_first_neighbours_init(nd_first_neighbours *first, const nd_allocator *allocator,
                                   size_t documents, uint32_t bound, nd_error *error);
void nd_first_neighbours_free(nd_first_neighbours *first);

/* A pair of ranks, which stands for so many comparisons: is it taken? */
nd_status nd_first_neighbours_take(nd_first_neighbours *first, uint32_t later, uint32_t earlier,
                                   uint64_t comparisons, bool *taken, nd_error *error);

static inline bool nd_has_many_neighbours(const nd_first_neighbours *first, uint32_t rank) {
    return first->states && first->states[rank] >= first->bound;
}
/* Comparisons of a rank that were not taken. */
static inline uint64_t nd_neighbours_left_out(const nd_first_neighbours *first, uint32_t rank) {
    return nd_has_many_neighbours(first, rank)
               ? first->many[first->states[rank] - first->bound].left_out
               : 0;
}

#endif

/* Chooses the pairs of near fingerprints that become candidates. A document with at most `bound`
 * neighbours before it is compared with all of them. A document with more, such as a page made from
 * a template, is compared with its first neighbours by rank.
 *
 * Pairs come in any order. So the neighbours that have come so far set a limit on the ranks that
 * are still taken, and the limit falls as more come. At the end all neighbours up to the limit have
 * been taken, in general at least bound / 4, and some others that came before the limit fell. All
 * other pairs are counted as left out. The result depends only on the pairs and their order.
 *
 * Memory: 4 bytes per document, and 32 bytes per document with too many neighbours. If a document
 * has n neighbours, and the order of the pairs does not depend on the rank, about bound (2 + log2(n
 * / bound) / 2) of them are taken; in any order at most 17 bound + 32. */
#ifndef ND_DEDUP_FIRST_NEIGHBOURS_H
#define ND_DEDUP_FIRST_NEIGHBOURS_H

#include "base/alloc.h"
#include "base/status.h"

/* A document with too many neighbours. */
typedef struct nd_many_neighbours {
    uint64_t sum;       /* sum of the ranks taken since the limit was set */
    uint64_t left_out;  /* comparisons */
    uint32_t taken;     /* number of neighbours taken since the limit was set */
    uint32_t limit;     /* higher ranks are not taken */
    uint32_t tightened; /* how often the limit was set */
} nd_many_neighbours;

typedef struct nd_first_neighbours {
    nd_allocator allocator;
    uint32_t bound;
    uint32_t *states; /* by rank: below `bound`, the number of neighbours taken; else bound + an
                         index in `many` */
    nd_many_neighbours *many;
    size_t many_count, many_capacity;
} nd_first_neighbours;

/* bound >= 1. A structure of zeros is valid for nd_first_neighbours_free, nd_has_many_neighbours
 * and nd_neighbours_left_out: no document has too many neighbours. */
nd_status nd_first_neighbours_init(nd_first_neighbours *first, const nd_allocator *allocator,
                                   size_t documents, uint32_t bound, nd_error *error);
void nd_first_neighbours_free(nd_first_neighbours *first);

/* *taken: the pair of ranks becomes a candidate. The pair stands for `comparisons` comparisons,
 * which are counted if it is left out. */
nd_status nd_first_neighbours_take(nd_first_neighbours *first, uint32_t later, uint32_t earlier,
                                   uint64_t comparisons, bool *taken, nd_error *error);

static inline bool nd_has_many_neighbours(const nd_first_neighbours *first, uint32_t rank) {
    return first->states && first->states[rank] >= first->bound;
}
/* Returns the comparisons of a rank that are left out. */
static inline uint64_t nd_neighbours_left_out(const nd_first_neighbours *first, uint32_t rank) {
    return nd_has_many_neighbours(first, rank)
               ? first->many[first->states[rank] - first->bound].left_out
               : 0;
}

#endif

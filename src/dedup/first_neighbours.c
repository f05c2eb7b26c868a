#include "dedup/first_neighbours.h"

/* A rank has 32 bits, and each tightening of the limit halves, roughly, the ranks that can still be
 * taken. More tightenings occur only if the order of the pairs was made to defeat the rule. */
enum { MOST_TIGHTENED = 32 };

nd_status nd_first_neighbours_init(nd_first_neighbours *first, const nd_allocator *allocator,
                                   size_t documents, uint32_t bound, nd_error *error) {
    *first = (nd_first_neighbours){.allocator = *allocator, .bound = bound};
    first->states = nd_allocate_zero(allocator, documents, sizeof *first->states);
    return first->states
               ? ND_OK
               : nd_fail_memory(error, documents * sizeof *first->states, "counts of neighbours");
}

void nd_first_neighbours_free(nd_first_neighbours *first) {
    nd_release(&first->allocator, first->states);
    nd_release(&first->allocator, first->many);
    *first = (nd_first_neighbours){.allocator = first->allocator};
}

/* Sets the limit to the mean of the ranks taken, because about half of them are below it. */
static void tighten(nd_many_neighbours *m, uint32_t bound) {
    if (m->taken < bound / 2 + 1) return;
    m->limit = (uint32_t)(m->sum / m->taken);
    m->sum = m->taken = 0;
    m->tightened++;
}

nd_status nd_first_neighbours_take(nd_first_neighbours *first, uint32_t later, uint32_t earlier,
                                   uint64_t comparisons, bool *taken, nd_error *error) {
    uint32_t *state = &first->states[later];
    *taken = *state < first->bound;
    if (*taken && *state + 1 < first->bound) {
        ++*state;
        return ND_OK;
    }
    if (*taken) {
        /* This is the last neighbour that is taken without a limit. */
        if (!nd_reserve(&first->allocator, &first->many, &first->many_capacity,
                        first->many_count + 1))
            return nd_fail_memory(error, sizeof *first->many, "counts of neighbours");
        first->many[first->many_count] = (nd_many_neighbours){.limit = UINT32_MAX};
        *state = first->bound + (uint32_t)first->many_count++;
        return ND_OK;
    }
    nd_many_neighbours *m = &first->many[*state - first->bound];
    *taken = earlier <= m->limit && m->tightened < MOST_TIGHTENED;
    if (*taken) {
        m->sum += earlier;
        m->taken++;
        tighten(m, first->bound);
    } else {
        m->left_out += comparisons;
    }
    return ND_OK;
}

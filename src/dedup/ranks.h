/* The order in which documents are considered: the first document of a group of duplicates is kept.
 *
 * A *rank* is a document's position in that order. The documents of an index come first; their
 * ranks are their numbers, and all of them are kept. The documents of the run follow, from `base`
 * on, by priority, and documents of equal priority in the order of input. Const once made. */
#ifndef ND_DEDUP_RANKS_H
#define ND_DEDUP_RANKS_H

#include "dedup/dedup_plan.h"
#include "io/spool.h"
#include "job/run_context.h"

typedef struct nd_ranks {
    uint32_t base;          /* number of documents of the index */
    uint32_t count;         /* number of documents of the run */
    uint32_t *order;        /* by rank - base: the document; NULL: the order of input */
    uint32_t *rank_of;      /* by document: rank - base; NULL: the same */
    uint64_t without_value; /* documents without the field that their priority comes from */
} nd_ranks;

/* Makes the ranks. `priorities`: 8 bytes per document, made by nd_priority_of; consumed. Warns of
 * documents without a priority. ND_ERR_INPUT: no document has one. */
nd_status nd_ranks_make(const nd_run *run, const nd_dedup_plan *plan, nd_spool *priorities,
                        uint32_t base, uint32_t count, nd_ranks *out, nd_error *error);
void nd_ranks_free(nd_ranks *ranks, const nd_allocator *allocator);

/* Returns the priority of a document as an integer: the greatest comes first. 0: it has none. */
uint64_t nd_priority_of(const nd_dedup_plan *plan, const nd_document *document);

static inline bool nd_rank_is_indexed(const nd_ranks *ranks, uint32_t rank) {
    return rank < ranks->base;
}
/* REQUIRES: rank >= base. */
static inline uint32_t nd_document_of(const nd_ranks *ranks, uint32_t rank) {
    return ranks->order ? ranks->order[rank - ranks->base] : rank - ranks->base;
}
static inline uint32_t nd_rank_of(const nd_ranks *ranks, uint32_t document) {
    return ranks->base + (ranks->rank_of ? ranks->rank_of[document] : document);
}

#endif

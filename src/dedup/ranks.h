/* The order in which documents are considered: the first document of a group of duplicates is kept.
 *
 * A *rank* is a document's position in that order. The documents of an index come first; their
 * ranks are their numbers, and all of them are kept. The documents of the run follow, from `base`
 * on: first the protected ones, and both these and the others by priority; documents of equal
 * priority in the order of input. Const once made. */
#ifndef ND_DEDUP_RANKS_H
#define ND_DEDUP_RANKS_H

#include "dedup/dedup_plan.h"
#include "io/spool.h"
#include "job/run_context.h"

typedef struct nd_ranks {
    uint32_t base;           /* number of documents of the index */
    uint32_t count;          /* number of documents of the run */
    uint32_t *order;         /* by rank - base: the document; NULL: the order of input */
    uint32_t *rank_of;       /* by document: rank - base; NULL: the same */
    uint64_t without_value;  /* documents without the field that their priority comes from */
    uint8_t *protected_bits; /* by document; NULL: none is protected */
} nd_ranks;

typedef struct nd_ranks_request {
    const nd_run *run;
    const nd_dedup_plan *plan;
    nd_spool *priorities;    /* 8 bytes per document, made by nd_priority_of; consumed */
    uint8_t *protected_bits; /* a bit for each document; NULL: none is protected; consumed */
    uint32_t base, count;    /* as in nd_ranks */
} nd_ranks_request;

/* Makes the ranks. Warns of documents without a priority. ND_ERR_INPUT: no document has one. *out
 * is valid for nd_ranks_free in any case. */
nd_status nd_ranks_make(const nd_ranks_request *request, nd_ranks *out, nd_error *error);
void nd_ranks_free(nd_ranks *ranks, const nd_allocator *allocator);

/* Returns the priority of a document as an integer: the greatest comes first. 0: it has none. */
uint64_t nd_priority_of(const nd_dedup_plan *plan, const nd_document *document);

static inline bool nd_is_protected(const nd_ranks *ranks, uint32_t document) {
    return ranks->protected_bits && ranks->protected_bits[document >> 3] >> (document & 7) & 1;
}

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

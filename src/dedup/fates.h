/* The fate of each document, and its evidence. Every stage that decides writes fates through the
 * functions here. One thread at a time calls them, and no other thread reads meanwhile.
 *
 * Memory: 4 bytes per document, and one bit if there are exact copies. */
#ifndef ND_DEDUP_FATES_H
#define ND_DEDUP_FATES_H

#include "io/spool.h"
#include "job/run_context.h"

typedef enum nd_fate {
    ND_FATE_KEPT,
    ND_FATE_REMOVED, /* it has a verdict */
    ND_FATE_COPY     /* it has the token sequence of its original, the first such document by rank,
                        and shares the fate of the original */
} nd_fate;

/* A pair of ranks that are duplicates, with its measure; for a removed document its evidence. There
 * may be very many. */
typedef struct nd_verdict {
    uint32_t earlier, later; /* ranks */
    union {
        struct {
            uint32_t intersection, set_union; /* of the shingle sets, if counted */
        };
        double score; /* if not counted: the estimated Jaccard similarity, or the cosine */
    };
    union {
        uint32_t distance; /* of fingerprints, in bits; or of digests */
        uint32_t smaller;  /* of a containment: the shingles of the smaller set */
    };
    uint32_t counted; /* 1 or 0 */
} nd_verdict;

typedef struct nd_fates {
    nd_allocator allocator;
    uint32_t count;       /* documents */
    uint32_t *links;      /* by document. UINT32_MAX: kept; of a copy: its original; of a removed
                             document: the number of its verdict */
    uint8_t *copies;      /* bit d: document d is an exact copy; NULL: none is */
    nd_spool verdicts;    /* of removed documents */
    nd_spool found_pairs; /* if all pairs are compared: every duplicate pair, ordered by later, then
                             earlier rank */
} nd_fates;

/* Begins with all documents kept. */
nd_status nd_fates_init(nd_fates *fates, const nd_run *run, uint32_t count, nd_error *error);
void nd_fates_free(nd_fates *fates);

nd_status nd_fates_mark_copy(nd_fates *fates, uint32_t document, uint32_t original,
                             nd_error *error);
nd_status nd_fates_remove(nd_fates *fates, uint32_t document, const nd_verdict *verdict,
                          nd_error *error);

static inline bool nd_fates_is_copy(const nd_fates *fates, uint32_t document) {
    return fates->copies && fates->copies[document >> 3] >> (document & 7) & 1;
}
static inline nd_fate nd_fate_of(const nd_fates *fates, uint32_t document) {
    if (fates->links[document] == UINT32_MAX) return ND_FATE_KEPT;
    return nd_fates_is_copy(fates, document) ? ND_FATE_COPY : ND_FATE_REMOVED;
}
/* REQUIRES: the document is a copy. */
static inline uint32_t nd_fates_original(const nd_fates *fates, uint32_t document) {
    return fates->links[document];
}
/* REQUIRES: the document is removed. */
nd_status nd_fates_verdict(const nd_fates *fates, uint32_t document, nd_verdict *verdict,
                           nd_error *error);

/* Appends pairs. */
nd_status nd_fates_add_pairs(nd_fates *fates, const nd_verdict *pairs, size_t count,
                             nd_error *error);
/* Called with every pair, in the order in which they were added. */
typedef nd_status nd_found_pair_fn(void *context, const nd_verdict *pair, nd_error *error);
nd_status nd_fates_each_pair(const nd_fates *fates, nd_found_pair_fn *fn, void *context,
                             nd_error *error);

#endif

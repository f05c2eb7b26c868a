/* What becomes of each document, and why. Every stage that decides writes it through the functions
 * here; they are called by one thread at a time, and not beside readers.
 *
 * In memory a document takes 4 bytes, and one bit where there are exact copies. */
#ifndef ND_DEDUP_FATES_H
#define ND_DEDUP_FATES_H

#include "io/spool.h"
#include "job/run_context.h"

typedef enum nd_fate {
    ND_FATE_KEPT,
    ND_FATE_REMOVED, /* has a verdict */
    ND_FATE_COPY     /* has the token sequence of an original, the first such document by rank;
                        shares its fate */
} nd_fate;

/* A pair of ranks decided as duplicates, or why a document was removed. There may be very many. */
typedef struct nd_verdict {
    uint32_t earlier, later; /* ranks */
    union {
        struct {
            uint32_t intersection, set_union; /* of the shingle sets, where counted */
        };
        double score; /* else: the estimate of the Jaccard similarity, or the cosine */
    };
    uint32_t distance; /* of fingerprints, bits */
    uint32_t counted;  /* 1 or 0 */
} nd_verdict;

typedef struct nd_fates {
    nd_allocator allocator;
    uint32_t count;       /* documents */
    uint32_t *links;      /* by document: UINT32_MAX: kept; of a copy its original; of a removed
                             document the number of its verdict */
    uint8_t *copies;      /* bit d: document d is an exact copy; NULL: none is */
    nd_spool verdicts;    /* of removed documents */
    nd_spool found_pairs; /* where all pairs are compared: every duplicate pair, by later and
                             earlier rank */
} nd_fates;

/* All documents are kept. */
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

/* Pairs, each call's behind those of the call before. */
nd_status nd_fates_add_pairs(nd_fates *fates, const nd_verdict *pairs, size_t count,
                             nd_error *error);
/* Every pair in that order. */
typedef nd_status nd_found_pair_fn(void *context, const nd_verdict *pair, nd_error *error);
nd_status nd_fates_each_pair(const nd_fates *fates, nd_found_pair_fn *fn, void *context,
                             nd_error *error);

#endif

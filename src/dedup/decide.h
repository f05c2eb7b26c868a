/* Stage "decide": decides the fate of each document, in the order of rank.
 *
 * ND_COMPARE_UNTIL_FIRST: a document is removed exactly if it is a duplicate of a document that is
 * kept before it, and not protected. The first such document is its evidence. ND_COMPARE_ALL: every
 * document counts as kept, and every duplicate pair is recorded.
 *
 * Candidates from small buckets are always compared, and so are near digests, which are bounded
 * before (propose_by_tlsh.c), and near fingerprints up to the bound (first_neighbours.h).
 * Candidates that only large buckets propose, and near fingerprints beyond the bound, are compared
 * in ascending order, up to max_compare per document. The comparisons that are left out are
 * counted. */
#ifndef ND_DEDUP_DECIDE_H
#define ND_DEDUP_DECIDE_H

#include "dedup/candidates.h"
#include "dedup/pair_verifier.h"

/* The fates of the ranks below base + decided are final. */
typedef nd_status nd_decided_fn(void *context, uint32_t decided, nd_error *error);

typedef struct nd_decide_request {
    const nd_verifier_plan *verifier;
    const uint8_t *known; /* bit d: document d is in the index already, and stays there; NULL: none
                             is */
    nd_pair_sample *sample; /* gets pairs that are compared; NULL: no sample is wanted */
    /* Bit d: pairs with document d are compared, other pairs are passed over as if they were no
     * duplicates; NULL: all pairs are compared. Only with ND_COMPARE_ALL, and without an index. */
    const uint8_t *only;
    /* Called after each block, while no thread compares. NULL: not wanted. */
    nd_decided_fn *decided;
    /* Called once for each block, by one thread at a time, while others compare documents of the
     * next block. So it must not change what comparing reads. NULL: not wanted. */
    nd_decided_fn *report;
    void *context;
} nd_decide_request;

typedef struct nd_decide_counts {
    nd_comparison_counts comparisons;
    uint64_t bounded_documents;   /* documents that max_compare kept from some comparisons */
    uint64_t bounded_comparisons; /* upper bound of the comparisons left out */
    uint64_t spared;              /* protected documents that a kept one would remove */
} nd_decide_counts;

/* Decides all documents of the run. */
nd_status nd_decide(const nd_decide_request *request, const nd_candidates *candidates,
                    nd_fates *fates, nd_decide_counts *counts, nd_error *error);

#endif

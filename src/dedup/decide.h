/* Stage "decide": the fate of each document, in the order of rank.
 *
 * ND_COMPARE_UNTIL_FIRST: a document is removed exactly when it is a duplicate of a document kept
 * before it, and the first such document is its evidence. ND_COMPARE_ALL: every document counts as
 * kept, and every duplicate pair is recorded.
 *
 * Candidates out of small buckets, and near fingerprints that are not too many, are always
 * compared. Candidates that only large buckets propose, or that are too many, are compared in
 * ascending order up to max_compare per document; the comparisons left out are counted. */
#ifndef ND_DEDUP_DECIDE_H
#define ND_DEDUP_DECIDE_H

#include "dedup/candidates.h"
#include "dedup/pair_verifier.h"

/* Called after each block of documents: the fates of the ranks below base + decided are final. */
typedef nd_status nd_decided_fn(void *context, uint32_t decided, nd_error *error);

typedef struct nd_decide_request {
    const nd_verifier_plan *verifier;
    const uint8_t *known; /* bit d: document d is in the index already, and stays; NULL: none is */
    nd_decided_fn *decided;
    void *context;
} nd_decide_request;

typedef struct nd_decide_counts {
    nd_comparison_counts comparisons;
    uint64_t bounded_documents;   /* documents for which max_compare left something out */
    uint64_t bounded_comparisons; /* at most so many were left out */
} nd_decide_counts;

/* Consumes the candidates. */
nd_status nd_decide(const nd_decide_request *request, nd_candidates *candidates, nd_fates *fates,
                    nd_decide_counts *counts, nd_error *error);

#endif

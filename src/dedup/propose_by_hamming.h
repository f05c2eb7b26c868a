/* Stage "match", by fingerprints: documents whose fingerprints differ in at most k bits become
 * candidates. */
#ifndef ND_DEDUP_PROPOSE_BY_HAMMING_H
#define ND_DEDUP_PROPOSE_BY_HAMMING_H

#include "dedup/candidates.h"
#include "dedup/columns.h"
#include "dedup/dedup_plan.h"
#include "dedup/fates.h"

typedef struct nd_hamming_request {
    const nd_run *run;
    const nd_dedup_plan *plan;
    const nd_columns *columns;
    const nd_ranks *ranks; /* base 0 */
    const nd_fates *fates; /* exact copies take no part */
} nd_hamming_request;

/* *out was made by nd_candidates_init. */
nd_status nd_propose_by_hamming(const nd_hamming_request *request, nd_candidates *out,
                                nd_error *error);

#endif

/* Stage "match", by TLSH digests: documents whose digests are within a distance become
 * candidates. */
#ifndef ND_DEDUP_PROPOSE_BY_TLSH_H
#define ND_DEDUP_PROPOSE_BY_TLSH_H

#include "dedup/candidates.h"
#include "dedup/columns.h"
#include "dedup/dedup_plan.h"
#include "dedup/fates.h"

typedef struct nd_tlsh_request {
    const nd_run *run;
    const nd_dedup_plan *plan;
    const nd_columns *columns;
    const nd_ranks *ranks; /* base 0 */
    const nd_fates *fates; /* exact copies take no part */
} nd_tlsh_request;

/* Proposes candidates on all threads of the run. *out was made by nd_candidates_init. If an index
 * of all digests takes more than its share of the memory, there is an index for each part of the
 * documents, one after the other. */
nd_status nd_propose_by_tlsh(const nd_tlsh_request *request, nd_candidates *out, nd_error *error);

#endif

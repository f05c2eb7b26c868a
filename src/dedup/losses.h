/* Tells where documents are lost, and warns of losses that are striking, after all of them are
 * decided and before an output gets its name. Refuses the job if it would remove too many. */
#ifndef ND_DEDUP_LOSSES_H
#define ND_DEDUP_LOSSES_H

#include "dedup/evidence.h"
#include "dedup/ingest.h"
#include "dedup/ranked_documents.h"

typedef struct nd_losses_request {
    const nd_run *run;
    const nd_dedup_parts *options;
    const nd_dedup_plan *plan;
    const nd_ranked *documents;
    const nd_evidence_source *evidence;
    nd_ingested *ingested; /* its classes are consumed */
} nd_losses_request;

/* Does nothing if the caller wants none of it. ND_ERR_INPUT: more than max_removed. */
nd_status nd_losses_tell(const nd_losses_request *request, nd_error *error);

#endif

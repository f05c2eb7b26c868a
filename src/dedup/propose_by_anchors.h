/* Stage "match", by anchors: a document becomes a candidate of a text that has enough of its
 * anchors among its shingles. Reads the documents a second time. */
#ifndef ND_DEDUP_PROPOSE_BY_ANCHORS_H
#define ND_DEDUP_PROPOSE_BY_ANCHORS_H

#include "dedup/candidates.h"
#include "dedup/columns.h"
#include "dedup/dedup_plan.h"
#include "dedup/fates.h"
#include "io/key_sort.h"

typedef struct nd_anchors_request {
    const nd_run *run;
    const nd_dedup_plan *plan;
    const nd_columns *columns;
    const nd_key_sort *anchors; /* as band keys of one band (nd_ingested) */
    const nd_ranks *ranks;      /* base 0 */
    const nd_fates *fates;      /* exact copies take no part */
} nd_anchors_request;

/* Proposes candidates on all threads of the run. If a table of the anchors of all documents takes
 * more than its share of the memory, there is a table for each part of the documents, and a reading
 * for each table. */
nd_status nd_propose_by_anchors(const nd_anchors_request *request, nd_candidates *out,
                                nd_error *error);

#endif

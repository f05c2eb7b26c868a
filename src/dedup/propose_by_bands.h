/* Stage "match", by bands: documents that share a band key, or a sentence, become candidates. */
#ifndef ND_DEDUP_PROPOSE_BY_BANDS_H
#define ND_DEDUP_PROPOSE_BY_BANDS_H

#include "dedup/candidates.h"
#include "dedup/fates.h"
#include "dedup/ingest.h"
#include "store/store.h"

typedef struct nd_bands_request {
    const nd_run *run;
    const nd_dedup_plan *plan;
    const nd_key_sort *band_keys; /* as in nd_ingested */
    const nd_ranks *ranks;
    const nd_fates *fates; /* exact copies take no part */
    const nd_store *store; /* the documents of this index take part; NULL: there is no index */
    const uint64_t *differ_keys; /* by document; NULL: nothing keeps similar texts apart */
    const uint8_t *replaced; /* bit n: document n of the index takes no part; NULL: all take part */
} nd_bands_request;

/* Proposes the members of all buckets, part by part, on all threads of the run. *out was made by
 * nd_candidates_init. */
nd_status nd_propose_by_bands(const nd_bands_request *request, nd_candidates *out, nd_error *error);

#endif

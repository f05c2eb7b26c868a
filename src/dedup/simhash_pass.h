/* Makes fingerprints that need the word counts of all documents for their weights: reads the
 * documents a second time. */
#ifndef ND_DEDUP_SIMHASH_PASS_H
#define ND_DEDUP_SIMHASH_PASS_H

#include "dedup/dedup_plan.h"
#include "dedup/fates.h"
#include "dedup/ingest.h"

/* Writes the sketches of ingested->columns, on all threads of the run. The sketches of exact copies
 * are zeros. Frees ingested->words, unless verification needs them. */
nd_status nd_fingerprint_counted(const nd_run *run, const nd_dedup_plan *plan,
                                 const nd_fates *fates, nd_ingested *ingested, nd_error *error);

#endif

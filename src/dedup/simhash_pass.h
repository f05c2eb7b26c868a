/* Fingerprints whose weights are known only when the words of all documents have been counted: the
 * documents are read a second time. */
#ifndef ND_DEDUP_SIMHASH_PASS_H
#define ND_DEDUP_SIMHASH_PASS_H

#include "dedup/dedup_plan.h"
#include "dedup/fates.h"
#include "dedup/ingest.h"

/* Writes the sketches of ingested->columns, on all threads of the run; sketches of exact copies are
 * zeros. Frees ingested->words, unless verification needs them. */
nd_status nd_fingerprint_counted(const nd_run *run, const nd_dedup_plan *plan,
                                 const nd_fates *fates, nd_ingested *ingested, nd_error *error);

#endif

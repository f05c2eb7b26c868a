/* Finds documents with equal token sequences by 128-bit hashes. The first of them by rank is the
 * original, the others are its exact copies, except protected ones. Copies take no part in later
 * stages and share the fate of the original. */
#ifndef ND_DEDUP_EXACT_COPIES_H
#define ND_DEDUP_EXACT_COPIES_H

#include "dedup/fates.h"
#include "dedup/ingest.h"
#include "dedup/ranks.h"

/* Consumes text_hash_order and text_hashes of `ingested`. */
nd_status nd_find_exact_copies(const nd_run *run, nd_ingested *ingested, const nd_ranks *ranks,
                               nd_fates *fates, nd_error *error);

#endif

/* Documents with equal token sequences, told by 128-bit hashes: the first by rank is the original,
 * the others are exact copies. Copies take no part in later stages and share the original's fate.
 */
#ifndef ND_DEDUP_EXACT_COPIES_H
#define ND_DEDUP_EXACT_COPIES_H

#include "dedup/fates.h"
#include "dedup/ingest.h"
#include "dedup/ranks.h"

/* Consumes text_hash_order and text_hashes of `ingested`. */
nd_status nd_find_exact_copies(const nd_run *run, nd_ingested *ingested, const nd_ranks *ranks,
                               nd_fates *fates, nd_error *error);

#endif

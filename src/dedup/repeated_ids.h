/* Finds documents of one run with equal ids. */
#ifndef ND_DEDUP_REPEATED_IDS_H
#define ND_DEDUP_REPEATED_IDS_H

#include "dedup/ingest.h"

/* How a repeated id is treated. */
typedef enum nd_repeated_ids {
    ND_REPEATED_IDS_WARN, /* warns of each of the first ones, and counts all of them */
    ND_REPEATED_IDS_FAIL  /* ND_ERR_ARGUMENT: in an index each document has its own id */
} nd_repeated_ids;

/* Consumes id_hash_order of `ingested`. *count: documents whose id an earlier document has. */
nd_status nd_find_repeated_ids(const nd_run *run, nd_ingested *ingested, nd_repeated_ids rule,
                               uint64_t *count, nd_error *error);

#endif

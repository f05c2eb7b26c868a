/* Stage "read": the records of a corpus become columns, and everything that later stages sort. */
#ifndef ND_DEDUP_INGEST_H
#define ND_DEDUP_INGEST_H

#include "dedup/columns.h"
#include "dedup/dedup_plan.h"
#include "io/external_sort.h"

/* What reading makes. The columns stay; each other part is consumed by one stage, which frees it
 * and sets it to NULL. */
typedef struct nd_ingested {
    nd_scan_counts counts;
    nd_columns columns;
    /* Band keys (sketch/band_key.h), or hashes of sentences, all in one band; NULL: no bands. For
     * nd_propose_by_bands, then for the index. */
    nd_external_sort *band_keys;
    /* Half a hash << 32 | document; the part is the top bits of the hash. For the exact copies, and
     * for repeated ids. */
    nd_external_sort *text_hash_order, *id_hash_order;
    nd_spool text_hashes; /* 16 bytes per document */
    nd_spool priorities;  /* 8 bytes per document, where the plan does not keep the first */
    nd_count_min *words;  /* of all documents; NULL: the plan does not count words */
} nd_ingested;

/* *out is valid for nd_ingested_free in any case. */
nd_status nd_ingest(const nd_run *run, const nd_job_options *options, const nd_dedup_plan *plan,
                    nd_corpus *corpus, nd_ingested *out, nd_error *error);
void nd_ingested_free(nd_ingested *ingested);

#endif

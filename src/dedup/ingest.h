/* Stage "read": makes columns of the records of a corpus, and the keys and hashes that later stages
 * sort. */
#ifndef ND_DEDUP_INGEST_H
#define ND_DEDUP_INGEST_H

#include "dedup/class_table.h"
#include "dedup/columns.h"
#include "dedup/dedup_plan.h"
#include "io/key_sort.h"

/* Classes that have names of their own: hosts of archives, and values of a field. */
typedef enum nd_named_kind { ND_NAMED_HOST, ND_NAMED_FIELD, ND_NAMED_KINDS } nd_named_kind;
typedef struct nd_named_classes {
    nd_class_table names;
    nd_spool numbers; /* 4 bytes per document: its class in `names`; empty: not counted */
    uint64_t named;   /* documents that have a name */
} nd_named_classes;

/* The results of reading. The columns stay. Each other part is consumed by one stage, which frees
 * it and sets it to NULL. */
typedef struct nd_ingested {
    nd_scan_counts counts;
    nd_columns columns;
    /* Band keys (sketch/band_key.h), or hashes of sentences, or anchors, which are all in one band;
     * NULL: there are no bands. The stage "match" reads them, then the index. */
    nd_key_sort *band_keys;
    /* Hashes as keys of one band, for exact copies and for repeated ids. */
    nd_key_sort *text_hash_order, *id_hash_order;
    nd_spool text_hashes; /* 16 bytes per document */
    nd_spool traits;      /* a byte per document (dedup/document_traits.h), for nd_dedup */
    nd_named_classes named[ND_NAMED_KINDS]; /* for nd_dedup */
    uint8_t *protected_bits;                /* bit d: document d is protected; NULL: none is */
    size_t protected_capacity;
    uint64_t protected_count;
    nd_spool priorities;     /* 8 bytes per document, unless the plan keeps the first document */
    uint64_t without_digest; /* documents that have no TLSH digest, if the plan has digests */
    nd_count_min *words;     /* word counts of all documents; NULL: the plan does not count words */
} nd_ingested;

/* *out is valid for nd_ingested_free in any case. */
nd_status nd_ingest(const nd_run *run, const nd_input_options *input, const nd_dedup_plan *plan,
                    nd_corpus *corpus, nd_ingested *out, nd_error *error);
void nd_ingested_free(nd_ingested *ingested);

#endif

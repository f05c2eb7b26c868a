/* Makes a table of the anchors of a range of documents. */
#ifndef ND_DEDUP_ANCHOR_TABULATE_H
#define ND_DEDUP_ANCHOR_TABULATE_H

#include "dedup/anchor_table.h"
#include "dedup/fates.h"
#include "io/key_sort.h"
#include "sketch/anchors.h"

/* Bytes that a table takes for each anchor, at most, while it is made. */
enum { ND_ANCHOR_TABLE_BYTES = 24 };

typedef struct nd_anchor_table_request {
    const nd_run *run;
    const nd_anchor_plan *plan;
    const nd_key_sort *anchors;  /* keys of one band (sketch/band_key.h) */
    const nd_ranks *ranks;       /* base 0 */
    const nd_fates *fates;       /* exact copies take no part */
    const uint64_t *differ_keys; /* this and the next ones: as in nd_anchor_table */
    uint32_t first, count;       /* fewer than 2^31 documents */
} nd_anchor_table_request;

/* Makes the table, and adds the large buckets of its patterns, still empty, to *out. *table is
 * valid for nd_anchor_table_free in any case. */
nd_status nd_anchor_tabulate(const nd_anchor_table_request *request, nd_candidates *out,
                             nd_anchor_table *table, nd_error *error);

#endif

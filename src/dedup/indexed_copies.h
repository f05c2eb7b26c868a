/* Finds documents that are identical to a document of an index, by their hashes: of these the first
 * one removes the document. Protected documents stay. */
#ifndef ND_DEDUP_INDEXED_COPIES_H
#define ND_DEDUP_INDEXED_COPIES_H

#include "dedup/columns.h"
#include "dedup/fates.h"
#include "dedup/index_update.h"

typedef struct nd_indexed_copies_request {
    const nd_run *run;
    const nd_columns *columns;    /* their sketches are hashes */
    const nd_key_sort *hash_keys; /* of one band (sketch/band_key.h) */
    const nd_ranks *ranks;
    const nd_index_update *update;
} nd_indexed_copies_request;

/* Decides the documents that are no exact copies, and that no earlier run of the job has added.
 */
nd_status nd_find_indexed_copies(const nd_indexed_copies_request *request, nd_fates *fates,
                                 nd_error *error);

#endif

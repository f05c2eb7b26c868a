/* A run against an index: before it, whether the index and the run fit together; after it, and at
 * checkpoints, the kept documents join the index, in the order of rank, as a new segment or, where
 * they are few, through the write-ahead log.
 *
 * What a run adds is one ingest job of the index, named by a hash of its inputs and options. A run
 * that died leaves its job unfinished: the next run with the same name, or with `resume`, continues
 * it, and knows the documents that are in the index already by their ids and sketches. */
#ifndef ND_DEDUP_INDEX_UPDATE_H
#define ND_DEDUP_INDEX_UPDATE_H

#include "dedup/fates.h"
#include "dedup/ranked_documents.h"
#include "io/external_sort.h"

typedef struct nd_index_update nd_index_update;

/* Opens the index of options->index for writing. ND_ERR_ARGUMENT: it was made with other settings.
 * *out is valid for nd_index_update_free in any case. */
nd_status nd_index_update_open(const nd_run *run, const nd_job_options *options,
                               nd_index_update **out, nd_error *error);
/* Closes the index. NULL is accepted. */
void nd_index_update_free(nd_index_update *update);

const nd_store *nd_index_update_store(const nd_index_update *update);
const nd_index_settings *nd_index_update_settings(const nd_index_update *update);
/* Documents of the index before the run: the base of the ranks. */
uint32_t nd_index_update_base(const nd_index_update *update);

/* Looks up the id of each document of the run. An id that the index has is an error; a document
 * that is to be replaced; or one that an earlier run of the same job has added. */
nd_status nd_index_update_check_ids(nd_index_update *update, const nd_columns *columns,
                                    nd_error *error);

/* Bit d: document d is in the index already, by an earlier run of the same job. NULL: none is. */
const uint8_t *nd_index_update_known(const nd_index_update *update);
/* The rank by which results name a document. A document that an earlier run of the same job added
 * has a rank of the index, but is still a document of the run. `update` NULL: the rank itself. */
uint32_t nd_index_update_named_rank(const nd_index_update *update, const nd_ranks *ranks,
                                    uint32_t rank);

/* Where the kept documents are taken from. */
typedef struct nd_update_source {
    const nd_columns *columns;
    const nd_ranks *ranks;
    const nd_fates *fates;
    const nd_external_sort *band_keys; /* as in nd_ingested */
} nd_update_source;

/* Called while documents are decided in the order of input; the fates below `decided` are final.
 * Now and then adds what was kept of them, so that a run that dies has not worked for nothing. */
nd_status nd_index_update_checkpoint(nd_index_update *update, const nd_update_source *source,
                                     uint32_t decided, nd_error *error);
/* Adds what was kept of all others, and ends the job. A compaction that fails is warned of. */
nd_status nd_index_update_finish(nd_index_update *update, const nd_update_source *source,
                                 nd_error *error);

#endif

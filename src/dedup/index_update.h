/* A run against an index. Before the run it checks that index and run fit together. At checkpoints
 * and after the run it adds the kept documents to the index, in the order of rank: as a new
 * segment, or through the write-ahead log if they are few.
 *
 * The documents that a run adds are one ingest job of the index, named by a hash of its inputs and
 * options. If a run dies, its job stays unfinished. The next run with the same name, or with
 * `resume`, continues the job. It recognises the documents that are in the index already by their
 * ids and sketches. */
#ifndef ND_DEDUP_INDEX_UPDATE_H
#define ND_DEDUP_INDEX_UPDATE_H

#include "dedup/fates.h"
#include "dedup/ranked_documents.h"
#include "io/key_sort.h"

typedef struct nd_index_update nd_index_update;

/* Opens the index by its path, or uses the open one, and begins an ingest job in it
 * (index/index_ingest.h). *out is valid for nd_index_update_free in any case. ND_ERR_ARGUMENT: the
 * index was made with other settings. */
nd_status nd_index_update_open(const nd_run *run, const nd_dedup_parts *options,
                               nd_index_update **out, nd_error *error);
/* Ends the job, and closes the index if it was opened by its path. NULL is accepted. */
void nd_index_update_free(nd_index_update *update);

const nd_store *nd_index_update_store(const nd_index_update *update);
const nd_index_settings *nd_index_update_settings(const nd_index_update *update);
/* The name of the index in messages. */
const char *nd_index_update_path(const nd_index_update *update);
/* The number of documents in the index before the run, which is the base of the ranks. */
uint32_t nd_index_update_base(const nd_index_update *update);

/* Looks up the id of each document of the run. If the index has it, then either an earlier run of
 * the same job has added the document, or the indexed document is to be replaced, or it is an error
 * (ND_ERR_ARGUMENT). */
nd_status nd_index_update_check_ids(nd_index_update *update, const nd_columns *columns,
                                    nd_error *error);

/* Begins the merge of large segments that earlier batches have left to do, unless the run may go to
 * the log by the number of its documents: on a thread of its own, or at once with one thread.
 * If a merge fails, this only warns. */
nd_status nd_index_update_begin_merge(nd_index_update *update, uint32_t documents, nd_error *error);

/* Bit n: document n of the index is replaced by a document of the run. It is compared with none,
 * and stays in the index until the run ends. NULL: none is replaced. */
const uint8_t *nd_index_update_replaced(const nd_index_update *update);

/* Bit d: document d of the run is in the index already, because an earlier run of the same job
 * added it. NULL: none is. */
const uint8_t *nd_index_update_known(const nd_index_update *update);
/* Returns the rank by which results name a document. A document that an earlier run of the same job
 * added has a rank of the index, but results name it as a document of the run. `update` NULL:
 * returns the rank itself. */
uint32_t nd_index_update_named_rank(const nd_index_update *update, const nd_ranks *ranks,
                                    uint32_t rank);

/* The results of the stages from which the kept documents are read. */
typedef struct nd_update_source {
    const nd_columns *columns;
    const nd_ranks *ranks;
    const nd_fates *fates;
    const nd_key_sort *band_keys; /* as in nd_ingested */
} nd_update_source;

/* Called while documents are decided in the order of input; the fates of the documents below
 * `decided` are final. From time to time it adds the kept ones among them, so that the work of a
 * run that dies is not lost. */
nd_status nd_index_update_checkpoint(nd_index_update *update, const nd_update_source *source,
                                     uint32_t decided, nd_error *error);
/* Adds the kept ones of all other documents, and ends the job. If the compaction fails, it only
 * warns. */
nd_status nd_index_update_finish(nd_index_update *update, const nd_update_source *source,
                                 nd_error *error);

#endif

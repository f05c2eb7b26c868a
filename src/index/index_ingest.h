/* An ingest job on an open index: one change of the index, in which the job adds its documents, in
 * parts or all at once.
 *
 *   nd_index_begin_ingest    no other change until the end; searches go on
 *   nd_index_begin_merge     at most once, by a job of many documents
 *   nd_index_store_publish   any number of times: a part, written by the job, becomes a segment
 *   nd_index_end_ingest_in_log, nd_index_end_ingest or nd_index_abandon_ingest
 *
 * Between begin and end all threads of the job may read index->store without a lock, because only
 * the job changes it; but not while one of these functions runs. Only the thread that has begun
 * calls these functions. The numbers of documents do not change; published documents come behind
 * all others. If the job replaces documents, publishing the new documents removes the replaced
 * ones; until then the job itself leaves them out of its lookups. */
#ifndef ND_INDEX_INDEX_INGEST_H
#define ND_INDEX_INDEX_INGEST_H

#include "index/index_store.h"

/* Begins an ingest job. Flushes first if the memtable is full or has removed documents, and ends a
 * merge that earlier additions have begun. While segments are written, `progress` is called and may
 * cancel; NULL: it is not. After a failure there is nothing to end. ND_ERR_BUSY: called from a
 * callback of a call that changes the index. Until the end every other change of the index, by any
 * thread, fails with ND_ERR_BUSY. */
nd_status nd_index_begin_ingest(nd_index_store *index, nd_progress *progress, nd_error *error);

/* Begins the merge of large segments that is due, if any: on a thread of its own beside the job, or
 * else at once. The job's end waits for it and installs it. A failure leaves the job as it was. */
nd_status nd_index_begin_merge(nd_index_store *index, bool beside, nd_error *error);

/* Adds the job's documents with nd_store_add, and then removes the replaced ones. Searches wait
 * meanwhile, so it must not call the caller's functions, which might search. */
typedef nd_status nd_index_ingest_fn(void *context, nd_store *store, nd_error *error);

/* Ends a job that has published nothing and has few documents. They go to the write-ahead log as
 * one group with the mark (NULL: none), and are synced as nd_index_set_sync says. If `add` fails,
 * an index in memory is as it was before, and one on disk accepts no further change. If a merge
 * fails, nothing is added. */
nd_status nd_index_end_ingest_in_log(nd_index_store *index, nd_index_ingest_fn *add, void *context,
                                     const nd_ingest_mark *mark, nd_error *error);

/* Ends a job that has published its documents: waits for the merge that was begun, and merges small
 * segments. Only merging can fail: the documents are in the index. */
nd_status nd_index_end_ingest(nd_index_store *index, nd_error *error);

/* Ends a job that has failed. Published parts stay in the index. */
void nd_index_abandon_ingest(nd_index_store *index);

#endif

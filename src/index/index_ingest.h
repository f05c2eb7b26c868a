/* An ingest job on an open index: one change of the index, in which the job adds its documents, in
 * parts or all at once.
 *
 *   nd_index_begin_ingest    no other change until the end; searches go on
 *   nd_index_store_publish   any number of times: a part, written by the job, becomes a segment
 *   nd_index_end_ingest_in_log, nd_index_end_ingest or nd_index_abandon_ingest
 *
 * Between begin and end all threads of the job may read index->store without a lock, since only the
 * job changes it, but not while one of these functions runs. The functions are for the thread that
 * has begun. Numbers of documents stay; published documents come behind all others. Documents that
 * the job replaces are removed by the publication of the new ones; until then the job leaves them
 * out of its lookups itself. */
#ifndef ND_INDEX_INDEX_INGEST_H
#define ND_INDEX_INDEX_INGEST_H

#include "index/index_store.h"

/* Flushes first, if the memtable is full or has removed documents. Writing segments then asks
 * `progress` (NULL: nobody) whether to go on. After a failure there is nothing to end.
 * ND_ERR_BUSY: a callback of a call that changes the index. */
nd_status nd_index_begin_ingest(nd_index_store *index, nd_progress *progress, nd_error *error);

/* Adds the job's documents with nd_store_add. Searches wait meanwhile, so it must not call the
 * caller's functions, which might search. */
typedef nd_status nd_index_ingest_fn(void *context, nd_store *store, nd_error *error);

/* Ends a job that has published nothing and has few documents: they go to the write-ahead log, as
 * one group with the mark (NULL: none), and are synced as nd_index_set_sync says. A failure of
 * `add` ends all changes of the index. */
nd_status nd_index_end_ingest_in_log(nd_index_store *index, nd_index_ingest_fn *add, void *context,
                                     const nd_ingest_mark *mark, nd_error *error);

/* Ends a job that has published its documents, and compacts levels. A failure is only one of the
 * compaction: the documents are in the index. */
nd_status nd_index_end_ingest(nd_index_store *index, nd_error *error);

/* Ends a job that has failed. Published parts stay. */
void nd_index_abandon_ingest(nd_index_store *index);

#endif

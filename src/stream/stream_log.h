/* The write-ahead log of a stream (storage/write_ahead_log.h). Arrivals are collected in memory,
 * then written and synced together. A thread of the log's own can do that while the caller goes on,
 * so that the next documents are clustered while the disk works.
 *
 * One thread at a time calls these functions. */
#ifndef ND_STREAM_STREAM_LOG_H
#define ND_STREAM_STREAM_LOG_H

#include "index/index.h"
#include "storage/write_ahead_log.h"
#include "stream/arrival.h"

enum { ND_STREAM_RECORD = 1 }; /* type of an arrival in the log */

typedef struct nd_stream_log nd_stream_log;

/* Owns the log from now on, and closes it, after a failure too. */
nd_status nd_stream_log_create(nd_wal *log, const nd_allocator *allocator, nd_stream_log **out,
                               nd_error *error);
/* Waits for the thread. Arrivals that no sync has begun to write are lost. NULL is accepted. */
void nd_stream_log_close(nd_stream_log *log);

/* Collects an arrival, which the next sync makes durable. */
nd_status nd_stream_log_add(nd_stream_log *log, const nd_arrival *arrival, nd_error *error);

/* Makes all collected arrivals durable, and before them the documents that they have added to the
 * index (NULL: none). After a failure, every further call of these three fails with it. */
nd_status nd_stream_log_sync(nd_stream_log *log, nd_index *index, nd_error *error);
/* Called by the log's thread when the arrivals are durable. */
typedef void nd_stream_synced_fn(void *context);
/* Waits for the sync before, and returns its failure; then begins another. The caller may go on to
 * change the index. */
nd_status nd_stream_log_begin_sync(nd_stream_log *log, nd_index *index, nd_stream_synced_fn *fn,
                                   void *context, nd_error *error);
/* Waits until the sync that was begun, and its fn, have ended. */
nd_status nd_stream_log_wait(nd_stream_log *log, nd_error *error);

/* Bytes of the file, without a sync that goes on. */
uint64_t nd_stream_log_size(const nd_stream_log *log);

#endif

/* The log of a stream (storage/write_ahead_log.h): arrivals are collected, and written and synced
 * together, by a thread where the caller goes on meanwhile. So the disk is waited for while the
 * next documents are looked at. */
#ifndef ND_STREAM_STREAM_LOG_H
#define ND_STREAM_STREAM_LOG_H

#include "stream/arrival.h"
#include "storage/write_ahead_log.h"

enum { ND_STREAM_RECORD = 1 }; /* type of an arrival in the log */

typedef struct nd_stream_log nd_stream_log;

/* Takes the log, which is closed with it, on failure too. */
nd_status nd_stream_log_create(nd_log *log, const nd_allocator *allocator, nd_stream_log **out,
                               nd_error *error);
/* Waits for the thread; what it does not have is lost. NULL is accepted. */
void nd_stream_log_close(nd_stream_log *log);

/* An arrival, to be durable with the next sync. */
nd_status nd_stream_log_add(nd_stream_log *log, const nd_arrival *arrival, nd_error *error);

/* All that was added is durable. After a failure every further call fails with it, here and below.
 */
nd_status nd_stream_log_sync(nd_stream_log *log, nd_error *error);
/* Told, by the thread, when it is durable. */
typedef void nd_stream_synced_fn(void *context);
/* Waits for the sync before, whose failure it tells, and begins another. */
nd_status nd_stream_log_begin_sync(nd_stream_log *log, nd_stream_synced_fn *fn, void *context,
                                   nd_error *error);
/* Until nothing that was begun goes on, fn included. */
nd_status nd_stream_log_wait(nd_stream_log *log, nd_error *error);

/* Bytes of the file, but for what is on its way. */
uint64_t nd_stream_log_size(const nd_stream_log *log);

#endif

/* The inside of a stream's handle, and what nd_stream_run needs beside the public calls.
 *
 * Not thread-safe: one thread at a time uses a stream. Only the sync of its log runs on a thread of
 * its own (stream/stream_log.h). */
#ifndef ND_STREAM_STREAM_H
#define ND_STREAM_STREAM_H

#include "stream/arrival_maker.h"
#include "stream/stream_files.h"
#include "stream/stream_index.h"

struct nd_stream {
    nd_allocator allocator;
    nd_stream_settings settings;
    nd_stream_parts parts; /* of the settings; dictionary, stop words and table are the caller's */
    nd_stream_files files;
    nd_clusters *clusters;
    nd_stream_index index;                    /* with MinHash, of a writer */
    nd_arrival_maker *maker;                  /* of a writer, for nd_stream_add */
    uint32_t topic_count;                     /* topics of an answer; nd_stream_set_topics */
    nd_stream_topic topics[ND_STREAM_TOPICS]; /* of the last answer */
    nd_stream_answer answer;                  /* the last one of nd_stream_add */
    nd_error failure; /* of an earlier change: every further change fails with it */
};

/* For one more thread that makes arrivals. */
nd_status nd_stream_create_maker(const nd_stream *stream, nd_arrival_maker **out, nd_error *error);

/* ND_ERR_ARGUMENT: the stream was opened for reading, or by the parent of this process. Otherwise
 * the failure of an earlier change. */
nd_status nd_stream_check_changeable(const nd_stream *stream, nd_error *error);

/* Adds a prepared arrival, with its id and time. `answer`, which may be NULL: its pointers except
 * the id are valid until the next call. REQUIRES: nd_stream_check_changeable. */
nd_status nd_stream_add_prepared(nd_stream *stream, nd_prepared_arrival *prepared,
                                 nd_stream_answer *answer, nd_error *error);

/* nd_stream_sync for a caller that goes on meanwhile: when all arrivals so far are durable, a
 * thread calls fn. Waits for the sync before. Two cases stop everything, and call fn before they
 * return: with MinHash the index must lose the documents of forgotten clusters, once these are
 * durable; and a state may be due. */
nd_status nd_stream_begin_sync(nd_stream *stream, nd_stream_synced_fn *fn, void *context,
                               nd_error *error);
/* Waits until no fn is called any more. */
nd_status nd_stream_end_sync(nd_stream *stream, nd_error *error);

#endif

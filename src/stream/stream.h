/* The inside of a stream's handle, and one thread's way from a text to an arrival. */
#ifndef ND_STREAM_STREAM_H
#define ND_STREAM_STREAM_H

#include "stream/stream_files.h"
#include "stream/stream_index.h"
#include "sketch/text_simhash.h"
#include "text/term_frequencies.h"

struct nd_stream {
    nd_allocator allocator;
    nd_stream_settings settings;
    nd_stream_options
        options; /* what they were made of; table, stop words and dictionary are the caller's */
    nd_stream_files files;
    nd_clusters *clusters;
    nd_stream_index index;          /* ND_SKETCH_MINHASH, of a writer */
    struct nd_arrival_maker *maker; /* of nd_stream_add */
    uint32_t topics;                /* of an answer */
    nd_stream_topic told[ND_STREAM_TOPICS];
    nd_error failure; /* of a change: no more are taken */
};

/* One thread's means: fingerprints and words. */
typedef struct nd_arrival_maker {
    nd_allocator allocator;
    nd_analyzer *analyzer;
    nd_text_simhash *simhash; /* NULL: with MinHash there are no fingerprints */
    nd_word_list *words;
} nd_arrival_maker;

nd_status nd_arrival_maker_create(const nd_stream *stream, nd_arrival_maker **out, nd_error *error);
/* NULL is accepted. */
void nd_arrival_maker_free(nd_arrival_maker *maker);
/* fingerprint and words; valid until the next. */
nd_status nd_arrival_make(nd_arrival_maker *maker, const char *text, size_t length, nd_arrival *out,
                          nd_error *error);

/* ND_ERR_ARGUMENT: opened for reading, or by the process of which this one is a child. Or the
 * failure after which no more is taken. */
nd_status nd_stream_check_changeable(const nd_stream *stream, nd_error *error);

/* An arrival that is made; the text is looked at with MinHash. The answer's pointers but the id are
 * valid until the next. */
nd_status nd_stream_take(nd_stream *stream, nd_arrival *arrival, const char *text, size_t length,
                         nd_stream_answer *answer, nd_error *error);

/* The heaviest topics of a cluster, at most `most` and ND_STREAM_TOPICS; returns how many. */
size_t nd_stream_tell_topics(const nd_stream *stream, const nd_cluster_view *cluster, uint32_t most,
                             nd_stream_topic *out);

/* nd_stream_sync for who goes on meanwhile: once what has arrived is durable a thread calls fn.
 * Waits for the one before. Where all must come to a stop (with MinHash the index goes before the
 * log; a state is to be saved) it does so, and calls fn, before it returns. */
nd_status nd_stream_begin_sync(nd_stream *stream, nd_stream_synced_fn *fn, void *context,
                               nd_error *error);
/* Until no fn is called any more. */
nd_status nd_stream_end_sync(nd_stream *stream, nd_error *error);

#endif

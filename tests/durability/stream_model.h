/* A stream for tests of faults: its documents, and its observable state after each of them. Many
 * documents are near others; some of these come after the cluster has been forgotten. */
#ifndef ND_TESTS_STREAM_MODEL_H
#define ND_TESTS_STREAM_MODEL_H

#include "neardup.h"
#include "stream_seen.h"

/* Moving centroids, and leaders by MinHash with their index; both kinds forget clusters. */
typedef enum stream_kind { STREAM_FOLLOWS, STREAM_MINHASH, STREAM_KINDS } stream_kind;
/* At most UNANSWERED documents are added without a sync, and as many again while a sync runs. The
 * stream remembers more ids than that. */
enum { ARRIVALS = 100, UNANSWERED = 7 };

/* One of this many cases is tried: on slow machines, and without small limits, because the counts
 * of words are then 32 MiB per state. */
unsigned stream_sparse(void);

/* Makes the documents of a kind. Also makes, in a directory that is removed again, the streams of
 * the first 0, 1, 2 ... documents. */
void stream_use(stream_kind kind, uint64_t seed);
void stream_end(void);
const char *stream_name(void);

nd_stream_options stream_options(void);
/* Adds the documents from `from` to `to`, with some syncs between them and one at the end;
 * *answered: the documents that a sync has reported. */
nd_status stream_feed(nd_stream *s, unsigned from, unsigned to, uint64_t *seed, unsigned *answered,
                      nd_error *error);

/* The stream shows the state that its number of documents demands. Returns ND_OK, or the failure of
 * an observation. */
nd_status stream_observe(nd_stream *s, unsigned *documents, nd_error *error);
/* Opens the stream, which must succeed if `answered` > 0. It has between `answered` and `begun`
 * documents, and shows their state. Returns whether the stream exists. */
bool stream_open_surely(const char *path, unsigned answered, unsigned begun);
/* Sends all documents that were not answered, in one or two sessions. Then the stream is as if
 * nothing had happened. */
void stream_go_on(const char *path, unsigned answered, uint64_t *seed);

#endif

/* A stream for tests of faults: its documents, of which many are near others, some after the
 * cluster of these has been forgotten; and all that is to be seen of it after each of them. */
#ifndef ND_TESTS_STREAM_MODEL_H
#define ND_TESTS_STREAM_MODEL_H

#include "neardup.h"
#include "stream_seen.h"

/* Centres that follow, leaders by MinHash with their index; both forget. */
typedef enum stream_kind { STREAM_FOLLOWS, STREAM_MINHASH, STREAM_KINDS } stream_kind;
/* Of the documents at most UNANSWERED at a time are added without a sync, and as many while a sync
 * goes on: fewer than are known again. */
enum { ARRIVALS = 100, UNANSWERED = 7 };

/* Of how many cases one is tried: on slow machines, and where limits are not small, for then the
 * counts of words alone are 32 MiB a state. */
unsigned stream_sparse(void);

/* Makes the documents of a kind, and, in a directory that is removed again, the streams of the
 * first of them. */
void stream_use(stream_kind kind, uint64_t seed);
void stream_end(void);
const char *stream_name(void);

nd_stream_options stream_options(void);
/* The documents from `from` to `to`, synced now and then, and at the end; *answered: those of which
 * that has told. */
nd_status stream_feed(nd_stream *s, unsigned from, unsigned to, uint64_t *seed, unsigned *answered,
                      nd_error *error);

/* The stream shows what it must after as many documents as it has; ND_OK, or what looking said. */
nd_status stream_observe(nd_stream *s, unsigned *documents, nd_error *error);
/* Opens, which must succeed where `answered` > 0: it has between `answered` and `begun` documents,
 * and shows what it must. Whether it is there. */
bool stream_open_surely(const char *path, unsigned answered, unsigned begun);
/* Sends again what was not answered, and the rest, in one or two sessions: then the stream is as if
 * nothing had been. */
void stream_go_on(const char *path, unsigned answered, uint64_t *seed);

#endif

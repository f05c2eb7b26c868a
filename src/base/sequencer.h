/* Puts parts of one piece of work, which several threads compute at the same time, back into the
 * order of their sequence numbers 0, 1, 2, ...
 *
 * A thread takes the next number, computes that part, waits until all lower parts have been
 * emitted, emits its own, and advances to the next number. Numbers are given out in order, so the
 * lowest part that is not emitted always belongs to a running thread, and no wait lasts forever.
 *
 * Thread-safe, except for init, free and result. */
#ifndef ND_BASE_SEQUENCER_H
#define ND_BASE_SEQUENCER_H

#include "base/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct nd_sequencer {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t to_emit;        /* the lowest part that is not emitted */
    atomic_size_t to_take; /* the next number to give out */
    atomic_bool failed;
    nd_status status; /* of the first failure */
    nd_error error;
} nd_sequencer;

void nd_sequencer_init(nd_sequencer *sequencer);
void nd_sequencer_free(nd_sequencer *sequencer);

/* The sequence number of the next part, which now belongs to the caller. */
static inline size_t nd_sequencer_next(nd_sequencer *sequencer) {
    return atomic_fetch_add(&sequencer->to_take, 1);
}

/* Waits until all parts below `part` have been emitted. ND_ERR_CANCELLED, without a message:
 * another part has failed, and the work is to end. */
nd_status nd_sequencer_await(nd_sequencer *sequencer, size_t part);
/* The same question without the wait: *reached says whether they have. */
nd_status nd_sequencer_reached(nd_sequencer *sequencer, size_t part, bool *reached);

/* The part that was awaited has been emitted. */
void nd_sequencer_advance(nd_sequencer *sequencer);

/* Reports a failure. The first one is kept, and ends the work of the others. `error` may be NULL.
 */
void nd_sequencer_fail(nd_sequencer *sequencer, nd_status status, const nd_error *error);
/* The first failure, or ND_OK. REQUIRES: all threads are done. */
nd_status nd_sequencer_result(const nd_sequencer *sequencer, nd_error *error);

#endif

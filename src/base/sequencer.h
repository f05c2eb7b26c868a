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

typedef struct nd_turns {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t to_emit;        /* the lowest part that is not emitted */
    atomic_size_t to_take; /* the next number to give out */
    atomic_bool failed;
    nd_status status; /* of the first failure */
    nd_error error;
} nd_turns;

void nd_turns_init(nd_turns *sequencer);
void nd_turns_free(nd_turns *sequencer);

/* The sequence number of the next part, which now belongs to the caller. */
static inline size_t nd_turns_take(nd_turns *sequencer) {
    return atomic_fetch_add(&sequencer->to_take, 1);
}

/* Waits until all parts below `part` have been emitted. ND_ERR_CANCELLED, without a message:
 * another part has failed, and the work is to end. */
nd_status nd_turns_await(nd_turns *sequencer, size_t part);
/* The same question without the wait: *reached says whether they have. */
nd_status nd_turns_reached(nd_turns *sequencer, size_t part, bool *reached);

/* The part that was awaited has been emitted. */
void nd_turns_advance(nd_turns *sequencer);

/* Reports a failure. The first one is kept, and ends the work of the others. `error` may be NULL.
 */
void nd_turns_fail(nd_turns *sequencer, nd_status status, const nd_error *error);
/* The first failure, or ND_OK. REQUIRES: all threads are done. */
nd_status nd_turns_result(const nd_turns *sequencer, nd_error *error);

#endif

/* Parts of a piece of work, done by several threads and given out in the order of their numbers:
 * whose turn it is, and whether one has failed. */
#ifndef ND_BASE_SEQUENCER_H
#define ND_BASE_SEQUENCER_H

#include "base/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct nd_turns {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t turn;           /* the part whose turn it is */
    atomic_size_t to_take; /* the next part that nobody works on */
    atomic_bool failed;
    nd_status status; /* of the first that failed */
    nd_error error;
} nd_turns;

void nd_turns_init(nd_turns *turns);
void nd_turns_free(nd_turns *turns);

/* The next part. Parts are taken in order, so that the lowest that is not given out is in the hands
 * of a thread that runs. */
static inline size_t nd_turns_take(nd_turns *turns) { return atomic_fetch_add(&turns->to_take, 1); }

/* Waits until it is the part's turn, or, without `wait`, asks whether it is. ND_ERR_CANCELLED:
 * another has failed, the work is to end. */
nd_status nd_turns_await(nd_turns *turns, size_t part, bool wait, bool *reached);

/* The part whose turn it is is given out. */
void nd_turns_advance(nd_turns *turns);

/* Notes the first failure, and ends the others' work. `error` may be NULL. */
void nd_turns_fail(nd_turns *turns, nd_status status, const nd_error *error);
/* The first failure, when all threads are done. */
nd_status nd_turns_result(const nd_turns *turns, nd_error *error);

#endif

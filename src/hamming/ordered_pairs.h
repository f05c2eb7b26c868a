/* Pairs that one of several threads finds, on the way to a callback that gets them from one thread
 * at a time and in the order of the parts (sequencer.h). A thread goes on with further parts while
 * its pairs wait for their turn, until its queue is full. */
#ifndef ND_HAMMING_ORDERED_PAIRS_H
#define ND_HAMMING_ORDERED_PAIRS_H

#include "base/limits.h"
#include "base/sequencer.h"

/* Two numbers and in how many bits their fingerprints differ. */
typedef struct nd_hamming_pair {
    uint32_t a, b, distance;
} nd_hamming_pair;

/* Return ND_ERR_CANCELLED, or another failure, to end it. */
typedef nd_status nd_hamming_pairs_fn(void *context, const nd_hamming_pair *pairs, size_t count,
                                      nd_error *error);

enum {
    ND_PAIR_BATCH = ND_LIMIT(1 << 12, 3),  /* pairs that a callback gets at most */
    ND_PAIR_QUEUE = ND_LIMIT(1 << 14, 10), /* that wait */
    ND_PAIR_BATCHES = ND_LIMIT(64, 3)
};

typedef struct nd_pair_batch {
    size_t part, count;
    bool last; /* of its part */
} nd_pair_batch;

typedef struct nd_pair_queue {
    nd_turns *turns;
    nd_hamming_pairs_fn *fn;
    void *context;
    nd_pair_batch lots[ND_PAIR_BATCHES];
    size_t lot_count;
    size_t part;
    size_t open, count; /* where the lot begins that is being filled; pairs */
    nd_hamming_pair pairs[ND_PAIR_QUEUE];
} nd_pair_queue;

/* The pairs from here on are of this part. */
void nd_pair_queue_begin_part(nd_pair_queue *queue, size_t part);
/* ND_ERR_CANCELLED: the callback has ended it, or another thread has failed (which sequencer.h
 * knows). */
nd_status nd_pair_queue_close_lot(nd_pair_queue *queue, bool last, nd_error *error);
/* Gives out what waits, when there are no more parts for this thread. */
nd_status nd_pair_queue_finish(nd_pair_queue *queue, nd_error *error);

static inline nd_status nd_pair_queue_put(nd_pair_queue *queue, nd_hamming_pair pair,
                                          nd_error *error) {
    queue->pairs[queue->count++] = pair;
    return queue->count - queue->open == ND_PAIR_BATCH
               ? nd_pair_queue_close_lot(queue, false, error)
               : ND_OK;
}

#endif

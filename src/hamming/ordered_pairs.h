/* A queue of pairs in front of a callback. Several threads find pairs, part by part; the callback
 * gets them from one thread at a time and in the order of the parts (base/sequencer.h).
 *
 * Each thread has its own queue. While its part is not the next in order, its pairs wait in the
 * queue and the thread goes on with further parts, until the queue is full. */
#ifndef ND_HAMMING_ORDERED_PAIRS_H
#define ND_HAMMING_ORDERED_PAIRS_H

#include "base/limits.h"
#include "base/sequencer.h"

/* Two numbers, and in how many bits their fingerprints differ. */
typedef struct nd_numbered_pair {
    uint32_t a, b, distance;
} nd_numbered_pair;

/* Return ND_ERR_CANCELLED, or another failure, to end the join. */
typedef nd_status nd_numbered_pairs_fn(void *context, const nd_numbered_pair *pairs, size_t count,
                                       nd_error *error);

enum {
    ND_PAIR_BATCH = ND_LIMIT(1 << 12, 3),  /* pairs that a callback gets at most */
    ND_PAIR_QUEUE = ND_LIMIT(1 << 14, 10), /* pairs that wait at most */
    ND_PAIR_BATCHES = ND_LIMIT(64, 3)      /* batches that wait at most */
};

/* Pairs of one part that the callback gets together. */
typedef struct nd_pair_batch {
    size_t part, count;
    bool last; /* of its part */
} nd_pair_batch;

typedef struct nd_pair_queue {
    nd_sequencer *turns;
    nd_numbered_pairs_fn *fn;
    void *context;
    nd_pair_batch batches[ND_PAIR_BATCHES];
    size_t batch_count;
    size_t part;
    size_t open;  /* where the batch begins that is being filled */
    size_t count; /* pairs */
    nd_numbered_pair pairs[ND_PAIR_QUEUE];
} nd_pair_queue;

/* Begins a part: the pairs from here on are of it. */
void nd_pair_queue_begin_part(nd_pair_queue *queue, size_t part);
/* Ends the part. ND_ERR_CANCELLED, as from the calls below: the callback has ended the join, or
 * another thread has failed, and the sequencer has the failure. */
nd_status nd_pair_queue_end_part(nd_pair_queue *queue, nd_error *error);
/* Emits all that waits, when there are no more parts for this thread. */
nd_status nd_pair_queue_finish(nd_pair_queue *queue, nd_error *error);

/* A step of nd_pair_queue_put: ends a full batch. */
nd_status nd_pair_queue_end_batch(nd_pair_queue *queue, nd_error *error);
static inline nd_status nd_pair_queue_put(nd_pair_queue *queue, nd_numbered_pair pair,
                                          nd_error *error) {
    queue->pairs[queue->count++] = pair;
    return queue->count - queue->open == ND_PAIR_BATCH ? nd_pair_queue_end_batch(queue, error)
                                                       : ND_OK;
}

#endif

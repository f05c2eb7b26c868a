#include "hamming/ordered_pairs.h"

#include <string.h>

void nd_pair_queue_begin_part(nd_pair_queue *q, size_t part) { q->part = part; }

/* Emits the batches whose part is the next in order. wait: for the others as well. */
static nd_status emit(nd_pair_queue *q, bool wait, nd_error *error) {
    size_t begin = 0, batch = 0;
    nd_status status = ND_OK;
    for (; batch < q->batch_count; batch++) {
        bool reached = true;
        status = wait ? nd_turns_await(q->turns, q->batches[batch].part)
                      : nd_turns_reached(q->turns, q->batches[batch].part, &reached);
        if (status != ND_OK || !reached) break;
        if (q->batches[batch].count > 0)
            status = q->fn(q->context, q->pairs + begin, q->batches[batch].count, error);
        if (status != ND_OK) break;
        begin += q->batches[batch].count;
        if (q->batches[batch].last) nd_turns_advance(q->turns);
    }
    q->batch_count -= batch;
    q->count -= begin;
    q->open -= begin;
    memmove(q->batches, q->batches + batch, q->batch_count * sizeof *q->batches);
    memmove(q->pairs, q->pairs + begin, q->count * sizeof *q->pairs);
    return status;
}

static void close_batch(nd_pair_queue *q, bool last) {
    q->batches[q->batch_count++] = (nd_pair_batch){
        .part = q->part, .count = q->count - q->open, .last = last};
    q->open = q->count;
}

static bool is_full(const nd_pair_queue *q) {
    return q->batch_count == ND_PAIR_BATCHES || ND_PAIR_QUEUE - q->count < ND_PAIR_BATCH;
}

nd_status nd_pair_queue_end_batch(nd_pair_queue *q, nd_error *error) {
    close_batch(q, false);
    return is_full(q) ? emit(q, true, error) : ND_OK;
}

nd_status nd_pair_queue_end_part(nd_pair_queue *q, nd_error *error) {
    close_batch(q, true);
    return emit(q, is_full(q), error);
}

nd_status nd_pair_queue_finish(nd_pair_queue *q, nd_error *error) { return emit(q, true, error); }

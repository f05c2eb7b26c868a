#include "hamming/ordered_pairs.h"

#include <string.h>

void nd_pair_queue_begin_part(nd_pair_queue *q, size_t part) { q->part = part; }

/* Emits a batch, whose pairs are from *begin on, and moves *begin behind them. */
static nd_status emit(nd_pair_queue *q, const nd_pair_batch *batch, size_t *begin,
                      nd_error *error) {
    if (batch->count > 0) ND_TRY(q->fn(q->context, q->pairs + *begin, batch->count, error));
    *begin += batch->count;
    if (batch->last) nd_sequencer_advance(q->turns);
    return ND_OK;
}

/* Removes the first batches, which had so many pairs. */
static void remove_first(nd_pair_queue *q, size_t batches, size_t pairs) {
    q->batch_count -= batches;
    q->count -= pairs;
    q->open -= pairs;
    memmove(q->batches, q->batches + batches, q->batch_count * sizeof *q->batches);
    memmove(q->pairs, q->pairs + pairs, q->count * sizeof *q->pairs);
}

/* Emits the batches whose part is the next in order. */
static nd_status emit_ready(nd_pair_queue *q, nd_error *error) {
    size_t begin = 0, batch = 0;
    for (bool reached; batch < q->batch_count; batch++) {
        ND_TRY(nd_sequencer_reached(q->turns, q->batches[batch].part, &reached));
        if (!reached) break;
        ND_TRY(emit(q, &q->batches[batch], &begin, error));
    }
    remove_first(q, batch, begin);
    return ND_OK;
}

/* Waits for the turn of each batch, and emits it. */
static nd_status emit_all(nd_pair_queue *q, nd_error *error) {
    size_t begin = 0;
    for (size_t batch = 0; batch < q->batch_count; batch++) {
        ND_TRY(nd_sequencer_await(q->turns, q->batches[batch].part));
        ND_TRY(emit(q, &q->batches[batch], &begin, error));
    }
    remove_first(q, q->batch_count, begin);
    return ND_OK;
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
    return is_full(q) ? emit_all(q, error) : ND_OK;
}

nd_status nd_pair_queue_end_part(nd_pair_queue *q, nd_error *error) {
    close_batch(q, true);
    return is_full(q) ? emit_all(q, error) : emit_ready(q, error);
}

nd_status nd_pair_queue_finish(nd_pair_queue *q, nd_error *error) { return emit_all(q, error); }

#include "hamming/ordered_pairs.h"

#include <string.h>

void nd_pair_queue_begin_part(nd_pair_queue *q, size_t part) { q->part = part; }

/* Gives out lots as far as it is their turn, or waits for it. */
static nd_status give_out(nd_pair_queue *q, bool wait, nd_error *error) {
    size_t begin = 0, lot = 0;
    nd_status status = ND_OK;
    for (; lot < q->lot_count; lot++) {
        bool reached = true;
        status = wait ? nd_turns_await(q->turns, q->lots[lot].part)
                      : nd_turns_reached(q->turns, q->lots[lot].part, &reached);
        if (status != ND_OK || !reached) break;
        if (q->lots[lot].count > 0)
            status = q->fn(q->context, q->pairs + begin, q->lots[lot].count, error);
        if (status != ND_OK) break;
        begin += q->lots[lot].count;
        if (q->lots[lot].last) nd_turns_advance(q->turns);
    }
    q->lot_count -= lot;
    q->count -= begin;
    q->open -= begin;
    memmove(q->lots, q->lots + lot, q->lot_count * sizeof *q->lots);
    memmove(q->pairs, q->pairs + begin, q->count * sizeof *q->pairs);
    return status;
}

nd_status nd_pair_queue_close_lot(nd_pair_queue *q, bool last, nd_error *error) {
    q->lots[q->lot_count++] = (nd_pair_batch){q->part, q->count - q->open, last};
    q->open = q->count;
    bool full = q->lot_count == ND_PAIR_BATCHES || ND_PAIR_QUEUE - q->count < ND_PAIR_BATCH;
    return full || last ? give_out(q, full, error) : ND_OK;
}

nd_status nd_pair_queue_finish(nd_pair_queue *q, nd_error *error) {
    return give_out(q, true, error);
}

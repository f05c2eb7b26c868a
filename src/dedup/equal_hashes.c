#include "dedup/equal_hashes.h"

#include "base/sequencer.h"
#include "base/workers.h"

typedef struct hash_runs {
    const nd_key_sort *sorter;
    const nd_allocator *allocator;
    nd_hash_run_fn *fn;
    void *context;
    nd_sequencer order; /* of the parts */
} hash_runs;

static nd_status give_runs(const hash_runs *r, const nd_part_buffer *part, nd_error *error) {
    const uint64_t *words = part->words;
    for (size_t begin = 0, end; begin < part->count; begin = end) {
        for (end = begin + 1; end < part->count && words[end] >> 32 == words[begin] >> 32;) end++;
        if (end - begin > 1) ND_TRY(r->fn(r->context, words + begin, end - begin, error));
    }
    return ND_OK;
}

/* nd_worker_fn. Failures are in `order`. */
static nd_status sort_parts(void *context, uint32_t index, nd_error *error) {
    (void)index;
    hash_runs *r = context;
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    while (status == ND_OK) {
        size_t part = nd_sequencer_next(&r->order);
        if (part >= nd_key_sort_parts(r->sorter)) break;
        status = nd_key_sort_load(r->sorter, part, &buffer, error);
        if (status == ND_OK) status = nd_sequencer_await(&r->order, part);
        if (status == ND_OK) status = give_runs(r, &buffer, error);
        if (status == ND_OK) nd_sequencer_advance(&r->order);
        else nd_sequencer_fail(&r->order, status, error);
    }
    nd_part_buffer_free(r->allocator, &buffer);
    return ND_OK;
}

nd_status nd_hash_runs_each(const nd_key_sort *sorter, const nd_run *run, nd_hash_run_fn *fn,
                            void *context, nd_error *error) {
    hash_runs r = {.sorter = sorter, .allocator = &run->allocator, .fn = fn, .context = context};
    nd_sequencer_init(&r.order);
    nd_status status = nd_run_workers(&run->allocator, run->threads, sort_parts, &r, error);
    if (status == ND_OK) status = nd_sequencer_result(&r.order, error);
    nd_sequencer_free(&r.order);
    return status;
}

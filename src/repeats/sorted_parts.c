#include "repeats/sorted_parts.h"

#include "base/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Of the budget, in percent. */
enum { READING_SHARE = 10 };

/* Words that a thread collects before it takes the lock: a multiple of 1, 2 and 3. */
enum { MOST_QUEUED = ND_LIMIT(6144, 6) };

/* Records for a target. */
struct nd_parts_queue {
    uint64_t words[MOST_QUEUED];
    size_t count; /* words */
};

/* The state of a running pass. */
struct nd_parts_progress {
    pthread_mutex_t lock; /* of the targets, and of dropping parts */
    atomic_size_t next;
    atomic_bool failed;
};

size_t nd_parts_memory(const nd_run *run, unsigned percent) {
    uint64_t share = run->budget.shared / 100 * percent / ND_LIMIT(1, 1 << 14);
    return (size_t)(share < 1 << 12 ? 1 << 12 : share);
}

size_t nd_parts_reading_memory(const nd_run *run) {
    return nd_parts_memory(run, READING_SHARE) / run->threads;
}

nd_status nd_parts_create(const nd_run *run, const nd_parts_settings *s, nd_external_sort **out,
                          nd_error *error) {
    const nd_external_sort_settings settings = {.disk = run->space,
                                                .parts = ND_PARTS,
                                                .memory_limit = nd_parts_memory(run, s->percent),
                                                .words = s->words,
                                                .keys = s->keys,
                                                .what = s->what};
    return nd_external_sort_create_records(&run->allocator, &settings, out, error);
}

/* ---- queues */

static nd_status flush(nd_parts_worker *w, unsigned target, nd_error *error) {
    const nd_parts_target *t = &w->pass->targets[target];
    struct nd_parts_queue *q = w->queues[target];
    nd_status status = ND_OK;
    pthread_mutex_lock(&w->pass->progress->lock);
    for (size_t i = 0; i < q->count && status == ND_OK; i += t->words)
        status = nd_external_sort_push_record(t->to, (size_t)(q->words[i] >> t->shift),
                                              q->words + i, error);
    pthread_mutex_unlock(&w->pass->progress->lock);
    q->count = 0;
    return status;
}

nd_status nd_parts_queue_record(nd_parts_worker *w, unsigned target, const uint64_t *record,
                                nd_error *error) {
    struct nd_parts_queue *q = w->queues[target];
    unsigned words = w->pass->targets[target].words;
    memcpy(q->words + q->count, record, words * sizeof *record);
    q->count += words;
    return q->count == MOST_QUEUED ? flush(w, target, error) : ND_OK;
}

static nd_status flush_all(nd_parts_worker *w, nd_error *error) {
    for (unsigned t = 0; t < 2; t++)
        if (w->queues[t] && w->queues[t]->count > 0) ND_TRY(flush(w, t, error));
    return ND_OK;
}

/* ---- workers */

static nd_status take_parts(nd_parts_worker *w, nd_error *error) {
    const nd_parts_pass *p = w->pass;
    const nd_run *run = p->run;
    size_t memory = nd_parts_reading_memory(run);
    while (!atomic_load(&p->progress->failed)) {
        size_t part = atomic_fetch_add(&p->progress->next, 1);
        if (part >= ND_PARTS) break;
        ND_TRY(nd_progress_report(run->progress, ND_STAGE_MATCH, part, ND_PARTS, error));
        ND_TRY(nd_part_reader_open(&w->part, &run->allocator, p->from, part, memory, error));
        w->number = part;
        ND_TRY(p->take_part(w, error));
        if (p->again) continue;
        pthread_mutex_lock(&p->progress->lock);
        nd_external_sort_drop(p->from, part);
        pthread_mutex_unlock(&p->progress->lock);
    }
    return flush_all(w, error);
}

static nd_status create_worker(nd_parts_worker *w, nd_error *error) {
    const nd_allocator *a = &w->pass->run->allocator;
    for (unsigned t = 0; t < 2; t++) {
        if (!w->pass->targets[t].to) continue;
        w->queues[t] = nd_allocate(a, 1, sizeof *w->queues[t]);
        if (!w->queues[t]) return nd_fail_memory(error, sizeof *w->queues[t], "a worker");
        w->queues[t]->count = 0;
    }
    return w->pass->create_worker ? w->pass->create_worker(w, error) : ND_OK;
}

/* nd_worker_fn */
static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    (void)index;
    nd_parts_pass *p = context;
    const nd_allocator *a = &p->run->allocator;
    nd_parts_worker w = {.pass = p};
    nd_status status = create_worker(&w, error);
    if (status == ND_OK) status = take_parts(&w, error);
    if (status != ND_OK) atomic_store(&p->progress->failed, true);
    if (p->destroy_worker) p->destroy_worker(&w);
    for (unsigned t = 0; t < 2; t++) nd_release(a, w.queues[t]);
    nd_part_reader_free(a, &w.part);
    return status;
}

nd_status nd_parts_run(nd_parts_pass *p, nd_error *error) {
    struct nd_parts_progress progress = {.next = 0};
    ND_TRY(nd_external_sort_flush(p->from, error));
    pthread_mutex_init(&progress.lock, NULL);
    p->progress = &progress;
    nd_status status = nd_run_workers(&p->run->allocator, p->run->threads, run_worker, p, error);
    pthread_mutex_destroy(&progress.lock);
    p->progress = NULL;
    return status;
}

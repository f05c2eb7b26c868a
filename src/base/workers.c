#include "base/workers.h"

#include "base/alloc.h"

#include <pthread.h>

typedef struct worker {
    pthread_t thread;
    nd_worker_fn *fn;
    void *context;
    uint32_t index;
    bool started;
    nd_status status;
    nd_error error;
} worker;

static void *run(void *argument) {
    worker *w = argument;
    w->status = w->fn(w->context, w->index, &w->error);
    return NULL;
}

nd_status nd_run_workers(const nd_allocator *allocator, uint32_t count, nd_worker_fn *fn,
                         void *context, nd_error *error) {
    if (count <= 1) return fn(context, 0, error);
    if (count > ND_MAX_WORKERS) count = ND_MAX_WORKERS;
    worker *workers = nd_allocate(allocator, count, sizeof *workers);
    if (!workers) return nd_fail_memory(error, count * sizeof *workers, "threads");
    for (uint32_t i = 0; i < count; i++)
        workers[i] = (worker){.fn = fn, .context = context, .index = i};
    for (uint32_t i = 1; i < count; i++)
        workers[i].started = pthread_create(&workers[i].thread, NULL, run, &workers[i]) == 0;
    run(&workers[0]);
    for (uint32_t i = 1; i < count; i++)
        if (!workers[i].started) run(&workers[i]);
    nd_status status = ND_OK;
    for (uint32_t i = 0; i < count; i++) {
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
        if (workers[i].status != ND_OK && status == ND_OK) {
            status = workers[i].status;
            if (error) *error = workers[i].error;
        }
    }
    nd_release(allocator, workers);
    return status;
}

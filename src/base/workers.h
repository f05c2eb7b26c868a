/* Runs one function on several threads, and returns when all of them are done. */
#ifndef ND_BASE_WORKERS_H
#define ND_BASE_WORKERS_H

#include "base/status.h"

/* `index` is the number of the worker, 0 to count - 1. */
typedef nd_status nd_worker_fn(void *context, uint32_t index, nd_error *error);

/* Calls fn `count` times at once, at most ND_MAX_WORKERS times; index 0 runs on the calling thread.
 * If several calls fail, the failure of the lowest index is returned.
 *
 * If the system gives fewer threads, the missing indices run one after the other on the calling
 * thread. So a worker must not wait for another one, which may not have started. */
#define ND_MAX_WORKERS 256
nd_status nd_run_workers(const nd_allocator *allocator, uint32_t count, nd_worker_fn *fn,
                         void *context, nd_error *error);

#endif

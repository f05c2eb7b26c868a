/* The same function on several threads, until all are done. */
#ifndef ND_BASE_WORKERS_H
#define ND_BASE_WORKERS_H

#include "base/status.h"

#include <stdatomic.h>

/* `index` is 0 to count - 1. */
typedef nd_status nd_worker_fn(void *context, uint32_t index, nd_error *error);

/* Runs fn `count` times at once (index 0 on the calling thread) and returns the failure of the
 * lowest index, if any. Where the system gives fewer threads the missing indices run one after the
 * other: a worker must not wait for another that may not have started. At most ND_MAX_WORKERS. */
#define ND_MAX_WORKERS 256
nd_status nd_run_workers(const nd_allocator *allocator, uint32_t count, nd_worker_fn *fn,
                         void *context, nd_error *error);

/* Cores that this process may use, at least 1. */
uint32_t nd_core_count(void);

/* The most memory that the process has had, bytes; 0: not known. */
uint64_t nd_peak_memory(void);

/* Monotonic time in seconds. */
double nd_seconds(void);

#endif

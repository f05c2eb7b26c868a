/* Runs one function at a time on a thread of its own, beside the caller: such as a write that waits
 * for the disk.
 *
 * The thread starts with the first task and lives until the handle is freed. One caller at a time.
 */
#ifndef ND_BASE_ASYNC_TASK_H
#define ND_BASE_ASYNC_TASK_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_async_task nd_async_task;

typedef nd_status nd_async_task_fn(void *context, nd_error *error);

nd_status nd_async_task_create(const nd_allocator *allocator, nd_async_task **out, nd_error *error);
/* Waits for the running task, and ends the thread. A child made by fork has no such thread, and
 * does not wait. NULL is accepted. */
void nd_async_task_free(nd_async_task *task);

/* Starts fn(context, error). If the system gives no thread, the function runs at once on the
 * calling thread. REQUIRES: the last task has been waited for. */
void nd_async_task_start(nd_async_task *task, nd_async_task_fn *fn, void *context);
/* Runs fn on the calling thread and returns its result; nd_async_task_wait returns it as well.
 * REQUIRES: the last task has been waited for. */
nd_status nd_async_task_run(nd_async_task *task, nd_async_task_fn *fn, void *context,
                            nd_error *error);
/* Waits for the last task and returns its result, the same each time; ND_OK if there was none. */
nd_status nd_async_task_wait(nd_async_task *task, nd_error *error);

#endif

/* Runs one function at a time on a thread of its own, beside the caller: such as a write that waits
 * for the disk.
 *
 * The thread starts with the first task and lives until the handle is freed. One caller at a time.
 */
#ifndef ND_BASE_ASYNC_TASK_H
#define ND_BASE_ASYNC_TASK_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_background nd_background;

typedef nd_status nd_background_fn(void *context, nd_error *error);

nd_status nd_background_create(const nd_allocator *allocator, nd_background **out, nd_error *error);
/* Waits for the running task, and ends the thread. A child made by fork has no such thread, and
 * does not wait. NULL is accepted. */
void nd_background_free(nd_background *task);

/* Starts fn(context, error). If the system gives no thread, the function runs at once on the
 * calling thread. REQUIRES: the last task has been waited for. */
void nd_background_begin(nd_background *task, nd_background_fn *fn, void *context);
/* Runs fn on the calling thread and returns its result; nd_background_wait returns it as well.
 * REQUIRES: the last task has been waited for. */
nd_status nd_background_run(nd_background *task, nd_background_fn *fn, void *context,
                            nd_error *error);
/* Waits for the last task and returns its result, the same each time; ND_OK if there was none. */
nd_status nd_background_wait(nd_background *task, nd_error *error);

#endif

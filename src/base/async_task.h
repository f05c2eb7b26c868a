/* A piece of work beside the caller's, in a thread of its own: one at a time, such as what waits
 * for the disk. */
#ifndef ND_BASE_ASYNC_TASK_H
#define ND_BASE_ASYNC_TASK_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_background nd_background;

typedef nd_status nd_background_fn(void *context, nd_error *error);

nd_status nd_background_create(const nd_allocator *allocator, nd_background **out, nd_error *error);
/* Waits for what goes on, but not in a child made by fork, which has no such thread. NULL is
 * accepted. */
void nd_background_free(nd_background *background);

/* Begins a piece of work when none goes on: the last one has been waited for. Where the system
 * gives no thread it is done at once. */
void nd_background_begin(nd_background *background, nd_background_fn *fn, void *context);
/* The same in the caller's thread, to the end. */
nd_status nd_background_run(nd_background *background, nd_background_fn *fn, void *context,
                            nd_error *error);
/* Until what was begun last is done: what it returned, the same each time; ND_OK where nothing was
 * begun. */
nd_status nd_background_wait(nd_background *background, nd_error *error);

#endif

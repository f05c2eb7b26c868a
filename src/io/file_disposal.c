/* The system frees the bytes of a file without a name when its last descriptor is closed. So a file
 * is opened before its name is removed, and the thread closes it. */
#include "io/file_disposal.h"

#include "base/async_task.h"
#include "io/file.h"

/* Files at a time. The bytes of more are freed at once. */
enum { MOST = 16 };

struct nd_file_disposal {
    nd_allocator allocator;
    nd_async_task *task;
    int files[MOST]; /* without names; the thread's while it closes them */
    size_t count;
};

nd_status nd_file_disposal_create(const nd_allocator *allocator, nd_file_disposal **out,
                                  nd_error *error) {
    nd_file_disposal *d = nd_allocate_zero(allocator, 1, sizeof *d);
    if (!d) return nd_fail_memory(error, sizeof *d, "removing files");
    d->allocator = *allocator;
    nd_status status = nd_async_task_create(allocator, &d->task, error);
    if (status != ND_OK) nd_release(allocator, d);
    else *out = d;
    return status;
}

/* nd_async_task_fn; `context` is the disposal. */
static nd_status close_files(void *context, nd_error *error) {
    nd_file_disposal *d = context;
    (void)error;
    while (d->count > 0) nd_file_close(d->files[--d->count]);
    return ND_OK;
}

void nd_file_disposal_free(nd_file_disposal *d) {
    if (!d) return;
    nd_async_task_free(d->task);
    nd_allocator allocator = d->allocator;
    nd_release(&allocator, d);
}

nd_status nd_file_disposal_remove(nd_file_disposal *d, const char *path, nd_error *error) {
    int fd = -1;
    ND_TRY(nd_async_task_wait(d->task, error));
    if (d->count < MOST && nd_file_open(path, ND_OPEN_READ, &fd, NULL) != ND_OK) fd = -1;
    nd_status status = nd_file_remove(path, error);
    if (fd < 0) return status;
    if (status == ND_OK) d->files[d->count++] = fd;
    else nd_file_close(fd);
    return status;
}

void nd_file_disposal_begin(nd_file_disposal *d) {
    nd_error ignored;
    if (nd_async_task_wait(d->task, &ignored) == ND_OK && d->count > 0)
        nd_async_task_start(d->task, close_files, d);
}

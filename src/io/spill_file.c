#include "io/spill_file.h"

#include "base/limits.h"
#include "io/file.h"

#include <string.h>
#include <unistd.h>

enum { WRITE_SIZE = ND_LIMIT(1 << 18, 1000) };

void nd_spill_init(nd_spill_file *file, const nd_allocator *allocator, nd_temp_space *disk,
                   const char *what) {
    *file = (nd_spill_file){.allocator = *allocator, .disk = disk, .what = what, .fd = -1};
}

void nd_spill_free(nd_spill_file *file) {
    nd_release(&file->allocator, file->buffer);
    file->buffer = NULL;
    if (file->fd < 0) return;
    close(file->fd);
    file->fd = -1;
    nd_temp_space_subtract(file->disk, file->size);
}

nd_status nd_spill_begin(nd_spill_file *file, nd_error *error) {
    if (file->fd < 0) ND_TRY(nd_file_nameless(file->disk->directory, &file->fd, error));
    file->used = 0; /* a write may have failed in between */
    if (!file->buffer) file->buffer = nd_allocate(&file->allocator, WRITE_SIZE, 1);
    return file->buffer ? ND_OK : nd_fail_memory(error, WRITE_SIZE, file->what);
}

static nd_status flush(nd_spill_file *file, nd_error *error) {
    ND_TRY(nd_progress_poll(file->disk->progress, error));
    ND_TRY(nd_file_write_at(file->fd, file->buffer, file->used, file->size, file->disk->directory,
                            error));
    file->size += file->used;
    nd_temp_space_add(file->disk, file->used);
    file->used = 0;
    return ND_OK;
}

nd_status nd_spill_write(nd_spill_file *file, const void *bytes, size_t size, nd_error *error) {
    const char *p = bytes;
    while (size > 0) {
        size_t n = WRITE_SIZE - file->used < size ? WRITE_SIZE - file->used : size;
        memcpy(file->buffer + file->used, p, n);
        file->used += n;
        p += n;
        size -= n;
        if (file->used == WRITE_SIZE) ND_TRY(flush(file, error));
    }
    return ND_OK;
}

nd_status nd_spill_end(nd_spill_file *file, nd_error *error) {
    nd_status status = flush(file, error);
    nd_release(&file->allocator, file->buffer);
    file->buffer = NULL;
    return status;
}

nd_status nd_spill_read(const nd_spill_file *file, void *to, size_t size, uint64_t offset,
                        nd_error *error) {
    return nd_file_read_at(file->fd, to, size, offset, file->disk->directory, error);
}

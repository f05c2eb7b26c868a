#include "io/byte_source.h"

#include "base/limits.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { buffer_size = ND_LIMIT(256 << 10, 11) };

/* Some systems refuse reads above 2 GiB. */
static const size_t largest_read = (size_t)1 << 30;

nd_status nd_byte_source_buffer(nd_byte_source *source, const void *bytes, size_t size,
                                const nd_allocator *allocator, nd_error *error) {
    source->buffer = nd_allocate(allocator, ND_SOURCE_SLACK + buffer_size, 1);
    if (!source->buffer)
        return nd_fail_memory(error, ND_SOURCE_SLACK + buffer_size, "an input buffer");
    source->begin = source->end = ND_SOURCE_SLACK;
    nd_byte_source_put_back(source, bytes, size);
    return ND_OK;
}

nd_status nd_byte_source_prepend(nd_byte_source *source, size_t size, const nd_allocator *allocator,
                                 nd_error *error) {
    size_t left = source->end - source->begin, held = size + left,
           room = ND_SOURCE_SLACK + (held > buffer_size ? held : buffer_size);
    unsigned char *buffer = nd_allocate(allocator, room, 1);
    if (!buffer) return nd_fail_memory(error, room, "an input buffer");
    if (left > 0) memcpy(buffer + ND_SOURCE_SLACK + size, source->buffer + source->begin, left);
    nd_release(allocator, source->buffer);
    source->buffer = buffer;
    source->begin = ND_SOURCE_SLACK;
    source->end = ND_SOURCE_SLACK + held;
    return ND_OK;
}

void nd_byte_source_close(nd_byte_source *source, const nd_allocator *allocator) {
    nd_release(allocator, source->buffer);
}

/* Waits for bytes, or for the end. Also waits for a pipe that no process has opened for writing
 * yet. */
static nd_status await(const nd_byte_source *source, nd_error *error) {
    struct pollfd readable = {.fd = source->fd, .events = POLLIN};
    for (;;) {
        int ready = poll(&readable, 1, source->progress ? ND_PROGRESS_PATIENCE : -1);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return ND_OK; /* if something is wrong, the read reports it */
        ND_TRY(nd_progress_poll(source->progress, error));
    }
}

nd_status nd_byte_source_read(nd_byte_source *source, void *to, size_t size, size_t *got,
                              nd_error *error) {
    *got = 0;
    if (source->ended || size == 0) return ND_OK;
    if (size > largest_read) size = largest_read;
    ssize_t bytes;
    do {
        if (source->waits) ND_TRY(await(source, error));
        bytes = read(source->fd, to, size);
        if (bytes < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return nd_fail_os(error, errno, "%s: cannot read", source->name);
    } while (bytes < 0);
    source->ended = bytes == 0;
    source->position += (uint64_t)bytes;
    *got = (size_t)bytes;
    return ND_OK;
}

nd_status nd_byte_source_fill(nd_byte_source *source, bool *more, nd_error *error) {
    *more = true;
    if (source->begin < source->end) return ND_OK;
    size_t got;
    source->begin = source->end = ND_SOURCE_SLACK;
    ND_TRY(nd_byte_source_read(source, source->buffer + ND_SOURCE_SLACK, buffer_size, &got, error));
    source->end += got;
    *more = got > 0;
    return ND_OK;
}

void nd_byte_source_put_back(nd_byte_source *source, const void *bytes, size_t size) {
    source->begin -= size;
    if (size > 0) memcpy(source->buffer + source->begin, bytes, size);
}

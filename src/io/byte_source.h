/* Bytes of a descriptor as they come, with a buffer for those who must look before they take: the
 * compressed side of a stream. */
#ifndef ND_IO_BYTE_SOURCE_H
#define ND_IO_BYTE_SOURCE_H

#include "base/alloc.h"
#include "base/job_progress.h"

typedef struct nd_byte_source {
    int fd;
    const char *name;      /* for messages */
    bool waits;            /* no regular file: bytes may have to be waited for */
    nd_progress *progress; /* asked while they are; NULL: nobody is */
    uint64_t position;     /* bytes read from the descriptor */
    bool ended;            /* read said so: it is not asked again (a terminal would go on) */
    unsigned char *buffer;
    size_t begin, end; /* bytes at hand: buffer[begin .. end) */
} nd_byte_source;

/* Bytes that a refill leaves free in front of the buffer's content, so that what a decoder has
 * taken too much can be put back. */
#define ND_SOURCE_SLACK 16

/* The buffer, with `size` bytes (at most ND_SOURCE_SLACK) at hand. The caller ends it with
 * nd_byte_source_close. */
nd_status nd_byte_source_buffer(nd_byte_source *source, const void *bytes, size_t size,
                                const nd_allocator *allocator, nd_error *error);
void nd_byte_source_close(nd_byte_source *source, const nd_allocator *allocator);

/* One read into `to`: 1 to `size` bytes, 0 only at the end. Interrupted and not yet possible reads
 * are tried again. ND_ERR_CANCELLED: the progress's answer, while nothing came. */
nd_status nd_byte_source_read(nd_byte_source *source, void *to, size_t size, size_t *got,
                              nd_error *error);

/* Fills the buffer when it is empty; *more: there is at least one byte at hand. */
nd_status nd_byte_source_fill(nd_byte_source *source, bool *more, nd_error *error);

/* Puts `size` bytes (at most ND_SOURCE_SLACK), the last ones taken, back in front. */
void nd_byte_source_put_back(nd_byte_source *source, const void *bytes, size_t size);

/* Offset in the file of the next byte. */
static inline uint64_t nd_byte_source_offset(const nd_byte_source *source) {
    return source->position - (source->end - source->begin);
}

#endif

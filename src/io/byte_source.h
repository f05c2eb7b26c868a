/* Bytes of a descriptor as they come. A decoder, which must look at bytes before it consumes them,
 * gets a buffer: the compressed side of a stream. */
#ifndef ND_IO_BYTE_SOURCE_H
#define ND_IO_BYTE_SOURCE_H

#include "base/alloc.h"
#include "base/job_progress.h"

typedef struct nd_byte_source {
    int fd;
    const char *name;      /* for messages */
    bool waits;            /* not a regular file: a read may have to wait */
    nd_progress *progress; /* polled during such a wait; NULL: none */
    uint64_t position;     /* bytes read from the descriptor */
    bool ended;            /* read() has returned 0; reading a terminal again would go on */
    unsigned char *buffer;
    size_t begin, end; /* unconsumed bytes: buffer[begin .. end) */
} nd_byte_source;

/* Bytes that a refill leaves free before the buffer's content: a decoder that has consumed too many
 * bytes can put so many back. */
#define ND_SOURCE_SLACK 16

/* Allocates the buffer, and puts `size` bytes (at most ND_SOURCE_SLACK) into it. The caller frees
 * it with nd_byte_source_close. */
nd_status nd_byte_source_buffer(nd_byte_source *source, const void *bytes, size_t size,
                                const nd_allocator *allocator, nd_error *error);
/* Makes room for `size` bytes in front of the unconsumed ones; the caller writes them to
 * buffer[begin]. If there is no memory, the source is as it was. */
nd_status nd_byte_source_prepend(nd_byte_source *source, size_t size, const nd_allocator *allocator,
                                 nd_error *error);
void nd_byte_source_close(nd_byte_source *source, const nd_allocator *allocator);

/* One read into `to`: 1 to `size` bytes, 0 only at the end. A read that is interrupted, or not yet
 * possible, is tried again. ND_ERR_CANCELLED: the job was cancelled during a wait. */
nd_status nd_byte_source_read(nd_byte_source *source, void *to, size_t size, size_t *got,
                              nd_error *error);

/* Fills the buffer if it is empty; *more: it has at least one byte. */
nd_status nd_byte_source_fill(nd_byte_source *source, bool *more, nd_error *error);

/* Puts back `size` bytes (at most ND_SOURCE_SLACK), the last ones consumed. */
void nd_byte_source_put_back(nd_byte_source *source, const void *bytes, size_t size);

/* The offset of the next byte in the file. */
static inline uint64_t nd_byte_source_offset(const nd_byte_source *source) {
    return source->position - (source->end - source->begin);
}

#endif

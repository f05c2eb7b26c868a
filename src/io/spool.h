/* Bytes appended in order and read at any place: in memory up to a limit, then in a nameless file.
 */
#ifndef ND_IO_SPOOL_H
#define ND_IO_SPOOL_H

#include "base/alloc.h"
#include "base/status.h"
#include "io/temp_space.h"

#include <string.h>

typedef struct nd_spool {
    nd_allocator allocator;
    nd_scratch_disk *disk;
    const char *what; /* for messages; static */
    size_t limit;     /* bytes of memory before the file is made */
    char **chunks;    /* ND_SPOOL_CHUNK bytes each; chunk c holds bytes from (first + c) *
                         ND_SPOOL_CHUNK on */
    size_t chunk_count, chunk_capacity;
    size_t dropped; /* of the chunks, the first ones */
    uint64_t first; /* chunks before this one are in the file */
    uint64_t size;
    int fd; /* -1: all in memory */
} nd_spool;

enum { ND_SPOOL_CHUNK = 1 << 18 };

/* `disk` must outlive the spool. */
void nd_spool_init(nd_spool *spool, const nd_allocator *allocator, nd_scratch_disk *disk,
                   size_t memory_limit, const char *what);
void nd_spool_free(nd_spool *spool);

/* The way of nd_spool_append where the bytes do not fit into the last chunk, or are none. */
nd_status nd_spool_append_slowly(nd_spool *spool, const void *bytes, size_t size, nd_error *error);

/* One thread at a time, and no reader meanwhile. The bytes begin at spool->size as it was. */
static inline nd_status nd_spool_append(nd_spool *spool, const void *bytes, size_t size,
                                        nd_error *error) {
    size_t within = (size_t)(spool->size % ND_SPOOL_CHUNK);
    if (within == 0 || size == 0 || size > ND_SPOOL_CHUNK - within)
        return nd_spool_append_slowly(spool, bytes, size, error);
    memcpy(spool->chunks[spool->chunk_count - 1] + within, bytes, size);
    spool->size += size;
    return ND_OK;
}

/* Gives memory of bytes before `end` back; they are not read any more, and nothing is appended. */
void nd_spool_drop(nd_spool *spool, uint64_t end);

/* Any number of threads while nothing is appended. The range must lie within the spool. */
nd_status nd_spool_read(const nd_spool *spool, void *buffer, size_t size, uint64_t offset,
                        nd_error *error);

/* The same without a copy where the range lies in one chunk of memory; else through `scratch` (at
 * least `size` bytes). */
nd_status nd_spool_view(const nd_spool *spool, size_t size, uint64_t offset, void *scratch,
                        const void **view, nd_error *error);

/* Reading from the beginning on, one piece after the other. Zero-initialised but for the spool; its
 * bytes are the caller's to release. */
typedef struct nd_spool_cursor {
    const nd_spool *spool;
    uint64_t next; /* byte */
    char *bytes;   /* [next - used, next - used + size) of the spool */
    size_t used, size, capacity;
} nd_spool_cursor;
/* The next `size` bytes, which are there; valid until the next call. */
nd_status nd_spool_next(nd_spool_cursor *cursor, size_t size, const void **piece, nd_error *error);

#endif

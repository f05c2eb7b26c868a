/* Bytes that are appended in order and read at any offset. They stay in memory up to a limit, and
 * then go to a file without a name. */
#ifndef ND_IO_SPOOL_H
#define ND_IO_SPOOL_H

#include "base/alloc.h"
#include "base/status.h"
#include "io/temp_space.h"

#include <string.h>

typedef struct nd_spool {
    nd_allocator allocator;
    nd_temp_space *disk;
    const char *what; /* for messages; static */
    size_t limit;     /* bytes in memory before the file is made */
    char **chunks;    /* ND_SPOOL_CHUNK bytes each; chunks[c] holds chunk number first + c */
    size_t chunk_count, chunk_capacity;
    size_t dropped; /* chunks at the beginning of `chunks` whose memory is freed */
    uint64_t first; /* chunks before this number are in the file */
    uint64_t size;  /* bytes appended */
    int fd;         /* -1: all in memory */
} nd_spool;

enum { ND_SPOOL_CHUNK = 1 << 18 };

/* `disk` must outlive the spool. */
void nd_spool_init(nd_spool *spool, const nd_allocator *allocator, nd_temp_space *disk,
                   size_t memory_limit, const char *what);
void nd_spool_free(nd_spool *spool);

/* The slow path of nd_spool_append: the bytes do not fit the last chunk, or there are none. */
nd_status nd_spool_append_slowly(nd_spool *spool, const void *bytes, size_t size, nd_error *error);

/* Appends bytes at the offset spool->size. One thread at a time, and no reader at the same time. */
static inline nd_status nd_spool_append(nd_spool *spool, const void *bytes, size_t size,
                                        nd_error *error) {
    size_t within = (size_t)(spool->size % ND_SPOOL_CHUNK);
    if (within == 0 || size == 0 || size > ND_SPOOL_CHUNK - within)
        return nd_spool_append_slowly(spool, bytes, size, error);
    memcpy(spool->chunks[spool->chunk_count - 1] + within, bytes, size);
    spool->size += size;
    return ND_OK;
}

/* Frees memory of bytes before the offset `end`. REQUIRES: they are never read again, and nothing
 * is appended any more. */
void nd_spool_drop(nd_spool *spool, uint64_t end);

/* Copies a range, which must lie within the spool. Any number of threads while nothing is appended.
 */
nd_status nd_spool_read(const nd_spool *spool, void *buffer, size_t size, uint64_t offset,
                        nd_error *error);

/* The same without a copy if the range lies in one chunk in memory; otherwise it is read into
 * `scratch`, of at least `size` bytes. */
nd_status nd_spool_view(const nd_spool *spool, size_t size, uint64_t offset, void *scratch,
                        const void **view, nd_error *error);

/* Reads a spool from its beginning, piece by piece. Zero-initialised except `spool`. The caller
 * releases `bytes` with the spool's allocator. */
typedef struct nd_spool_cursor {
    const nd_spool *spool;
    uint64_t next; /* offset of the next piece */
    char *bytes;   /* the range [next - used, next - used + size) of the spool */
    size_t used, size, capacity;
} nd_spool_cursor;
/* Returns the next `size` bytes, valid until the next call. REQUIRES: the spool has so many more.
 */
nd_status nd_spool_next(nd_spool_cursor *cursor, size_t size, const void **piece, nd_error *error);

#endif

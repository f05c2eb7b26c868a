#include "io/spool.h"

#include "io/file.h"

#include <unistd.h>

void nd_spool_init(nd_spool *spool, const nd_allocator *allocator, nd_temp_space *disk,
                   size_t memory_limit, const char *what) {
    *spool = (nd_spool){
        .allocator = *allocator, .disk = disk, .what = what, .limit = memory_limit, .fd = -1};
}

void nd_spool_free(nd_spool *spool) {
    if (!spool->disk) return;
    for (size_t c = 0; c < spool->chunk_count; c++) nd_release(&spool->allocator, spool->chunks[c]);
    nd_release(&spool->allocator, spool->chunks);
    if (spool->fd >= 0) {
        close(spool->fd);
        nd_temp_space_subtract(spool->disk, spool->first * ND_SPOOL_CHUNK);
    }
    *spool = (nd_spool){.fd = -1};
}

/* Writes all chunks to the file, and keeps one of them as the next buffer. REQUIRES: all are full.
 */
static nd_status spill(nd_spool *spool, nd_error *error) {
    if (spool->fd < 0) ND_TRY(nd_file_nameless(spool->disk->directory, &spool->fd, error));
    for (size_t c = 0; c < spool->chunk_count; c++) {
        ND_TRY(nd_progress_poll(spool->disk->progress, error));
        ND_TRY(nd_file_write_at(spool->fd, spool->chunks[c], ND_SPOOL_CHUNK,
                                (spool->first + c) * ND_SPOOL_CHUNK, spool->disk->directory,
                                error));
        nd_temp_space_add(spool->disk, ND_SPOOL_CHUNK);
    }
    for (size_t c = 1; c < spool->chunk_count; c++) nd_release(&spool->allocator, spool->chunks[c]);
    spool->first += spool->chunk_count;
    spool->chunk_count = 1;
    return ND_OK;
}

/* Makes room for the next byte. REQUIRES: every chunk is full. */
static nd_status add_chunk(nd_spool *spool, nd_error *error) {
    bool over = spool->chunk_count > 0 &&
                (spool->fd >= 0 || (spool->chunk_count + 1) * ND_SPOOL_CHUNK > spool->limit);
    if (over) return spill(spool, error);
    if (!nd_reserve(&spool->allocator, &spool->chunks, &spool->chunk_capacity,
                    spool->chunk_count + 1))
        return nd_fail_memory(error, sizeof *spool->chunks, spool->what);
    char *chunk = nd_allocate(&spool->allocator, ND_SPOOL_CHUNK, 1);
    if (!chunk) return nd_fail_memory(error, ND_SPOOL_CHUNK, spool->what);
    spool->chunks[spool->chunk_count++] = chunk;
    return ND_OK;
}

nd_status nd_spool_append_slowly(nd_spool *spool, const void *bytes, size_t size, nd_error *error) {
    const char *p = bytes;
    while (size > 0) {
        uint64_t room = (spool->first + spool->chunk_count) * ND_SPOOL_CHUNK - spool->size;
        if (room == 0) {
            ND_TRY(add_chunk(spool, error));
            room = ND_SPOOL_CHUNK;
        }
        size_t n = size < room ? size : (size_t)room;
        memcpy(spool->chunks[spool->chunk_count - 1] + (ND_SPOOL_CHUNK - room), p, n);
        spool->size += n;
        p += n;
        size -= n;
    }
    return ND_OK;
}

void nd_spool_drop(nd_spool *spool, uint64_t end) {
    for (; spool->dropped < spool->chunk_count &&
           (spool->first + spool->dropped + 1) * ND_SPOOL_CHUNK <= end;
         spool->dropped++) {
        nd_release(&spool->allocator, spool->chunks[spool->dropped]);
        spool->chunks[spool->dropped] = NULL;
    }
}

nd_status nd_spool_read(const nd_spool *spool, void *buffer, size_t size, uint64_t offset,
                        nd_error *error) {
    char *p = buffer;
    uint64_t in_file = spool->first * ND_SPOOL_CHUNK;
    if (offset < in_file && size > 0) {
        size_t n = size < in_file - offset ? size : (size_t)(in_file - offset);
        ND_TRY(nd_file_read_at(spool->fd, p, n, offset, spool->disk->directory, error));
        p += n;
        size -= n;
        offset += n;
    }
    while (size > 0) {
        size_t within = (size_t)(offset % ND_SPOOL_CHUNK);
        size_t n = size < ND_SPOOL_CHUNK - within ? size : ND_SPOOL_CHUNK - within;
        memcpy(p, spool->chunks[offset / ND_SPOOL_CHUNK - spool->first] + within, n);
        p += n;
        size -= n;
        offset += n;
    }
    return ND_OK;
}

nd_status nd_spool_view(const nd_spool *spool, size_t size, uint64_t offset, void *scratch,
                        const void **view, nd_error *error) {
    size_t within = (size_t)(offset % ND_SPOOL_CHUNK);
    if (offset >= spool->first * ND_SPOOL_CHUNK && within + size <= ND_SPOOL_CHUNK) {
        *view = spool->chunks[offset / ND_SPOOL_CHUNK - spool->first] + within;
        return ND_OK;
    }
    ND_TRY(nd_spool_read(spool, scratch, size, offset, error));
    *view = scratch;
    return ND_OK;
}

nd_status nd_spool_next(nd_spool_cursor *c, size_t size, const void **piece, nd_error *error) {
    if (size > c->size - c->used) {
        uint64_t left = c->spool->size - c->next;
        size_t wanted = size > ND_SPOOL_CHUNK ? size : ND_SPOOL_CHUNK;
        if (wanted > left) wanted = (size_t)left;
        if (!nd_reserve(&c->spool->allocator, &c->bytes, &c->capacity, wanted))
            return nd_fail_memory(error, wanted, c->spool->what);
        ND_TRY(nd_spool_read(c->spool, c->bytes, wanted, c->next, error));
        c->used = 0;
        c->size = wanted;
    }
    *piece = c->bytes + c->used;
    c->used += size;
    c->next += size;
    return ND_OK;
}

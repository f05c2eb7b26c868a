#include "io/spool_blocks.h"

void nd_spool_blocks_free(nd_spool_blocks *b) {
    if (!b->spool) return;
    nd_release(&b->spool->allocator, b->bytes);
    nd_release(&b->spool->allocator, b->piece);
}

/* Reads a block, unless it is there. Its memory is that of the last block with the same number
 * modulo ND_SPOOL_BLOCKS. */
static nd_status read_block(nd_spool_blocks *b, uint64_t number, const char **out,
                            nd_error *error) {
    size_t slot = (size_t)(number % ND_SPOOL_BLOCKS);
    uint64_t begin = number * ND_SPOOL_BLOCK, left = b->spool->size - begin;
    char *bytes = b->bytes + slot * ND_SPOOL_BLOCK;
    *out = bytes;
    if (b->numbers[slot] == number + 1) return ND_OK;
    b->numbers[slot] = 0;
    ND_TRY(nd_spool_read(b->spool, bytes, left < ND_SPOOL_BLOCK ? (size_t)left : ND_SPOOL_BLOCK,
                         begin, error));
    b->numbers[slot] = number + 1;
    return ND_OK;
}

static nd_status join_blocks(nd_spool_blocks *b, size_t size, uint64_t offset, nd_error *error) {
    if (!nd_reserve(&b->spool->allocator, &b->piece, &b->piece_capacity, size))
        return nd_fail_memory(error, size, b->spool->what);
    for (size_t done = 0; done < size;) {
        const char *block;
        size_t within = (size_t)((offset + done) % ND_SPOOL_BLOCK), part = ND_SPOOL_BLOCK - within;
        if (part > size - done) part = size - done;
        ND_TRY(read_block(b, (offset + done) / ND_SPOOL_BLOCK, &block, error));
        memcpy(b->piece + done, block + within, part);
        done += part;
    }
    return ND_OK;
}

nd_status nd_spool_blocks_view(nd_spool_blocks *b, size_t size, uint64_t offset, const char **view,
                               nd_error *error) {
    const nd_spool *s = b->spool;
    size_t within = (size_t)(offset % ND_SPOOL_CHUNK), in_block = (size_t)(offset % ND_SPOOL_BLOCK);
    if (offset >= s->first * ND_SPOOL_CHUNK && within + size <= ND_SPOOL_CHUNK) {
        *view = s->chunks[offset / ND_SPOOL_CHUNK - s->first] + within;
        return ND_OK;
    }
    if (!b->bytes) b->bytes = nd_allocate(&s->allocator, ND_SPOOL_BLOCKS, ND_SPOOL_BLOCK);
    if (!b->bytes) return nd_fail_memory(error, (size_t)ND_SPOOL_BLOCKS * ND_SPOOL_BLOCK, s->what);
    if (in_block + size <= ND_SPOOL_BLOCK) {
        ND_TRY(read_block(b, offset / ND_SPOOL_BLOCK, view, error));
        *view += in_block;
        return ND_OK;
    }
    ND_TRY(join_blocks(b, size, offset, error));
    *view = b->piece;
    return ND_OK;
}

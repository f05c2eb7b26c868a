#include "corpus/block.h"

#include "base/status.h"
#include "corpus/json_simdjson.h"

#include <string.h>

nd_status nd_block_add_record(nd_block *block, const nd_allocator *allocator, nd_raw_record record,
                              nd_error *error) {
    if (!nd_reserve(allocator, &block->records, &block->record_capacity, block->count + 1))
        return nd_fail_memory(error, sizeof record, "a block of records");
    block->records[block->count++] = record;
    return ND_OK;
}

nd_status nd_block_add_bytes(nd_block *block, const nd_allocator *allocator, const void *bytes,
                             size_t size, nd_error *error) {
    if (!nd_reserve(allocator, &block->bytes, &block->capacity,
                    block->size + size + ND_JSON_PADDING))
        return nd_fail_memory(error, size, "a block of records");
    if (size > 0) memcpy(block->bytes + block->size, bytes, size);
    block->size += size;
    memset(block->bytes + block->size, 0, ND_JSON_PADDING);
    return ND_OK;
}

bool nd_block_is_full(const nd_block *block) {
    return block->count >= block->most || block->size >= ND_BLOCK_BYTES;
}

void nd_block_hold_gate(nd_block *block, pthread_mutex_t *gate) {
    if (block->gate) return;
    pthread_mutex_lock(gate);
    block->gate = gate;
}

void nd_block_release(nd_block *block, const nd_allocator *allocator) {
    if (block->capacity > 8 * (size_t)ND_BLOCK_BYTES) { /* it has grown for one long record */
        nd_release(allocator, block->bytes);
        block->bytes = NULL;
        block->capacity = 0;
    }
    if (block->gate) pthread_mutex_unlock(block->gate);
    block->gate = NULL;
}

void nd_block_free(nd_block *block, const nd_allocator *allocator) {
    nd_block_release(block, allocator);
    nd_release(allocator, block->bytes);
    nd_release(allocator, block->records);
    nd_release(allocator, block->broken);
    *block = (nd_block){0};
}

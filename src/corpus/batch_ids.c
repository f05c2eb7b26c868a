#include "corpus/batch_ids.h"

#include <string.h>

nd_status nd_batch_ids_add(nd_batch_ids *ids, const nd_scan_item *item,
                           const nd_allocator *allocator, nd_batch_id *out, nd_error *error) {
    nd_id_buffer *b = &ids->buffer;
    ND_TRY(nd_document_id(item->source, item->record, item->document, allocator, b, error));
    if (!nd_reserve(allocator, &ids->bytes, &ids->capacity, ids->size + b->length + 1))
        return nd_fail_memory(error, b->length, "ids");
    memcpy(ids->bytes + ids->size, b->id, b->length);
    *out = (nd_batch_id){ids->size, b->length};
    ids->size += b->length;
    return ND_OK;
}

void nd_batch_ids_free(nd_batch_ids *ids, const nd_allocator *allocator) {
    nd_release(allocator, ids->bytes);
    nd_release(allocator, ids->buffer.bytes);
}

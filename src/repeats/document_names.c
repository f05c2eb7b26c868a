#include "repeats/document_names.h"

/* Stands before the bytes of an id and of a source, which ends with NUL. */
typedef struct name_head {
    uint64_t line;
    uint64_t id_length, source_size;
} name_head;

void nd_document_names_init(nd_document_names *names, const nd_allocator *allocator,
                            nd_temp_space *disk, size_t memory_limit) {
    *names = (nd_document_names){.count = 0};
    nd_spool_init(&names->bytes, allocator, disk, memory_limit, "ids");
}

void nd_document_names_free(nd_document_names *names) {
    nd_release(&names->bytes.allocator, names->offsets);
    nd_spool_free(&names->bytes);
}

nd_status nd_document_names_add(nd_document_names *names, const char *id, size_t length,
                                const char *source, uint64_t line, nd_error *error) {
    const name_head head = {line, length, strlen(source) + 1};
    if (!nd_reserve(&names->bytes.allocator, &names->offsets, &names->capacity, names->count + 1))
        return nd_fail_memory(error, names->count * sizeof *names->offsets, "ids");
    names->offsets[names->count++] = names->bytes.size;
    ND_TRY(nd_spool_append(&names->bytes, &head, sizeof head, error));
    ND_TRY(nd_spool_append(&names->bytes, id, length, error));
    return nd_spool_append(&names->bytes, source, head.source_size, error);
}

nd_status nd_document_names_find(const nd_document_names *names, uint64_t document,
                                 nd_id_buffer *out, nd_error *error) {
    uint64_t offset = names->offsets[document];
    name_head head;
    ND_TRY(nd_spool_read(&names->bytes, &head, sizeof head, offset, error));
    size_t size = (size_t)(head.id_length + head.source_size);
    if (!nd_reserve(&names->bytes.allocator, &out->bytes, &out->capacity, size))
        return nd_fail_memory(error, size, "an id");
    ND_TRY(nd_spool_read(&names->bytes, out->bytes, size, offset + sizeof head, error));
    out->id = out->bytes;
    out->length = (size_t)head.id_length;
    out->source = out->bytes + head.id_length;
    out->line = head.line;
    return ND_OK;
}

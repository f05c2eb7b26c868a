#include "corpus/document_id.h"

#include "base/format.h"

#include <string.h>

nd_status nd_document_id(const nd_source *source, const nd_raw_record *record,
                         const nd_document *document, const nd_allocator *allocator,
                         nd_id_buffer *buffer, nd_error *error) {
    char line[32];
    bool named = source->kind != ND_SOURCE_CALLBACK;
    size_t name = named ? strlen(source->name) : 0;
    buffer->line = source->files ? 1 : record->line;
    buffer->source = source->files ? document->id : named ? source->name : "";
    buffer->id = document->id;
    buffer->length = document->id_length;
    if (document->id) return ND_OK;
    size_t digits = nd_format(line, sizeof line, "%s%llu", named ? ":" : "",
                              (unsigned long long)buffer->line);
    if (!nd_reserve(allocator, &buffer->bytes, &buffer->capacity, name + digits))
        return nd_fail_memory(error, name, "ids");
    if (named) memcpy(buffer->bytes, source->name, name);
    memcpy(buffer->bytes + name, line, digits);
    buffer->id = buffer->bytes;
    buffer->length = name + digits;
    return ND_OK;
}

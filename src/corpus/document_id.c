#include "corpus/document_id.h"

#include "base/format.h"
#include "corpus/corpus_inside.h"

#include <string.h>

nd_status nd_corpus_document_id(nd_corpus *corpus, const nd_block *block, size_t record,
                                const nd_document *document, nd_id_buffer *buffer,
                                nd_error *error) {
    const nd_source *source = &corpus->sources[block->source];
    char line[32];
    bool named = source->kind != ND_SOURCE_CALLBACK;
    size_t name = named ? strlen(source->name) : 0;
    buffer->line = block->records[record].line;
    buffer->id = document->id;
    buffer->length = document->id_length;
    if (document->id) return ND_OK;
    size_t digits = nd_format(line, sizeof line, "%s%llu", named ? ":" : "",
                              (unsigned long long)buffer->line);
    if (!nd_reserve(&corpus->allocator, &buffer->bytes, &buffer->capacity, name + digits))
        return nd_fail_memory(error, name, "ids");
    if (named) memcpy(buffer->bytes, source->name, name);
    memcpy(buffer->bytes + name, line, digits);
    buffer->id = buffer->bytes;
    buffer->length = name + digits;
    return ND_OK;
}

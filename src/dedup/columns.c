#include "dedup/columns.h"

#include <string.h>

nd_status nd_columns_init(nd_columns *c, const nd_run *run, nd_corpus *corpus, size_t sketch_size,
                          nd_error *error) {
    const nd_memory_budget *b = &run->budget;
    const nd_allocator *a = &run->allocator;
    size_t sources = nd_corpus_sources(corpus), set_ends = (size_t)(b->sets / 16);
    *c = (nd_columns){.allocator = *a, .corpus = corpus, .sketch_size = sketch_size};
    nd_spool_init(&c->ids, a, run->space, nd_memory_share(b, ND_MEMORY_IDS), "ids");
    nd_spool_init(&c->id_ends, a, run->space, nd_memory_share(b, ND_MEMORY_ID_ENDS), "ids");
    nd_spool_init(&c->sketches, a, run->space, nd_memory_share(b, ND_MEMORY_SKETCHES), "sketches");
    nd_spool_init(&c->sets, a, run->space, (size_t)b->sets - set_ends, "shingle sets");
    nd_spool_init(&c->set_ends, a, run->space, set_ends, "shingle sets");
    c->first_documents = nd_allocate(a, sources, sizeof *c->first_documents);
    if (!c->first_documents) return nd_fail_memory(error, sources * 8, "the inputs");
    for (size_t s = 0; s < sources; s++) c->first_documents[s] = UINT64_MAX;
    return ND_OK;
}

void nd_columns_free(nd_columns *c) {
    for (size_t i = 0; i < c->chunk_count; i++) nd_release(&c->allocator, c->chunks[i]);
    nd_release(&c->allocator, c->chunks);
    nd_release(&c->allocator, c->first_documents);
    nd_release(&c->allocator, c->differ_keys);
    nd_shingle_spool_free(c->shingles);
    nd_spool *spools[] = {&c->ids, &c->id_ends, &c->sketches, &c->sets, &c->set_ends};
    for (size_t i = 0; i < sizeof spools / sizeof *spools; i++) nd_spool_free(spools[i]);
}

static nd_status add_chunk(nd_columns *c, nd_error *error) {
    if (!nd_reserve(&c->allocator, &c->chunks, &c->chunk_capacity, c->chunk_count + 1))
        return nd_fail_memory(error, sizeof(nd_record_chunk), "the table of documents");
    nd_record_chunk *chunk = nd_allocate(&c->allocator, 1, sizeof *chunk);
    if (!chunk) return nd_fail_memory(error, sizeof *chunk, "the table of documents");
    c->chunks[c->chunk_count++] = chunk;
    return ND_OK;
}

nd_status nd_columns_add_record(nd_columns *c, size_t source, const nd_raw_record *record,
                                nd_error *error) {
    if (c->count == ND_MAX_DOCUMENTS)
        return nd_fail(error, ND_ERR_ARGUMENT, "more than %u documents in one run",
                       ND_MAX_DOCUMENTS);
    if (c->count == (uint64_t)c->chunk_count * ND_RECORD_CHUNK) ND_TRY(add_chunk(c, error));
    nd_record_chunk *chunk = c->chunks[c->count / ND_RECORD_CHUNK];
    chunk->offsets[c->count % ND_RECORD_CHUNK] = record->offset;
    chunk->lengths[c->count % ND_RECORD_CHUNK] = (uint32_t)record->length;
    if (c->first_documents[source] == UINT64_MAX) c->first_documents[source] = c->count;
    c->count++;
    return ND_OK;
}

nd_status nd_columns_add_id(nd_columns *c, uint64_t line, const char *id, size_t length,
                            nd_error *error) {
    ND_TRY(nd_spool_append(&c->ids, &line, 8, error));
    ND_TRY(nd_spool_append(&c->ids, id, length, error));
    return nd_spool_append(&c->id_ends, &c->ids.size, 8, error);
}

nd_status nd_columns_add_differ_key(nd_columns *c, uint64_t key, nd_error *error) {
    if (!nd_reserve(&c->allocator, &c->differ_keys, &c->differ_capacity, (size_t)c->count))
        return nd_fail_memory(error, (size_t)c->count * sizeof key, "numbers of documents");
    c->differ_keys[c->count - 1] = key;
    return ND_OK;
}

nd_status nd_columns_finish(nd_columns *c, nd_error *error) {
    uint64_t next = c->count;
    for (size_t s = nd_corpus_sources(c->corpus); s-- > 0;) {
        if (c->first_documents[s] == UINT64_MAX) c->first_documents[s] = next;
        next = c->first_documents[s];
    }
    /* Unpacking a set reads up to 8 bytes behind it. */
    return c->set_ends.size > 0 ? nd_spool_append(&c->sets, (const char[8]){0}, 8, error) : ND_OK;
}

size_t nd_columns_source(const nd_columns *c, uint32_t document) {
    size_t low = 0, high = nd_corpus_sources(c->corpus);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (c->first_documents[middle] <= document) low = middle;
        else high = middle;
    }
    return low;
}

nd_status nd_columns_id(const nd_columns *c, uint32_t document, nd_id_buffer *buffer,
                        nd_error *error) {
    uint64_t range[2] = {0, 0};
    if (document > 0)
        ND_TRY(nd_spool_read(&c->id_ends, range, 16, (uint64_t)(document - 1) * 8, error));
    else ND_TRY(nd_spool_read(&c->id_ends, &range[1], 8, 0, error));
    size_t size = (size_t)(range[1] - range[0]);
    if (!nd_reserve(&c->allocator, &buffer->bytes, &buffer->capacity, size + 1))
        return nd_fail_memory(error, size, "an id");
    ND_TRY(nd_spool_read(&c->ids, buffer->bytes, size, range[0], error));
    memcpy(&buffer->line, buffer->bytes, 8);
    buffer->id = buffer->bytes + 8;
    buffer->length = size - 8;
    buffer->bytes[size] = '\0';
    const nd_source *source = nd_corpus_source(c->corpus, nd_columns_source(c, document));
    buffer->source = source->kind == ND_SOURCE_CALLBACK ? "" : source->name;
    if (source->files) { /* a text that was named is a file of its own */
        buffer->source = buffer->id;
        buffer->line = 1;
    }
    return ND_OK;
}

nd_status nd_columns_text(const nd_columns *c, nd_record_reader *reader, uint32_t document,
                          const char **text, size_t *length, nd_error *error) {
    return nd_record_reader_fetch_text(reader, nd_columns_source(c, document),
                                       nd_columns_offset(c, document),
                                       nd_columns_length(c, document), text, length, error);
}

nd_status nd_columns_sketch(const nd_columns *c, uint32_t document, void *scratch,
                            const void **sketch, nd_error *error) {
    return nd_spool_view(&c->sketches, c->sketch_size, (uint64_t)document * c->sketch_size, scratch,
                         sketch, error);
}

nd_status nd_columns_set(const nd_columns *c, uint32_t document, nd_set_buffer *buffer,
                         nd_error *error) {
    const void *view;
    uint64_t ends[2] = {0}; /* the end of the set before it, then its own end */
    size_t before = document > 0;
    ND_TRY(nd_spool_read(&c->set_ends, ends + 1 - before, (before + 1) * sizeof *ends,
                         (document - before) * sizeof *ends, error));
    buffer->size = (size_t)(ends[1] - ends[0]);
    if (!nd_reserve(&c->allocator, &buffer->bytes, &buffer->capacity, buffer->size + 8))
        return nd_fail_memory(error, buffer->size + 8, "a shingle set");
    ND_TRY(nd_spool_view(&c->sets, buffer->size + 8, ends[0], buffer->bytes, &view, error));
    buffer->set = view;
    return ND_OK;
}

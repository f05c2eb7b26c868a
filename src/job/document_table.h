/* What a job holds in memory of each document: 16 bytes. Chunks of fixed size, so that growing
 * moves nothing. */
#ifndef ND_JOB_DOCUMENT_TABLE_H
#define ND_JOB_DOCUMENT_TABLE_H

#include "base/alloc.h"
#include "base/status.h"

typedef enum nd_fate {
    ND_FATE_KEPT = 0,
    ND_FATE_REMOVED, /* link: number of the evidence */
    ND_FATE_COPY     /* link: the document, first in the order of priority, with the same token
                        sequence; shares its fate */
} nd_fate;

typedef struct nd_document_entry {
    uint64_t place;       /* of its record, see corpus.h */
    uint32_t length : 30; /* of its record, bytes */
    uint32_t fate : 2;    /* nd_fate */
    uint32_t link;
} nd_document_entry;

/* Largest record and number of documents that the entry can hold. */
#define ND_MAX_RECORD_LENGTH ((UINT32_C(1) << 30) - 1)
#define ND_MAX_DOCUMENTS UINT32_MAX

enum { ND_TABLE_CHUNK = 1 << 14 };

typedef struct nd_document_table {
    nd_allocator allocator;
    nd_document_entry **chunks;
    size_t chunk_count, chunk_capacity;
    uint64_t count;
} nd_document_table;

static inline nd_document_entry *nd_document_at(const nd_document_table *table, uint64_t document) {
    return &table->chunks[document / ND_TABLE_CHUNK][document % ND_TABLE_CHUNK];
}

/* One thread at a time. */
static inline nd_status nd_document_add(nd_document_table *table, uint64_t place, size_t length,
                                        nd_error *error) {
    if (table->count == ND_MAX_DOCUMENTS)
        return nd_fail(error, ND_ERR_ARGUMENT, "more than %u documents in one run",
                       ND_MAX_DOCUMENTS);
    if (table->count == (uint64_t)table->chunk_count * ND_TABLE_CHUNK) {
        size_t bytes = ND_TABLE_CHUNK * sizeof(nd_document_entry);
        if (!nd_reserve(&table->allocator, &table->chunks, &table->chunk_capacity,
                        table->chunk_count + 1))
            return nd_fail_memory(error, bytes, "the table of documents");
        nd_document_entry *chunk = nd_allocate(&table->allocator, 1, bytes);
        if (!chunk) return nd_fail_memory(error, bytes, "the table of documents");
        table->chunks[table->chunk_count++] = chunk;
    }
    *nd_document_at(table, table->count++) = (nd_document_entry){
        .place = place, .length = (uint32_t)length & ND_MAX_RECORD_LENGTH};
    return ND_OK;
}

static inline void nd_document_table_free(nd_document_table *table) {
    for (size_t c = 0; c < table->chunk_count; c++) nd_release(&table->allocator, table->chunks[c]);
    nd_release(&table->allocator, table->chunks);
    *table = (nd_document_table){.allocator = table->allocator};
}

#endif

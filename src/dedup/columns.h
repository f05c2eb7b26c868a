/* The documents of a run, numbered from 0 in the order of input, column by column: the offset and
 * length of the record, the id, the sketch, and with an index the packed shingle set.
 *
 * Ingest writes the columns; only sketches that need a second reading are written by
 * simhash_pass.c. After that the columns are const, and any number of threads may read them. They
 * take 12 bytes of memory per document, beside the spools of ids, sketches and sets. */
#ifndef ND_DEDUP_COLUMNS_H
#define ND_DEDUP_COLUMNS_H

#include "dedup/shingle_spool.h"
#include "job/run_context.h"

#define ND_MAX_DOCUMENTS UINT32_MAX

enum { ND_RECORD_CHUNK = 1 << 14 };

/* Records of ND_RECORD_CHUNK documents. Columns grow by whole chunks, so that growing moves no
 * data. */
typedef struct nd_record_chunk {
    uint64_t offsets[ND_RECORD_CHUNK];
    uint32_t lengths[ND_RECORD_CHUNK];
} nd_record_chunk;

typedef struct nd_columns {
    nd_allocator allocator;
    nd_corpus *corpus; /* the caller's */
    uint64_t count;    /* documents */
    nd_record_chunk **chunks;
    size_t chunk_count, chunk_capacity;
    /* By source: its first document; without documents, the first one of the sources behind it. */
    uint64_t *first_documents;
    nd_spool ids;     /* per document: its line (8 bytes), then the bytes of its id */
    nd_spool id_ends; /* per document: the end of its entry in `ids` (8 bytes) */
    nd_spool sketches;
    size_t sketch_size; /* bytes of a document's sketch */
    nd_spool sets;      /* packed sets (similarity/packed_set.h), and 8 bytes behind the last set */
    nd_spool set_ends;  /* per document: the end of its set (8 bytes) */
    nd_shingle_spool *shingles; /* of documents that are likely compared; NULL: of none */
    uint64_t *differ_keys; /* per document (text/differ_by.h); NULL: nothing keeps texts apart */
    size_t differ_capacity;
} nd_columns;

nd_status nd_columns_init(nd_columns *columns, const nd_run *run, nd_corpus *corpus,
                          size_t sketch_size, nd_error *error);
void nd_columns_free(nd_columns *columns);

/* Adds a record of `source`; `offset` is as in corpus.h. Sources come in order. One thread at a
 * time. ND_ERR_ARGUMENT: there are ND_MAX_DOCUMENTS documents already. */
nd_status nd_columns_add_record(nd_columns *columns, size_t source, const nd_raw_record *record,
                                nd_error *error);
/* Appends the id of the document that was added last. */
nd_status nd_columns_add_id(nd_columns *columns, uint64_t line, const char *id, size_t length,
                            nd_error *error);
/* Appends the key of the document that was added last. */
nd_status nd_columns_add_differ_key(nd_columns *columns, uint64_t key, nd_error *error);
/* Ends adding. After this call the columns can be read. */
nd_status nd_columns_finish(nd_columns *columns, nd_error *error);

static inline uint64_t nd_columns_offset(const nd_columns *columns, uint32_t document) {
    return columns->chunks[document / ND_RECORD_CHUNK]->offsets[document % ND_RECORD_CHUNK];
}
static inline uint32_t nd_columns_length(const nd_columns *columns, uint32_t document) {
    return columns->chunks[document / ND_RECORD_CHUNK]->lengths[document % ND_RECORD_CHUNK];
}
/* Whether two documents are kept apart, however similar they are. */
static inline bool nd_columns_differ(const nd_columns *columns, uint32_t a, uint32_t b) {
    return columns->differ_keys && columns->differ_keys[a] != columns->differ_keys[b];
}
/* Returns the number of a document's source. O(log sources). */
size_t nd_columns_source(const nd_columns *columns, uint32_t document);

nd_status nd_columns_id(const nd_columns *columns, uint32_t document, nd_id_buffer *buffer,
                        nd_error *error);
/* Reads the text again. It is valid until the reader's next call. */
nd_status nd_columns_text(const nd_columns *columns, nd_record_reader *reader, uint32_t document,
                          const char **text, size_t *length, nd_error *error);
/* Gets the sketch: a pointer into the spool's memory if it is there, else to `scratch` (sketch_size
 * bytes), into which it is copied. */
nd_status nd_columns_sketch(const nd_columns *columns, uint32_t document, void *scratch,
                            const void **sketch, nd_error *error);

/* Memory for a packed set, reused from set to set. The caller releases `bytes`. */
typedef struct nd_set_buffer {
    unsigned char *bytes;
    size_t capacity;
    const unsigned char *set; /* valid until the buffer is filled again */
    size_t size;
} nd_set_buffer;
nd_status nd_columns_set(const nd_columns *columns, uint32_t document, nd_set_buffer *buffer,
                         nd_error *error);

#endif

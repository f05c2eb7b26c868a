/* Sorted keys, each with a document: a band of an index, or the hashes of its ids (doc/index.md, "Key table"). A key's ND_BAND_BITS bits (band_key.h) stand here as one number
 * below 2^38: top part first.
 *
 * A section of a sealed file: the directory, 2^D + 1 little-endian words of 32 bits, place d saying at which entry the keys with the top bits d begin; then the entries, five
 * bytes each, little-endian: the key's other bits above the document. Documents below 2^B: B = max(2, bits that the greatest document number needs), D = B - 2. Entries of one key come in the
 * order of documents. */
#ifndef ND_MATCH_KEY_TABLE_H
#define ND_MATCH_KEY_TABLE_H

#include "io/sealed_file.h"
#include "match/band_key.h"

/* ---- writing */

typedef struct nd_key_table_writer nd_key_table_writer;

/* Of `entries` entries with documents below `documents` (both known before; entries may repeat a document), into a section that the caller has begun. */
nd_status nd_key_table_writer_create(nd_sealed_writer *file, uint64_t documents, uint64_t entries, const nd_allocator *allocator, nd_key_table_writer **out, nd_error *error);

/* The next entry: ascending by (key, document). */
nd_status nd_key_table_put(nd_key_table_writer *writer, uint64_t key, uint32_t document, nd_error *error);
nd_status nd_key_table_finish(nd_key_table_writer *writer, nd_error *error);
void nd_key_table_writer_free(nd_key_table_writer *writer);

/* ---- reading */

typedef struct nd_key_table {
    const nd_sealed_file *file;
    nd_section section;
    uint64_t entries, documents;
    unsigned document_bits; /* B */
} nd_key_table;

/* O(1). ND_ERR_CORRUPT where the section's size is not that of such a table. */
nd_status nd_key_table_open(const nd_sealed_file *file, uint32_t tag, uint64_t documents, uint64_t entries, nd_key_table *out, nd_error *error);

/* A key's entries: numbers [begin, end). In two steps, so that many lookups can wait for memory together: prefetch for all keys, locate for all, find for all. */
typedef struct nd_key_range {
    uint64_t begin, end;
} nd_key_range;
void nd_key_table_prefetch(const nd_key_table *table, uint64_t key);
/* The directory's place: the entries among which the key's are; their memory is asked for. */
nd_status nd_key_table_locate(const nd_key_table *table, uint64_t key, nd_key_range *place, nd_error *error);
/* Of a located place, the entries of the key itself. */
nd_status nd_key_table_find(const nd_key_table *table, uint64_t key, nd_key_range place, nd_key_range *out, nd_error *error);
/* The documents of up to `room` entries from `begin` on. */
nd_status nd_key_table_documents(const nd_key_table *table, uint64_t begin, size_t count, uint32_t *documents, nd_error *error);

/* All entries in order: for merging and checking. */
typedef struct nd_key_cursor {
    const nd_key_table *table;
    uint64_t next;      /* entry */
    uint64_t directory; /* its place, or before it */
    uint64_t key;       /* of the entry that nd_key_cursor_next gave */
    uint32_t document;
} nd_key_cursor;
nd_key_cursor nd_key_cursor_begin(const nd_key_table *table);
/* *more false: there is none. Refuses (ND_ERR_CORRUPT) entries out of order, documents out of range and a directory that does not ascend. */
nd_status nd_key_cursor_next(nd_key_cursor *cursor, bool *more, nd_error *error);

#endif

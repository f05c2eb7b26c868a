/* Sorted keys, each with a document: a band of an index, or the hashes of its ids (doc/index.md,
 * "Key table"). A key stands here as a number below 2^ND_BAND_BITS (nd_band_number).
 *
 * A section of a sealed file: the entries, five bytes each, little-endian: the key's low 40 - B
 * bits above the document's B; then zeros up to a multiple of four bytes; then the directory, 2^D +
 * 1 little-endian words of 32 bits, word d saying how many entries have keys whose top D bits are
 * below d. Documents are below 2^B: B = max(2, bits that the greatest document number needs), D = B
 * - 2. Entries come in the order of keys, those of one key in the order of documents. */
#ifndef ND_STORE_KEY_TABLE_H
#define ND_STORE_KEY_TABLE_H

#include "storage/sealed_file.h"
#include "sketch/band_key.h"

/* ---- writing */

typedef struct nd_key_table_writer nd_key_table_writer;

/* Of `entries` < 2^32 entries with documents below `documents` <= 2^32 (both known before; entries
 * may repeat a document), into a section that the caller has begun. The directory waits in memory,
 * and from some MB on on the disk of the file's directory, until the entries are written. */
nd_status nd_key_table_writer_create(nd_sealed_writer *file, uint64_t documents, uint64_t entries,
                                     const nd_allocator *allocator, nd_key_table_writer **out,
                                     nd_error *error);

/* The next entry, in the order of (key, document); what is out of order or range is
 * ND_ERR_ARGUMENT. */
nd_status nd_key_table_put(nd_key_table_writer *writer, uint64_t key, uint32_t document,
                           nd_error *error);
/* ND_ERR_ARGUMENT where there were not so many entries. */
nd_status nd_key_table_finish(nd_key_table_writer *writer, nd_error *error);
/* Before the file's writer. NULL is accepted. */
void nd_key_table_writer_free(nd_key_table_writer *writer);

/* ---- reading */

typedef struct nd_key_table {
    const nd_sealed_file *file;
    nd_section section;
    uint64_t entries, documents;
    uint64_t directory;     /* byte of the section where it begins */
    unsigned document_bits; /* B */
} nd_key_table;

/* O(1). ND_ERR_CORRUPT where the section's size is not that of such a table. */
nd_status nd_key_table_open(const nd_sealed_file *file, uint32_t tag, uint64_t documents,
                            uint64_t entries, nd_key_table *out, nd_error *error);

/* A key's entries: numbers [begin, end). In three steps, so that many lookups can wait for memory
 * together: prefetch for all keys, locate for all, find for all. Any number of threads. What the
 * file says is checked against the table's bounds (ND_ERR_CORRUPT); that it is sorted is not. */
typedef struct nd_key_range {
    uint64_t begin, end;
} nd_key_range;
void nd_key_table_prefetch(const nd_key_table *table, uint64_t key);
/* The directory's place: the entries among which the key's are; their memory is asked for. */
nd_status nd_key_table_locate(const nd_key_table *table, uint64_t key, nd_key_range *place,
                              nd_error *error);
/* Of a located place, the entries of the key itself. O(log) in the place's length. */
nd_status nd_key_table_find(const nd_key_table *table, uint64_t key, nd_key_range place,
                            nd_key_range *out, nd_error *error);
/* The entries of each of `count` >= 1 ascending keys, by one look at all that lies between the
 * first and the last. *close false: that would be too much, and nothing was looked at. */
nd_status nd_key_table_find_close(const nd_key_table *table, const uint64_t *keys, size_t count,
                                  bool *close, nd_key_range *out, nd_error *error);
/* The documents of the entries [begin, begin + count). */
nd_status nd_key_table_documents(const nd_key_table *table, uint64_t begin, size_t count,
                                 uint32_t *documents, nd_error *error);

/* All entries in order: for merging and checking. */
typedef struct nd_key_cursor {
    const nd_key_table *table;
    uint64_t next;  /* entry */
    uint64_t words; /* of the directory that have been read; the entry's place is the one before the
                       last */
    uint64_t before; /* the last of them: entries up to its place */
    uint64_t key;    /* of the entry that nd_key_cursor_next gave */
    uint32_t document;
} nd_key_cursor;
nd_key_cursor nd_key_cursor_begin(const nd_key_table *table);
/* *more false: there is none. Refuses (ND_ERR_CORRUPT) entries out of order, documents out of range
 * and a directory that does not ascend from 0 to the number of entries. */
nd_status nd_key_cursor_next(nd_key_cursor *cursor, bool *more, nd_error *error);

#endif

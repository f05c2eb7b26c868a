/* Sorted keys, each with a document: a band of an index, or the hashes of its ids
 * (doc/internals/formats.md, "Files of an index"). A key here is a number below 2^ND_BAND_BITS
 * (nd_band_number).
 *
 * The table is a section of a sealed file:
 *
 *   entries     five bytes each, little-endian: the low 40 - B bits of the key above the B bits of
 *               the document; ascending by key, entries of one key by document
 *   zeros       up to a multiple of 64 bytes
 *   directory   lines (key_line.h)
 *
 * B = max(2, bits of the greatest document number). The top D = B - 2 bits of a key need not be
 * stored: they follow from the line, and from the key's place in it. */
#ifndef ND_STORE_KEY_TABLE_H
#define ND_STORE_KEY_TABLE_H

#include "base/limits.h"
#include "storage/sealed_file.h"
#include "sketch/band_key.h"
#include "store/key_line.h"

/* ---- writing */

typedef struct nd_key_table_writer nd_key_table_writer;

/* Writes a table of exactly `entries` < 2^32 entries, whose documents are below `documents` <= 2^32
 * and may repeat, into a section that the caller has begun. Until all entries are written, the
 * directory is kept in memory, and beyond 8 MiB in a temporary file beside the sealed file. */
nd_status nd_key_table_writer_create(nd_sealed_writer *file, uint64_t documents, uint64_t entries,
                                     const nd_allocator *allocator, nd_key_table_writer **out,
                                     nd_error *error);

/* Writes the next entries. ND_ERR_ARGUMENT: one is out of order or range. */
nd_status nd_key_table_put(nd_key_table_writer *writer, const uint64_t *keys,
                           const uint32_t *documents, size_t count, nd_error *error);
/* ND_ERR_ARGUMENT: entries are missing. */
nd_status nd_key_table_finish(nd_key_table_writer *writer, nd_error *error);
/* REQUIRES: the file's writer has not been freed. NULL is accepted. */
void nd_key_table_writer_free(nd_key_table_writer *writer);

/* ---- reading */

typedef struct nd_key_table {
    const nd_sealed_file *file;
    nd_section section;
    uint64_t entries, documents;
    nd_key_shape shape;
} nd_key_table;

/* O(1). ND_ERR_CORRUPT: such a table has another size. */
nd_status nd_key_table_open(const nd_sealed_file *file, uint32_t tag, uint64_t documents,
                            uint64_t entries, nd_key_table *out, nd_error *error);

/* A lookup has up to five steps. Each is done for some dozens of keys before the next one, so that
 * their waits for memory overlap; steps 3 to 5 only for keys that the table may have. Prefetches
 * are loops of their own, and short ones: the processor looks a few hundred instructions ahead, and
 * a prefetch may wait for the address of its page. Any number of threads. All numbers of the file
 * are checked against the table's bounds (ND_ERR_CORRUPT); the order of its entries is not.
 *
 * 1. Prefetches the key's line of the directory. */
static inline void nd_key_table_prefetch(const nd_key_table *table, uint64_t key) {
    uint64_t line = nd_key_line_of(&table->shape, key);
    nd_sealed_prefetch(table->file, &table->section, table->shape.directory + line * ND_KEY_LINE);
}
/* 2. Whether the table may have the key; false: it has not. */
static inline bool nd_key_table_may_have(const nd_key_table *table, uint64_t key) {
    nd_key_place place = nd_key_place_of(&table->shape, key);
    uint64_t offset = table->shape.directory + place.line * ND_KEY_LINE;
    const unsigned char *line = nd_sealed_unverified(table->file, &table->section) + offset;
    return !nd_sealed_is_verified(table->file, &table->section, offset, offset + 1) ||
           nd_key_line_may_have(line, place);
}
/* 3. Finds the key's bucket in the directory: the entries that may have the key. */
nd_status nd_key_table_locate(const nd_key_table *table, uint64_t key, nd_key_range *bucket,
                              nd_error *error);
/* 4. Prefetches the entries of a bucket. */
static inline void nd_key_table_prefetch_entries(const nd_key_table *table, nd_key_range bucket) {
    if (bucket.begin == bucket.end) return;
    nd_sealed_prefetch(table->file, &table->section, bucket.begin * ND_KEY_ENTRY);
    nd_sealed_prefetch(table->file, &table->section, bucket.end * ND_KEY_ENTRY);
}
/* 5. Finds the entries of the key in its bucket. O(log) of the bucket's length. */
nd_status nd_key_table_find(const nd_key_table *table, uint64_t key, nd_key_range bucket,
                            nd_key_range *out, nd_error *error);
/* Finds the entries of each of `count` >= 1 ascending keys: of keys that are close together by one
 * read of all buckets from the first key's to the last key's, else by these steps. Hundreds of keys
 * at once are best. */
nd_status nd_key_table_find_ascending(const nd_key_table *table, const uint64_t *keys, size_t count,
                                      nd_key_range *out, nd_error *error);
/* Reads the documents of the entries [begin, begin + count). */
nd_status nd_key_table_documents(const nd_key_table *table, uint64_t begin, size_t count,
                                 uint32_t *documents, nd_error *error);

/* Reads all entries in order, some at a time. */
enum { ND_CURSOR_ENTRIES = ND_LIMIT(128, 3) };
typedef struct nd_key_cursor {
    const nd_key_table *table;
    uint64_t next;             /* the next entry that is not in the arrays */
    uint64_t lines;            /* read so far; the last one is that of the next entry */
    const unsigned char *line; /* that one */
    nd_key_range range;        /* its entries */
    unsigned prefix;           /* of the entry before `next`, among those of the line */
    uint64_t key;              /* of the entry that was read last */
    uint32_t document;
    uint32_t at, count; /* the entries [at, count) of the arrays follow it */
    uint64_t keys[ND_CURSOR_ENTRIES];
    uint32_t documents[ND_CURSOR_ENTRIES];
} nd_key_cursor;
void nd_key_cursor_begin(const nd_key_table *table, nd_key_cursor *out);

/* Reads the next entries into the arrays, none behind the last one: nd_key_cursor_next does so when
 * it needs to; or the caller, who then takes them all. REQUIRES: none are left in the arrays. */
nd_status nd_key_cursor_fill(nd_key_cursor *cursor, nd_error *error);

/* *more false: there is no entry left. ND_ERR_CORRUPT: entries are out of order, a document is out
 * of range, or the directory does not fit them. */
static inline nd_status nd_key_cursor_next(nd_key_cursor *c, bool *more, nd_error *error) {
    if (c->at == c->count) ND_TRY(nd_key_cursor_fill(c, error));
    *more = c->at < c->count;
    if (!*more) return ND_OK;
    c->key = c->keys[c->at];
    c->document = c->documents[c->at++];
    return ND_OK;
}

#endif

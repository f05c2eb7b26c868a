/* The memtable: the documents that are in the write-ahead log and in no segment yet, found by band
 * key and by id. Holds what the records of the log hold. Documents are numbered from 0 in the order
 * of adding.
 *
 * Each band has an open-addressing table of its keys. A slot leads to the first document of a ring
 * of all documents that have the key. The hashes of the ids are one band more. All that belongs to
 * one document is in one piece of a large chunk of memory, and never moves. Beyond the payloads
 * this takes about 20 bytes per document and band.
 *
 * Thread-compatible: any number of threads may read while none changes the table. */
#ifndef ND_STORE_MEMTABLE_H
#define ND_STORE_MEMTABLE_H

#include "base/alloc.h"
#include "base/status.h"
#include "store/document_row.h"

/* The most documents of a table, removed ones included. */
#define ND_MEMTABLE_MOST ((UINT32_C(1) << 26) - 2)

typedef struct nd_memtable nd_memtable;

/* `expected`: documents for which the tables have room at first, so that these are not moved while
 * so many are added. */
nd_status nd_memtable_create(const nd_row_layout *layout, uint32_t expected,
                             const nd_allocator *allocator, nd_memtable **out, nd_error *error);
/* NULL is accepted. */
void nd_memtable_free(nd_memtable *table);
/* Removes all documents. The table keeps its memory for the next ones, except the memory of large
 * documents. */
void nd_memtable_clear(nd_memtable *table);

/* Copies the document, all of it or, on failure, nothing. If its id is there already, the newest
 * document is found by it. ND_ERR_ARGUMENT: the table has ND_MEMTABLE_MOST documents, or this
 * one has 4 GiB. */
nd_status nd_memtable_add(nd_memtable *table, const nd_stored_document *document, nd_error *error);
/* The document keeps its number, but is no longer found by key or id, nor counted as live. Removing
 * it again changes nothing. O(bands), however many documents share its keys. */
void nd_memtable_remove(nd_memtable *table, uint32_t document);
bool nd_memtable_is_removed(const nd_memtable *table, uint32_t document);
/* Takes back the last additions, so that the table has `count` documents. Their memory is given
 * back with the table. */
void nd_memtable_take_back(nd_memtable *table, uint32_t count);

uint32_t nd_memtable_count(const nd_memtable *table); /* removed ones included */
uint32_t nd_memtable_live_count(const nd_memtable *table);
size_t nd_memtable_bytes(const nd_memtable *table); /* of memory, about */

/* Reads a document below the count, removed or not; keys: NULL. Valid until the table is freed.
 * 8 bytes behind the set can be read. */
void nd_memtable_document(const nd_memtable *table, uint32_t document, nd_stored_document *out);
uint64_t nd_memtable_key(const nd_memtable *table, uint32_t document, uint32_t band);
/* The document as nd_row_write has written it. */
const unsigned char *nd_memtable_row(const nd_memtable *table, uint32_t document, size_t *size);
/* All sketches as fingerprints, if the layout has no bands: one word each, or two, the low one
 * first, if a sketch has more than 8 bytes. Valid until a document is added. */
const uint64_t *nd_memtable_fingerprints(const nd_memtable *table);

/* The documents with a key of a band, ascending: the first one, and the one after a document that
 * is not removed. UINT32_MAX: none. */
uint32_t nd_memtable_find(const nd_memtable *table, uint32_t band, uint64_t key);
uint32_t nd_memtable_next(const nd_memtable *table, uint32_t band, uint32_t document);
void nd_memtable_prefetch(const nd_memtable *table, uint32_t band, uint64_t key);

/* UINT32_MAX: none. */
uint32_t nd_memtable_find_id(const nd_memtable *table, const char *id, size_t length);

#endif

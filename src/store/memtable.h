/* The documents of an index that are in its log and in no segment yet, found by band key and by id.
 * Holds what the log's records hold. Documents are numbered from 0 as they come.
 *
 * A band has an open table of its keys, each with the first of a ring of documents that have it;
 * the ids' hashes are one band more. What belongs to one document stands in one piece of a large
 * chunk of memory and never moves. Beyond the payloads that is about 20 bytes a document and band.
 *
 * One thread at a time changes it, and none reads meanwhile; else any number of threads reads. */
#ifndef ND_STORE_MEMTABLE_H
#define ND_STORE_MEMTABLE_H

#include "base/alloc.h"
#include "base/status.h"

/* A document as an index keeps it. */
typedef struct nd_stored_document {
    const char *id;
    size_t id_length;
    const uint8_t *sketch;    /* perms bytes */
    const uint64_t *keys;     /* one a band, below 2^ND_BAND_BITS (band_key.h) */
    const unsigned char *set; /* packed (packed_set.h); NULL where the index holds sketches only */
    size_t set_size;
} nd_stored_document;

/* The fingerprint that stands in the sketch's place in an index of them, which has no bands,
 * little-endian. */
nd_fingerprint nd_stored_fingerprint(const nd_stored_document *document, uint32_t bits);

/* The payload of a log record: id length (32 bits), id, sketch, keys of five bytes each, set. */
size_t nd_stored_size(const nd_stored_document *document, uint32_t perms, uint32_t bands);
void nd_stored_write(const nd_stored_document *document, uint32_t perms, uint32_t bands,
                     unsigned char *to);
/* Points into the payload, with the keys in `keys` (room for bands). Everything is checked, the set
 * with nd_packed_set_count; false: not such a payload. `exact`: with a set. */
bool nd_stored_read(const unsigned char *payload, size_t size, uint32_t perms, uint32_t bands,
                    bool exact, uint64_t *keys, nd_stored_document *out);

/* A table has at most so many documents, removed ones included. */
#define ND_MEMORY_TABLE_MOST ((UINT32_C(1) << 26) - 2)

typedef struct nd_memory_table nd_memory_table;

nd_status nd_memory_table_create(uint32_t perms, uint32_t bands, bool exact,
                                 const nd_allocator *allocator, nd_memory_table **out,
                                 nd_error *error);
/* NULL is accepted. */
void nd_memory_table_free(nd_memory_table *table);

/* Copies the document. All or nothing. An id may come again: the newest is found. ND_ERR_ARGUMENT:
 * the table has ND_MEMORY_TABLE_MOST documents, or this one has 4 GiB. */
nd_status nd_memory_table_add(nd_memory_table *table, const nd_stored_document *document,
                              nd_error *error);
/* Its number stays, but it is not found any more, by key or by id, and is not in the count of live
 * ones. Twice is once. O(bands), however many share its keys. */
void nd_memory_table_remove(nd_memory_table *table, uint32_t document);
bool nd_memory_table_is_removed(const nd_memory_table *table, uint32_t document);

uint32_t nd_memory_table_count(const nd_memory_table *table); /* removed ones included */
uint32_t nd_memory_table_live(const nd_memory_table *table);
size_t nd_memory_table_bytes(const nd_memory_table *table); /* of memory, about */

/* The parts of a document, removed or not, valid until the table is freed; 8 bytes behind the set
 * can be read. document < count. */
void nd_memory_table_document(const nd_memory_table *table, uint32_t document,
                              nd_stored_document *out); /* keys: NULL */
uint64_t nd_memory_table_key(const nd_memory_table *table, uint32_t document, uint32_t band);
/* Where there are no bands: all fingerprints, of one word each, or, of 128 bits, two, the low one
 * first. Valid until a document is added. */
const uint64_t *nd_memory_table_fingerprints(const nd_memory_table *table);

/* Documents with a band's key, ascending: the first of them, and the next behind one that is not
 * removed; UINT32_MAX: none. */
uint32_t nd_memory_table_find(const nd_memory_table *table, uint32_t band, uint64_t key);
uint32_t nd_memory_table_next(const nd_memory_table *table, uint32_t band, uint32_t document);
void nd_memory_table_prefetch(const nd_memory_table *table, uint32_t band, uint64_t key);

/* UINT32_MAX: none. */
uint32_t nd_memory_table_find_id(const nd_memory_table *table, const char *id, size_t length);

#endif

/* An open index, read: its segments, and the memtable of documents that no segment holds yet.
 * Recovering and closing it is store_open.h; changes are store_commit.h, flush.h and compaction.h.
 *
 * Documents are numbered from 0, over the segments in order, then over the memtable. A removed
 * document keeps its number until a flush, publication or compaction installs a new state.
 *
 * A store does not know what its documents mean: each has an id, a sketch of N bytes, and, as its
 * settings say, band keys and a shingle set. In an index of fingerprints the sketch is the
 * fingerprint, and segments have Hamming tables in place of bands.
 *
 * Thread-compatible: any number of threads may read while none changes the store; a change needs
 * exclusive access. nd_index_store (index/index_store.h) has the locks. The store owns its
 * segments, memtable and write-ahead log. */
#ifndef ND_STORE_STORE_H
#define ND_STORE_STORE_H

#include "base/job_progress.h"
#include "store/manifest.h"
#include "store/memtable.h"
#include "store/segment.h"

typedef struct nd_store nd_store;

typedef enum nd_store_mode { ND_STORE_READ, ND_STORE_WRITE } nd_store_mode;

/* For messages; of a store in memory, a name that says so. */
const char *nd_store_directory(const nd_store *store);
const nd_manifest *nd_store_state(const nd_store *store);
uint32_t nd_store_document_count(const nd_store *store); /* removed documents included */
uint32_t nd_store_live_count(const nd_store *store);
uint64_t nd_store_bytes(const nd_store *store);         /* of all its files, and of the memtable */
uint32_t nd_store_log_documents(const nd_store *store); /* in the memtable, not removed */

/* What the description of an index says of its store. */
typedef struct nd_store_counts {
    uint64_t documents, removed, segments, log_documents, generation, bytes;
} nd_store_counts;
nd_store_counts nd_store_count_all(const nd_store *store);

/* A document below nd_store_document_count, valid until the store changes; keys: NULL.
 * REQUIRES of nd_store_document: ids are not numbers. */
bool nd_store_is_removed(const nd_store *store, uint32_t number);
nd_status nd_store_document(const nd_store *store, uint32_t number, nd_stored_document *out,
                            nd_error *error);
/* Prefetches the rows of documents, so that nd_store_document need not wait for each in turn. Some
 * hundreds at a time: the processor's cache must hold them until they are read. */
void nd_store_prefetch_documents(const nd_store *store, const uint32_t *numbers, size_t count);
/* Reads the id alone, in every index. One that is a number may be put into *digits. */
nd_status nd_store_id(const nd_store *store, uint32_t number, nd_id_digits *digits,
                      nd_stored_document *out, nd_error *error);
/* REQUIRES: ids are numbers. */
nd_status nd_store_numeric_id(const nd_store *store, uint32_t number, uint32_t *id,
                              nd_error *error);
/* *number: UINT32_MAX if no document has the id. */
nd_status nd_store_find_id(const nd_store *store, const char *id, size_t length, uint32_t *number,
                           nd_error *error);

/* The segments, and the memtable, each with the number of its first document. */
size_t nd_store_segment_count(const nd_store *store);
const nd_segment *nd_store_segment(const nd_store *store, size_t segment, uint32_t *begin);
const nd_memtable *nd_store_memtable(const nd_store *store, uint32_t *begin);
/* Segments [first, end). */
typedef struct nd_segment_range {
    size_t first, end;
} nd_segment_range;

/* From now on writing and merging segments asks `progress` whether to go on; NULL, as at first:
 * nobody is asked. A cancelled call has changed nothing, like any that fails. */
void nd_store_set_progress(nd_store *store, nd_progress *progress);

#endif

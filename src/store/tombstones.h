/* The removed documents of a store's segments, as one bit per document.
 *
 * The removals of the current state are in a sealed file, which is mapped. Removals since then are
 * also in the write-ahead log; here they are in memory, in chunks that are allocated when their
 * first bit is set. Removed documents of the memtable are the memtable's own.
 *
 * Thread-compatible: any number of threads may read while none adds. */
#ifndef ND_STORE_TOMBSTONES_H
#define ND_STORE_TOMBSTONES_H

#include "storage/sealed_file.h"

typedef struct nd_tombstones {
    nd_sealed_file *file; /* NULL: the state has no removed document */
    nd_section file_bits;
    uint64_t file_size;  /* bytes */
    uint32_t file_count; /* removed documents of the state */
    uint8_t **chunks;    /* NULL where no bit is set */
    size_t chunk_count, chunk_capacity;
    uint32_t added_count; /* removed since */
} nd_tombstones;

/* Opens the file of a state and checks its every page. `documents`: of all segments; `removed`: how
 * many of them the state counts as removed. On failure *out must be closed too. */
nd_status nd_tombstones_open(const char *path, const nd_seal *seal, uint32_t documents,
                             uint32_t removed, const nd_allocator *allocator, nd_tombstones *out,
                             nd_error *error);
/* One that is all zeros is accepted: it has no removed documents. */
void nd_tombstones_close(nd_tombstones *tombstones, const nd_allocator *allocator);

bool nd_tombstones_has(const nd_tombstones *tombstones, uint32_t number);
/* Whether it was removed since the state was made. */
bool nd_tombstones_added(const nd_tombstones *tombstones, uint32_t number);
/* Makes room, so that the next nd_tombstones_add of this document cannot fail. */
nd_status nd_tombstones_reserve(nd_tombstones *tombstones, uint32_t number,
                                const nd_allocator *allocator, nd_error *error);
/* Removes a document that is not removed. */
nd_status nd_tombstones_add(nd_tombstones *tombstones, uint32_t number,
                            const nd_allocator *allocator, nd_error *error);

/* Writes the file of a new state. The documents come in the order of their new numbers. */
typedef struct nd_tombstone_writer nd_tombstone_writer;
nd_status nd_tombstone_writer_create(const char *path, const nd_allocator *allocator,
                                     nd_tombstone_writer **out, nd_error *error);
nd_status nd_tombstone_writer_put(nd_tombstone_writer *writer, bool removed, nd_error *error);
/* Makes the file durable, with its name. */
nd_status nd_tombstone_writer_finish(nd_tombstone_writer *writer, nd_seal *seal, nd_error *error);
/* Removes a file that was not finished. NULL is accepted. */
void nd_tombstone_writer_free(nd_tombstone_writer *writer);

#endif

/* A segment: documents of an index that do not change any more, as the columns of a sealed file (doc/index.md, "A segment's columns"; doc/formats.md for the bytes). */
#ifndef ND_STORE_SEGMENT_H
#define ND_STORE_SEGMENT_H

#include "io/scratch_disk.h"
#include "match/key_table.h"
#include "store/manifest.h"

/* ---- writing: column by column, each of all documents, in this order: sets (where the index has them), ids, sketches, then the tables of the bands */

typedef struct nd_segment_writer nd_segment_writer;

/* A new file of at least one document. `disk` and `memory_limit`: for the sort of the ids' hashes and the ends of ids and sets. */
nd_status nd_segment_writer_create(const char *path, const nd_index_settings *settings, uint32_t documents, nd_scratch_disk *disk,
                                   size_t memory_limit, const nd_allocator *allocator, nd_segment_writer **out, nd_error *error);

/* Each once a document, in the documents' order. */
nd_status nd_segment_put_set(nd_segment_writer *writer, const unsigned char *packed, size_t size, nd_error *error);
nd_status nd_segment_put_id(nd_segment_writer *writer, const char *id, size_t length, nd_error *error);
nd_status nd_segment_put_sketch(nd_segment_writer *writer, const uint8_t *sketch, nd_error *error);
/* Band after band, each with one key a document, ascending by (key, document). */
nd_status nd_segment_put_key(nd_segment_writer *writer, uint64_t key, uint32_t document, nd_error *error);

/* Every column must have been given. Durable then, with its name. */
nd_status nd_segment_finish(nd_segment_writer *writer, nd_seal *seal, nd_error *error);
/* What was not finished is removed. */
void nd_segment_writer_free(nd_segment_writer *writer);

/* ---- reading */

typedef struct nd_segment {
    nd_allocator allocator;
    nd_sealed_file *file;
    uint32_t documents, perms, bands;
    bool exact;
    nd_section ids, id_ends, sketches, sets, set_ends; /* ends: 8 bytes a document */
    nd_key_table id_table;
    nd_key_table *tables; /* one a band */
} nd_segment;

nd_status nd_segment_open(const char *path, const nd_index_settings *settings, uint32_t documents, const nd_seal *seal, const nd_allocator *allocator,
                          nd_segment **out, nd_error *error);
void nd_segment_close(nd_segment *segment);

/* Parts of a document below `documents`, valid until the segment is closed. Any number of threads. */
nd_status nd_segment_id(const nd_segment *segment, uint32_t document, const char **id, size_t *length, nd_error *error);
nd_status nd_segment_sketch(const nd_segment *segment, uint32_t document, const uint8_t **sketch, nd_error *error);
nd_status nd_segment_set(const nd_segment *segment, uint32_t document, const unsigned char **packed, size_t *size, nd_error *error);

/* The documents with this id are given to fn until it says that it has found what it wants. */
nd_status nd_segment_find_id(const nd_segment *segment, const char *id, size_t length, bool (*fn)(void *context, uint32_t document), void *context,
                             nd_error *error);

/* Every page, every column, every table: O(size). */
nd_status nd_segment_check(const nd_segment *segment, nd_error *error);

/* The hash of an id; its table has nd_band_number of it. */
uint64_t nd_id_hash(const char *id, size_t length);

#endif

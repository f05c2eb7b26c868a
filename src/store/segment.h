/* A segment: documents of an index that do not change any more (doc/index.md, "Segments";
 * doc/formats.md for the bytes).
 *
 * Of an index of fingerprints it has Hamming tables instead of bands, and rows of ids alone; where
 * ids are numbers, one packed table of them instead of rows and the table of ids.
 *
 * Its file has rows, one a document, and key tables over them. A linked segment's file has tables
 * alone, over the rows of other segments' files, its parts: so that merging segments does not copy
 * their rows. */
#ifndef ND_STORE_SEGMENT_H
#define ND_STORE_SEGMENT_H

#include "io/temp_space.h"
#include "hamming/hamming_tables.h"
#include "store/key_table.h"
#include "store/manifest.h"
#include "store/memtable.h"
#include "store/id_runs.h"

/* ---- writing: all rows, then the tables of the bands */

typedef struct nd_segment_writer nd_segment_writer;

/* A new file of at least one document. `disk` and `memory_limit`: for the sort of the ids' hashes
 * and the ends of rows, or of fingerprints. */
nd_status nd_segment_writer_create(const char *path, const nd_index_settings *settings,
                                   uint32_t documents, nd_scratch_disk *disk, size_t memory_limit,
                                   const nd_allocator *allocator, nd_segment_writer **out,
                                   nd_error *error);
/* The next document's row; its keys are not looked at. Ids that are numbers ascend. */
nd_status nd_segment_put_document(nd_segment_writer *writer, const nd_stored_document *document,
                                  nd_error *error);

/* The same of many where ids are numbers. */
nd_status nd_segment_put_numbers(nd_segment_writer *writer, nd_number_run run, nd_error *error);

/* In an index of fingerprints: those of consecutive documents whose rows have been put, in any
 * order. */
nd_status nd_segment_put_fingerprints(nd_segment_writer *writer, const nd_fingerprint *fingerprints,
                                      uint32_t document, size_t count, nd_error *error);

/* A new file of tables alone, over the documents of the parts (each with rows of its own), in their
 * order. `entries` >= 1 of them are found by the tables: the others are removed. */
nd_status nd_segment_writer_create_linked(const char *path, const nd_index_settings *settings,
                                          const nd_manifest_segment *parts, size_t part_count,
                                          uint32_t entries, const nd_allocator *allocator,
                                          nd_segment_writer **out, nd_error *error);

/* Band after band, each with one key a document (of a linked segment: an entry), ascending by (key,
 * document); behind them, of a linked segment, the keys of the ids. */
nd_status nd_segment_put_key(nd_segment_writer *writer, uint64_t key, uint32_t document,
                             nd_error *error);

/* All must have been given. Durable then, with its name. */
nd_status nd_segment_finish(nd_segment_writer *writer, nd_seal *seal, nd_error *error);
/* What was not finished is removed. */
void nd_segment_writer_free(nd_segment_writer *writer);

/* ---- reading */

/* A file with rows. */
typedef struct nd_segment_part {
    nd_manifest_segment name; /* .removed: 0 */
    nd_sealed_file *file;
    uint32_t begin; /* the segment's number of its first document */
    nd_section rows, ends;
} nd_segment_part;

typedef struct nd_segment {
    nd_allocator allocator;
    nd_sealed_file *file;
    uint32_t documents, entries, perms, bands;
    bool exact;
    uint64_t bytes;         /* of the file */
    nd_segment_part *parts; /* the file itself, where it is not linked */
    size_t part_count;
    nd_key_table *tables; /* one a band; behind them that of the ids, where they are not numbers */
    nd_hamming_tables hamming;
    bool fingerprints, numbered;
    nd_fingerprint_table
        numbers; /* entry d: the id of document d, in the highest number_bits bits */
    uint32_t number_bits, first_number;
    bool dense; /* number first_number + d is that of document d */
} nd_segment;

nd_status nd_segment_open(const char *directory, const nd_manifest_segment *name,
                          const nd_index_settings *settings, const nd_allocator *allocator,
                          nd_segment **out, nd_error *error);
void nd_segment_close(nd_segment *segment);

/* Whether its rows are in the file of that number. */
bool nd_segment_has_part(const nd_segment *segment, uint64_t file);
/* Of its files. */
uint64_t nd_segment_bytes(const nd_segment *segment);

/* Room for an id that is a number, in decimal digits. */
typedef struct nd_id_digits {
    char bytes[20];
} nd_id_digits;
/* The digits and their count; of those of a document, below 2^32 - 1 and in their shortest form,
 * the number, or false. */
size_t nd_id_of_number(uint64_t number, nd_id_digits *digits);
bool nd_id_to_number(const char *id, size_t length, uint32_t *number);
/* The id that is a number, of a segment that has them. */
nd_status nd_segment_number(const nd_segment *segment, uint32_t document, uint32_t *number,
                            nd_error *error);

/* A document below `documents`, valid until the segment is closed; keys: NULL. 8 bytes behind the
 * set can be read. Not where ids are numbers. Any number of threads. */
nd_status nd_segment_document(const nd_segment *segment, uint32_t document, nd_stored_document *out,
                              nd_error *error);

/* The same, also where ids are numbers: the id's digits are put into *digits, and it is all that
 * there is. */
nd_status nd_segment_row(const nd_segment *segment, uint32_t document, nd_id_digits *digits,
                         nd_stored_document *out, nd_error *error);

/* The documents with this id are given to fn until it says that it has found what it wants. */
nd_status nd_segment_find_id(const nd_segment *segment, const char *id, size_t length,
                             bool (*fn)(void *context, uint32_t document), void *context,
                             nd_error *error);

/* Every page, every row, every table: O(size). */
nd_status nd_segment_check(const nd_segment *segment, nd_error *error);

/* The hash of an id; its table has nd_band_number of it. */
uint64_t nd_id_hash(const char *id, size_t length);

#endif

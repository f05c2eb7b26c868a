/* A segment, read: documents of an index that do not change any more (doc/internals/index.md,
 * "Segments"; doc/internals/formats.md for the bytes; segment_writer.h writes them).
 *
 * The file of a segment has rows, one per document (sketch, id, set), and key tables over them: one
 * per band, and one of the ids. In an index of fingerprints, Hamming tables replace the bands, and
 * a row has the id alone; if ids are numbers there, a packed table of them (numeric_ids.h) replaces
 * rows and the table of ids.
 *
 * The file of a linked segment has tables alone, over the rows in the files of other segments, its
 * parts. So compaction does not copy rows.
 *
 * Any number of threads may read an open segment, which owns its files. */
#ifndef ND_STORE_SEGMENT_H
#define ND_STORE_SEGMENT_H

#include "hamming/hamming_tables.h"
#include "store/document_row.h"
#include "store/key_table.h"
#include "store/manifest.h"
#include "store/numeric_ids.h"
#include "store/stored_id.h"

/* A file with rows. */
typedef struct nd_segment_part {
    nd_manifest_segment name; /* .removed: 0 */
    nd_sealed_file *file;
    uint32_t begin; /* the segment's number of the part's first document */
    nd_section rows, ends;
} nd_segment_part;

typedef struct nd_segment {
    nd_allocator allocator;
    nd_sealed_file *file;
    nd_index_kind kind;
    uint32_t documents;
    uint32_t entries; /* of each table; in a linked segment, removed documents may have none */
    uint32_t bands;
    uint32_t sketch_size;   /* bytes of a row's sketch; 0 in an index of fingerprints */
    bool exact;             /* rows have sets */
    bool numbered;          /* ids are numbers */
    uint64_t bytes;         /* of the file */
    nd_segment_part *parts; /* one, the file itself, if the segment is not linked */
    size_t part_count;
    nd_key_table *tables;      /* one per band; behind them the one of the ids */
    nd_numeric_ids ids;        /* if ids are numbers: in place of that table and of rows */
    nd_hamming_tables hamming; /* of an index of fingerprints */
} nd_segment;

nd_status nd_segment_open(const char *directory, const nd_manifest_segment *name,
                          const nd_index_settings *settings, const nd_allocator *allocator,
                          nd_segment **out, nd_error *error);
/* NULL is accepted. */
void nd_segment_close(nd_segment *segment);

/* Whether it was written as a linked segment. */
bool nd_segment_is_linked(const nd_segment *segment);
/* Whether its rows are in the file of that number. */
bool nd_segment_has_part(const nd_segment *segment, uint64_t file);
/* Bytes of its files. */
uint64_t nd_segment_bytes(const nd_segment *segment);

/* Asks the system to read no pages around a row, for rows that are read at random. */
void nd_segment_expect_random(const nd_segment *segment);

/* Reads the row of a document below `documents`, valid until the segment is closed; keys: NULL.
 * 8 bytes behind the set can be read. REQUIRES: ids are not numbers. */
nd_status nd_segment_document(const nd_segment *segment, uint32_t document, nd_stored_document *out,
                              nd_error *error);
/* Prefetches for nd_segment_document, first where the row is, then its beginning up to the set. The
 * second call reads the first one's line. */
void nd_segment_prefetch_place(const nd_segment *segment, uint32_t document);
void nd_segment_prefetch_row(const nd_segment *segment, uint32_t document);
/* Reads a row where ids may be numbers: such a row is the id alone, whose digits are put into
 * *digits. */
nd_status nd_segment_row(const nd_segment *segment, uint32_t document, nd_id_digits *digits,
                         nd_stored_document *out, nd_error *error);
/* REQUIRES: ids are numbers. */
nd_status nd_segment_number(const nd_segment *segment, uint32_t document, uint32_t *number,
                            nd_error *error);

/* Calls fn for each document with this id, until fn returns true. */
nd_status nd_segment_find_id(const nd_segment *segment, const char *id, size_t length,
                             bool (*fn)(void *context, uint32_t document), void *context,
                             nd_error *error);

#endif

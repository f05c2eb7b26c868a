/* Writes the file of a segment (segment.h), front to back: all rows, then the tables.
 *
 * One thread at a time. A writer owns its file until nd_segment_finish, which makes it durable. */
#ifndef ND_STORE_SEGMENT_WRITER_H
#define ND_STORE_SEGMENT_WRITER_H

#include "base/limits.h"
#include "io/temp_space.h"
#include "store/document_row.h"
#include "store/id_runs.h"
#include "store/manifest.h"

typedef struct nd_segment_writer nd_segment_writer;

/* Everything must outlive the writer, except path and settings. */
typedef struct nd_segment_request {
    const char *path;
    const nd_index_settings *settings;
    uint32_t documents;  /* at least 1 */
    nd_temp_space *disk; /* for sorts that exceed memory_limit */
    size_t memory_limit; /* bytes, for sorting id hashes and row ends, or fingerprints */
    bool read_soon;      /* its rows will be read soon, so the file stays in the page cache */
    const nd_allocator *allocator;
} nd_segment_request;

nd_status nd_segment_writer_create(const nd_segment_request *request, nd_segment_writer **out,
                                   nd_error *error);
/* Writes the next document's row; its keys are not read. Ids that are numbers must ascend. */
nd_status nd_segment_put_document(nd_segment_writer *writer, const nd_stored_document *document,
                                  nd_error *error);
/* Writes the rows of many documents, where ids are numbers. */
nd_status nd_segment_put_numbers(nd_segment_writer *writer, nd_id_run run, nd_error *error);
/* In an index of fingerprints: those of `count` consecutive documents, from `document` on, whose
 * rows have been written. Documents may come in any order. */
nd_status nd_segment_put_fingerprints(nd_segment_writer *writer, const nd_fingerprint *fingerprints,
                                      uint32_t document, size_t count, nd_error *error);

/* A segment of tables alone, over the documents of the parts, in their order. */
typedef struct nd_linked_request {
    const char *path;
    const nd_index_settings *settings;
    const nd_manifest_segment *parts; /* files that have rows */
    size_t part_count;
    uint32_t entries; /* of each table, at least 1: documents that are not removed */
    const nd_allocator *allocator;
} nd_linked_request;

nd_status nd_segment_writer_create_linked(const nd_linked_request *request, nd_segment_writer **out,
                                          nd_error *error);

/* Writes the tables band after band: for each document (in a linked segment: for each entry) one
 * key, ascending by (key, document). In a linked segment the keys of the ids follow. A call puts
 * keys of one band; ND_PUT_KEYS are enough to make it fast. */
enum { ND_PUT_KEYS = ND_LIMIT(128, 2) };
nd_status nd_segment_put_keys(nd_segment_writer *writer, const uint64_t *keys,
                              const uint32_t *documents, size_t count, nd_error *error);
/* The same for words of a part (sketch/band_key.h). */
nd_status nd_segment_put_words(nd_segment_writer *writer, size_t part, const uint64_t *words,
                               size_t count, nd_error *error);

/* Makes the file durable, with its name. ND_ERR_ARGUMENT: rows or keys are missing. */
nd_status nd_segment_finish(nd_segment_writer *writer, nd_seal *seal, nd_error *error);
/* Removes a file that was not finished. NULL is accepted. */
void nd_segment_writer_free(nd_segment_writer *writer);

#endif

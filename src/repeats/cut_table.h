/* The table of what was cut out of texts (doc/internals/formats.md, "Tables"). */
#ifndef ND_REPEATS_CUT_TABLE_H
#define ND_REPEATS_CUT_TABLE_H

#include "corpus/document_id.h"
#include "job/tsv_writer.h"

/* Bytes [begin, end) of the text of a document, and where the first equal ones are. */
typedef struct nd_cut_row {
    const nd_id_buffer *id, *source; /* source NULL: the document is left out */
    uint64_t begin, end, source_begin;
} nd_cut_row;

/* `path` NULL: the table stays closed. */
nd_status nd_cut_table_open(nd_table *table, const char *path, nd_progress *progress,
                            const nd_allocator *allocator, nd_error *error);
nd_status nd_cut_table_add(nd_table *table, const nd_cut_row *row, nd_error *error);

#endif

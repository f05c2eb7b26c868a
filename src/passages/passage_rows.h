/* Collects the passages of a run until all of them can be reported query by query
 * (passage_report.h). The rows are in memory, their ids and texts in a spool. */
#ifndef ND_PASSAGES_PASSAGE_ROWS_H
#define ND_PASSAGES_PASSAGE_ROWS_H

#include "passages/text_passages.h"

#include "io/spool.h"

/* Tokens [begin, end) of a query. */
typedef struct nd_token_range {
    uint32_t begin, end;
} nd_token_range;

/* One passage. */
typedef struct nd_passage_row {
    uint64_t source; /* number of the document, counted in the block; once emitted, counted in the
                        source */
    uint64_t name, text; /* offsets of the document's name (nd_passage_name, id, NUL) and, if texts
                            are wanted, of the passage's text, in the block's bytes; once emitted,
                            in the spool */
    uint32_t id_length;
    uint32_t query, tokens;
    nd_token_range in_query;
    nd_text_range in_source; /* bytes */
} nd_passage_row;

/* Where a document comes from. */
typedef struct nd_passage_name {
    const char *file; /* as in nd_id_buffer, valid as long as the corpus; NULL: the id */
    uint64_t line;
} nd_passage_name;

/* The passages of a block of the source. Zero-initialised. */
typedef struct nd_passage_block {
    nd_passage_row *rows;
    char *bytes;
    size_t documents, count, capacity, byte_count, byte_capacity;
} nd_passage_block;

/* The passages of all blocks. The caller initialises the spool. */
typedef struct nd_passage_rows {
    nd_allocator allocator;
    const nd_passage_queries *queries;
    bool texts;         /* whether texts of passages are wanted */
    bool placed;        /* whether the positions of passages in their documents are known */
    uint64_t memory;    /* limit of the rows, in bytes, together with the memory of sorting them */
    uint64_t documents; /* documents of the source that have been emitted */
    nd_passage_row *rows;
    size_t count, capacity;
    nd_spool names;       /* ids and texts */
    _Atomic uint64_t all; /* number of rows, including blocks that have not been emitted */
} nd_passage_rows;

/* A document of the source. Without a text the positions of its passages are unknown. */
typedef struct nd_passage_source {
    nd_passage_name name;
    const char *id;
    size_t id_length;
    const char *text;
    const nd_text_range *tokens;
} nd_passage_source;

void nd_passage_block_begin(nd_passage_block *block);
/* Adds a document to the block, with the passages that were found in it, if any. Any number of
 * threads may call it, each with its own block. */
nd_status nd_passage_rows_add(nd_passage_rows *rows, nd_passage_block *block,
                              const nd_passage_source *source, const nd_query_passage *found,
                              size_t count, nd_error *error);
/* Appends the rows of a block. REQUIRES: called by one thread at a time, in the order of the
 * source. */
nd_status nd_passage_rows_append(nd_passage_rows *rows, const nd_passage_block *block,
                                 nd_error *error);
/* The bytes of a passage in its query. */
nd_text_range nd_passage_row_bytes(const nd_passage_rows *rows, const nd_passage_row *row);

void nd_passage_block_free(nd_passage_block *block, const nd_allocator *allocator);
void nd_passage_rows_free(nd_passage_rows *rows);

#endif

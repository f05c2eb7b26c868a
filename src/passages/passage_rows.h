/* The passages of a job: rows in memory, their ids and texts in a spool, until all can be told by
 * query. */
#ifndef ND_PASSAGES_PASSAGE_ROWS_H
#define ND_PASSAGES_PASSAGE_ROWS_H

#include "passages/text_passages.h"

#include "io/spool.h"

/* Places are bytes. */
typedef struct nd_passage_row {
    uint64_t source;   /* number of its document: in the block, then in the source */
    uint64_t id, text; /* of the document, and of the passage, if it is wanted: in the block's
                          bytes, then in the spool */
    uint32_t id_length;
    uint32_t query, tokens;
    nd_text_range in_query, in_source;
} nd_passage_row;

/* Of a block of the source. Zero-initialised. */
typedef struct nd_passage_block {
    nd_passage_row *rows;
    char *bytes;
    size_t documents, count, capacity, byte_count, byte_capacity;
} nd_passage_block;

/* Of all of them. The spool is the caller's to begin. */
typedef struct nd_passage_rows {
    nd_allocator allocator;
    const nd_passage_queries *queries;
    bool texts;         /* are wanted */
    bool placed;        /* it is known where the passages stand in their documents */
    uint64_t memory;    /* bytes that rows may take, with what sorting them will */
    uint64_t documents; /* of the source so far */
    nd_passage_row *rows;
    size_t count, capacity;
    nd_spool names;       /* ids and texts */
    _Atomic uint64_t all; /* rows, with those of blocks that have not been put */
} nd_passage_rows;

/* What a document of the source is, as far as it is known: without a text its passages have no
 * places in it. */
typedef struct nd_passage_source {
    const char *id;
    size_t id_length;
    const char *text;
    const nd_text_range *tokens;
} nd_passage_source;

void nd_passage_block_begin(nd_passage_block *block);
/* Adds a document of the block, with the passages that were found in it, if any. Any number of
 * threads, each with its block. */
nd_status nd_passage_rows_add(nd_passage_rows *rows, nd_passage_block *block,
                              const nd_passage_source *source, const nd_query_passage *found,
                              size_t count, nd_error *error);
/* Puts a block behind those before it. One thread at a time. */
nd_status nd_passage_rows_put(nd_passage_rows *rows, const nd_passage_block *block,
                              nd_error *error);
/* Tells all: by query, then by place in the query, then in the order of the source. */
nd_status nd_passage_rows_tell(const nd_passage_rows *rows, nd_passages_fn *fn, void *context,
                               nd_error *error);

void nd_passage_block_free(nd_passage_block *block, const nd_allocator *allocator);
void nd_passage_rows_free(nd_passage_rows *rows);

#endif

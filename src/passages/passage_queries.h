/* The queries of nd_passages, in memory. If the source is texts: the tokens of the queries, and a
 * table of the positions at which runs of `least` tokens begin. If the source is an index: the
 * shingles of the queries, and a table of their positions. */
#ifndef ND_PASSAGES_PASSAGE_QUERIES_H
#define ND_PASSAGES_PASSAGE_QUERIES_H

#include "job/run_context.h"
#include "similarity/ngram_positions.h"
#include "text/token_offsets.h"

typedef struct nd_passage_query {
    size_t id, id_length; /* the id is at `id` in `bytes`, with a NUL behind it */
    size_t file;          /* offset in `bytes` of the name of the input, with a NUL behind it */
    uint64_t line;
    size_t text, text_length; /* the text is at `text` in `bytes`, if texts are wanted */
} nd_passage_query;

typedef struct nd_passage_queries {
    nd_allocator allocator;
    bool texts;     /* whether texts are wanted */
    uint64_t limit; /* bytes of memory for everything below */
    uint32_t ngram; /* tokens per shingle of the index; 0: the source is texts */
    nd_passage_query *queries;
    uint32_t *begins;        /* by query: its first token in `tokens`; one entry more: the end */
    nd_token_offsets tokens; /* with ngram > 0 the hash of a token is replaced by the shingle that
                                begins at it, as it is in sets; 0: none begins there */
    char *bytes;
    size_t count, capacity, begin_capacity, byte_count, byte_capacity;
    /* While they are read: the latest input, and the offset of its name in `bytes`. */
    const char *file;
    size_t file_name;
    nd_ngram_positions *positions;
} nd_passage_queries;

/* The input from which queries are read, and how they are analyzed. */
typedef struct nd_passage_input {
    const nd_run *run;
    const nd_input_options *options;
    const nd_analyzer_options *analyzer;
    nd_corpus *corpus;
    uint32_t least; /* tokens of the shortest run that is a passage */
} nd_passage_input;

/* Reads all documents of the input on the run's threads. REQUIRES: `queries` is zero except for
 * allocator, texts, limit and ngram. ND_ERR_MEMORY: the queries take more than the limit. */
nd_status nd_passage_queries_read(nd_passage_queries *queries, const nd_passage_input *input,
                                  nd_scan_counts *counts, nd_error *error);
void nd_passage_queries_free(nd_passage_queries *queries);

/* Returns the query to which a token belongs. */
uint32_t nd_passage_queries_of(const nd_passage_queries *queries, uint32_t token);

/* Creates an analyzer that does not hash texts as a whole. */
nd_status nd_passage_analyzer_create(const nd_analyzer_options *options,
                                     const nd_allocator *allocator, nd_analyzer **out,
                                     nd_error *error);

#endif

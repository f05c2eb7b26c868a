/* The queries of nd_passages, in memory: their tokens, and the positions at which runs of `least`
 * tokens begin; or, against an index, their shingles and the positions of each. */
#ifndef ND_PASSAGES_PASSAGE_QUERIES_H
#define ND_PASSAGES_PASSAGE_QUERIES_H

#include "job/run_context.h"
#include "similarity/ngram_positions.h"
#include "text/token_offsets.h"

typedef struct nd_passage_query {
    size_t id, id_length; /* in `bytes` */
    size_t text;          /* likewise, where texts are wanted */
} nd_passage_query;

typedef struct nd_passage_queries {
    nd_allocator allocator;
    bool texts;     /* texts are wanted */
    uint64_t limit; /* bytes of memory for everything below */
    uint32_t ngram; /* tokens per shingle of the index; 0: the source is texts */
    nd_passage_query *queries;
    uint32_t *begins;        /* first token of each query in `tokens`, and one more: the end */
    nd_token_offsets tokens; /* with ngram: in place of a token's hash that of the shingle that
                                begins there, as sets have it, or 0: none does */
    char *bytes;
    size_t count, capacity, begin_capacity, byte_count, byte_capacity;
    nd_ngram_positions *places;
} nd_passage_queries;

/* Where queries are read from. */
typedef struct nd_passage_input {
    const nd_run *run;
    const nd_job_options *options;
    nd_corpus *corpus;
    uint32_t least; /* tokens of the shortest run that is a passage */
} nd_passage_input;

/* Reads all documents of the input on the run's threads. `queries` is zero except for allocator,
 * texts, limit and ngram. ND_ERR_MEMORY: the queries take more than the limit. */
nd_status nd_passage_queries_read(nd_passage_queries *queries, const nd_passage_input *input,
                                  nd_scan_counts *counts, nd_error *error);
void nd_passage_queries_free(nd_passage_queries *queries);

/* The query that has a token. */
uint32_t nd_passage_queries_of(const nd_passage_queries *queries, uint32_t token);

/* An analyzer whose texts are not hashed as a whole. */
nd_status nd_passage_analyzer_create(const nd_analyzer_options *options,
                                     const nd_allocator *allocator, nd_analyzer **out,
                                     nd_error *error);

#endif

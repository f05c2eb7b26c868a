/* Shared passages: where documents have the same words as other documents. */
#ifndef NEARDUP_PASSAGES_H
#define NEARDUP_PASSAGES_H

#include "neardup/job.h"
#include "neardup/similarity.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds passages that queries (papers) share with the documents of a source (texts that they may
 * copy). The passages of a query and a document are the passages of nd_compare, with the query as
 * a.
 *
 * The source may be an index of documents. Then the job reads no texts, but scans the shingle sets
 * of the index once (doc/internals/index.md). A passage is then the longest run of at least
 * least_run tokens of the query whose shingles are all in the document. The index does not know
 * where they are in the document, nor whether they follow each other there. So every run that two
 * texts share lies in a run found by the index, but the index may find more: longer runs; tokens
 * that two passages of a query share; and, since sets keep 40 bits of a hash, a wrong shingle once
 * in 2^40 pairs of different ones. Passages of a query with at most `gap` tokens between them are
 * joined if gap > 0. Shingles of an index have n tokens, so a least_run below n is ND_ERR_ARGUMENT.
 */

/* A document of the source, and how much of a query it has. All pointers of this and the next
 * structures are valid during the call. */
typedef struct nd_source_share {
    uint64_t source; /* number in the order of the source, as in nd_found_passage */
    const char *id;
    size_t id_length;
    const char *file; /* as source_file and source_line of nd_found_passage */
    uint64_t line;
    uint64_t found;    /* tokens of the query in passages of this document */
    uint64_t passages; /* at least 1 */
} nd_source_share;

/* A query, and how much of it the source has. A token is found if it lies in a passage, also
 * between two runs that `gap` joined. A token in several passages counts once. */
typedef struct nd_query_share {
    uint64_t query; /* number in the order of input, from 0 */
    const char *id;
    size_t id_length;
    const char *file; /* as query_file and query_line of nd_found_passage */
    uint64_t line;
    const char *text; /* UTF-8; NULL without nd_passages_options.texts */
    size_t text_length;
    uint64_t tokens, found; /* of the whole text; of those, found. Their quotient is the share */
    uint64_t sources;       /* documents of the source that have passages */
    uint64_t passages;
} nd_query_share;

/* Called from one thread at a time, with the context of the job. Return false to cancel. */
typedef bool nd_query_share_fn(void *context, const nd_query_share *query);
typedef bool nd_source_share_fn(void *context, const nd_query_share *query,
                                const nd_source_share *source);

typedef struct nd_passages_options {
    size_t struct_size;
    const nd_input_options *input; /* the queries; not NULL */
    /* A path as in nd_input_options.inputs, read with the other members of `input`, or the
     * directory of an index. */
    const char *source;
    /* NULL: the defaults. ngram does not matter; stems are ND_ERR_ARGUMENT. */
    const nd_analyzer_options *analyzer;
    uint32_t least_run; /* least tokens of a shared run, at least 1, default 8 */
    /* Most tokens between two runs of one passage, in either text; default 0. */
    uint32_t gap;
    const nd_resources *resources; /* NULL: the defaults */
    bool texts;                    /* return the texts of passages, too; default false */
    uint8_t reserved[7];
    /* Instead of `source`, exactly one of them: any number of inputs. An index must be the only
     * one.
     */
    const nd_input_options *source_input;
    nd_query_share_fn *on_query;   /* NULL: not wanted */
    nd_source_share_fn *on_source; /* NULL: not wanted */
} nd_passages_options;

ND_API void nd_passages_options_init(nd_passages_options *options, size_t struct_size);

/* A passage that a query and a document of the source share. Texts are UTF-8 as in the input; NULL
 * without nd_passages_options.texts. */
typedef struct nd_found_passage {
    uint64_t query; /* number in the order of input, from 0 */
    const char *query_id;
    size_t query_id_length;
    const char *query_text; /* passage.a_end - passage.a_begin bytes */
    /* Number in the order of the source, from 0; in an index, in the order of adding, without
     * removed documents. */
    uint64_t source;
    const char *source_id;
    size_t source_id_length;
    const char *source_text; /* passage.b_end - passage.b_begin bytes */
    /* false: the source is an index, so passage.b_begin and b_end are 0, and source_text is NULL.
     */
    bool placed;
    nd_passage passage; /* a: the query; b: the document of the source */
    /* The input of each document as it was named, and the line, as in nd_decision. Of an index: ""
     * and 0. */
    const char *query_file;
    uint64_t query_line;
    const char *source_file;
    uint64_t source_line;
} nd_found_passage;

/* Called once per passage, from one thread at a time. Return false to cancel. */
typedef bool nd_passages_fn(void *context, const nd_found_passage *found);

/* Calls `fn` with all passages: by query in the order of input, then by the first byte in the
 * query, then in the order of the source. Before the passages of a query, calls on_query, also if
 * it has none, and then on_source for each of its sources: those with most tokens first, equal ones
 * in the order of the source. Sets these members of the summary (NULL: not wanted): documents,
 * input_bytes, text_bytes and skipped of queries and source together; queries, queries_found,
 * query_tokens, found_tokens; pairs (passages), work_bytes and times.
 *
 * Memory: the queries take at most 76 bytes per token and, with `texts`, 2 per byte, in half of the
 * memory limit; the passages take 100 bytes each, in a quarter of it. ND_ERR_MEMORY: they do not
 * fit; the message says how to proceed. The source is read once and may have any size. The expected
 * time is linear in the texts and in the tokens of the passages.
 *
 * With an index, the analyzer's kind and seed must be those of the index; input_bytes counts its
 * sets. The job reads the state of the index at its beginning. The time is linear in the sets, and
 * in the positions that the shingles of each document have in the queries.
 *
 * ND_ERR_ARGUMENT: an option is out of range; the index has another analyzer or seed, only
 * sketches, or fingerprints; it is one of several inputs; the source is a stream. ND_ERR_INPUT: a
 * bad record, without skip_errors. ND_ERR_CORRUPT: the index is damaged. ND_ERR_CANCELLED: a
 * callback stopped the job.
 */
ND_API ND_MUST_CHECK nd_status nd_passages(const nd_passages_options *options, nd_passages_fn *fn,
                                           void *context, nd_job_summary *summary, nd_error *error);

#ifdef __cplusplus
}
#endif
#endif

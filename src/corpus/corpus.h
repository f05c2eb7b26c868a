/* The documents of a job, whatever they come from: read once in order, in blocks that several
 * threads work on, and fetched again one by one.
 *
 * A document's *record* is a line of JSON, the text that a callback gave, or the path of a file in
 * a tree. Where it lies is its place: an offset in its input when that is an uncompressed regular
 * file, else in the corpus's own spool, to which the records of pipes, compressed files and
 * callbacks and the paths of trees are copied. So every record can be had again without reading or
 * decompressing anything twice. */
#ifndef ND_CORPUS_CORPUS_H
#define ND_CORPUS_CORPUS_H

#include "base/job_progress.h"
#include "base/limits.h"
#include "corpus/json_simdjson.h"
#include "io/spool.h"

#include <pthread.h>

typedef enum nd_source_kind { ND_SOURCE_LINES, ND_SOURCE_TREE, ND_SOURCE_CALLBACK } nd_source_kind;

typedef struct nd_source {
    const char *name; /* as given */
    nd_source_kind kind;
    /* Of a tree that is not the only one: the last part of its name, with which ids begin, so that
     * the trees' documents are told apart. */
    const char *label;
    size_t label_length; /* 0: ids are paths in the tree */
    bool in_spool;       /* places are offsets in the corpus's spool, not in the file */
    uint64_t device, inode, size;
    int64_t modified; /* nanoseconds */
} nd_source;

/* What messages call it. */
static inline const char *nd_source_title(const nd_source *source) {
    return source->name[0] == '-' && source->name[1] == 0 ? "standard input" : source->name;
}

/* Bytes in front of the path in the id of a tree's document. */
static inline size_t nd_source_prefix(const nd_source *source) {
    return source->label_length > 0 ? source->label_length + 1 : 0;
}

typedef struct nd_corpus nd_corpus;

/* A record of more bytes is *large*: only one is in work at a time, so that memory is bounded by
 * one of them however many threads there are. Whoever works on it holds the corpus's gate: a block
 * from the time it is read until nd_block_let_go, by the same thread, a reader until
 * nd_reader_let_go. Blocks come in order, so the one whose turn it is never waits for the gate
 * behind another. */
#define ND_LARGE_RECORD ND_LIMIT((size_t)4 << 20, (size_t)2000)

typedef struct nd_corpus_options {
    const char *const *inputs;
    size_t input_count;
    nd_record_fn *records;
    void *records_context;
    nd_json_fields fields;
    uint64_t max_record;
    const char *max_record_reason; /* follows the limit in messages: "", or why it is lower than
                                      what was asked for */
    nd_invalid invalid;
    bool skip_errors;
    bool once; /* no record is fetched again: nothing is copied to the spool, and places mean
                  nothing */
    bool follow_links;     /* in trees: as in nd_tree_walk_options */
    bool live;             /* a block ends where more would have to be waited for */
    nd_progress *progress; /* asked while reading waits, and between its steps; NULL: nobody is */
    uint64_t memory;       /* of the job: as in nd_stream_in_options */
    size_t spool_memory;
} nd_corpus_options;

/* The options' strings must outlive the corpus. Looks at every input: files and directories do not
 * mix. */
nd_status nd_corpus_open(const nd_corpus_options *options, const nd_allocator *allocator,
                         nd_scratch_disk *disk, nd_corpus **out, nd_error *error);
void nd_corpus_close(nd_corpus *corpus);

size_t nd_corpus_sources(const nd_corpus *corpus);
const nd_source *nd_corpus_source(const nd_corpus *corpus, size_t index);
/* How many bytes blocks will have in all, after decompression, when they have had `counted` so far:
 * the sum of the files' sizes, of compressed ones estimated by how much has been read of them; 0
 * where that is not known (a pipe, a tree, a callback). */
uint64_t nd_corpus_expected_bytes(const nd_corpus *corpus, uint64_t counted);
/* Whether a Zstandard window may have to be kept while it is read: false where all inputs are
 * regular files that begin otherwise. */
bool nd_corpus_may_have_window(const nd_corpus *corpus);
/* Symbolic links to files that the trees read so far had, and that were left out. */
uint64_t nd_corpus_links(const nd_corpus *corpus);

/* ---- reading: blocks of records */

typedef struct nd_raw_record {
    size_t start, length; /* in the block's bytes */
    uint64_t place;
    uint64_t line; /* from 1; the record's number for a callback */
    uint64_t size; /* the text's size in a tree; the true length where too_long */
    double priority;
    size_t id_start, id_length; /* of a callback's id; id_start SIZE_MAX: none */
    bool too_long;              /* over max_record: there are no bytes */
} nd_raw_record;

typedef struct nd_block {
    uint64_t number; /* from 0, in the order of input */
    size_t source;
    char *bytes; /* ND_JSON_PADDING readable bytes behind the last */
    size_t size, capacity;
    nd_raw_record *records;
    size_t count, record_capacity; /* count 0: the source ended with nothing but blank lines */
    bool end;                      /* nothing is left; count is 0 */
    bool holds_gate;
    char *broken; /* a message when the source could not be read any further and errors are skipped;
                     ends this block */
    uint64_t input_bytes; /* read for this block, after decompression; of a tree its texts are
                             counted instead */
} nd_block;

/* Ends the work on the block's large record, if there is one. */
void nd_block_let_go(nd_corpus *corpus, nd_block *block);
void nd_block_free(nd_corpus *corpus, nd_block *block);

/* The next block; calls are serialised inside, so that any number of threads may ask. After a
 * failure the block has its number in the order all the same, and further calls find the end. */
nd_status nd_corpus_next_block(nd_corpus *corpus, nd_block *block, nd_error *error);

/* ---- from record to text */

typedef struct nd_document {
    const char *text; /* valid until the reader's next call */
    size_t length;
    const char *id; /* NULL: the source says none */
    size_t id_length;
    bool has_priority;
    double priority;
} nd_document;

typedef enum nd_record_state {
    ND_RECORD_FINE,
    ND_RECORD_BAD,
    ND_RECORD_INVALID_TEXT
} nd_record_state;

/* One thread's means to make documents of records. */
typedef struct nd_reader nd_reader;
nd_status nd_reader_create(nd_corpus *corpus, nd_reader **out, nd_error *error);
/* Ends the work on a large record, if there is one. Called before waiting for another thread. */
void nd_reader_let_go(nd_reader *reader);
void nd_reader_free(nd_reader *reader);

/* Record `index` of a block as a document. *state tells of bad data, with a message in *why that
 * begins with its place ("FILE:LINE: "); a status other than ND_OK is a failure of the machine.
 * Invalid text has been replaced when the options say so. */
nd_status nd_reader_parse(nd_reader *reader, const nd_block *block, size_t index, nd_document *out,
                          nd_record_state *state, nd_error *why, nd_error *error);

/* The bytes [place, place + length) of a source, where its records lie, newlines and all. */
nd_status nd_reader_read(nd_reader *reader, size_t source, uint64_t place, size_t length, char *to,
                         nd_error *error);

/* The record at a place, as its bytes (padded behind by ND_JSON_PADDING readable ones). Valid until
 * the reader's next call. For a tree: its path. */
nd_status nd_reader_fetch(nd_reader *reader, size_t source, uint64_t place, size_t length,
                          const char **bytes, nd_error *error);

/* The text of the document at a place. It was fine when it was read first: anything else is
 * "changed while it was read". */
nd_status nd_reader_fetch_text(nd_reader *reader, size_t source, uint64_t place, size_t length,
                               const char **text, size_t *text_length, nd_error *error);

#endif

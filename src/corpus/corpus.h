/* The inputs of a run: files of records, texts in files and directories, or records from a
 * callback.
 *
 * A *record* is one document as it is in the input: an object of JSON, a row of CSV, the text of a
 * pipe or of a callback, or the path of a file with a text. block_reader.h reads all
 * records once, in the order of input, in blocks that several threads parse. record_reader.h makes
 * a document of a record, and reads single records again later.
 *
 * A record is read again by its *offset*: in its file, if that is an uncompressed regular file;
 * otherwise in the corpus's spool. Records from pipes, compressed files and callbacks, and the
 * paths of texts, are copied to the spool. So no other input is read or decompressed again. Texts
 * of a callback that stay in memory are not copied: their offsets are their addresses.
 */
#ifndef ND_CORPUS_CORPUS_H
#define ND_CORPUS_CORPUS_H

#include "base/job_progress.h"
#include "base/limits.h"
#include "corpus/csv_row.h"
#include "corpus/glob.h"
#include "corpus/json_simdjson.h"
#include "io/spool.h"
#include "warc/warc_header.h"

#include <sys/stat.h>
#include "parquet/duckdb_session.h"

typedef enum nd_source_kind {
    ND_SOURCE_RECORDS, /* a file, as its format says */
    ND_SOURCE_TREE,    /* the texts of a directory, or of a list of files */
    ND_SOURCE_CALLBACK
} nd_source_kind;

/* Where records are read again: to this the offsets of records belong. */
typedef enum nd_source_place {
    ND_IN_FILE,
    ND_IN_SPOOL,
    ND_IN_MEMORY /* offsets are addresses */
} nd_source_place;

/* One input. */
typedef struct nd_source {
    /* As the caller gave it. Of a shard: with its path in the directory. Of a glob that stands for
     * texts: the directory before its first part with a pattern. */
    const char *name;
    char *owned_name; /* memory of the name, if it is not the caller's */
    /* Of a shard: bytes of its name before its path in the directory. */
    size_t directory_length;
    nd_globs *pattern; /* of a directory: which files are read; NULL: all; owned */
    /* Of a list of files: their names, the first of which is also `name`. NULL: it is a directory.
     * The array is owned. */
    const char **files;
    size_t file_count, file_capacity;
    char *fault; /* why it cannot be read; NULL: not known; owned */
    nd_source_kind kind;
    nd_input_format format; /* of a file; ND_FORMAT_AUTO: its first bytes have not been read yet */
    nd_csv_columns columns; /* of CSV and TSV, once its header has been read */
    /* The label of the encoding that was guessed for CSV or TSV; "": none. */
    char encoding[40];
    bool keeps_ascii; /* files in the guessed encoding can be cut into records */
    /* The header of CSV and TSV, without its newline, or the first record of WARC if it is a
     * warcinfo; NULL: it has none. */
    char *header;
    size_t header_length;
    uint64_t header_offset; /* like those of records */
    uint64_t rows;          /* of Parquet: that were read so far */
    /* Set if the directory is not the only input: the ids of its documents begin with it, so that
     * documents of different inputs have different ids. It is the last part of the directory's
     * name, or, if that is not enough to tell them apart, the name. */
    const char *label;
    size_t label_length;   /* 0: an id is the path inside the directory */
    nd_source_place place; /* of its records */
    uint64_t device, inode, size;
    int64_t modified; /* nanoseconds since 1970 */
} nd_source;

/* The name of a source in messages. */
static inline const char *nd_source_title(const nd_source *source) {
    return source->name[0] == '-' && source->name[1] == 0 ? "standard input" : source->name;
}

/* The number of bytes before the path in the id of a directory's document: label and '/'. */
static inline size_t nd_source_prefix(const nd_source *source) {
    return source->label_length > 0 ? source->label_length + 1 : 0;
}

/* Whether it is still the same file with the same content, as far as `s` tells. */
bool nd_source_is(const nd_source *source, const struct stat *s);

/* The path of a text: of a file in a directory, or as it is in a list. NULL: memory is missing. The
 * caller frees it. */
char *nd_source_path(const nd_source *source, const char *path, const nd_allocator *allocator);

/* Whether its records are texts with an id and a priority beside them, not yet to be parsed. */
static inline bool nd_source_has_rows(const nd_source *source) {
    return source->kind == ND_SOURCE_CALLBACK || source->format == ND_FORMAT_PARQUET;
}

/* The text at an offset of a source whose records are in memory; an empty one may have none. */
static inline const char *nd_source_text_at(uint64_t offset) {
    return offset > 0 ? (const char *)(uintptr_t)offset : "";
}

/* Whether its documents are texts, not records with fields. */
static inline bool nd_source_has_texts(const nd_source *source) {
    return source->kind == ND_SOURCE_TREE || source->format == ND_FORMAT_TEXT;
}

/* Whether its records are those of ARC 1.0. */
static inline bool nd_source_is_arc(const nd_source *source) {
    return source->format == ND_FORMAT_WARC && source->header && source->header[0] == 'f';
}

typedef struct nd_corpus nd_corpus;

/* A record of more than so many bytes is *large*. Only one large record is in work at a time, so
 * that memory is bounded by one of them, however many threads there are: a thread that works on one
 * holds the corpus's gate (a mutex). A block holds it from the time it is read until
 * nd_block_release, by the same thread; a record reader holds it until nd_record_reader_release.
 *
 * Blocks are read in order, so the block that is the next to be stored never waits for the gate
 * behind another block. */
#define ND_LARGE_RECORD ND_LIMIT((size_t)4 << 20, (size_t)2000)

typedef struct nd_corpus_options {
    const char *const *inputs;
    size_t input_count;
    const char *files_from; /* this and the next ones: as in nd_input_options */
    const char *const *globs;
    size_t glob_count;
    nd_record_fn *records; /* not NULL: the records come from this callback, not from `inputs` */
    void *records_context;
    bool records_stay; /* as in nd_input_options */
    nd_record_fields fields;
    nd_input_format format;        /* of all files; ND_FORMAT_AUTO: each is recognised */
    uint64_t max_record;           /* bytes; a longer record is bad */
    const char *max_record_reason; /* text behind the limit in messages: "", or why the limit is
                                      lower than the caller's */
    nd_invalid invalid;
    nd_pages html;
    const char *encoding;
    bool skip_errors;
    bool once;         /* no record is read again: the spool stays empty, offsets mean nothing */
    bool follow_links; /* in directories: as in nd_directory_walk_options; so is the next one */
    bool hidden;
    bool digests;          /* of WARC records are compared */
    bool live;             /* a block ends where further reading would have to wait */
    nd_progress *progress; /* called while reading waits, and between its steps; NULL: none */
    uint64_t memory;       /* the run's memory and threads: as in nd_stream_in_options */
    uint32_t threads;
    size_t spool_memory; /* bytes of the spool that stay in memory */
    const char *duckdb;  /* as in nd_input_options */
} nd_corpus_options;

/* The options' strings must outlive the corpus. Checks that every input exists (unless errors are
 * skipped), recognises their formats, and checks that records and texts are not mixed. */
nd_status nd_corpus_open(const nd_corpus_options *options, const nd_allocator *allocator,
                         nd_temp_space *disk, nd_corpus **out, nd_error *error);
void nd_corpus_close(nd_corpus *corpus);

/* DuckDB as the options say, which is opened by the first call and closed with the corpus. Only
 * before the first and after the last block. */
nd_status nd_corpus_duckdb(nd_corpus *corpus, nd_duckdb_session **out, nd_error *error);

/* The file with the names of inputs; NULL: there is none. */
const char *nd_corpus_list(const nd_corpus *corpus);
size_t nd_corpus_sources(const nd_corpus *corpus);
const nd_source *nd_corpus_source(const nd_corpus *corpus, size_t index);
/* Estimates the bytes of all blocks together, after decompression, given that the blocks so far had
 * `counted` bytes. It is the sum of the sizes of the files; if one is compressed, an estimate from
 * the part of the files that has been read. 0: unknown (a pipe, a directory, a callback). */
uint64_t nd_corpus_expected_bytes(const nd_corpus *corpus, uint64_t counted);
/* Whether reading may need memory for a Zstandard window, or for DuckDB. False: all inputs are
 * regular files that are neither Zstandard nor Parquet. */
bool nd_corpus_may_have_window(const nd_corpus *corpus);
/* Whether the caller named an encoding of texts that is not UTF-8, or one was guessed for a table
 * that has been read. */
bool nd_corpus_converts(const nd_corpus *corpus);
/* The number of symbolic links to files that were left out of the directories read so far. */
uint64_t nd_corpus_links(const nd_corpus *corpus);
/* The number of WARC records read so far that are no documents, by kind; and of payloads whose
 * digest is another one than the record says. */
uint64_t nd_corpus_left_out(const nd_corpus *corpus, nd_warc_kind kind);
uint64_t nd_corpus_other_digests(const nd_corpus *corpus);

#endif

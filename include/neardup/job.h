/* Parts of all jobs: input, resources, progress, summary. A job reads any number of documents in
 * bounded memory, on several threads. */
#ifndef NEARDUP_JOB_H
#define NEARDUP_JOB_H

#include "neardup/sketch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One document. */
typedef struct nd_record {
    size_t struct_size; /* 0: the size of version 0.1 */
    const char *text;   /* UTF-8; NULL only if `length` is 0 */
    size_t length;
    /* NULL: jobs take the record's number, from 1; nd_index_add and nd_stream_add the empty id. */
    const char *id;
    size_t id_length;
    /* For ND_KEEP_MAX and ND_KEEP_MIN: the number to compare; NaN ranks behind all others. For a
     * stream: the time in seconds; NaN: no time. */
    double value;
    bool is_protected; /* for nd_dedup: as nd_survivor_options.protect */
    uint8_t reserved[7];
    /* For nd_dedup: the value by which losses are counted, if nd_output_options.losses_by is given;
     * NULL: none. */
    const char *label;
    size_t label_length;
} nd_record;

/* Source of documents. Fills *out, which has its struct_size and the value NaN, and is 0 otherwise,
 * and returns 1; returns 0 at the end, -1 to cancel. All pointers must stay valid until the next
 * call, that of the text until the job ends if nd_input_options.records_stay is set. Called from
 * one thread at a time, but not always the same thread. */
typedef int nd_record_fn(void *context, nd_record *out);

typedef enum nd_invalid { ND_INVALID_FAIL = 0, ND_INVALID_REPLACE, ND_INVALID_SKIP } nd_invalid;

/* What is in a file. */
typedef enum nd_input_format {
    ND_FORMAT_AUTO = 0,   /* recognised by the content of the file, else by its name */
    ND_FORMAT_JSON_LINES, /* a JSON object in each line */
    ND_FORMAT_JSON,       /* JSON objects in an array, or one behind the other, over any number of
                             lines */
    ND_FORMAT_CSV,        /* RFC 4180: columns with commas between, and a header */
    ND_FORMAT_TSV,        /* the same with tabs */
    ND_FORMAT_TEXT,       /* one document, in UTF-8 */
    ND_FORMAT_WARC,       /* web archives: WARC, with WET, and ARC */
    ND_FORMAT_PARQUET     /* rows with columns, read by DuckDB's library (`duckdb`) */
} nd_input_format;

/* Returns "json-lines", "json", "csv", "tsv", "text", "warc" or "parquet"; "auto"; "" for an
 * unknown format. Static. */
ND_API const char *nd_input_format_name(nd_input_format format);

/* The part of HTML pages that is taken. Pages are recognised by their begin, or their server tells.
 *
 * ND_PAGES_AUTO    The visible text of pages that are files or in archives. Fields of records and
 *                  texts of callbacks are taken as they are.
 * ND_PAGES_SOURCE  Everything, with its tags.
 * ND_PAGES_TEXT    The visible text, of fields and callbacks, too.
 * ND_PAGES_MAIN    The same of the main content alone: without menus, lists of links, footers,
 *                  comments and notices. */
typedef enum nd_pages { ND_PAGES_AUTO = 0, ND_PAGES_SOURCE, ND_PAGES_TEXT, ND_PAGES_MAIN } nd_pages;

/* The documents of a job, from files or from a callback.
 *
 * Files are read in the given order. A regular file, a pipe, or "-" (standard input) has records,
 * or is itself a document, as its format says; the id of a document is then its name. If the first
 * file of a directory has records, all its files are read as such, but those whose names begin with
 * '_'; or `format` says what they have. Any other directory holds one document per file, in
 * bytewise order of the paths; the id is the relative path. If there are other inputs, too, the
 * last part of the directory's name and '/' precede the id, or, if that is not enough to tell two
 * directories apart, their names as they were given. A name that no file has and that is a glob
 * stands for the files that it matches, in bytewise order of their paths. One job cannot read both
 * files of records and texts; a file of records in a directory of texts is a bad record. gzip,
 * Zstandard, bzip2, xz and LZ4 are recognised by their first bytes, if the build has the libraries
 * (nd_features). The window of a Zstandard frame may take an eighth
 * of the job's memory, rounded down to a power of two; a frame with a larger window is
 * ND_ERR_INPUT. */
typedef struct nd_input_options {
    size_t struct_size;
    const char *const *inputs;
    size_t input_count;
    /* A file with the names of further inputs, one in each line, or each ended by NUL; "-":
     * standard input. NULL: none. */
    const char *files_from;
    /* Which files of directories are read; NULL: all. `*` stands for any characters but '/', `?`
     * for one, `[a-z]` and `[!a-z]` for one of a set, `{a,b}` for each of several patterns, `**` as
     * a whole part of a path for any number of parts. A glob without '/' is compared with the name
     * of a file, another one with its path in the directory. One that begins with '!' leaves out
     * what it matches; one that ends with '/' matches directories. The last one that matches
     * decides. A file that none matches is read if all of them leave out. A name that is left out
     * by itself, because it begins with '.' or, among files of records, with '_', is read if a glob
     * has that character at the same place. */
    const char *const *globs;
    size_t glob_count;
    nd_record_fn *records; /* instead of all of these */
    void *records_context;
    /* Fields of the text, at least one; the default is "text". The text is all that a record has of
     * them, with newlines between. A field of JSON is a name, or a JSON Pointer (RFC 6901) that
     * begins with '/'. A field of CSV is the name of a column; if all are numbers, from 1, the file
     * has no header. One of Parquet is the name of a column, or a JSON Pointer to a member of a
     * struct. */
    const char *const *text_fields;
    size_t text_field_count;
    /* A string or a number, default "id". If it is missing or null, or this is NULL: FILE:LINE. */
    const char *id_field;
    /* Most bytes of a record, 1 to 2^30 - 1, default 64 MiB. The job lowers it to memory / 16
     * (ND_CHARS: / 32). A larger record is a bad record. */
    uint64_t max_record;
    /* The encoding of texts that are files and of columns of CSV, as it is named on the web, such
     * as "windows-1251"; most names need ICU (nd_features). "auto": the encoding of a text that is
     * not UTF-8 is guessed, and that of a file of CSV by its first 64 KiB (needs libuchardet).
     * NULL, the default: UTF-8. A byte order mark counts more, and so does what a page of HTML, or
     * its server, tells; if neither tells it, the encoding of a page is guessed. */
    const char *encoding;
    /* A record with invalid UTF-8 or lone surrogates: fail (default), replace by U+FFFD, or skip.
     */
    nd_invalid invalid;
    nd_input_format format; /* of all files; the default is ND_FORMAT_AUTO */
    nd_pages html;          /* default ND_PAGES_AUTO */
    /* Skip bad records: each is reported by a warning, counted and left out. So is a file or
     * directory in a tree that cannot be read or has vanished. false, the default: the first one
     * ends the job. */
    bool skip_errors;
    /* In directories, also read files through symbolic links, each file once, by the first of its
     * names. false, the default: links are left out, and one warning counts them. Links to
     * directories are never followed. */
    bool follow_links;
    /* In directories, also read hidden files and directories, whose names begin with '.'. */
    bool hidden;
    /* Do not compare the digests of WARC records with their blocks. false, the default: a block
     * with another digest is a bad record; payloads with another one are counted, and one warning
     * tells how many. */
    bool ignore_digests;
    /* The library libduckdb.so, 1.2 or later, or the module of Python's package duckdb, which reads
     * and writes Parquet. NULL, the default: the one that the environment's NEARDUP_DUCKDB names,
     * otherwise one that is installed. It is loaded when a Parquet file is read.
     * DuckDB may take more of the stack than other calls (neardup.h). ND_ERR_UNSUPPORTED: there is
     * none; the message says where to get it. */
    const char *duckdb;
    /* Files that the caller writes itself when the job is done, besides the outputs of the job. If
     * one of them is an input, also in a directory, the job is refused: ND_ERR_ARGUMENT. They need
     * not exist yet; NULL entries are passed over. */
    const char *const *written;
    size_t written_count;
    /* The texts that `records` gives stay at their addresses, unchanged, until the job ends. So the
     * job reads them there. false, the default: it copies each, and keeps the copies on disk,
     * beyond a share of its memory, if it needs texts again. */
    bool records_stay;
    uint8_t reserved[7];
} nd_input_options;

ND_API void nd_input_options_init(nd_input_options *options, size_t struct_size);

typedef enum nd_stage {
    ND_STAGE_READ = 0,
    ND_STAGE_MATCH,
    ND_STAGE_DECIDE,
    ND_STAGE_WRITE,
    ND_STAGE_SYNC,
    ND_STAGE_COUNT
} nd_stage;

/* Returns "read", "match", "decide", "write" or "sync"; "" for an unknown stage. Static. */
ND_API const char *nd_stage_name(nd_stage stage);

/* Reports progress, several times per second, also while the job waits for input. `done` and
 * `total` (0: unknown) are bytes of input while reading, documents while deciding and writing, else
 * parts of the work. Called from one thread at a time, perhaps while another thread runs another
 * callback. Return false to cancel: the job cleans up and returns ND_ERR_CANCELLED. */
typedef bool nd_progress_fn(void *context, nd_stage stage, uint64_t done, uint64_t total);

/* Reports a problem that does not stop the job, such as a skipped record or one of the first
 * repeated ids, as one printable line (nd_printable), valid during the call. Called from one thread
 * at a time. */
typedef void nd_warning_fn(void *context, const char *message);

/* Resources of a job, and its reports. */
typedef struct nd_resources {
    size_t struct_size;
    /* Memory limit in bytes, at least 64 MiB, default 1 GiB; UINT64_MAX: no limit. The peak may
     * exceed it by 64 MiB, by 16 bytes per document if documents are compared with each other, and
     * by 40 MiB and the pages of a Parquet file. */
    uint64_t memory;
    /* Directory of temporary files. NULL, the default: the directory of the output, or the system's
     * temporary directory. ND_ERR_ARGUMENT: it cannot be written. */
    const char *work;
    nd_progress_fn *on_progress;   /* NULL: not wanted */
    nd_warning_fn *on_warning;     /* NULL: not wanted */
    void *context;                 /* first argument of both */
    const nd_allocator *allocator; /* NULL: malloc */
    uint32_t threads;              /* 0 to 256; 0, the default: all cores */
    uint32_t reserved;
} nd_resources;

ND_API void nd_resources_init(nd_resources *resources, size_t struct_size);

/* Counts and times of a job. The comment of each job lists the members that it sets; the others are
 * 0. */
enum { ND_SIMILARITY_STEPS = 100 };

typedef struct nd_job_summary {
    size_t struct_size; /* set by the caller */
    /* ND_SKETCH_SIMHASH, ND_SKETCH_TLSH: only the threshold, 0 if unused. ND_SKETCH_SENTENCES:
     * threshold, perms, one band. */
    nd_plan plan;
    uint64_t documents;
    uint64_t input_bytes; /* after decompression */
    uint64_t text_bytes;
    uint64_t kept, removed;
    uint64_t exact_copies; /* removed documents that equal an earlier one, token by token */
    uint64_t skipped, duplicate_ids;
    /* Distinct pairs that share a band or a sentence, or are within k bits or the distance, and
     * whose sketches were compared. */
    uint64_t candidates;
    uint64_t verified;             /* pairs whose texts were compared exactly */
    uint64_t rejected;             /* verified pairs below the threshold */
    uint64_t pairs;                /* pairs of duplicates, matches, or passages */
    uint64_t large_buckets;        /* large buckets, kept as posting lists */
    uint64_t bounded_documents;    /* documents with comparisons that max_compare left out */
    uint64_t bounded_comparisons;  /* at most so many comparisons were left out */
    uint64_t terms, terms_written; /* nd_idf: distinct words; words of the table */
    uint64_t output_bytes;
    uint64_t work_bytes;  /* most bytes in temporary files at one time */
    uint64_t peak_memory; /* bytes of the whole process; 0: unknown */
    double seconds[8];    /* by nd_stage */
    double total_seconds;
    uint32_t threads;
    uint32_t bits, k;       /* ND_SKETCH_SIMHASH; else 0 */
    uint32_t sentences;     /* ND_SKETCH_SENTENCES; else 0 */
    uint64_t without_value; /* nd_dedup with keep_field: documents that do not have the field */
    /* nd_dedup and nd_pairs: how many pairs the measure decided, by similarity (with ND_VERIFY_NONE
     * an estimate; of fingerprints and digests as in nd_example). Step s counts those from s / 100
     * to (s + 1) / 100, the last one those of 1, too. Exact copies are not compared. */
    uint64_t duplicates_by_similarity[ND_SIMILARITY_STEPS];
    uint64_t rejected_by_similarity[ND_SIMILARITY_STEPS];
    uint64_t spared; /* protected documents that duplicate a document kept before them */
    /* ND_MEASURE_CONTAINMENT: `plan` has threshold and recall alone. Else zeros. */
    nd_anchor_plan anchor_plan;
    /* Candidate pairs that `differ_by` keeps apart. They are not compared, and are not in
     * `candidates`. Pairs of large buckets are not candidates if they differ so, and not counted.
     */
    uint64_t kept_apart;
    uint64_t repeated_bytes;   /* nd_substrings, nd_lines: of texts, that were cut */
    uint64_t units, units_cut; /* nd_lines: of all texts, and those that were cut */
    /* nd_substrings, nd_lines: documents that stay, with something cut out. */
    uint64_t changed;
    uint64_t passes; /* nd_substrings: the searches of the texts */
    /* nd_passages: queries, and those with a passage; tokens of all queries, and those in passages
     */
    uint64_t queries, queries_found, query_tokens, found_tokens;
    /* ND_SKETCH_TLSH: buckets of a digest, 128, and the most distance of candidates. Else 0. */
    uint32_t buckets, distance;
    uint64_t without_digest; /* ND_SKETCH_TLSH, nd_digests: documents that have none */
} nd_job_summary;

#ifdef __cplusplus
}
#endif
#endif

/* Jobs that extract data of each document: its text, fingerprint, signature, digest, words or
 * keywords. */
#ifndef NEARDUP_EXTRACT_H
#define NEARDUP_EXTRACT_H

#include "neardup/job.h"
#include "neardup/tlsh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An input, as a job would read it. All pointers are valid during the call. */
typedef struct nd_input_info {
    const char *name;       /* of a file in a directory of records: with its path in there */
    uint64_t size;          /* bytes of the file; 0: not known */
    nd_input_format format; /* ND_FORMAT_AUTO: that of a pipe, which is known when it is read */
    bool directory;         /* of texts: each of its files is one */
    uint8_t reserved[3];
    const char *encoding; /* that was guessed for CSV or TSV; NULL: none was */
} nd_input_info;

/* Called once per input, in the order of input. Return false to stop. */
typedef bool nd_input_fn(void *context, const nd_input_info *info);

/* Calls `fn` with every input of a job, before anything is read but the first bytes of each file.
 * `resources` NULL: the defaults. ND_ERR_ARGUMENT, ND_ERR_INPUT, ND_ERR_IO: as in the jobs that
 * read these inputs. ND_ERR_CANCELLED: the callback stopped it. */
ND_API ND_MUST_CHECK nd_status nd_inputs(const nd_input_options *input, nd_input_fn *fn,
                                         void *context, const nd_resources *resources,
                                         nd_error *error);

/* A field of a record. All pointers are valid during the call. */
typedef struct nd_input_field {
    const char *name; /* as nd_input_options takes it */
    const char
        *kind; /* of JSON "string", "number", "boolean", "null" or "array"; of CSV "column" */
    const char *value; /* of the first record, as it is written there; it may be cut off */
    size_t value_length;
} nd_input_field;

/* Called once per field, in the order of the record. Return false to stop. */
typedef bool nd_input_field_fn(void *context, const nd_input_field *field);

/* Calls `fn` with every field of the first record of an input: of the first file of JSON or CSV
 * with a header. Other inputs have none, and standard input tells none. Errors: as nd_inputs. */
ND_API ND_MUST_CHECK nd_status nd_input_fields(const nd_input_options *input, nd_input_field_fn *fn,
                                               void *context, const nd_resources *resources,
                                               nd_error *error);

/* A document and its text. All pointers are valid during the call. */
typedef struct nd_text {
    uint64_t document; /* number in the order of input, from 0 */
    const char *id;
    size_t id_length;
    const char *text; /* UTF-8 */
    size_t length;
    /* Of web archives: the target URI, and the date as the record has it. Length 0: none. */
    const char *uri;
    size_t uri_length;
    const char *date;
    size_t date_length;
    const char *source; /* as in nd_decision; so is the next member */
    uint64_t line;
} nd_text;

/* Called once per document, in the order of input, from one thread at a time. Return false to stop.
 */
typedef bool nd_text_fn(void *context, const nd_text *text);

/* Calls `fn` with the text of every document of an input, in bounded memory. `resources` NULL: the
 * defaults. Sets these members of the summary (NULL: not wanted): documents, input_bytes,
 * text_bytes, skipped and times. ND_ERR_INPUT: a bad record, without skip_errors. ND_ERR_CANCELLED:
 * a callback stopped the job; so in all jobs. */
ND_API ND_MUST_CHECK nd_status nd_texts(const nd_input_options *input, nd_text_fn *fn,
                                        void *context, const nd_resources *resources,
                                        nd_job_summary *summary, nd_error *error);

/* A document and its fingerprint. All pointers are valid during the call. */
typedef struct nd_fingerprinted {
    uint64_t document; /* number in the order of input, from 0 */
    const char *id;
    size_t id_length;
    nd_fingerprint fingerprint;
} nd_fingerprinted;

/* Called once per document, in the order of input, from one thread at a time. Return false to stop.
 */
typedef bool nd_fingerprint_fn(void *context, const nd_fingerprinted *document);

typedef struct nd_fingerprints_options {
    size_t struct_size;
    const nd_input_options *input;       /* not NULL */
    const nd_analyzer_options *analyzer; /* NULL: the defaults */
    const nd_simhash_options *simhash;   /* NULL: the defaults */
    const char *output;                  /* "-": standard output; NULL: not wanted */
    const nd_resources *resources;       /* NULL: the defaults */
} nd_fingerprints_options;

/* Computes the fingerprint of every document of an input, as nd_simhash_text does, on several
 * threads, in bounded memory. `fn` and `output` get it; one of them may be NULL. The output is a
 * table of id and fingerprint without a header (doc/internals/formats.md, "Tables"). A text with
 * malformed items of ND_WEIGHTING_LEVELS is a bad record. Sets these members of the summary (NULL:
 * not wanted): documents, input_bytes, text_bytes, skipped, output_bytes and times. After a failure
 * the output file is as it was before. Errors: as nd_texts; ND_ERR_IO: the output. */
ND_API ND_MUST_CHECK nd_status nd_fingerprints(const nd_fingerprints_options *options,
                                               nd_fingerprint_fn *fn, void *context,
                                               nd_job_summary *summary, nd_error *error);

/* A document and its MinHash signature, with that which nd_dedup makes of it, if wanted. All
 * pointers are valid during the call. */
typedef struct nd_signed {
    uint64_t document; /* number in the order of input, from 0 */
    const char *id;
    size_t id_length;
    const uint32_t *signature; /* nd_signatures_options.perms values */
    uint64_t text_hash[2];     /* as nd_shingles.text_hash */
    /* nd_signatures_options.bands keys, each below 2^38. Documents with an equal key of the same
     * band are candidates. */
    const uint64_t *keys;
    /* The set of the shingles: distinct, ascending, 1 in place of 0. `with_sets` false: NULL. */
    const uint64_t *set;
    size_t set_size; /* shingles */
} nd_signed;

/* Called once per document, in the order of input, from one thread at a time. Return false to stop.
 */
typedef bool nd_signed_fn(void *context, const nd_signed *document);

typedef struct nd_signatures_options {
    size_t struct_size;
    const nd_input_options *input;       /* not NULL */
    const nd_analyzer_options *analyzer; /* NULL: the defaults */
    const nd_resources *resources;       /* NULL: the defaults */
    uint32_t perms;                      /* 1 to 1024, default 128 */
    /* Of the plan (nd_plan_choose): bands * rows is at most perms. bands 0, the default: no keys.
     */
    uint32_t bands, rows;
    bool with_sets; /* false, the default: no sets */
    uint8_t reserved[3];
} nd_signatures_options;

ND_API void nd_signatures_options_init(nd_signatures_options *options, size_t struct_size);

/* Calls `fn` with the MinHash signature of every document of an input, as nd_analyze and
 * nd_minhash_sign make it, on several threads, in bounded memory. The seed of the hash functions is
 * the analyzer's. nd_dedup and an index with the same analyzer and perms make the same signatures;
 * they keep the low 8 bits of each value. Sets these members of the summary (NULL: not wanted):
 * documents, input_bytes, text_bytes, skipped and times. Each thread takes up to 48 KiB of memory
 * per value and 96 KiB per band, so much only with texts of fewer than 256 bytes; if half
 * of the memory limit does not hold that, fewer threads run. Sets take about 4 bytes per shingle.
 * Errors: as nd_texts. */
ND_API ND_MUST_CHECK nd_status nd_signatures(const nd_signatures_options *options, nd_signed_fn *fn,
                                             void *context, nd_job_summary *summary,
                                             nd_error *error);

/* A document and its TLSH digest. All pointers are valid during the call. */
typedef struct nd_digested {
    uint64_t document; /* number in the order of input, from 0 */
    const char *id;
    size_t id_length;
    bool has_digest; /* false: `digest` is zeros */
    nd_tlsh digest;
} nd_digested;

/* Called once per document, in the order of input, from one thread at a time. Return false to stop.
 */
typedef bool nd_digest_fn(void *context, const nd_digested *document);

typedef struct nd_digests_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    const nd_resources *resources; /* NULL: the defaults */
    nd_tlsh_variant variant;       /* default ND_TLSH_128_1 */
    uint32_t reserved;
} nd_digests_options;

/* Calls `fn` with the TLSH digest of every document of an input, as nd_tlsh_make makes it of the
 * text's bytes, on several threads, in bounded memory. Sets these members of the summary (NULL: not
 * wanted): documents, input_bytes, text_bytes, skipped, without_digest and times. Errors: as
 * nd_texts; ND_ERR_ARGUMENT: `variant` is no constant of the enum. */
ND_API ND_MUST_CHECK nd_status nd_digests(const nd_digests_options *options, nd_digest_fn *fn,
                                          void *context, nd_job_summary *summary, nd_error *error);

typedef struct nd_idf_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    /* NULL: the defaults. Not ND_CHARS; ngram does not matter. */
    const nd_analyzer_options *analyzer;
    const char *output; /* "-": standard output; not NULL */
    uint64_t least;     /* least documents of a written word: at least 1, default 1 */
    /* A file for nd_stop_words_read: the words that more than stop_share of all documents have.
     * "-": standard output; NULL: not wanted. */
    const char *stop_words;
    double stop_share;             /* share of the documents: (0, 1), default 0.1 */
    const nd_resources *resources; /* NULL: the defaults */
} nd_idf_options;

ND_API void nd_idf_options_init(nd_idf_options *options, size_t struct_size);

/* Counts, exactly, how many documents of an input have each word (df). Writes the words of at least
 * `least` documents to `output` as a table for nd_weights_read (doc/internals/formats.md, "Weight
 * tables"): term, df, and idf = ln((documents + 1) / (df + 1)) (Sparck Jones 1972), the most
 * frequent words first. Sets these members of the summary (NULL: not wanted): documents,
 * input_bytes, text_bytes, skipped, terms, terms_written, output_bytes and times. Each thread takes
 * 32 to 70 bytes of memory per distinct word, and the word's length. ND_ERR_MEMORY: the memory
 * limit is too small for that; fewer threads need less. Other errors: as nd_texts. After a failure
 * the output files are as they were before. */
ND_API ND_MUST_CHECK nd_status nd_idf(const nd_idf_options *options, nd_job_summary *summary,
                                      nd_error *error);

/* ---------------------------------------------------------------- keywords
 *
 * The heaviest terms of a text. A term is a word of ND_WORDS or ND_SEGMENT, folded, or its stem.
 * Its weight is the number of its occurrences times its rarity (tf-idf: Salton and Buckley 1988).
 */

/* A keyword of a text. */
typedef struct nd_keyword {
    const char *term; /* UTF-8, without a terminator; valid during the call */
    size_t length;
    double weight; /* above 0, a multiple of 1/4096 */
} nd_keyword;

/* The weight of each occurrence of a term:
 *
 * ND_WEIGHTING_TF       1.
 * ND_WEIGHTING_TABLE    The weight of the table.
 * ND_WEIGHTING_COUNTED  ln((documents + 1) / (df + 1)), df the number of documents that have the
 *                       term, counted over the job's own input as by nd_dedup; the input is read
 *                       twice. Only nd_keywords. */
typedef struct nd_keyword_options {
    size_t struct_size;
    uint32_t top;            /* most keywords of a text: at least 1, default 20 */
    nd_weighting weighting;  /* default ND_WEIGHTING_COUNTED */
    const nd_weights *table; /* for ND_WEIGHTING_TABLE, read with the analyzer's seed */
    /* Words that are no keywords, read with the analyzer's seed and stem; NULL: none. */
    const nd_stop_words *stop;
} nd_keyword_options;

ND_API void nd_keyword_options_init(nd_keyword_options *options, size_t struct_size);

/* Called with each keyword. Return false to stop. */
typedef bool nd_keyword_fn(void *context, const nd_keyword *keyword);

/* Calls `fn` with the keywords of one text of `length` bytes, the heaviest first, ties in bytewise
 * order; terms of weight 0 are left out. `options` is not NULL, since the default weighting is of
 * nd_keywords alone. ND_ERR_INPUT: not UTF-8, with the byte offset. ND_ERR_ARGUMENT: an option is
 * out of range or does not fit the analyzer, which must be of ND_WORDS or ND_SEGMENT with ngram 1.
 * ND_ERR_CANCELLED: `fn` returned false. O(length); for many texts use nd_keywords. */
ND_API ND_MUST_CHECK nd_status nd_keywords_text(nd_analyzer *analyzer,
                                                const nd_keyword_options *options, const char *text,
                                                size_t length, nd_keyword_fn *fn, void *context,
                                                nd_error *error);

/* A document and its keywords. All pointers are valid during the call. */
typedef struct nd_keyworded {
    uint64_t document; /* number in the order of input, from 0 */
    const char *id;
    size_t id_length;
    const nd_keyword *keywords; /* the heaviest first */
    size_t count;
} nd_keyworded;

/* Called once per document, in the order of input, from one thread at a time. Return false to stop.
 */
typedef bool nd_keyworded_fn(void *context, const nd_keyworded *document);

typedef struct nd_keywords_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    /* NULL: the defaults. Not ND_CHARS; ngram does not matter. */
    const nd_analyzer_options *analyzer;
    const nd_keyword_options *keywords; /* NULL: the defaults */
    const char *output;                 /* "-": standard output; NULL: not wanted */
    const nd_resources *resources;      /* NULL: the defaults */
} nd_keywords_options;

/* Finds the keywords of every document of an input, as nd_keywords_text does, on several threads,
 * in bounded memory. `fn` and `output` get them; one of them may be NULL. The output is JSON Lines
 * (doc/internals/formats.md, "Jobs with fingerprints"). ND_ERR_ARGUMENT: with ND_WEIGHTING_COUNTED
 * also a callback, a pipe or standard input, because the input is read twice. Sets these members of
 * the summary (NULL: not wanted): documents, input_bytes, text_bytes, skipped, output_bytes and
 * times. After a failure the output file is as it was before. Other errors: as nd_texts. */
ND_API ND_MUST_CHECK nd_status nd_keywords(const nd_keywords_options *options, nd_keyworded_fn *fn,
                                           void *context, nd_job_summary *summary, nd_error *error);

#ifdef __cplusplus
}
#endif
#endif

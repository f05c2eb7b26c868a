/* What repeats inside documents. */
#ifndef NEARDUP_REPEATS_H
#define NEARDUP_REPEATS_H

#include "neardup/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which of several equal stretches are reported.
 *
 * ND_REPEATS_LATER  All but the first one in the order of input.
 * ND_REPEATS_ALL    All. */
typedef enum nd_repeats_wanted { ND_REPEATS_LATER = 0, ND_REPEATS_ALL } nd_repeats_wanted;

typedef struct nd_substrings_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    /* Bytes of the shortest stretch that is reported: ND_SUBSTRINGS_LEAST to ND_SUBSTRINGS_MOST,
     * default 100. */
    uint32_t least;
    nd_repeats_wanted wanted;      /* default ND_REPEATS_LATER */
    const nd_resources *resources; /* NULL: the defaults */
    /* Not NULL: only stretches of `input` that are also in a document of this other input, such as
     * a benchmark whose items must not be in a training set. `wanted` is ND_REPEATS_LATER. */
    const nd_input_options *source;
} nd_substrings_options;

enum { ND_SUBSTRINGS_LEAST = 16, ND_SUBSTRINGS_MOST = 4000 };

ND_API void nd_substrings_options_init(nd_substrings_options *options, size_t struct_size);

/* A stretch of a document that occurs elsewhere, too: text bytes [begin, end) of the document are
 * equal to those from source_begin on of the source, which is another document or the same one.
 * Every stretch of `least` bytes in it is a repeat. With ND_REPEATS_LATER the source has the first
 * occurrence. Ends are not always between two characters. Pointers are valid during the call. */
typedef struct nd_repeated_stretch {
    uint64_t document; /* number in the order of input, from 0 */
    const char *id;
    size_t id_length;
    const char *file; /* as in nd_decision; so is the line */
    uint64_t line;
    uint64_t begin, end;
    uint64_t
        source; /* the number of its document; with nd_substrings_options.source of that input */
    const char *source_id;
    size_t source_id_length;
    const char *source_file;
    uint64_t source_line;
    uint64_t source_begin;
} nd_repeated_stretch;

/* Called once per stretch, from one thread. Return false to cancel. */
typedef bool nd_substrings_fn(void *context, const nd_repeated_stretch *stretch);

/* Calls `fn` with all stretches of at least `least` bytes that occur more than once, by document
 * and begin. Stretches of one document may overlap; the bytes that repeats cover are their union.
 * Texts are compared byte by byte, as they are. Sets these members of the summary (NULL: not
 * wanted): documents, input_bytes, text_bytes, skipped, pairs (stretches), work_bytes and times.
 *
 * Each document is read once. All texts together have at most 2^40 bytes. Time: linear in the
 * texts. Memory: nd_resources. Temporary files: the texts, and .6 to 2 bytes per byte of text. */
ND_API ND_MUST_CHECK nd_status nd_substrings(const nd_substrings_options *options,
                                             nd_substrings_fn *fn, void *context,
                                             nd_job_summary *summary, nd_error *error);

/* The pieces that texts are cut into.
 *
 * ND_UNIT_LINE       A line, without the line break (LF or CR LF).
 * ND_UNIT_PARAGRAPH  Lines up to the next line that is empty or has only blanks.
 * ND_UNIT_SENTENCE   A sentence (nd_sentences), without the white space behind it. */
typedef enum nd_text_unit_kind {
    ND_UNIT_LINE = 0,
    ND_UNIT_PARAGRAPH,
    ND_UNIT_SENTENCE
} nd_text_unit_kind;

/* Which units are the same.
 *
 * ND_UNITS_BY_BYTES  Those with the same bytes.
 * ND_UNITS_BY_WORDS  Those with the same words (ND_WORDS), whatever their case, spaces and
 *                    punctuation are. */
typedef enum nd_units_same { ND_UNITS_BY_BYTES = 0, ND_UNITS_BY_WORDS } nd_units_same;

/* Which units stay.
 *
 * ND_UNITS_KEEP_FIRST  The first one of equal units, in the order of input.
 * ND_UNITS_KEEP_NONE   None of those that are in more than `more_than` documents. */
typedef enum nd_units_kept { ND_UNITS_KEEP_FIRST = 0, ND_UNITS_KEEP_NONE } nd_units_kept;

typedef struct nd_lines_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    nd_text_unit_kind unit;        /* default ND_UNIT_LINE; so are the first ones of the others */
    nd_units_same same;
    nd_units_kept keep;
    /* A unit with fewer words stays. A word is a run of word characters, or in scripts without
     * spaces one character. At least 1, default 3. */
    uint32_t min_words;
    /* A document that was cut, and has fewer words left, is removed. 0: none is. Default 1. */
    uint32_t drop_below;
    /* With ND_UNITS_KEEP_FIRST: units stay that repeat one of the same document. */
    bool across;
    /* With ND_UNITS_KEEP_NONE: only documents of the same host count. The host is that of the URI
     * of a WARC record, else of the document's id. */
    bool by_host;
    uint8_t reserved[2];
    uint64_t more_than; /* documents, at least 1, the default; only with ND_UNITS_KEEP_NONE */
    /* The documents without what was cut. "-": standard output; .gz and .zst compress; NULL: they
     * are not written. Records of JSON Lines and CSV keep all other bytes; those of JSON become
     * JSON Lines. Texts of directories go to a new directory, if the name ends with '/', in UTF-8.
     * All others become JSON Lines of id and text. */
    const char *output;
    /* A table of what was cut (doc/internals/formats.md, "Tables"); NULL: it is not written. */
    const char *removed;
    const nd_resources *resources; /* NULL: the defaults */
} nd_lines_options;

ND_API void nd_lines_options_init(nd_lines_options *options, size_t struct_size);

/* Cuts repeated units out of the texts of documents, each with its line break or the white space
 * behind it. Sets these members of the summary (NULL: not wanted): documents, kept, removed (by
 * drop_below), input_bytes, text_bytes, skipped, units, units_cut, changed, repeated_bytes (that
 * were cut), output_bytes, work_bytes and times.
 *
 * Units are compared by 88 bits of a hash of their bytes or words. Among 10^9 different units, the
 * chance that any two have the same is below 10^-8, if nobody makes them so.
 *
 * ND_ERR_ARGUMENT: the texts are not as the records have them (an encoding, or `html`), so they
 * cannot be cut there. Time: linear. Memory: nd_resources. Temporary files: 16 bytes per unit of
 * min_words, with `removed` 4 more per unit, and 24 per document. */
ND_API ND_MUST_CHECK nd_status nd_lines(const nd_lines_options *options, nd_job_summary *summary,
                                        nd_error *error);

#ifdef __cplusplus
}
#endif
#endif

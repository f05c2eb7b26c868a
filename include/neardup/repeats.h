/* What repeats inside documents. */
#ifndef NEARDUP_REPEATS_H
#define NEARDUP_REPEATS_H

#include "neardup/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which of several equal stretches, or units, stay.
 *
 * ND_REPEATS_KEEP_FIRST  The first one, in the order of input.
 * ND_REPEATS_KEEP_NONE   None; nd_lines: none of those in more than `more_than` documents. */
typedef enum nd_repeats_kept { ND_REPEATS_KEEP_FIRST = 0, ND_REPEATS_KEEP_NONE } nd_repeats_kept;

/* The pieces of a text that are cut as a whole: those that lie within a stretch.
 *
 * ND_CUT_AT_CHARACTERS  Characters (code points): all that repeats.
 * ND_CUT_AT_WORDS       Words (ND_WORDS), with all that is between them.
 * ND_CUT_AT_LINES       Lines, with their line breaks.
 * ND_CUT_AT_SENTENCES   Sentences (nd_sentences), with the white space behind them. */
typedef enum nd_cut_at {
    ND_CUT_AT_CHARACTERS = 0,
    ND_CUT_AT_WORDS,
    ND_CUT_AT_LINES,
    ND_CUT_AT_SENTENCES
} nd_cut_at;

typedef struct nd_substrings_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    /* Bytes of the shortest stretch: ND_SUBSTRINGS_LEAST to ND_SUBSTRINGS_MOST, default 100. */
    uint32_t least;
    /* Not 0: tokens (ND_WORDS) of the shortest stretch, ND_SUBSTRINGS_TOKENS_LEAST to
     * ND_SUBSTRINGS_MOST. Then texts are compared by their tokens, whatever their case, spaces and
     * punctuation are, and `least` has no effect. */
    uint32_t least_tokens;
    nd_repeats_kept keep; /* default ND_REPEATS_KEEP_FIRST */
    nd_cut_at cut_at;     /* default ND_CUT_AT_CHARACTERS */
    /* A document that was cut, and has fewer words left, is removed. 0: none is. Default 1. */
    uint32_t drop_below;
    /* What is left may repeat where a cut joined two pieces. Each pass searches what the one before
     * left. 0: until nothing is cut. Default 1; with a source always 1. */
    uint32_t passes;
    const nd_resources *resources; /* NULL: the defaults */
    /* Not NULL: stretches of `input` that are also in a document of this other input, such as a
     * benchmark whose items must not be in a training set; all of them are cut. `keep` is
     * ND_REPEATS_KEEP_FIRST. */
    const nd_input_options *source;
    /* The documents without what was cut, as in nd_lines_options; NULL: they are not written. */
    const char *output;
    const char *removed; /* a table of what was cut, as in nd_lines_options; NULL: not written */
} nd_substrings_options;

enum { ND_SUBSTRINGS_LEAST = 16, ND_SUBSTRINGS_TOKENS_LEAST = 4, ND_SUBSTRINGS_MOST = 4000 };

ND_API void nd_substrings_options_init(nd_substrings_options *options, size_t struct_size);

/* What is cut out of a document, because it occurs elsewhere, too: bytes [begin, end) of its text
 * repeat those from source_begin on of the source, which is another document or the same one. The
 * source has the first occurrence; where none is kept, that of the first one is one of the others.
 * Stretches that are equal word for word may differ in length. Pointers are valid during the call.
 */
typedef struct nd_repeated_stretch {
    uint64_t document; /* number in the order of input, from 0 */
    const char *id;
    size_t id_length;
    const char *file; /* as in nd_decision; so is the line */
    uint64_t line;
    uint64_t begin, end;   /* of the text as it was read */
    uint64_t source;       /* the number of its document; with options->source of that input */
    const char *source_id; /* NULL: too little is left of the document, so that all of it goes */
    size_t source_id_length;
    const char *source_file; /* NULL: the source is in an index, which has only its id */
    uint64_t source_line;
    uint64_t source_begin;
} nd_repeated_stretch;

/* Called with each stretch or unit that is cut, from one thread, in the order of the table of what
 * was cut. Return false to cancel. */
typedef bool nd_cut_fn(void *context, const nd_repeated_stretch *cut);

/* Finds all stretches that occur more than once, and cuts them. Calls `fn` (NULL: none) with each
 * stretch, and with each document that goes: by pass, then by document and begin. Stretches of one
 * document may overlap; what is cut is their union. A stretch that others of the same source cover
 * is left out. What overlaps its own first occurrence, such as
 * all of a text of one character but the first `least` bytes, is cut behind that occurrence.
 *
 * Sets these members of the summary (NULL: not wanted): documents, kept, removed (by drop_below),
 * changed, input_bytes, text_bytes, skipped, pairs (stretches), repeated_bytes (that were cut),
 * passes, output_bytes, work_bytes and times.
 *
 * ND_ERR_ARGUMENT: an option is out of its range; or `output` is given, and the texts are not as
 * the records have them (an encoding, or `html`), so they cannot be cut there.
 *
 * All texts together have at most 2^40 bytes (or tokens). Time of a pass: linear in the texts.
 * Memory: nd_resources. Temporary files: the texts (8 bytes for a token, and 8 for its place), .6
 * to 2 bytes per byte of text, and 24 per document. */
ND_API ND_MUST_CHECK nd_status nd_substrings(const nd_substrings_options *options, nd_cut_fn *fn,
                                             void *context, nd_job_summary *summary,
                                             nd_error *error);

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

typedef struct nd_lines_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    nd_text_unit_kind unit;        /* default ND_UNIT_LINE; so are the first ones of the others */
    nd_units_same same;
    nd_repeats_kept keep;
    /* A unit with fewer words stays. A word is a run of word characters, or in scripts without
     * spaces one character. At least 1, default 3. */
    uint32_t min_words;
    /* A document that was cut, and has fewer words left, is removed. 0: none is. Default 1. */
    uint32_t drop_below;
    /* With ND_REPEATS_KEEP_FIRST: units stay that repeat one of the same document. */
    bool across;
    /* With ND_REPEATS_KEEP_NONE: only documents of the same host count. The host is that of the URI
     * of a WARC record, else of the document's id. */
    bool by_host;
    uint8_t reserved[2];
    uint64_t more_than; /* documents, at least 1, the default; only with ND_REPEATS_KEEP_NONE */
    /* The documents without what was cut. "-": standard output; .gz and .zst compress; NULL: they
     * are not written. Records of JSON Lines and CSV keep all other bytes; those of JSON become
     * JSON Lines. Texts of directories go to a new directory, if the name ends with '/', in UTF-8.
     * All others become JSON Lines of id and text. */
    const char *output;
    /* A table of what was cut (doc/internals/formats.md, "Tables"); NULL: it is not written. */
    const char *removed;
    const nd_resources *resources; /* NULL: the defaults */
    /* The directory of an index of lines; NULL: none. Units that are in it are cut: an earlier run
     * had them. The other units of this run are added. It is made if it does not exist. Every run
     * with it has the same unit, same and min_words, and ND_REPEATS_KEEP_FIRST. The outputs get
     * their names before the index has its new units. So after a crash between the two, the same
     * run writes the same outputs again. */
    const char *index;
    nd_cut_fn *on_cut; /* NULL: not wanted */
    void *context;     /* its first argument */
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
 * cannot be cut there; or the index was made with other options. Of the index: ND_ERR_BUSY: another
 * process has it; ND_ERR_IO: its directory holds something else; ND_ERR_CORRUPT: a file of it is
 * damaged.
 *
 * Time: linear; in an index of n units m new ones take O(m log(1 + n / m)). Memory: nd_resources;
 * with ND_REPEATS_KEEP_NONE or an index also 32 bytes per unit of the largest group of equal ones.
 * Temporary files: 16 bytes per unit of min_words, 4 per unit, and 32 per document. */
ND_API ND_MUST_CHECK nd_status nd_lines(const nd_lines_options *options, nd_job_summary *summary,
                                        nd_error *error);

#ifdef __cplusplus
}
#endif
#endif

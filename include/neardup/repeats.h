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

#ifdef __cplusplus
}
#endif
#endif

/* Weights of words, and stop words. */
#ifndef NEARDUP_TERMS_H
#define NEARDUP_TERMS_H

#include "neardup/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Weights of words, read from a table (doc/internals/formats.md, "Weight tables"): the table that
 * nd_idf writes, or lines of a word and its weight. Immutable: thread-safe. */
typedef struct nd_weights nd_weights;

/* Reads a table from the file `path` ("-": standard input); gzip and Zstandard are recognised by
 * their first bytes. `seed`: the seed of the analyzers whose features will be looked up. A weight
 * is 0 to 2^18, rounded to the nearest multiple of 1/4096. A term that is not one word (several
 * words, or none) is left out and counted, since no text has such a feature. A term that is one
 * word for ND_SEGMENT alone (several tokens with nothing between them) is kept.
 *
 * ND_ERR_INPUT: a malformed line, a weight out of range, or a second weight for a word, in any
 * case; with the file, the line and the expected form. ND_ERR_IO: the file cannot be read.
 * ND_ERR_UNSUPPORTED: it is compressed, and this build lacks the library. `allocator` NULL: malloc.
 * The caller frees *out. Time O(size); at most 43 bytes of memory per word, and half as much again
 * while it grows. */
ND_API ND_MUST_CHECK nd_status nd_weights_read(const char *path, uint64_t seed,
                                               const nd_allocator *allocator, nd_weights **out,
                                               nd_error *error);
ND_API void nd_weights_free(nd_weights *weights);

/* Returns the weight of a feature, which is a shingle of one word: a multiple of 1/4096. A word
 * that the table does not have gets the weight of the rarest word: ln(documents + 1) in a table of
 * nd_idf, else the largest weight of the table. The table of nd_idf must be used with the analyzer
 * kind and the stem that it was counted with; this call cannot check that. O(1). */
ND_API double nd_weights_of(const nd_weights *weights, uint64_t feature);

typedef struct nd_weights_info {
    size_t struct_size; /* set by the caller */
    uint64_t words;     /* words of the table */
    uint64_t segments;  /* further words, which only ND_SEGMENT makes */
    uint64_t left_out;  /* terms that are not one word */
    uint64_t documents; /* documents that nd_idf counted; 0: unknown */
    uint64_t seed;
    double absent; /* weight of a word that is not in the table */
    /* Language of the counted stems, valid as long as the weights; NULL: no stems, or unknown. */
    const char *stem;
    bool segmented; /* counted with ND_SEGMENT */
    uint8_t reserved[7];
} nd_weights_info;

ND_API ND_MUST_CHECK nd_status nd_weights_describe(const nd_weights *weights, nd_weights_info *out,
                                                   nd_error *error);

/* Stop words: words that are too common to characterise a text, read from a list. Immutable:
 * thread-safe. */
typedef struct nd_stop_words nd_stop_words;

/* Reads a list from the file `path` ("-": standard input), one word per line, in any case; gzip and
 * Zstandard are recognised by their first bytes. Blanks around a word, blank lines and lines that
 * begin with '#' are skipped; a word may be repeated. `seed` and `stem` (NULL: no stems): as of the
 * analyzers whose features will be left out. With a stem, a word stands for itself and for its
 * stem.
 *
 * ND_ERR_INPUT: a line is not one word of ND_SEGMENT, with the file and the line. (A line that is
 * one word for ND_SEGMENT alone fails later, when an analyzer of ND_WORDS uses the list.)
 * ND_ERR_IO: the file cannot be read. ND_ERR_ARGUMENT, ND_ERR_UNSUPPORTED: the stem, as in
 * nd_analyzer_create; or a compression that this build lacks. `allocator` NULL: malloc. The caller
 * frees *out. Time O(size); 16 to 32 bytes of memory per word, twice as much with a stem. */
ND_API ND_MUST_CHECK nd_status nd_stop_words_read(const char *path, uint64_t seed, const char *stem,
                                                  const nd_allocator *allocator,
                                                  nd_stop_words **out, nd_error *error);
/* NULL is accepted. */
ND_API void nd_stop_words_free(nd_stop_words *stop);

/* Returns whether a feature, which is a shingle of one word, is a stop word. O(1). */
ND_API bool nd_stop_words_has(const nd_stop_words *stop, uint64_t feature);

/* Weights of the features of a text. A feature is a shingle of the analyzer. The only feature of a
 * text without tokens always has the weight 1.
 *
 * ND_WEIGHTING_TF       1 for each occurrence.
 * ND_WEIGHTING_NONE     1, however often the feature occurs.
 * ND_WEIGHTING_TABLE    The weight of an nd_weights table for each occurrence. Only for ND_WORDS or
 *                       ND_SEGMENT with ngram 1.
 * ND_WEIGHTING_LEVELS   The text is a list of items word(weight), separated by white space. Each
 *                       item is a feature with this weight, a decimal number from 0 to 2^18. Of the
 *                       analyzer only the seed matters. An item of one token is the same feature as
 *                       this token with ngram 1.
 * ND_WEIGHTING_COUNTED  ln((documents + 1) / (df + 1)) for each occurrence. df is the number of
 *                       documents that have the word, counted over the job's own input, which is
 *                       read twice. The counts take 32 MiB (Cormode and Muthukrishnan 2005); a
 *                       count may be too high, by about one per million words of the input. Only
 *                       for single words of ND_WORDS or ND_SEGMENT, in nd_dedup, nd_pairs and
 *                       nd_keywords. */
typedef enum nd_weighting {
    ND_WEIGHTING_TF = 0,
    ND_WEIGHTING_NONE,
    ND_WEIGHTING_TABLE,
    ND_WEIGHTING_LEVELS,
    ND_WEIGHTING_COUNTED
} nd_weighting;

#ifdef __cplusplus
}
#endif
#endif

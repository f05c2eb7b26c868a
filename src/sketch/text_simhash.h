/* From a text to its SimHash fingerprint, for one thread: an analyzer, weights and SimHash
 * together.
 */
#ifndef ND_SKETCH_TEXT_SIMHASH_H
#define ND_SKETCH_TEXT_SIMHASH_H

#include "terms/count_min.h"

/* Copies the caller's options over the defaults (base/options.h). */
nd_status nd_simhash_options_read(const nd_simhash_options *given, nd_simhash_options *out,
                                  nd_error *error);

/* ND_ERR_ARGUMENT: an option is out of range, or does not go with the analyzer. */
nd_status nd_simhash_options_check(const nd_simhash_options *options,
                                   const nd_analyzer_options *analyzer, nd_error *error);

typedef struct nd_text_simhash nd_text_simhash;

/* The analyzer, the options' table and `counts` stay the caller's and must outlive the result.
 * `counts` not NULL: each occurrence of a feature weighs its weight in the sketch
 * (nd_count_min_weigh), whatever weighting the options say, and with any analyzer. */
nd_status nd_text_simhash_create(nd_analyzer *analyzer, const nd_simhash_options *options,
                                 const nd_count_min *counts, nd_text_simhash **out,
                                 nd_error *error);
/* NULL is accepted. */
void nd_text_simhash_free(nd_text_simhash *simhash);

/* As nd_simhash_text. */
nd_status nd_text_simhash_make(nd_text_simhash *simhash, const char *text, size_t length,
                               nd_fingerprint *out, nd_error *error);
/* The same from the shingles that the analyzer made of a text, for callers that also need these.
 * Not for ND_WEIGHTING_LEVELS. Overwrites the hashes. */
nd_status nd_text_simhash_of_shingles(nd_text_simhash *simhash, nd_shingles *shingles,
                                      nd_fingerprint *out, nd_error *error);

/* Removes the stop words of the options from a text's shingles, which may leave none.
 * nd_text_simhash_of_shingles does it itself. */
void nd_text_simhash_remove_stop_words(const nd_text_simhash *simhash, nd_shingles *shingles);
/* Sets weights[i] to the weight, a multiple of 1/4096, of one occurrence of features[i] in the text
 * that has these shingles. */
void nd_text_simhash_weigh(nd_text_simhash *simhash, const nd_shingles *shingles,
                           const uint64_t *features, size_t count, double *weights);
/* Whether a feature adds its weight as often as it occurs, or once. */
bool nd_text_simhash_repeats(const nd_text_simhash *simhash);

#endif

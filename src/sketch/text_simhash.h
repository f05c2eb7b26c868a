/* From text to fingerprint, for one thread: analyzer, weights and SimHash together. */
#ifndef ND_SKETCH_TEXT_SIMHASH_H
#define ND_SKETCH_TEXT_SIMHASH_H

#include "terms/count_min.h"

/* ND_ERR_ARGUMENT: out of range, or not to be had with such an analyzer. */
nd_status nd_simhash_options_check(const nd_simhash_options *options,
                                   const nd_analyzer_options *analyzer, nd_error *error);

typedef struct nd_text_simhash nd_text_simhash;

/* The analyzer stays the caller's and must outlive this; so must the options' table and `counts`.
 * `counts` not NULL: each occurrence of a feature weighs what they say (nd_feature_counts_weigh),
 * instead of what the options say; with any analyzer. */
nd_status nd_text_simhash_create(nd_analyzer *analyzer, const nd_simhash_options *options,
                                 const nd_feature_counts *counts, nd_text_simhash **out,
                                 nd_error *error);
/* NULL is accepted. */
void nd_text_simhash_free(nd_text_simhash *simhash);

/* As nd_simhash_text. */
nd_status nd_text_simhash_make(nd_text_simhash *simhash, const char *text, size_t length,
                               nd_fingerprint *out, nd_error *error);
/* The same of what the analyzer has made of a text, for those who want more of it; no levels. The
 * hashes are of no more use then. */
nd_status nd_text_simhash_of(nd_text_simhash *simhash, nd_shingles *shingles, nd_fingerprint *out,
                             nd_error *error);

/* Leaves the stop words of the options out of a text's shingles, of which then there may be none;
 * nd_text_simhash_of does it. */
void nd_text_simhash_leave_out(const nd_text_simhash *simhash, nd_shingles *shingles);
/* What each occurrence of these features adds, multiples of 1/4096; they are of the text whose
 * shingles are given. */
void nd_text_simhash_weigh(nd_text_simhash *simhash, const nd_shingles *shingles,
                           const uint64_t *features, size_t count, double *weights);
/* Whether a feature adds as often as it occurs, or once. */
bool nd_text_simhash_repeats(const nd_text_simhash *simhash);

#endif

/* The analyzer inside the library: its options as they were checked. The work is declared in
 * neardup.h. */
#ifndef ND_TEXT_ANALYZER_H
#define ND_TEXT_ANALYZER_H

#include "neardup.h"

/* ND_ERR_ARGUMENT names the option, its range and the value given. The first is for those who store
 * what the analyzer makes, and refuses what later versions of other libraries may make otherwise;
 * the second for what ends with the process. */
ND_MUST_CHECK nd_status nd_analyzer_options_check(const nd_analyzer_options *options,
                                                  nd_error *error);
ND_MUST_CHECK nd_status nd_analyzer_options_check_passing(const nd_analyzer_options *options,
                                                          nd_error *error);

/* ND_ERR_ARGUMENT: shingles are not single words, which `what` are ("stop words"). */
ND_MUST_CHECK nd_status nd_analyzer_options_check_words(const nd_analyzer_options *options,
                                                        const char *what, nd_error *error);

/* "words", "chars", "segment". Static. */
const char *nd_analyzer_name(nd_analyzer_kind kind);

/* What the analyzer was made with; lives as long as it. */
const nd_analyzer_options *nd_analyzer_options_of(const nd_analyzer *analyzer);

/* The memory functions that the analyzer was made with. */
const nd_allocator *nd_analyzer_allocator(const nd_analyzer *analyzer);

/* As nd_tokenize, but with words before they are stemmed; and the stem of such a word, valid until
 * the next call, or, without stems, the word itself. For those who want few of a text's terms: what
 * they are, nd_analyze has told. */
nd_status nd_analyzer_words(nd_analyzer *analyzer, const char *text, size_t length, nd_token_fn *fn,
                            void *context, nd_error *error);
nd_status nd_analyzer_stem(nd_analyzer *analyzer, const char *word, size_t length,
                           const char **stem, size_t *stem_length, nd_error *error);

/* From now on text_hash is not made where there are tokens: for those who compare sets and have no
 * use for it. */
void nd_analyzer_leave_out_text_hash(nd_analyzer *analyzer);

#endif

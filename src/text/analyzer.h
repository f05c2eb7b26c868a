/* The analyzer inside the library: its options as they were checked. The work is declared in neardup.h. */
#ifndef ND_TEXT_ANALYZER_H
#define ND_TEXT_ANALYZER_H

#include "neardup.h"

/* ND_ERR_ARGUMENT names the option, its range and the value given. */
ND_MUST_CHECK nd_status nd_analyzer_options_check(const nd_analyzer_options *options, nd_error *error);

/* What the analyzer was made with; lives as long as it. */
const nd_analyzer_options *nd_analyzer_options_of(const nd_analyzer *analyzer);

/* The memory functions that the analyzer was made with. */
const nd_allocator *nd_analyzer_allocator(const nd_analyzer *analyzer);

/* As nd_tokenize, but with words before they are stemmed; and the stem of such a word, valid until the next call, or, without stems, the word itself. For those who want few of a text's terms: what they are,
 * nd_analyze has told. */
nd_status nd_analyzer_words(nd_analyzer *analyzer, const char *text, size_t length, nd_token_fn *fn, void *context, nd_error *error);
nd_status nd_analyzer_stem(nd_analyzer *analyzer, const char *word, size_t length, const char **stem, size_t *stem_length, nd_error *error);

/* From now on text_hash is not made where there are tokens: for those who compare sets and have no use for it. */
void nd_analyzer_leave_out_text_hash(nd_analyzer *analyzer);

#endif

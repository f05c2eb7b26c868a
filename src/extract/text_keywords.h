/* Finds the keywords of a text, which are its heaviest terms, for one thread. Features are counted
 * by their hashes, which is fast; letters are read only for the features that become keywords. */
#ifndef ND_EXTRACT_TEXT_KEYWORDS_H
#define ND_EXTRACT_TEXT_KEYWORDS_H

#include "terms/count_min.h"

/* Copies the caller's options over the defaults (base/options.h). */
nd_status nd_keyword_options_read(const nd_keyword_options *given, nd_keyword_options *out,
                                  nd_error *error);

/* ND_ERR_ARGUMENT: out of range, or not to be had with such an analyzer. `counted`:
 * ND_WEIGHTING_COUNTED is among what may be asked for. */
nd_status nd_keyword_options_check(const nd_keyword_options *options,
                                   const nd_analyzer_options *analyzer, bool counted,
                                   nd_error *error);

/* A term of a text, and its weight in units of 1/4096 (ND_WEIGHT_UNITS). */
typedef struct nd_weighed_term {
    const char *bytes;
    size_t length;
    uint64_t units;
} nd_weighed_term;

typedef struct nd_text_keywords nd_text_keywords;

/* The analyzer stays the caller's. It must outlive the keywords, and so must the table and the stop
 * words of the options, and `counts`. `counts`: the word counts for ND_WEIGHTING_COUNTED; NULL with
 * every other weighting. */
nd_status nd_text_keywords_create(nd_analyzer *analyzer, const nd_keyword_options *options,
                                  const nd_count_min *counts, nd_text_keywords **out,
                                  nd_error *error);
/* NULL is accepted. */
void nd_text_keywords_free(nd_text_keywords *keywords);

/* Finds the keywords, heaviest first, terms of equal weight in bytewise order. *terms is valid
 * until the next call. Errors are the same as of nd_analyze. */
nd_status nd_text_keywords_find(nd_text_keywords *keywords, const char *text, size_t length,
                                const nd_weighed_term **terms, size_t *count, nd_error *error);

#endif

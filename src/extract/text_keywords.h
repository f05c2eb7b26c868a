/* A text's keywords: its heaviest terms, for one thread. Features are counted by their hashes, on
 * the fast path; only the letters of those that are chosen are looked for in the text. */
#ifndef ND_EXTRACT_TEXT_KEYWORDS_H
#define ND_EXTRACT_TEXT_KEYWORDS_H

#include "terms/count_min.h"

/* ND_ERR_ARGUMENT: out of range, or not to be had with such an analyzer. `counted`:
 * ND_WEIGHTING_COUNTED is among what may be asked for. */
nd_status nd_keywords_options_check(const nd_keywords_options *options,
                                    const nd_analyzer_options *analyzer, bool counted,
                                    nd_error *error);

/* A term of a text, and its weight in units of 1/4096. */
typedef struct nd_weighed_term {
    const char *bytes;
    size_t length;
    uint64_t units;
} nd_weighed_term;

typedef struct nd_text_keywords nd_text_keywords;

/* The analyzer stays the caller's and must outlive this; so must the options' table and stop words,
 * and `counts`, which are those of ND_WEIGHTING_COUNTED, else NULL. */
nd_status nd_text_keywords_create(nd_analyzer *analyzer, const nd_keywords_options *options,
                                  const nd_count_min *counts, nd_text_keywords **out,
                                  nd_error *error);
/* NULL is accepted. */
void nd_text_keywords_free(nd_text_keywords *keywords);

/* Heaviest first, equal ones in bytewise order. *terms is valid until the next call. Errors as
 * nd_analyze. */
nd_status nd_text_keywords_find(nd_text_keywords *keywords, const char *text, size_t length,
                                const nd_weighed_term **terms, size_t *count, nd_error *error);

#endif

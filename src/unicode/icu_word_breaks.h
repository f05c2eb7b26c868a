/* Cuts scripts without spaces into words, with the dictionaries and rules of ICU (UAX #29, word
 * boundaries; https://unicode-org.github.io/icu/userguide/boundaryanalysis/). The words depend on
 * ICU's version. */
#ifndef ND_UNICODE_ICU_WORD_BREAKS_H
#define ND_UNICODE_ICU_WORD_BREAKS_H

#include "neardup.h"

/* ICU's version: major << 16 | minor; 0: there is no ICU. */
uint32_t nd_word_breaks_version(void);

/* For one thread. */
typedef struct nd_word_breaks nd_word_breaks;

/* ND_ERR_UNSUPPORTED: this build has no ICU, or none could be loaded (icu_library.h). */
nd_status nd_word_breaks_create(const nd_allocator *allocator, nd_word_breaks **out,
                                nd_error *error);
/* NULL is accepted. */
void nd_word_breaks_free(nd_word_breaks *breaks);

/* Cuts a text of `count` characters, each with its marks. Character i is text[ends[i - 1],
 * ends[i]); the first begins at 0. is_last[i] says whether a word ends behind character i; one
 * always ends behind the last. REQUIRES: valid UTF-8, fewer than 2^30 bytes. O(length). */
nd_status nd_word_breaks_find(nd_word_breaks *breaks, const char *text, const size_t *ends,
                              size_t count, bool *is_last, nd_error *error);

#endif

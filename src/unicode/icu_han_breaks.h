/* Cuts runs of Chinese ideographs into words exactly like ICU's break iterator, with the same
 * dictionary, but several times as fast. */
#ifndef ND_UNICODE_ICU_HAN_BREAKS_H
#define ND_UNICODE_ICU_HAN_BREAKS_H

#include "base/alloc.h"
#include "base/status.h"

/* The most ideographs of a run. */
enum { ND_HAN_BREAKS_RUN = 4096 };

/* The dictionary with its caches, for one thread. */
typedef struct nd_han_breaks nd_han_breaks;

/* *out is NULL if ICU's dictionary cannot be read (icu_han_trie.h). ND_ERR_MEMORY. */
nd_status nd_han_breaks_create(const nd_allocator *allocator, nd_han_breaks **out, nd_error *error);
/* NULL is accepted. */
void nd_han_breaks_free(nd_han_breaks *ideographs);

/* Whether a text of UTF-16 is such a run: 1 to ND_HAN_BREAKS_RUN units, all of them ideographs of
 * the block that all versions of Unicode have (U+4E00 to U+9FA5). */
bool nd_han_breaks_accepts(const uint16_t *text, size_t count);

/* Cuts a run: is_last[i] says whether a word ends behind ideograph i. REQUIRES:
 * nd_han_breaks_accepts(text, count). O(count * longest word). */
void nd_han_breaks_find(nd_han_breaks *ideographs, const uint16_t *text, size_t count,
                        bool *is_last);

#endif

/* Runs of nothing but Chinese ideographs, cut as ICU's break iterator cuts them, from the same
 * dictionary, but several times as fast. Only in builds with ICU. */
#ifndef ND_UNICODE_ICU_HAN_BREAKS_H
#define ND_UNICODE_ICU_HAN_BREAKS_H

#include "base/alloc.h"
#include "base/status.h"

/* Ideographs that can be cut at a time. */
enum { ND_IDEOGRAPHS_RUN = 4096 };

/* One thread's means. */
typedef struct nd_ideographs nd_ideographs;

/* *out is NULL where ICU's dictionary cannot be read (icu_han_trie.h). ND_ERR_MEMORY. */
nd_status nd_ideographs_create(const nd_allocator *allocator, nd_ideographs **out, nd_error *error);
/* NULL is accepted. */
void nd_ideographs_free(nd_ideographs *ideographs);

/* Whether a text of UTF-16 can be cut: 1 to ND_IDEOGRAPHS_RUN units, all of them ideographs of the
 * block that all versions of Unicode have (U+4E00 to U+9FA5). */
bool nd_ideographs_take(const uint16_t *text, size_t count);

/* Cuts a text that can be: is_last[i] is whether a word ends behind ideograph i. O(count * longest
 * word). */
void nd_ideographs_cut(nd_ideographs *ideographs, const uint16_t *text, size_t count,
                       bool *is_last);

#endif

/* ICU's dictionary of Chinese and Japanese words as a trie. It is read from the data of the ICU in
 * use, where ICU's own break iterator finds it, and stored nowhere else. */
#ifndef ND_UNICODE_ICU_HAN_TRIE_H
#define ND_UNICODE_ICU_HAN_TRIE_H

#include "base/alloc.h"
#include "base/status.h"

/* The cost of a string that is not a word. */
#define ND_TRIE_NO_WORD UINT32_MAX

/* A string of units that was looked up. */
typedef struct nd_trie_step {
    uint32_t state; /* 0: no longer word begins with the string */
    uint32_t cost;  /* of the string as a word: lower if it is more frequent; or ND_TRIE_NO_WORD */
} nd_trie_step;

/* Thread-safe: it never changes. */
typedef struct nd_han_trie nd_han_trie;

/* *out is NULL if there is no ICU, or if its data have no such dictionary, or one of an unknown
 * format. ND_ERR_MEMORY. */
nd_status nd_han_trie_open(const nd_allocator *allocator, nd_han_trie **out, nd_error *error);
/* NULL is accepted. */
void nd_han_trie_close(nd_han_trie *trie);

/* The state of the empty string; not 0. */
uint32_t nd_han_trie_root(void);

/* Extends the string of a state that is not 0 by one unit of UTF-16. */
nd_trie_step nd_han_trie_step(const nd_han_trie *trie, uint32_t state, uint16_t unit);

/* Calls fn for each unit that extends the string of a state, not 0, toward a longer word. */
typedef void nd_trie_unit_fn(void *context, uint16_t unit);
void nd_han_trie_units(const nd_han_trie *trie, uint32_t state, nd_trie_unit_fn *fn, void *context);

#endif

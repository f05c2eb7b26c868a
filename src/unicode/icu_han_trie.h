/* ICU's dictionary of Chinese and Japanese words as a trie (ICU's UCharsTrie, in C++, behind a C
 * interface): read from the data of the ICU that is installed, where ICU's own break iterator finds
 * it, and never kept anywhere else. */
#ifndef ND_UNICODE_ICU_HAN_TRIE_H
#define ND_UNICODE_ICU_HAN_TRIE_H

#include "base/alloc.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The cost of what is no word. */
#define ND_TRIE_NO_WORD UINT32_MAX

/* Where a beginning of words leads to. */
typedef struct nd_trie_step {
    uint64_t state; /* 0: no longer word begins so */
    uint32_t cost;  /* the less, the more frequent is the word that ends here; ND_TRIE_NO_WORD: none
                       does */
} nd_trie_step;

/* One thread's. */
typedef struct nd_word_trie nd_word_trie;

/* *out is NULL where the data have no such dictionary, or in a form that is not known here.
 * ND_ERR_MEMORY. */
nd_status nd_word_trie_open(const nd_allocator *allocator, nd_word_trie **out, nd_error *error);
/* NULL is accepted. */
void nd_word_trie_close(nd_word_trie *trie);

/* The state from which all words begin; not 0. */
uint64_t nd_word_trie_root(const nd_word_trie *trie);

/* From a state that is not 0, by one unit of UTF-16. */
nd_trie_step nd_word_trie_step(nd_word_trie *trie, uint64_t state, uint16_t unit);

/* Tells fn each unit by which a longer word goes on from a state that is not 0. */
typedef void nd_trie_unit_fn(void *context, uint16_t unit);
void nd_word_trie_units(nd_word_trie *trie, uint64_t state, nd_trie_unit_fn *fn, void *context);

#ifdef __cplusplus
}
#endif

#endif

/* The distinct words of a text, or their stems, and how often each comes, as bytes: for each, in
 * the order of the text, its length (1 byte), how often (16 bits, little-endian, at most 65,535),
 * and itself, folded. */
#ifndef ND_TEXT_TERM_FREQUENCIES_H
#define ND_TEXT_TERM_FREQUENCIES_H

#include "neardup.h"

/* What is taken at most: longer words, and those that come first after so many, are left out. */
enum { ND_WORD_LIST_LENGTH = 64, ND_WORD_LIST_WORDS = 4096 };

typedef struct nd_word_list nd_word_list;

/* One thread's means. The analyzer is of single words; `stop`: words that are left out, by its seed
 * and stem, NULL: none. Both stay the caller's. */
nd_status nd_word_list_create(const nd_analyzer_options *analyzer, const nd_stop_words *stop,
                              const nd_allocator *allocator, nd_word_list **out, nd_error *error);
/* NULL is accepted. */
void nd_word_list_free(nd_word_list *list);

/* *bytes is valid until the next text. ND_ERR_INPUT: not UTF-8, with the byte. */
nd_status nd_word_list_make(nd_word_list *list, const char *text, size_t length,
                            const unsigned char **bytes, size_t *size, nd_error *error);

#endif

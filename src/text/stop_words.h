/* Stop words inside the library: removing them from a text's features. The rest is declared in
 * neardup.h. */
#ifndef ND_TEXT_STOP_WORDS_H
#define ND_TEXT_STOP_WORDS_H

#include "neardup.h"

/* Moves the features that are not stop words to the front, keeping their order, and returns their
 * number. */
size_t nd_stop_words_remove(const nd_stop_words *stop, uint64_t *features, size_t count);

/* ND_ERR_ARGUMENT: this analyzer never produces the words of the list. */
nd_status nd_stop_words_check(const nd_stop_words *stop, const nd_analyzer_options *analyzer,
                              nd_error *error);

/* A hash of the list's features, independent of the order in which they were read; never 0. A
 * stream stores it, to notice another list. */
uint64_t nd_stop_words_hash(const nd_stop_words *stop);

#endif

/* Stop words inside the library: left out of a text's features many at a time. The rest is declared
 * in neardup.h. */
#ifndef ND_TEXT_STOP_WORDS_H
#define ND_TEXT_STOP_WORDS_H

#include "neardup.h"

/* Moves the features that are no stop words to the front, in their order, and returns how many they
 * are. */
size_t nd_stop_words_leave_out(const nd_stop_words *stop, uint64_t *features, size_t count);

/* ND_ERR_ARGUMENT: with such an analyzer its words are never met. */
nd_status nd_stop_words_check(const nd_stop_words *stop, const nd_analyzer_options *analyzer,
                              nd_error *error);

/* Of its features, in whatever order they were read; never 0. By it another list is found out. */
uint64_t nd_stop_words_hash(const nd_stop_words *stop);

#endif

/* A user's dictionary of words in scripts without spaces, in memory, and the most probable way to
 * cut a run of characters into its words.
 *
 * A word is a sequence of tokens of ND_WORDS: characters with their marks, or runs of letters and
 * digits. Tokens are compared by their hashes. Each frequency becomes a cost, ln(sum of all
 * frequencies / frequency), as an integer, so that costs add up along a path exactly. The cheapest
 * path through a run is found by dynamic programming from its end to its beginning, as segmenters
 * of Chinese commonly do.
 *
 * dictionary_file.c reads dictionaries. After nd_dictionary_finish a dictionary is immutable, and
 * any number of threads may use it. */
#ifndef ND_TEXT_DICTIONARY_H
#define ND_TEXT_DICTIONARY_H

#include "neardup.h"

/* The seed of the tokens' hashes. */
#define ND_DICTIONARY_SEED 1

/* Tokens in a run at most: the sum of so many costs fits in 64 bits. */
enum { ND_DICTIONARY_RUN = 4096 };

/* The frequency of a word that has none in the file, and of a token that no word contains: the
 * smallest there is, so that a path with the fewest such words is preferred. */
enum { ND_DICTIONARY_LEAST_FREQUENCY = 1 };

/* Creates an empty dictionary, to which words are added until nd_dictionary_finish.
 * nd_dictionary_free ends it. */
ND_MUST_CHECK nd_status nd_dictionary_create(const nd_allocator *allocator, nd_dictionary **out,
                                             nd_error *error);

/* Adds a word, given by the hashes of its tokens. A word that is added again, perhaps in another
 * case, has the sum of its frequencies. */
ND_MUST_CHECK nd_status nd_dictionary_add(nd_dictionary *dictionary, const uint64_t *tokens,
                                          size_t count, uint64_t frequency, nd_error *error);

/* Turns frequencies into costs. Returns false, and does nothing, if the sum of all frequencies is
 * 0. */
ND_MUST_CHECK bool nd_dictionary_finish(nd_dictionary *dictionary);

/* Cuts a run of at most ND_DICTIONARY_RUN tokens, given by their hashes. lengths[i] is the number
 * of tokens of the word that begins at token i on the cheapest path; 0: no word of the dictionary
 * begins there, and token i stands alone. costs: scratch for count + 1 values. O(count * tokens of
 * the longest word). */
void nd_dictionary_cut(const nd_dictionary *dictionary, const uint64_t *tokens, size_t count,
                       uint64_t *costs, uint16_t *lengths);

/* A hash of all words and their costs, independent of the order in which they were read; never 0.
 * A stream stores it, to notice another dictionary. */
uint64_t nd_dictionary_hash(const nd_dictionary *dictionary);

#endif

/* A user's dictionary of words in scripts without spaces, and the most probable way to cut a run of
 * characters by it. The rest is declared in neardup.h.
 *
 * A word is a sequence of tokens of ND_WORDS, each a character with its marks or a run of letters
 * and digits, told apart by their hashes. Frequencies are turned into costs, ln(all / frequency) in
 * integers, which add up along a path; the cheapest path is found from the end of a run to its
 * beginning (dynamic programming over the graph of words, as segmenters of Chinese commonly do). */
#ifndef ND_TEXT_DICTIONARY_H
#define ND_TEXT_DICTIONARY_H

#include "neardup.h"

/* The seed of the hashes of tokens. */
#define ND_DICTIONARY_SEED 1

/* Tokens that can be cut at a time: the sum of so many costs has room in 64 bits. */
enum { ND_DICTIONARY_RUN = 4096 };

/* Cuts a run of at most ND_DICTIONARY_RUN tokens, given by their hashes: lengths[i] is how many of
 * them the word has that begins at token i, if one begins there; 0: no word of the dictionary,
 * token i stands alone. costs: room for count + 1. O(count * longest word). */
void nd_dictionary_cut(const nd_dictionary *dictionary, const uint64_t *tokens, size_t count,
                       uint64_t *costs, uint16_t *lengths);

/* Of its words and their costs, in whatever order they were read; never 0. By it another dictionary
 * is found out. */
uint64_t nd_dictionary_hash(const nd_dictionary *dictionary);

#endif

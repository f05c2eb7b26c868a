/* The distinct words of a text, or their stems, with their term frequencies, as a byte string.
 *
 * For each word, in the order of its first occurrence: its length (1 byte), its term frequency (16
 * bits, little-endian, at most 65,535), and its folded bytes. */
#ifndef ND_TEXT_TERM_FREQUENCIES_H
#define ND_TEXT_TERM_FREQUENCIES_H

#include "text/analyzer.h"

/* Longer words, in bytes, are left out, and so are new words after so many distinct ones. */
enum { ND_TERM_FREQUENCIES_LENGTH = 64, ND_TERM_FREQUENCIES_WORDS = 4096 };

/* Used by one thread at a time. */
typedef struct nd_term_frequencies nd_term_frequencies;

/* `stop`: words that are left out, read for the seed and stem of the words' analyzer; NULL: none.
 * `stop` stays the caller's and must outlive the list. */
nd_status nd_term_frequencies_create(const nd_stop_words *stop, const nd_allocator *allocator,
                                     nd_term_frequencies **out, nd_error *error);
/* NULL is accepted. */
void nd_term_frequencies_free(nd_term_frequencies *list);

typedef struct nd_counted_words {
    const unsigned char *bytes;
    size_t size;
    const uint64_t *hashes; /* of each word, as in the list that was counted */
    size_t count;
} nd_counted_words;

/* Counts the words of a text. *out belongs to the list and is valid until the next call. */
nd_status nd_term_frequencies_count(nd_term_frequencies *list, const nd_word_list *words,
                                    nd_counted_words *out, nd_error *error);

#endif

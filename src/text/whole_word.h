/* The lines of word lists and weight tables: whether a term is one word of ND_WORDS, all of it, and which feature that word is. "C++" is none, though its only token is "c". */
#ifndef ND_TEXT_WHOLE_WORD_H
#define ND_TEXT_WHOLE_WORD_H

#include "base/hash.h"
#include "text/fold.h"

/* Bytes of a term or number that a message shows. */
enum { ND_SHOWN_BYTES = 40 };

/* One thread's means; zero-initialised, ended by nd_whole_word_end in any case. */
typedef struct nd_whole_word {
    nd_analyzer *analyzer;
    nd_hash_key key;
    nd_folded folded; /* the term asked for last */
    size_t tokens;    /* of it */
    bool same;        /* its only token is the whole of it, folded */
} nd_whole_word;

nd_status nd_whole_word_begin(nd_whole_word *word, uint64_t seed, const nd_allocator *allocator, nd_error *error);
void nd_whole_word_end(nd_whole_word *word);

/* *feature is set where it is one. ND_ERR_INPUT: not UTF-8, with the byte. */
nd_status nd_whole_word_find(nd_whole_word *word, const char *term, size_t length, bool *is_word, uint64_t *feature, nd_error *error);

/* The bytes of a text that a message shows: whole characters, at most ND_SHOWN_BYTES. */
int nd_shown_length(const char *text, size_t length);

#endif

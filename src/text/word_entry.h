/* The lines of word lists, weight tables and dictionaries: whether a term is one word, all of it,
 * and which feature that word is. "C++" is none, though its only token is "c". */
#ifndef ND_TEXT_WORD_ENTRY_H
#define ND_TEXT_WORD_ENTRY_H

#include "base/hash.h"
#include "unicode/case_fold.h"

/* Tokens whose hashes are kept. */
enum { ND_WHOLE_WORD_TOKENS = 64 };

typedef enum nd_word_kind {
    ND_NO_WORD,      /* several words, or something that is no part of any */
    ND_ONE_WORD,     /* of ND_WORDS, and so of ND_SEGMENT */
    ND_SEGMENT_WORD, /* several tokens of ND_WORDS without anything between them, as characters of
                        scripts without spaces are: one word of ND_SEGMENT, if it cuts so */
} nd_word_kind;

/* One thread's means; zero-initialised, ended by nd_whole_word_end in any case. */
typedef struct nd_whole_word {
    nd_analyzer *analyzer;
    nd_hash_key key;
    /* Of the term asked for last: */
    nd_folded folded;
    size_t tokens;                         /* of ND_WORDS */
    uint64_t hashes[ND_WHOLE_WORD_TOKENS]; /* of the first of them */
    size_t matched; /* bytes of the folded term that are tokens, up to the first that are not */
    bool same;      /* nothing stands between its tokens */
    bool unspaced;  /* one of them is a character of a script without spaces */
} nd_whole_word;

nd_status nd_whole_word_begin(nd_whole_word *word, uint64_t seed, const nd_allocator *allocator,
                              nd_error *error);
void nd_whole_word_end(nd_whole_word *word);

/* *feature is set where it is one. ND_ERR_INPUT: not UTF-8, with the byte. */
nd_status nd_whole_word_find(nd_whole_word *word, const char *term, size_t length,
                             nd_word_kind *kind, uint64_t *feature, nd_error *error);

#endif

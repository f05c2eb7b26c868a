/* One entry of a stop word list, a weight table or a dictionary of words: whether the whole entry
 * is one word, and which feature that word has.
 *
 * "C++" is not one word: its only token is "c", and "++" is left over. */
#ifndef ND_TEXT_WORD_ENTRY_H
#define ND_TEXT_WORD_ENTRY_H

#include "base/hash.h"
#include "unicode/case_fold.h"

/* The hashes of so many tokens of an entry are kept. */
enum { ND_WORD_ENTRY_TOKENS = 64 };

typedef enum nd_word_kind {
    ND_NO_WORD,      /* several words, or bytes that belong to no word */
    ND_ONE_WORD,     /* one token of ND_WORDS, which ND_SEGMENT reads as one word, too */
    ND_SEGMENT_WORD, /* several tokens of ND_WORDS with nothing between them, such as characters of
                        scripts without spaces: one word of ND_SEGMENT, if it is cut so */
} nd_word_kind;

/* The parser of entries, used by one thread, and its findings about the latest entry. */
typedef struct nd_word_entry {
    nd_hash_key key;
    nd_folded folded;
    size_t tokens;                         /* of ND_WORDS */
    uint64_t hashes[ND_WORD_ENTRY_TOKENS]; /* of the first tokens */
    size_t matched;  /* bytes of the folded entry, from its start, that are tokens without a gap */
    bool contiguous; /* no bytes between the tokens */
    bool unspaced;   /* one of the tokens is a character of a script without spaces */
} nd_word_entry;

void nd_word_entry_init(nd_word_entry *entry, uint64_t seed, const nd_allocator *allocator);
void nd_word_entry_free(nd_word_entry *entry);

/* Parses an entry. *feature is set unless *kind is ND_NO_WORD. ND_ERR_INPUT: the entry is not
 * UTF-8; the message names the byte. */
nd_status nd_word_entry_parse(nd_word_entry *entry, const char *text, size_t length,
                              nd_word_kind *kind, uint64_t *feature, nd_error *error);

#endif

/* Stems of words by Snowball (M. F. Porter, "Snowball: a language for stemming algorithms", 2001),
 * for an analyzer.
 *
 * A few words make up most of a text, so the hashes of their stems are cached in a table of fixed
 * size. Only a text with a word that is not in the table is tokenized again, to get that word's
 * bytes. The cache never changes the result. */
#ifndef ND_TEXT_STEMMER_H
#define ND_TEXT_STEMMER_H

#include "unicode/token_sink.h"

/* Sets *language to libstemmer's own name for the language. ND_ERR_ARGUMENT lists the languages
 * that there are; ND_ERR_UNSUPPORTED: this build has no libstemmer. */
nd_status nd_stem_language(const char *name, const char **language, nd_error *error);

/* Used by one thread at a time. */
typedef struct nd_stemmer nd_stemmer;

/* `language`: a name from nd_stem_language. */
nd_status nd_stemmer_create(const char *language, const nd_allocator *allocator, nd_stemmer **out,
                            nd_error *error);
/* NULL is accepted. */
void nd_stemmer_free(nd_stemmer *stemmer);

/* Gives the stem of a folded word, valid until the next call. A word of more than 255 bytes, or one
 * whose stem is empty, is its own stem. */
nd_status nd_stemmer_stem(nd_stemmer *stemmer, const char *word, size_t length, const char **stem,
                          size_t *stem_length, nd_error *error);

/* Replaces the hashes of a text's tokens in the sink by the hashes of their stems. REQUIRES: the
 * sink has the hashes of all tokens of this text, and nothing else. */
nd_status nd_stemmer_replace_hashes(nd_stemmer *stemmer, const nd_token_sink *sink,
                                    const char *text, size_t length, nd_error *error);

/* Calls sink->fn with the stem of each token of a text. */
nd_status nd_stemmer_tokenize(nd_stemmer *stemmer, const nd_token_sink *sink, const char *text,
                              size_t length, nd_error *error);

#endif

/* Stems of words by Snowball (M. F. Porter, "Snowball: a language for stemming algorithms", 2001),
 * for an analyzer. A few words are most of a text, so the hashes of their stems are kept, in a
 * table of fixed size; only for a text with a word that is not there are its tokens asked for as
 * well. What is kept has no say in the result. */
#ifndef ND_TEXT_STEMMER_H
#define ND_TEXT_STEMMER_H

#include "unicode/token_sink.h"

/* Sets *language to libstemmer's own name for the language. ND_ERR_ARGUMENT lists those that there
 * are; ND_ERR_UNSUPPORTED: this build has none. */
nd_status nd_stem_language(const char *name, const char **language, nd_error *error);

/* One thread's means. */
typedef struct nd_stemmer nd_stemmer;

/* `language` by nd_stem_language. */
nd_status nd_stemmer_create(const char *language, const nd_allocator *allocator, nd_stemmer **out,
                            nd_error *error);
/* NULL is accepted. */
void nd_stemmer_free(nd_stemmer *stemmer);

/* The stem of a folded word: valid until the next call. What libstemmer makes nothing of, and what
 * has more than 255 bytes, stays as it is. */
nd_status nd_stemmer_stem(nd_stemmer *stemmer, const char *word, size_t length, const char **stem,
                          size_t *stem_length, nd_error *error);

/* Replaces the hashes of a text's tokens, all of which are in the sink, by those of their stems. */
nd_status nd_stemmer_replace(nd_stemmer *stemmer, const nd_token_sink *sink, const char *text,
                             size_t length, nd_error *error);

/* Tells sink->fn the stems of the tokens of a text. */
nd_status nd_stemmer_tell(nd_stemmer *stemmer, const nd_token_sink *sink, const char *text,
                          size_t length, nd_error *error);

#endif

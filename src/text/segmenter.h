/* The analyzer ND_SEGMENT. It takes the tokens of ND_WORDS and joins neighbours, which have nothing
 * between them, to words: by a dictionary, along the most probable path; and by ICU
 * (icu_word_breaks.h) where the dictionary has no word and the script has no spaces.
 *
 * So a word consists of whole tokens in their folded form, and a token with no character of such a
 * script beside it is a word, as in ND_WORDS. */
#ifndef ND_TEXT_SEGMENTER_H
#define ND_TEXT_SEGMENTER_H

#include "unicode/token_sink.h"

/* Used by one thread at a time. */
typedef struct nd_segmenter nd_segmenter;

/* `dictionary` NULL: ICU alone. ND_ERR_UNSUPPORTED: no dictionary, and no ICU. The dictionary stays
 * the caller's and must outlive the segmenter. */
nd_status nd_segmenter_create(const nd_dictionary *dictionary, const nd_allocator *allocator,
                              nd_segmenter **out, nd_error *error);
/* NULL is accepted. */
void nd_segmenter_free(nd_segmenter *segmenter);

/* Whether a text has a character of a script without spaces. If it has none, its words are those of
 * ND_WORDS. May return true for bytes that are not UTF-8. */
bool nd_has_unspaced(const char *text, size_t length);

/* Appends the hashes of a text's words to the sink, or calls sink->fn with each word. Errors as
 * nd_scan_words. */
nd_status nd_segmenter_scan(nd_segmenter *segmenter, nd_token_sink *sink, const char *text,
                            size_t length, nd_error *error);

#endif

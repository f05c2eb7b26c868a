/* The analyzer `segment`: tokens of ND_WORDS, of which those that follow each other without
 * anything between them are put together to words: by a dictionary along the path of greatest
 * probability, and what it does not have, in scripts without spaces, by ICU (icu_word_breaks.h). So
 * words are made of whole tokens, in their folded form, and a token that touches no such character
 * is one of ND_WORDS. */
#ifndef ND_TEXT_SEGMENTER_H
#define ND_TEXT_SEGMENTER_H

#include "unicode/token_sink.h"

/* One thread's means. */
typedef struct nd_segmenter nd_segmenter;

/* `dictionary` NULL: none. ND_ERR_UNSUPPORTED: neither is there an ICU. The dictionary stays the
 * caller's. */
nd_status nd_segmenter_create(const nd_dictionary *dictionary, const nd_allocator *allocator,
                              nd_segmenter **out, nd_error *error);
/* NULL is accepted. */
void nd_segmenter_free(nd_segmenter *segmenter);

/* Whether a text has a character of a script without spaces; where it has none, its words are those
 * of ND_WORDS. What is not UTF-8 may be told as one. */
bool nd_has_unspaced(const char *text, size_t length);

/* Appends the hashes of a text's words to the sink, or tells sink->fn of them. Errors as
 * nd_scan_words. */
nd_status nd_segmenter_scan(nd_segmenter *segmenter, nd_token_sink *sink, const char *text,
                            size_t length, nd_error *error);

#endif

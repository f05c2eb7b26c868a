/* Makes UTF-8 of the texts of one thread, whatever their encoding is.
 *
 * A byte order mark tells the encoding, then the text itself (a page or its server names it), then
 * the caller's option, in this order. If nothing tells it, the text is UTF-8 if its bytes
 * are well-formed; otherwise the encoding is guessed, if that is wanted. */
#ifndef ND_CORPUS_TEXT_DECODER_H
#define ND_CORPUS_TEXT_DECODER_H

#include "unicode/encoding.h"

typedef struct nd_text_decoder nd_text_decoder;

/* encoding: a label, "auto", to guess, or NULL: neither. ND_ERR_ARGUMENT, ND_ERR_UNSUPPORTED: as
 * nd_encoding_open. */
nd_status nd_text_decoder_create(const char *encoding, const nd_allocator *allocator,
                                 nd_text_decoder **out, nd_error *error);
void nd_text_decoder_free(nd_text_decoder *decoder);
/* Frees the memory for converted texts. */
void nd_text_decoder_release(nd_text_decoder *decoder);

typedef struct nd_decoded {
    const char *text; /* the given text, or valid until the decoder's next call */
    size_t length;
    size_t malformed;     /* parts that became U+FFFD */
    const char *encoding; /* label of the encoding; NULL: the bytes are as they were, and may not be
                             UTF-8 */
} nd_decoded;

/* The encoding that a text or its server tells. */
typedef struct nd_told_encoding {
    const char *label;
    size_t length; /* 0: none is told */
    bool in_ascii; /* the text tells it in ASCII: so it is none with other bytes for ASCII; one that
                      says so is UTF-8 (HTML Living Standard, 13.2.3.2) */
} nd_told_encoding;

/* Decodes a text. guess: guess the encoding if nothing tells it, whatever the option is. */
nd_status nd_text_decode(nd_text_decoder *decoder, const char *text, size_t length,
                         const nd_told_encoding *told, bool guess, nd_decoded *out,
                         nd_error *error);

/* Decodes a column of a record, which has no byte order mark. Its encoding is that of the option,
 * or of its file (length 0: none is known). */
nd_status nd_text_decode_column(nd_text_decoder *decoder, const char *text, size_t length,
                                const nd_told_encoding *file, nd_decoded *out, nd_error *error);
/* The label of the encoding that a text most likely has. NULL: it is UTF-8, perhaps with some
 * damage, or the encoding is unknown. */
const char *nd_text_guess(const char *text, size_t length, char *label, size_t size);
/* Whether the option names another encoding than UTF-8; *keeps_ascii: files in it can be cut into
 * records before they are decoded. */
bool nd_text_decoder_converts(const nd_text_decoder *decoder, bool *keeps_ascii);

#endif

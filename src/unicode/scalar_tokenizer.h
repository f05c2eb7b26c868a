/* The scalar tokenizer of the analyzers: cuts any UTF-8 text into tokens, by tables, and with NFC
 * for characters that may need it. It is the reference that the words kernels agree with. Time is
 * linear in the text. Memory is constant, except for the longest token and the longest run of
 * combining marks.
 *
 * Errors of all functions: ND_ERR_INPUT ("invalid UTF-8 at byte N": the offset in the text of the
 * first ill-formed sequence), ND_ERR_MEMORY, and ND_ERR_CANCELLED if sink->fn returned false. Some
 * tokens before the error may then be in the sink, or have gone to sink->fn. */
#ifndef ND_UNICODE_SCALAR_TOKENIZER_H
#define ND_UNICODE_SCALAR_TOKENIZER_H

#include "unicode/token_sink.h"

/* nd_scan_words returns to the caller's fast path if so many bytes of characters follow that the
 * words kernels accept and that do not clash (kernel/script_pages.h). */
#define ND_SCAN_KERNEL_RUN 64

/* Cuts text[from, length) into words (ND_WORDS) and appends their tokens to the sink. REQUIRES: a
 * token may begin at `from`, and the character there does not combine with one before it.
 *
 * Stops at the end of the text. If `may_stop`, it stops earlier, after it has met a character at
 * which the kernels stop: at the first position at the beginning of a token, or before a character
 * between tokens that is no mark, if the kernels stop at none of the characters that begin in the
 * next ND_SCAN_KERNEL_RUN bytes. *stopped is the position. */
nd_status nd_scan_words(nd_token_sink *sink, const char *text, size_t length, size_t from,
                        bool may_stop, size_t *stopped, nd_error *error);

/* Cuts a whole text into characters (ND_CHARS): every code point of the folded text is a token; a
 * run of white space and punctuation is one token U+0020, dropped at both ends. */
nd_status nd_scan_chars(nd_token_sink *sink, const char *text, size_t length, nd_error *error);

/* Whether a folded token is a character of a script without spaces. */
bool nd_is_unspaced(const char *token, size_t length);

/* The 128-bit hash of the NFC of a text without tokens (defined in scalar_tokenizer.c). hash[0] is
 * also the only shingle of such a text. Of the sink only the key and the allocator are used. */
nd_status nd_hash_bare_text(const nd_token_sink *sink, const char *text, size_t length,
                            uint64_t hash[2], nd_error *error);

#endif

/* The careful path of the analyzers: any UTF-8 text to tokens, by tables and, where a character may
 * need it, NFC. It is the reference that the words kernels agree with. All of it takes time linear
 * in the text; memory is constant besides the longest token and the longest run of combining marks.
 *
 * Errors of all: ND_ERR_INPUT ("invalid UTF-8 at byte N", the first byte of the first ill-formed
 * sequence, within text), ND_ERR_MEMORY, and ND_ERR_CANCELLED when sink->fn returned false. Some of
 * the tokens before the error may be in the sink then, or went to sink->fn. */
#ifndef ND_UNICODE_SCALAR_TOKENIZER_H
#define ND_UNICODE_SCALAR_TOKENIZER_H

#include "unicode/token_sink.h"

/* Length in bytes of a run of characters that nd_words_take for which nd_scan_words hands back to
 * the caller's fast path. */
#define ND_SCAN_KERNEL_RUN 64

/* Scans text[from, length) for words (ND_WORDS) and appends their tokens to the sink. `from` is at
 * a place where a token may begin and the character there has nothing before it to combine with.
 * Stops at the end, or, when `may_stop`, after the first character that nd_words_take does not
 * name, at the first place at a token's beginning or between tokens from which all characters that
 * begin in the next ND_SCAN_KERNEL_RUN bytes are named by it: *stopped says where. */
nd_status nd_scan_words(nd_token_sink *sink, const char *text, size_t length, size_t from,
                        bool may_stop, size_t *stopped, nd_error *error);

/* The same for characters (ND_CHARS), the whole text: every code point of the folded text is a
 * token; runs of white space and punctuation are one U+0020, dropped at both ends. */
nd_status nd_scan_chars(nd_token_sink *sink, const char *text, size_t length, nd_error *error);

/* Whether a token, folded, is a character of a script without spaces. */
bool nd_is_unspaced(const char *token, size_t length);

/* 128-bit hash of the NFC form of a text without tokens (defined in scalar_tokenizer.c): hash[0]
 * also serves as its only shingle. Takes sink->key and memory from sink->allocator, nothing else.
 */
nd_status nd_hash_bare_text(const nd_token_sink *sink, const char *text, size_t length,
                            uint64_t hash[2], nd_error *error);

#endif

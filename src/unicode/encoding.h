/* Makes UTF-8 of text in another encoding. UTF-16, UTF-32 and windows-1252 are converted here; all
 * others by ICU. */
#ifndef ND_UNICODE_ENCODING_H
#define ND_UNICODE_ENCODING_H

#include "base/alloc.h"
#include "base/status.h"

#include <stdbool.h>

/* A converter. Used by one thread at a time. */
typedef struct nd_encoding nd_encoding;

/* Opens the encoding that has the label, case-insensitively, with the meaning that labels have on
 * the web (Encoding Standard of WHATWG): "latin1" and "ascii" are windows-1252, "gb2312" is
 * GB18030. *out NULL: it is UTF-8. ND_ERR_ARGUMENT: no encoding has the label.
 * ND_ERR_UNSUPPORTED: it needs ICU, which is not there. */
nd_status nd_encoding_open(const char *label, size_t length, const nd_allocator *allocator,
                           nd_encoding **out, nd_error *error);
void nd_encoding_close(nd_encoding *encoding);
/* Whether it was opened by this label. */
bool nd_encoding_has_label(const nd_encoding *encoding, const char *label, size_t length);
/* Whether each byte below 128 stands for itself, so that text can be cut before it is converted. */
bool nd_encoding_keeps_ascii(const nd_encoding *encoding);
/* Whether it is UTF-16 or UTF-32. */
bool nd_encoding_is_wide(const nd_encoding *encoding);

/* Memory for a converted text, reused from text to text. Zero-initialised; the caller releases
 * `bytes`. */
typedef struct nd_encoded_text {
    char *bytes;
    size_t length, capacity;
} nd_encoded_text;

/* Converts a whole text. Each part that is malformed becomes U+FFFD. *malformed: how many there
 * are. */
nd_status nd_encoding_convert(nd_encoding *encoding, const char *bytes, size_t length,
                              nd_encoded_text *out, size_t *malformed, nd_error *error);

/* The label of the encoding whose byte order mark a text has; NULL: it has none. *size: bytes of
 * the mark. */
const char *nd_encoding_of_mark(const char *bytes, size_t length, size_t *size);

/* The label of the encoding that a text most likely has, by its bytes; NULL: unknown, or this build
 * has no uchardet. */
const char *nd_encoding_guess(const char *bytes, size_t length, char *label, size_t size);

#endif

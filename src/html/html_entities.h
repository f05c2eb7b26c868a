/* Decodes character references: &amp; &#38; &#x26; */
#ifndef ND_HTML_HTML_ENTITIES_H
#define ND_HTML_HTML_ENTITIES_H

#include <stddef.h>

/* The most bytes that a reference becomes. None becomes more than 6/5 of its own length: "&nGt;"
 * becomes six bytes. */
enum { ND_HTML_REFERENCE_MOST = 6 };

/* Decodes the reference at `at`, where '&' is, in text (not in attributes): HTML Living Standard,
 * section 13.2.5.72. Writes *written bytes of UTF-8 to `out`, and returns the bytes read; 0: the
 * '&' is only a character. */
size_t nd_html_decode(const char *at, const char *end, char out[ND_HTML_REFERENCE_MOST],
                      size_t *written);

#endif

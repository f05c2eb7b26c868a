/* Faults of text in a line of JSON: bytes that are not UTF-8, and escapes that stand for half a
 * character. Finding the first, mending all. */
#ifndef ND_CORPUS_JSON_STRINGS_H
#define ND_CORPUS_JSON_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nd_text_fault {
    ND_TEXT_FINE = 0,
    ND_TEXT_INVALID_UTF8,
    ND_TEXT_LONE_SURROGATE
} nd_text_fault;

/* The first fault at or after *at; *at becomes its offset in bytes (`length` when there is none)
 * and *size its length: of the maximal subpart of an ill-formed sequence (Unicode 15, section 3.9:
 * what one U+FFFD replaces), or 6 for the escape \udXXX. A surrogate escape is lone unless it is a
 * high one directly followed by the escape of a low one. O(length). */
nd_text_fault nd_json_text_fault(const char *line, size_t length, size_t *at, size_t *size);

/* Bytes of the line with all faults mended; SIZE_MAX when that overflows. */
size_t nd_json_mended_size(const char *line, size_t length);
/* Writes the mended line (the size that nd_json_mended_size returned): U+FFFD for invalid UTF-8,
 * \ufffd for a lone surrogate's escape. */
void nd_json_mend(const char *line, size_t length, char *out);

#ifdef __cplusplus
}
#endif
#endif

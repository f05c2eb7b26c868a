/* Finds and replaces invalid text in a line of JSON: bytes that are not UTF-8, and escapes of lone
 * surrogates, which are half of a character. */
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

/* Finds the first fault at or after *at. *at becomes its offset in bytes; `length` if there is
 * none. *size becomes its length: 6 for the escape \udXXX; otherwise the length of the maximal
 * subpart of an ill-formed sequence, which one U+FFFD replaces (Unicode 15, section 3.9). A
 * surrogate escape is lone unless it is a high one directly followed by the escape of a low one.
 * O(length). */
nd_text_fault nd_json_text_fault(const char *line, size_t length, size_t *at, size_t *size);

/* Size in bytes of the line with all faults replaced; SIZE_MAX: it overflows. */
size_t nd_json_repaired_size(const char *line, size_t length);
/* Writes nd_json_repaired_size bytes: the line, with U+FFFD for invalid UTF-8, and \ufffd for the
 * escape of a lone surrogate. */
void nd_json_write_repaired(const char *line, size_t length, char *out);

#ifdef __cplusplus
}
#endif
#endif

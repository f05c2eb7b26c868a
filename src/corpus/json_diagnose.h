/* A second, careful reading of a line of JSON (RFC 8259), off the fast path, for what simdjson does
 * not tell: why and where a line is not JSON, and how a number was written. simdjson also refuses
 * integers beyond 64 bits and doubles beyond their range, which JSON allows: here they are found.
 */
#ifndef ND_CORPUS_JSON_DIAGNOSE_H
#define ND_CORPUS_JSON_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Levels of arrays and objects that a record may have. */
#define ND_JSON_DEPTH 1024

/* Whether the line is something else than one JSON value; then `why` is a short text with the
 * offset in bytes ("',' or '}' expected at byte 17, not 'x'"). Text is not looked at (UTF-8,
 * surrogates). No recursion. O(length). */
bool nd_json_fault(const char *line, size_t length, char *why, size_t why_size);

/* The number with this ordinal (from 0) among the line's numbers: its first byte and length. NULL
 * when there are fewer. The line must be JSON. O(length). */
const char *nd_json_number(const char *line, size_t length, size_t ordinal, size_t *number_length);

/* Overwrites every well-formed number of the line with a 0 and spaces. Returns how many were there.
 * O(length). */
size_t nd_json_blank_numbers(char *line, size_t length);

#ifdef __cplusplus
}
#endif
#endif

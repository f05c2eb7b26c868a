/* A second, slower scan of a line of JSON (RFC 8259), for facts that simdjson does not report:
 * where and why a line is not JSON, and how a number is written. JSON allows integers beyond 64
 * bits and doubles beyond their range. simdjson rejects them; these functions accept them. */
#ifndef ND_CORPUS_JSON_DIAGNOSE_H
#define ND_CORPUS_JSON_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A record must have fewer levels of arrays and objects. */
#define ND_JSON_DEPTH 1024

/* Returns true if the line is not one JSON value; `why` then gets a short reason with its offset in
 * bytes ("',' or '}' expected at byte 17, not 'x'"). Does not check text (UTF-8, surrogates). Not
 * recursive. O(length). */
bool nd_json_fault(const char *line, size_t length, char *why, size_t why_size);

/* Returns the first byte and the length of number `ordinal`, from 0, of the line's numbers; NULL:
 * the line has fewer. REQUIRES: the line is JSON. O(length). */
const char *nd_json_number(const char *line, size_t length, size_t ordinal, size_t *number_length);

/* Overwrites every well-formed number of the line with a 0 and spaces. Returns how many numbers
 * there were. O(length). */
size_t nd_json_blank_numbers(char *line, size_t length);

#ifdef __cplusplus
}
#endif
#endif

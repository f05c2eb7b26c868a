/* Parses one line of JSON to its text, id and priority, by simdjson: a C interface of C++ code. */
#ifndef ND_CORPUS_JSON_SIMDJSON_H
#define ND_CORPUS_JSON_SIMDJSON_H

#include "base/alloc.h"
#include "base/status.h"
#include "corpus/record_fields.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes that must be readable behind a line's end. Their content does not matter. */
#define ND_JSON_PADDING 64

typedef enum nd_json_problem {
    ND_JSON_FINE = 0,
    ND_JSON_INVALID_TEXT, /* invalid UTF-8 or a lone surrogate anywhere in the line;
                             nd_json_repair replaces it */
    ND_JSON_BAD_RECORD,   /* not JSON, no text field, text not a string, bad priority, ... */
    ND_JSON_NO_MEMORY
} nd_json_problem;

/* Used by one thread at a time. Its buffers grow to the longest line so far; buffers for a line of
 * more than 4 MiB are freed at the next shorter one. */
typedef struct nd_json_parser nd_json_parser;

nd_status nd_json_parser_create(const nd_record_fields *fields, const nd_allocator *allocator,
                                nd_json_parser **out, nd_error *error);
void nd_json_parser_free(nd_json_parser *parser);

/* Parses one line, with or without its newline, that has ND_JSON_PADDING readable bytes behind it.
 * The line must be one JSON object, with nothing but white space behind it. If there is a problem,
 * `why` gets a short reason without file and line, such as:
 *
 *     no field "text"
 *     field "text" is null, a string was expected
 *     not JSON: ...
 *     invalid UTF-8 at byte 17 of the record
 *     lone surrogate \ud83d at byte 17 of the record */
nd_json_problem nd_json_parse(nd_json_parser *parser, const char *line, size_t length,
                              nd_record_values *out, char *why, size_t why_size);

/* Makes a copy of a line in which the bytes of U+FFFD replace every maximal subpart of an
 * ill-formed UTF-8 sequence (Unicode, section 3.9), and the six characters \ufffd replace every
 * escape of a lone surrogate. The copy has ND_JSON_PADDING readable bytes behind it, and belongs to
 * the parser until the next call of nd_json_repair. */
nd_json_problem nd_json_repair(nd_json_parser *parser, const char *line, size_t length,
                               const char **out, size_t *out_length);

#ifdef __cplusplus
}
#endif
#endif

/* Parses one line of JSON to its text, id and priority, by simdjson: a C interface of C++ code. */
#ifndef ND_CORPUS_JSON_SIMDJSON_H
#define ND_CORPUS_JSON_SIMDJSON_H

#include "base/alloc.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes that must be readable behind a line's end. Their content does not matter. */
#define ND_JSON_PADDING 64

/* The values to read. Each is named by a top-level member, or, if the name starts with '/', by a
 * JSON Pointer (RFC 6901). */
typedef struct nd_json_fields {
    const char *text;
    const char *id;       /* NULL: not read */
    const char *priority; /* NULL: not read */
} nd_json_fields;

typedef struct nd_json_record {
    /* Text and id are valid until the parser's next call. */
    const char *text; /* unescaped UTF-8 without NUL terminator */
    size_t text_length;
    const char *id; /* content of a string, or a number as it is written in the line; NULL: missing
                       or null */
    size_t id_length;
    bool has_priority;
    double priority; /* a number, or an ISO 8601 date as seconds since 1970-01-01T00:00:00Z */
} nd_json_record;

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

nd_status nd_json_parser_create(const nd_json_fields *fields, const nd_allocator *allocator,
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
                              nd_json_record *out, char *why, size_t why_size);

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

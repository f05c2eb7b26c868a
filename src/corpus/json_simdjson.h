/* One line of JSON to its text, id and priority, by simdjson, in C++ behind a C interface. */
#ifndef ND_CORPUS_JSON_SIMDJSON_H
#define ND_CORPUS_JSON_SIMDJSON_H

#include "base/alloc.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that must be readable behind the line's end (their content does not matter). */
#define ND_JSON_PADDING 64

/* Which values are wanted: a name (top-level member), or a JSON Pointer (RFC 6901) when it starts
 * with '/'. */
typedef struct nd_json_fields {
    const char *text;
    const char *id;       /* NULL: not wanted */
    const char *priority; /* NULL: not wanted */
} nd_json_fields;

typedef struct nd_json_record {
    const char
        *text; /* unescaped UTF-8 without NUL terminator; valid until the parser's next call */
    size_t text_length;
    const char
        *id; /* a string's content, or a number as it stands in the line; NULL: missing or null */
    size_t id_length;
    bool has_priority;
    double priority; /* a number, or an ISO 8601 date as seconds since 1970-01-01T00:00:00Z */
} nd_json_record;

typedef enum nd_json_problem {
    ND_JSON_FINE = 0,
    ND_JSON_INVALID_TEXT, /* invalid UTF-8 or a lone surrogate anywhere in the line: nd_json_repair
                             can mend it */
    ND_JSON_BAD_RECORD,   /* not JSON, no text field, not a string, null, bad priority, ... */
    ND_JSON_NO_MEMORY
} nd_json_problem;

/* One thread at a time. Its buffers grow to the longest line seen; lines above 4 MiB are parsed
 * with buffers that are given back afterwards. */
typedef struct nd_json_parser nd_json_parser;

nd_status nd_json_parser_create(const nd_json_fields *fields, const nd_allocator *allocator,
                                nd_json_parser **out, nd_error *error);
void nd_json_parser_free(nd_json_parser *parser);

/* Parses one line (without or with its newline), ND_JSON_PADDING readable bytes behind it. On a
 * problem `why` gets a short text ("no field "text"", "field "text" is null, a string was
 * expected", "not JSON: ...", "invalid UTF-8 at byte 17 of the record", "lone surrogate \ud83d at
 * byte 17 of the record"), without file and line. The whole line must be one JSON object and
 * nothing after it but white space. */
nd_json_problem nd_json_parse(nd_json_parser *parser, const char *line, size_t length,
                              nd_json_record *out, char *why, size_t why_size);

/* Copy of a line with every maximal invalid UTF-8 subpart (as in Unicode ch. 3.9, U+FFFD
 * substitution) replaced by the bytes of U+FFFD and every escaped lone surrogate by the six
 * characters \ufffd; padded behind. The result belongs to the parser, until the next call of
 * nd_json_repair. */
nd_json_problem nd_json_repair(nd_json_parser *parser, const char *line, size_t length,
                               const char **out, size_t *out_length);

#ifdef __cplusplus
}
#endif
#endif

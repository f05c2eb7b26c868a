/* Writes lines of JSON to memory. Zero-initialised, except for the allocator; the caller releases
 * `bytes`. */
#ifndef ND_JOB_JSON_WRITER_H
#define ND_JOB_JSON_WRITER_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_json_out {
    nd_allocator allocator;
    char *bytes;
    size_t size, capacity;
} nd_json_out;

/* Appends bytes as they are. */
nd_status nd_json_put(nd_json_out *out, const char *bytes, size_t length, nd_error *error);
/* How control characters are written: all of them as \u00XX, or \b, \f, \n, \r and \t. */
typedef enum nd_json_controls { ND_JSON_NUMBERS, ND_JSON_LETTERS } nd_json_controls;
/* Appends a string with its quotes. Each byte that is not UTF-8 becomes U+FFFD. */
nd_status nd_json_put_string(nd_json_out *out, const char *text, size_t length,
                             nd_json_controls controls, nd_error *error);

#endif

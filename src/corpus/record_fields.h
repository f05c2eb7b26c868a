/* The values of a record that are read: by name from JSON and CSV. */
#ifndef ND_CORPUS_RECORD_FIELDS_H
#define ND_CORPUS_RECORD_FIELDS_H

#include "corpus/protected_values.h"

/* Of JSON a name is that of a top-level member, or, if it starts with '/', a JSON Pointer (RFC
 * 6901). Of CSV it is the name of a column, or its number, from 1. */
typedef struct nd_record_fields {
    const char *const *texts; /* at least one; the text is all of them, with newlines between */
    size_t text_count;
    const char *id;                     /* NULL: not read */
    const char *priority;               /* NULL: not read */
    const nd_protected_values *protect; /* NULL: none is read */
    const char *label;                  /* by which losses are counted; NULL: not read */
} nd_record_fields;

typedef struct nd_record_values {
    /* Text, id and label are valid until the parser's next call. */
    const char *text; /* UTF-8 without NUL terminator */
    size_t text_length;
    const char *id; /* content of a string, or a number as it is written; NULL: missing or null */
    size_t id_length;
    bool has_priority;
    bool is_protected; /* it has one of the protected values */
    double priority;   /* a number, or an ISO 8601 date as seconds since 1970-01-01T00:00:00Z */
    /* A string, a number as it is written, true or false; NULL: missing, or another value. */
    const char *label;
    size_t label_length;
} nd_record_values;

#endif

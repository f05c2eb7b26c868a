/* Finds the columns of a Parquet file that are read, and makes the statement that reads them. */
#ifndef ND_PARQUET_PARQUET_COLUMNS_H
#define ND_PARQUET_PARQUET_COLUMNS_H

#include "parquet/duckdb_session.h"

/* A field is the name of a column, or, if it begins with '/', a JSON Pointer (RFC 6901) to a member
 * of a struct or an element of a list. */
typedef struct nd_parquet_fields {
    const char *const *texts; /* strings; at least one */
    size_t text_count;
    const char *id;       /* a string or an integer; NULL: not read */
    const char *priority; /* a number, a date, a time or a string; NULL: not read */
    /* Fields that are compared with a value, as text. */
    const char *const *compared, *const *values;
    size_t compared_count;
    const char *label; /* of any type, as text; NULL: not read */
} nd_parquet_fields;

/* Where the values are in the rows of the statement: first the texts. SIZE_MAX: not there. */
typedef struct nd_parquet_columns {
    size_t count, text_count;
    size_t id, priority, label;
    bool priority_is_text;           /* a string; false: a double */
    size_t compared, compared_count; /* the first of the comparisons, which are booleans */
} nd_parquet_columns;

/* Adds the statement to `sql`. Its rows are those of the file, in their order: strings or blobs for
 * texts, strings for ids. */
nd_status nd_parquet_columns_select(nd_duckdb_session *session, const char *path,
                                    const nd_parquet_fields *fields, nd_parquet_columns *out,
                                    nd_sql *sql, nd_error *error);

#endif

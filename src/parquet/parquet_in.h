/* Reads texts, ids and priorities from the rows of a Parquet file, in their order. A chunk of
 * rows is in memory at a time; the strings of a chunk are not copied. */
#ifndef ND_PARQUET_PARQUET_IN_H
#define ND_PARQUET_PARQUET_IN_H

#include "parquet/parquet_columns.h"

/* Pointers are valid until the reader's next call. */
typedef struct nd_parquet_row {
    const char *text; /* the texts that are not null, with newlines between; NULL: all are null */
    size_t length;
    const char *id; /* NULL: null, or not read */
    size_t id_length;
    double priority; /* a date or time as seconds since 1970-01-01T00:00:00Z; NAN: none */
    /* A priority that is a string; NULL: it is null, or `priority` has it. */
    const char *priority_text;
    size_t priority_length;
    const char *label; /* NULL: null, or not read */
    size_t label_length;
    bool is_protected; /* one of the compared fields has its value */
} nd_parquet_row;

typedef struct nd_parquet_in nd_parquet_in;

/* ND_ERR_INPUT: it is not Parquet, or has no such text column, or one of another type. A file may
 * have no columns of ids and priorities. `path` must outlive the reader. */
nd_status nd_parquet_in_open(nd_duckdb_session *session, const char *path,
                             const nd_parquet_fields *fields, nd_parquet_in **out, nd_error *error);
/* NULL is accepted. */
void nd_parquet_in_close(nd_parquet_in *in);

/* Rows of the file. */
uint64_t nd_parquet_in_rows(const nd_parquet_in *in);

/* Reads the next row. *end: there was none. */
nd_status nd_parquet_in_next(nd_parquet_in *in, nd_parquet_row *out, bool *end, nd_error *error);

#endif

/* Writes rows of Parquet files to a Parquet file, in their order, with all their columns and types.
 * DuckDB copies them, so memory is bounded by a row group of the output. */
#ifndef ND_PARQUET_PARQUET_OUT_H
#define ND_PARQUET_PARQUET_OUT_H

#include "parquet/duckdb_session.h"

/* Files with the same columns, and the rows that are copied. */
typedef struct nd_parquet_copy {
    const char *const *files;
    const uint64_t *ends; /* rows of the files up to the end of each */
    size_t count;
    const uint64_t *kept; /* a bit per row of all files together */
} nd_parquet_copy;

/* The columns of a file. Zero-initialised except for the allocator of `columns`, which the caller
 * frees. */
typedef struct nd_parquet_list {
    const char *file;
    nd_sql columns; /* "name TYPE" and a newline for each */
} nd_parquet_list;

/* Sets the file, which must outlive the list, and its columns. ND_ERR_INPUT, ND_ERR_IO: it cannot
 * be read. */
nd_status nd_parquet_list_columns(nd_duckdb_session *session, const char *file,
                                  nd_parquet_list *out, nd_error *error);
/* ND_ERR_ARGUMENT: `other` has other columns than `first`; the message names one that differs. */
nd_status nd_parquet_compare_columns(const nd_parquet_list *first, const nd_parquet_list *other,
                                     nd_error *error);

/* Writes the rows to the file `path`, which may exist. `title` is its name in messages. The
 * compression is that of the first file. ND_ERR_IO: a file has other rows than it had. */
nd_status nd_parquet_write(nd_duckdb_session *session, const nd_parquet_copy *copy,
                           const char *path, const char *title, nd_error *error);

#endif

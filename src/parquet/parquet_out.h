/* Writes rows of Parquet files to a Parquet file, in their order, with all their columns and types.
 * DuckDB copies them, so memory is bounded by a row group of the output. */
#ifndef ND_PARQUET_PARQUET_OUT_H
#define ND_PARQUET_PARQUET_OUT_H

#include "parquet/duckdb_session.h"

/* What became of a row. */
typedef struct nd_parquet_mark {
    bool kept;
    const char *of; /* UTF-8, valid until the next mark; if not kept, and so is the next one */
    size_t of_length;
    double similarity;
} nd_parquet_mark;

/* Gets the mark of the next row. Rows come in the order of their numbers. */
typedef nd_status nd_parquet_mark_fn(void *context, nd_parquet_mark *out, nd_error *error);

/* Files with the same columns, and the rows that are copied. Rows have numbers through all files of
 * a run, also through those that are not copied here. */
typedef struct nd_parquet_copy {
    const char *const *files; /* which follow each other in these numbers */
    const uint64_t *ends;     /* the number behind the last row of each file */
    size_t count;
    uint64_t begin;       /* the number of the first row */
    const uint64_t *kept; /* a bit per number */
    /* NULL: rows are copied as they are. Else each gets the columns neardup_kept, neardup_of and
     * neardup_similarity, in place of those that it has. */
    nd_parquet_mark_fn *mark;
    void *context;
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

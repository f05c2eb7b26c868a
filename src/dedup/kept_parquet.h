/* Writes kept rows of Parquet files to a Parquet file. The rows are noted while deciding goes on, a
 * bit for each, and are copied at its end: DuckDB writes Parquet as a whole. */
#ifndef ND_DEDUP_KEPT_PARQUET_H
#define ND_DEDUP_KEPT_PARQUET_H

#include "dedup/columns.h"
#include "io/output_file.h"

typedef struct nd_kept_parquet nd_kept_parquet;

/* Whether the inputs are Parquet, so that their rows are written by this. */
bool nd_is_parquet(const nd_corpus *corpus);

/* Checks, before anything is read, that the rows can be written to the output: that it is a regular
 * file, that there is DuckDB, and that all inputs have the same
 * columns. */
nd_status nd_kept_parquet_check(nd_corpus *corpus, const nd_output_file *output, nd_error *error);

/* REQUIRES: all rows have been read. The output stays the caller's, who finishes and publishes
 * it. */
nd_status nd_kept_parquet_create(const nd_columns *columns, nd_output_file *output,
                                 nd_kept_parquet **out, nd_error *error);
/* Adds a kept document. */
nd_status nd_kept_parquet_add(nd_kept_parquet *writer, uint32_t document, nd_error *error);
/* Writes everything that was added. */
nd_status nd_kept_parquet_finish(nd_kept_parquet *writer, nd_error *error);
/* NULL is accepted. */
void nd_kept_parquet_free(nd_kept_parquet *writer);

#endif

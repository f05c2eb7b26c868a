/* Writes kept rows of Parquet files, or all rows with marks, to one Parquet file, or to a file in a
 * directory for each file of the input. The rows are noted while deciding goes on, a bit for each,
 * and are copied at its end: DuckDB writes Parquet as a whole. Marks wait in a spool. */
#ifndef ND_DEDUP_KEPT_PARQUET_H
#define ND_DEDUP_KEPT_PARQUET_H

#include "dedup/columns.h"
#include "dedup/record_files.h"

typedef struct nd_kept_parquet nd_kept_parquet;

/* Checks, before anything is read, that the rows can be written to the target: that files are
 * regular, and not compressed as a whole, that there is DuckDB, and that all inputs of one file
 * have the same columns. */
nd_status nd_kept_parquet_check(nd_corpus *corpus, const nd_record_target *target, nd_error *error);

/* REQUIRES: all rows have been read. The target stays the caller's, who finishes and publishes
 * it. `marked`: rows get marks. */
nd_status nd_kept_parquet_create(const nd_run *run, const nd_columns *columns,
                                 const nd_record_target *target, bool marked, nd_kept_parquet **out,
                                 nd_error *error);
/* Adds the next document that is written, in the order of input. `mark`: only read if rows get
 * marks. */
nd_status nd_kept_parquet_add(nd_kept_parquet *writer, uint32_t document,
                              const nd_record_mark *mark, nd_error *error);
/* Writes everything that was added. A file of the input without kept rows has a file without rows
 * in the directory; one that cannot be read has none. Adds the bytes of files in the directory to
 * *bytes. */
nd_status nd_kept_parquet_finish(nd_kept_parquet *writer, uint64_t *bytes, nd_error *error);
/* NULL is accepted. */
void nd_kept_parquet_free(nd_kept_parquet *writer);

#endif

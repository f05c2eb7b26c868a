/* A database of DuckDB, in memory, with one connection: files of Parquet are read and written by
 * its statements. It uses one thread, the caller's, bounded memory, and no temporary files; it
 * loads no extensions, so it reaches no network. */
#ifndef ND_PARQUET_DUCKDB_SESSION_H
#define ND_PARQUET_DUCKDB_SESSION_H

#include "base/alloc.h"
#include "base/job_progress.h"
#include "parquet/duckdb_library.h"
#include "parquet/sql_text.h"

typedef struct nd_duckdb_options {
    const char *library;   /* as in nd_duckdb_load */
    uint64_t memory;       /* bytes that DuckDB may use; it gets at least 512 MiB */
    nd_progress *progress; /* polled while a statement runs; NULL: none */
} nd_duckdb_options;

/* Used by one thread at a time. */
typedef struct nd_duckdb_session {
    nd_duckdb duckdb;
    nd_allocator allocator;
    nd_progress *progress;
    duckdb_database database;
    duckdb_connection connection;
    bool is_shared;                          /* the database is that of another session */
    bool has_filter, has_marks, has_strings; /* functions that the database has by now */
} nd_duckdb_session;

nd_status nd_duckdb_open(const nd_duckdb_options *options, const nd_allocator *allocator,
                         nd_duckdb_session **out, nd_error *error);
/* Opens a session for another thread, with the database, the memory and the functions of `session`,
 * which must outlive it. */
nd_status nd_duckdb_share(const nd_duckdb_session *session, nd_duckdb_session **out,
                          nd_error *error);
/* REQUIRES: all results are closed. NULL is accepted. */
void nd_duckdb_close(nd_duckdb_session *session);

/* The rows of a statement, in chunks. Zero-initialised, and freed by nd_duckdb_end. */
typedef struct nd_duckdb_rows {
    nd_duckdb_session *session;
    duckdb_prepared_statement statement;
    duckdb_result result;
    duckdb_data_chunk chunk;
    uint64_t count; /* rows of the chunk; 0: the end */
} nd_duckdb_rows;

/* Runs a statement until its first rows are there. `file`: begins the message of a failure, which
 * is ND_ERR_INPUT, ND_ERR_IO or ND_ERR_MEMORY as DuckDB says. */
nd_status nd_duckdb_run(nd_duckdb_session *session, const nd_sql *sql, const char *file,
                        nd_duckdb_rows *out, nd_error *error);
/* Fetches the next chunk, which ends the last one. */
nd_status nd_duckdb_next(nd_duckdb_rows *rows, const char *file, nd_error *error);
void nd_duckdb_end(nd_duckdb_rows *rows);

/* The vector of a column of the chunk. */
typedef struct nd_duckdb_column {
    const void *data;
    const uint64_t *validity; /* a bit per row; NULL: no row is null */
} nd_duckdb_column;

nd_duckdb_column nd_duckdb_column_of(const nd_duckdb_rows *rows, size_t column);

static inline bool nd_duckdb_is_null(const nd_duckdb_column *column, uint64_t row) {
    return column->validity && !(column->validity[row / 64] >> row % 64 & 1);
}

/* Says whether a row of a vector has a value, in the validity that the vector was made to have. */
static inline void nd_duckdb_set_valid(uint64_t *validity, uint64_t row, bool valid) {
    uint64_t bit = UINT64_C(1) << row % 64;
    validity[row / 64] = valid ? validity[row / 64] | bit : validity[row / 64] & ~bit;
}

/* The bytes of a string, valid as long as the chunk. */
const char *nd_duckdb_string(const nd_duckdb_column *column, uint64_t row, size_t *length);

#endif

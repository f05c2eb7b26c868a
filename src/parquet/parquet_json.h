/* Reads rows of a Parquet file as objects of JSON, with a member for each column, in their order.
 *
 * DuckDB makes them. It has no JSON for some values: NaN and infinite numbers become null, and
 * bytes become a string, in DuckDB's notation if they are not UTF-8. */
#ifndef ND_PARQUET_PARQUET_JSON_H
#define ND_PARQUET_PARQUET_JSON_H

#include "parquet/duckdb_session.h"

/* Checks that the rows of a file can be objects, which may be done before other sessions share this
 * one. ND_ERR_ARGUMENT: two columns have one name, or members of a struct differ only by case.
 * ND_ERR_UNSUPPORTED: DuckDB makes no JSON. */
nd_status nd_parquet_json_check(nd_duckdb_session *session, const char *file, nd_error *error);

typedef struct nd_parquet_json nd_parquet_json;

/* REQUIRES: nd_parquet_json_check has succeeded in the session, or in the one that it shares.
 * `path` must outlive the reader. */
nd_status nd_parquet_json_open(nd_duckdb_session *session, const char *path, nd_parquet_json **out,
                               nd_error *error);
/* NULL is accepted. */
void nd_parquet_json_close(nd_parquet_json *in);

/* Gets the row `number`, from 1, which is behind the one before. It is valid until the next call.
 * ND_ERR_IO: there is no such row any more. */
nd_status nd_parquet_json_row(nd_parquet_json *in, uint64_t number, const char **object,
                              size_t *length, nd_error *error);

#endif

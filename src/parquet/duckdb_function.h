/* Functions of ours that DuckDB calls in its statements. */
#ifndef ND_PARQUET_DUCKDB_FUNCTION_H
#define ND_PARQUET_DUCKDB_FUNCTION_H

#include "parquet/duckdb_session.h"

typedef struct nd_duckdb_function {
    const char *name;
    duckdb_scalar_function_t *call;
    duckdb_type argument;
    bool each_row; /* it is called once for each row, in their order */
} nd_duckdb_function;

/* Adds a function to the database, which may be done only once. Takes the type of its answers over.
 */
nd_status nd_duckdb_add_function(nd_duckdb_session *session, const nd_duckdb_function *function,
                                 duckdb_logical_type answer, nd_error *error);

#endif

#include "parquet/duckdb_function.h"

/* A connection of its own, because the session's may have a statement that was not read to its end:
 * DuckDB then takes back everything that was done since. */
static duckdb_state register_function(nd_duckdb_session *session, duckdb_scalar_function function) {
    duckdb_connection connection = NULL;
    if (session->duckdb.connect(session->database, &connection) != DuckDBSuccess)
        return DuckDBError;
    duckdb_state state = session->duckdb.register_scalar_function(connection, function);
    session->duckdb.disconnect(&connection);
    return state;
}

nd_status nd_duckdb_add_function(nd_duckdb_session *session, const nd_duckdb_function *function,
                                 duckdb_logical_type answer, nd_error *error) {
    const nd_duckdb *duckdb = &session->duckdb;
    duckdb_scalar_function made = duckdb->create_scalar_function();
    duckdb_logical_type argument = duckdb->create_logical_type(function->argument);
    duckdb->scalar_function_set_name(made, function->name);
    duckdb->scalar_function_add_parameter(made, argument);
    duckdb->scalar_function_set_return_type(made, answer);
    if (function->each_row) duckdb->scalar_function_set_volatile(made);
    duckdb->scalar_function_set_function(made, function->call);
    duckdb_state state = register_function(session, made);
    duckdb->destroy_logical_type(&argument);
    duckdb->destroy_logical_type(&answer);
    duckdb->destroy_scalar_function(&made);
    return state == DuckDBSuccess
               ? ND_OK
               : nd_fail(error, ND_ERR_UNSUPPORTED, "DuckDB %s does not take a function %s",
                         duckdb->library_version(), function->name);
}

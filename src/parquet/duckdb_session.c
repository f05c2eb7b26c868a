#include "parquet/duckdb_session.h"

#include "base/format.h"
#include "base/limits.h"

#include <string.h>

/* DuckDB itself writes pages of more than 100 MB, and holds a page of each column that it reads. */
#define LEAST_MEMORY ((uint64_t)512 << 20)

/* ---- failures */

static bool begins_with(const char *text, const char *begin) {
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* DuckDB's message begins with the kind of the failure. Behind its first line it has the statement
 * and stacks of calls. */
static nd_status fail(const char *file, const char *message, nd_error *error) {
    if (!message || !*message) message = "it gives no reason";
    nd_status status = begins_with(message, "Out of Memory") ? ND_ERR_MEMORY
                       : begins_with(message, "IO Error")    ? ND_ERR_IO
                                                             : ND_ERR_INPUT;
    return nd_fail(error, status, "%s: DuckDB: %.*s", file, (int)strcspn(message, "\n"), message);
}

/* ---- the database */

static nd_status configure(const nd_duckdb *duckdb, uint64_t memory, duckdb_config config,
                           nd_error *error) {
    char limit[40];
    nd_format(limit, sizeof limit, "%lluKiB",
              (unsigned long long)((memory > LEAST_MEMORY ? memory : LEAST_MEMORY) >> 10));
    const char *const settings[][2] = {{"threads", "1"},
                                       {"memory_limit", limit},
                                       {"temp_directory", ""},
                                       {"preserve_insertion_order", "true"},
                                       {"autoinstall_known_extensions", "false"},
                                       {"autoload_known_extensions", "false"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (duckdb->set_config(config, settings[i][0], settings[i][1]) != DuckDBSuccess)
            return nd_fail(error, ND_ERR_UNSUPPORTED, "DuckDB %s has no setting %s",
                           duckdb->library_version(), settings[i][0]);
    return ND_OK;
}

static nd_status open_database(nd_duckdb_session *session, uint64_t memory, nd_error *error) {
    const nd_duckdb *duckdb = &session->duckdb;
    duckdb_config config = NULL;
    char *why = NULL;
    if (duckdb->create_config(&config) != DuckDBSuccess)
        return nd_fail_memory(error, sizeof config, "DuckDB");
    nd_status status = configure(duckdb, memory, config, error);
    if (status == ND_OK &&
        duckdb->open_ext(NULL, &session->database, config, &why) != DuckDBSuccess)
        status = nd_fail(error, ND_ERR_UNSUPPORTED, "DuckDB cannot begin: %s", why ? why : "");
    if (why) duckdb->free(why);
    duckdb->destroy_config(&config);
    return status;
}

/* Makes the connection, with its settings. Without them DuckDB has more in memory than is needed: a
 * whole column of a row group, not only a page of it, and chunks that are not asked for. */
static nd_status connect_to(nd_duckdb_session *session, nd_error *error) {
    static const char *const settings[] = {"SET disable_parquet_prefetching = true",
                                           "SET streaming_buffer_size = '1KiB'"};
    nd_sql sql = {.allocator = &session->allocator};
    nd_status status = ND_OK;
    if (session->duckdb.connect(session->database, &session->connection) != DuckDBSuccess)
        return nd_fail(error, ND_ERR_UNSUPPORTED, "DuckDB gives no connection");
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == ND_OK; i++) {
        nd_duckdb_rows rows;
        sql.size = 0;
        nd_sql_add(&sql, settings[i]);
        status = nd_duckdb_run(session, &sql, settings[i], &rows, error);
        if (status == ND_OK) nd_duckdb_end(&rows);
    }
    nd_sql_free(&sql);
    return status;
}

nd_status nd_duckdb_open(const nd_duckdb_options *options, const nd_allocator *allocator,
                         nd_duckdb_session **out, nd_error *error) {
    nd_duckdb_session *session = nd_allocate_zero(allocator, 1, sizeof *session);
    if (!session) return nd_fail_memory(error, sizeof *session, "DuckDB");
    session->allocator = *allocator;
    session->progress = options->progress;
    nd_status status = nd_duckdb_load(options->library, &session->duckdb, error);
    if (status == ND_OK) status = open_database(session, options->memory, error);
    if (status == ND_OK) status = connect_to(session, error);
    if (status == ND_OK) *out = session;
    else nd_duckdb_close(session);
    return status;
}

nd_status nd_duckdb_share(const nd_duckdb_session *session, nd_duckdb_session **out,
                          nd_error *error) {
    nd_duckdb_session *other = nd_allocate(&session->allocator, 1, sizeof *other);
    if (!other) return nd_fail_memory(error, sizeof *other, "DuckDB");
    *other = *session;
    other->is_shared = true;
    other->connection = NULL;
    nd_status status = connect_to(other, error);
    if (status == ND_OK) *out = other;
    else nd_duckdb_close(other);
    return status;
}

void nd_duckdb_close(nd_duckdb_session *session) {
    if (!session) return;
    if (session->connection) session->duckdb.disconnect(&session->connection);
    if (session->database && !session->is_shared) session->duckdb.close(&session->database);
    nd_allocator allocator = session->allocator;
    nd_release(&allocator, session);
}

/* ---- statements */

/* Runs the parts of a statement one after the other, so that the caller can end it between them. */
static nd_status run_parts(nd_duckdb_rows *rows, duckdb_pending_result pending, const char *file,
                           nd_error *error) {
    const nd_duckdb *duckdb = &rows->session->duckdb;
    for (;;) {
        duckdb_pending_state state = duckdb->pending_execute_task(pending);
        if (state == DUCKDB_PENDING_RESULT_READY) break;
        if (state == DUCKDB_PENDING_ERROR) return fail(file, duckdb->pending_error(pending), error);
        ND_TRY(nd_progress_poll(rows->session->progress, error));
    }
    return duckdb->execute_pending(pending, &rows->result) == DuckDBSuccess
               ? ND_OK
               : fail(file, duckdb->result_error(&rows->result), error);
}

static nd_status run(nd_duckdb_rows *rows, const nd_sql *sql, const char *file, nd_error *error) {
    const nd_duckdb_session *session = rows->session;
    const nd_duckdb *duckdb = &session->duckdb;
    duckdb_pending_result pending = NULL;
    if (sql->failed) return nd_fail_memory(error, sql->size, "a statement of SQL");
    if (duckdb->prepare(session->connection, sql->bytes, &rows->statement) != DuckDBSuccess)
        return fail(file, duckdb->prepare_error(rows->statement), error);
    nd_status status = duckdb->pending_prepared_streaming(rows->statement, &pending) ==
                               DuckDBSuccess
                           ? run_parts(rows, pending, file, error)
                           : fail(file, duckdb->pending_error(pending), error);
    duckdb->destroy_pending(&pending);
    return status;
}

nd_status nd_duckdb_run(nd_duckdb_session *session, const nd_sql *sql, const char *file,
                        nd_duckdb_rows *out, nd_error *error) {
    *out = (nd_duckdb_rows){.session = session};
    nd_status status = run(out, sql, file, error);
    if (status != ND_OK) nd_duckdb_end(out);
    return status;
}

nd_status nd_duckdb_next(nd_duckdb_rows *rows, const char *file, nd_error *error) {
    const nd_duckdb *duckdb = &rows->session->duckdb;
    ND_TRY(nd_progress_poll(rows->session->progress, error));
    if (rows->chunk) duckdb->destroy_data_chunk(&rows->chunk);
    rows->chunk = duckdb->fetch_chunk(rows->result);
    rows->count = rows->chunk ? duckdb->data_chunk_get_size(rows->chunk) : 0;
    const char *why = rows->chunk ? NULL : duckdb->result_error(&rows->result);
    return why ? fail(file, why, error) : ND_OK;
}

void nd_duckdb_end(nd_duckdb_rows *rows) {
    if (!rows->session) return;
    const nd_duckdb *duckdb = &rows->session->duckdb;
    if (rows->chunk) duckdb->destroy_data_chunk(&rows->chunk);
    duckdb->destroy_result(&rows->result);
    if (rows->statement) duckdb->destroy_prepare(&rows->statement);
    *rows = (nd_duckdb_rows){0};
}

/* ---- values */

nd_duckdb_column nd_duckdb_column_of(const nd_duckdb_rows *rows, size_t column) {
    const nd_duckdb *duckdb = &rows->session->duckdb;
    duckdb_vector vector = duckdb->data_chunk_get_vector(rows->chunk, column);
    return (nd_duckdb_column){duckdb->vector_get_data(vector), duckdb->vector_get_validity(vector)};
}

const char *nd_duckdb_string(const nd_duckdb_column *column, uint64_t row, size_t *length) {
    const duckdb_string_t *string = (const duckdb_string_t *)column->data + row;
    *length = string->inlined.length;
    return *length <= sizeof string->inlined.bytes ? string->inlined.bytes : string->pointer.bytes;
}

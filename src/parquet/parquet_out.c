#include "parquet/parquet_out.h"

#include "base/format.h"

#include <string.h>

/* Row groups get as many rows as DuckDB gives them by itself, or fewer, if so many would take more
 * than GROUP_BYTES. DuckDB can hold a group and the pages of a file in its least memory. It makes
 * groups of whole vectors. */
enum { GROUP_ROWS = 122880, GROUP_BYTES = 16 << 20, VECTOR_ROWS = 2048 };

/* ---- columns */

static nd_status describe(nd_duckdb_session *session, const char *file, nd_duckdb_rows *out,
                          nd_error *error) {
    nd_sql sql = {.allocator = &session->allocator};
    nd_sql_add(&sql, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(");
    nd_sql_add_path(&sql, file);
    nd_sql_add(&sql, ", hive_partitioning = false))");
    nd_status status = nd_duckdb_run(session, &sql, file, out, error);
    nd_sql_free(&sql);
    return status;
}

static void add_columns(const nd_duckdb_rows *rows, nd_sql *out) {
    const nd_duckdb_column names = nd_duckdb_column_of(rows, 0),
                           types = nd_duckdb_column_of(rows, 1);
    for (uint64_t i = 0; i < rows->count; i++) {
        size_t length;
        const char *name = nd_duckdb_string(&names, i, &length);
        nd_sql_add_bytes(out, name, length);
        nd_sql_add(out, " ");
        const char *type = nd_duckdb_string(&types, i, &length);
        nd_sql_add_bytes(out, type, length);
        nd_sql_add(out, "\n");
    }
}

nd_status nd_parquet_list_columns(nd_duckdb_session *session, const char *file,
                                  nd_parquet_list *out, nd_error *error) {
    nd_duckdb_rows rows;
    nd_status status;
    ND_TRY(describe(session, file, &rows, error));
    out->columns.size = 0;
    while ((status = nd_duckdb_next(&rows, file, error)) == ND_OK && rows.count > 0)
        add_columns(&rows, &out->columns);
    nd_duckdb_end(&rows);
    ND_TRY(status);
    out->file = file;
    return out->columns.failed ? nd_fail_memory(error, out->columns.size, "columns") : ND_OK;
}

/* The first line of `columns` that another list does not have at its place. */
static void find_difference(const char *columns, const char *other, char *out, size_t size) {
    size_t line = 0;
    for (size_t at = 0; columns[at] && columns[at] == other[at]; at++)
        if (columns[at] == '\n') line = at + 1;
    const char *found = columns[line] ? columns + line : "no further column";
    nd_format(out, size, "%.*s", (int)strcspn(found, "\n"), found);
}

nd_status nd_parquet_compare_columns(const nd_parquet_list *first, const nd_parquet_list *other,
                                     nd_error *error) {
    char here[200], there[200];
    const char *a = first->columns.bytes, *b = other->columns.bytes;
    if (strcmp(a, b) == 0) return ND_OK;
    find_difference(b, a, here, sizeof here);
    find_difference(a, b, there, sizeof there);
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s has other columns than %s (%s; there: %s): only files with the same columns "
                   "are written to one Parquet file",
                   other->file, first->file, here, there);
}

/* ---- kept rows */

/* The rows must come in their order, which is checked: each brings its number in its file. */
typedef struct row_filter {
    const nd_duckdb *duckdb;
    const nd_parquet_copy *copy;
    size_t file;
    uint64_t row; /* the next one, of all files together */
} row_filter;

/* The filter of the statement that this thread runs. DuckDB calls its functions on the same thread,
 * because it has no other one. Were that not so, the rows would not be counted. */
static _Thread_local row_filter *running;

/* Takes the next row, whose number in its file is `number`. False: another one was expected. */
static bool next_row(row_filter *f, int64_t number, bool *kept) {
    const nd_parquet_copy *c = f->copy;
    while (f->file < c->count && f->row == c->ends[f->file]) f->file++;
    uint64_t begin = f->file > 0 ? c->ends[f->file - 1] : 0;
    if (f->file == c->count || (uint64_t)number != f->row - begin) return false;
    *kept = c->kept[f->row / 64] >> f->row % 64 & 1;
    f->row++;
    return true;
}

static void filter_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    row_filter *f = running;
    if (!f) return;
    const nd_duckdb *duckdb = f->duckdb;
    const int64_t *numbers = duckdb->vector_get_data(duckdb->data_chunk_get_vector(input, 0));
    bool *kept = duckdb->vector_get_data(output);
    uint64_t count = duckdb->data_chunk_get_size(input);
    for (uint64_t i = 0; i < count; i++)
        if (!next_row(f, numbers[i], &kept[i])) {
            duckdb->scalar_function_set_error(info, "other rows than before");
            return;
        }
}

#define FILTER "nd_row_is_kept"

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

static nd_status register_filter(nd_duckdb_session *session, nd_error *error) {
    const nd_duckdb *duckdb = &session->duckdb;
    duckdb_scalar_function function = duckdb->create_scalar_function();
    duckdb_logical_type number = duckdb->create_logical_type(DUCKDB_TYPE_BIGINT),
                        answer = duckdb->create_logical_type(DUCKDB_TYPE_BOOLEAN);
    duckdb->scalar_function_set_name(function, FILTER);
    duckdb->scalar_function_add_parameter(function, number);
    duckdb->scalar_function_set_return_type(function, answer);
    duckdb->scalar_function_set_volatile(function); /* one call for each row */
    duckdb->scalar_function_set_function(function, filter_rows);
    duckdb_state state = register_function(session, function);
    duckdb->destroy_logical_type(&number);
    duckdb->destroy_logical_type(&answer);
    duckdb->destroy_scalar_function(&function);
    session->has_filter = state == DuckDBSuccess;
    return session->has_filter ? ND_OK
                               : nd_fail(error, ND_ERR_UNSUPPORTED,
                                         "DuckDB does not take a function of the rows to keep");
}

/* ---- the form of the output */

typedef struct form {
    char compression[16];
    uint64_t group_rows;
} form;

static void add_files(nd_sql *sql, const nd_parquet_copy *copy) {
    nd_sql_add(sql, "[");
    for (size_t i = 0; i < copy->count; i++) {
        if (i > 0) nd_sql_add(sql, ", ");
        nd_sql_add_path(sql, copy->files[i]);
    }
    nd_sql_add(sql, "]");
}

/* The compressions that DuckDB writes, as it calls them when it reads. */
static bool is_written(const char *compression, size_t length) {
    static const char *const names[] = {"UNCOMPRESSED", "SNAPPY", "GZIP",
                                        "ZSTD",         "BROTLI", "LZ4_RAW"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], compression, length) == 0) return true;
    return false;
}

static void read_form(const nd_duckdb_rows *rows, form *out) {
    const nd_duckdb_column compression = nd_duckdb_column_of(rows, 0),
                           bytes = nd_duckdb_column_of(rows, 1);
    size_t length;
    if (!nd_duckdb_is_null(&compression, 0)) {
        const char *name = nd_duckdb_string(&compression, 0, &length);
        if (is_written(name, length))
            nd_format(out->compression, sizeof out->compression, "%.*s", (int)length, name);
    }
    if (nd_duckdb_is_null(&bytes, 0)) return;
    double of_row = ((const double *)bytes.data)[0];
    while (out->group_rows > VECTOR_ROWS && of_row * (double)out->group_rows > GROUP_BYTES)
        out->group_rows /= 2;
    out->group_rows -= out->group_rows % VECTOR_ROWS;
}

/* The compression of the first column with rows, and the bytes of a row. */
static nd_status find_form(nd_duckdb_session *session, const nd_parquet_copy *copy, form *out,
                           nd_error *error) {
    nd_duckdb_rows rows;
    nd_sql sql = {.allocator = &session->allocator};
    *out = (form){"ZSTD", GROUP_ROWS};
    nd_sql_add(&sql, "SELECT first(compression), CAST(sum(total_uncompressed_size) AS DOUBLE) / "
                     "nullif(sum(row_group_num_rows) FILTER (column_id = 0), 0) FROM "
                     "parquet_metadata(");
    add_files(&sql, copy);
    nd_sql_add(&sql, ")");
    nd_status status = nd_duckdb_run(session, &sql, copy->files[0], &rows, error);
    nd_sql_free(&sql);
    ND_TRY(status);
    status = nd_duckdb_next(&rows, copy->files[0], error);
    if (status == ND_OK && rows.count > 0) read_form(&rows, out);
    nd_duckdb_end(&rows);
    return status;
}

/* ---- writing */

static void add_statement(nd_sql *sql, const nd_parquet_copy *copy, const form *f,
                          const char *path) {
    nd_sql_add(sql, "COPY (SELECT * EXCLUDE (file_row_number) FROM read_parquet(");
    add_files(sql, copy);
    nd_sql_add(sql, ", file_row_number = true, hive_partitioning = false) WHERE " FILTER
                    "(file_row_number)) TO ");
    nd_sql_add_target(sql, path);
    nd_sql_add(sql, " (FORMAT parquet, USE_TMP_FILE false, COMPRESSION ");
    nd_sql_add_string(sql, f->compression);
    nd_sql_add(sql, ", ROW_GROUP_SIZE ");
    nd_sql_add_number(sql, f->group_rows);
    nd_sql_add(sql, ")");
}

static nd_status run_copy(nd_duckdb_session *session, const nd_sql *sql, const char *title,
                          nd_error *error) {
    nd_duckdb_rows rows;
    ND_TRY(nd_duckdb_run(session, sql, title, &rows, error));
    nd_status status = nd_duckdb_next(&rows, title, error);
    nd_duckdb_end(&rows);
    return status;
}

nd_status nd_parquet_write(nd_duckdb_session *session, const nd_parquet_copy *copy,
                           const char *path, const char *title, nd_error *error) {
    form f;
    row_filter filter = {.duckdb = &session->duckdb, .copy = copy};
    nd_sql sql = {.allocator = &session->allocator};
    ND_TRY(find_form(session, copy, &f, error));
    if (!session->has_filter) ND_TRY(register_filter(session, error));
    add_statement(&sql, copy, &f, path);
    running = &filter;
    nd_status status = run_copy(session, &sql, title, error);
    running = NULL;
    nd_sql_free(&sql);
    if (status == ND_OK && filter.row != copy->ends[copy->count - 1])
        status = nd_fail(error, ND_ERR_IO, "%s: the input has other rows than before", title);
    return status;
}

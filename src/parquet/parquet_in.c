#include "parquet/parquet_in.h"

#include <math.h>
#include <string.h>

struct nd_parquet_in {
    nd_duckdb_session *session;
    const char *path;
    nd_parquet_columns columns;
    nd_duckdb_rows rows;
    nd_duckdb_column *vectors; /* of the chunk, in the order of the statement */
    uint64_t row;              /* next row of the chunk */
    uint64_t count, position;  /* rows of the file; rows read */
    char *joined;              /* several texts of a row */
    size_t joined_capacity;
};

/* ---- opening */

static nd_status read_count(nd_parquet_in *in, nd_error *error) {
    nd_duckdb_rows rows;
    nd_sql sql = {.allocator = &in->session->allocator};
    nd_sql_add(&sql, "SELECT num_rows FROM parquet_file_metadata(");
    nd_sql_add_path(&sql, in->path);
    nd_sql_add(&sql, ")");
    nd_status status = nd_duckdb_run(in->session, &sql, in->path, &rows, error);
    nd_sql_free(&sql);
    ND_TRY(status);
    status = nd_duckdb_next(&rows, in->path, error);
    if (status == ND_OK && rows.count > 0) {
        const nd_duckdb_column column = nd_duckdb_column_of(&rows, 0);
        in->count = *(const uint64_t *)column.data;
    }
    nd_duckdb_end(&rows);
    return status;
}

static nd_status begin(nd_parquet_in *in, const nd_parquet_fields *fields, nd_error *error) {
    const nd_allocator *a = &in->session->allocator;
    ND_TRY(read_count(in, error));
    nd_sql sql = {.allocator = a};
    nd_status status = nd_parquet_columns_select(in->session, in->path, fields, &in->columns, &sql,
                                                 error);
    if (status == ND_OK) status = nd_duckdb_run(in->session, &sql, in->path, &in->rows, error);
    nd_sql_free(&sql);
    ND_TRY(status);
    in->vectors = nd_allocate(a, in->columns.count, sizeof *in->vectors);
    return in->vectors ? ND_OK : nd_fail_memory(error, sizeof *in->vectors, "a Parquet file");
}

nd_status nd_parquet_in_open(nd_duckdb_session *session, const char *path,
                             const nd_parquet_fields *fields, nd_parquet_in **out,
                             nd_error *error) {
    nd_parquet_in *in = nd_allocate_zero(&session->allocator, 1, sizeof *in);
    if (!in) return nd_fail_memory(error, sizeof *in, "a Parquet file");
    in->session = session;
    in->path = path;
    nd_status status = begin(in, fields, error);
    if (status != ND_OK) {
        nd_parquet_in_close(in);
        return status;
    }
    *out = in;
    return ND_OK;
}

void nd_parquet_in_close(nd_parquet_in *in) {
    if (!in) return;
    const nd_allocator *a = &in->session->allocator;
    nd_duckdb_end(&in->rows);
    nd_release(a, in->vectors);
    nd_release(a, in->joined);
    nd_release(a, in);
}

uint64_t nd_parquet_in_rows(const nd_parquet_in *in) { return in->count; }

/* ---- rows */

static nd_status next_chunk(nd_parquet_in *in, bool *end, nd_error *error) {
    ND_TRY(nd_duckdb_next(&in->rows, in->path, error));
    in->row = 0;
    *end = in->rows.count == 0;
    if (*end && in->position < in->count)
        return nd_fail(error, ND_ERR_INPUT, "%s: it ends behind row %llu of %llu", in->path,
                       (unsigned long long)in->position, (unsigned long long)in->count);
    for (size_t i = 0; i < in->columns.count && !*end; i++)
        in->vectors[i] = nd_duckdb_column_of(&in->rows, i);
    return ND_OK;
}

/* NULL: the value is null. */
static const char *string_at(const nd_parquet_in *in, size_t column, size_t *length) {
    const nd_duckdb_column *vector = &in->vectors[column];
    *length = 0;
    return nd_duckdb_is_null(vector, in->row) ? NULL : nd_duckdb_string(vector, in->row, length);
}

static nd_status join_texts(nd_parquet_in *in, nd_parquet_row *out, nd_error *error) {
    bool found = false;
    size_t size = 0, length;
    for (size_t i = 0; i < in->columns.text_count; i++) {
        const char *text = string_at(in, i, &length);
        found = found || text;
        if (length == 0) continue;
        if (!nd_reserve(&in->session->allocator, &in->joined, &in->joined_capacity,
                        size + 1 + length))
            return nd_fail_memory(error, size + length, "a row of Parquet");
        if (size > 0) in->joined[size++] = '\n';
        memcpy(in->joined + size, text, length);
        size += length;
    }
    out->text = !found ? NULL : size > 0 ? in->joined : "";
    out->length = size;
    return ND_OK;
}

static void take_priority(const nd_parquet_in *in, nd_parquet_row *out) {
    size_t column = in->columns.priority;
    const nd_duckdb_column *vector = &in->vectors[column];
    if (in->columns.priority_is_text)
        out->priority_text = string_at(in, column, &out->priority_length);
    else if (!nd_duckdb_is_null(vector, in->row))
        out->priority = ((const double *)vector->data)[in->row];
}

nd_status nd_parquet_in_next(nd_parquet_in *in, nd_parquet_row *out, bool *end, nd_error *error) {
    const nd_parquet_columns *columns = &in->columns;
    *end = false;
    *out = (nd_parquet_row){.priority = NAN};
    if (in->row >= in->rows.count) ND_TRY(next_chunk(in, end, error));
    if (*end) return ND_OK;
    if (columns->text_count > 1) ND_TRY(join_texts(in, out, error));
    else out->text = string_at(in, 0, &out->length);
    if (columns->id < columns->count) out->id = string_at(in, columns->id, &out->id_length);
    if (columns->priority < columns->count) take_priority(in, out);
    if (columns->label < columns->count)
        out->label = string_at(in, columns->label, &out->label_length);
    for (size_t i = 0; i < columns->compared_count; i++) {
        const nd_duckdb_column *vector = &in->vectors[columns->compared + i];
        bool equal = !nd_duckdb_is_null(vector, in->row) && ((const bool *)vector->data)[in->row];
        out->is_protected = out->is_protected || equal;
    }
    in->row++;
    in->position++;
    return ND_OK;
}

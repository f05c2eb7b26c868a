#include "parquet/parquet_json.h"

#include "base/format.h"
#include "kernel/kernel.h"
#include "parquet/duckdb_function.h"
#include "parquet/parquet_names.h"

#include <string.h>

struct nd_parquet_json {
    nd_duckdb_session *session;
    const char *path;
    nd_duckdb_rows rows;
    nd_duckdb_column objects; /* of the chunk */
    uint64_t begin;           /* rows before the chunk */
};

/* ---- bytes */

#define STRING_OF_BYTES "nd_string_of_bytes"

/* The functions of DuckDB for make_strings: DuckDB calls it on the thread that fetches rows. */
static _Thread_local const nd_duckdb *calling;

/* Makes strings of bytes that are UTF-8, and null of others. */
static void make_strings(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    const nd_duckdb *duckdb = calling;
    duckdb_vector vector = duckdb->data_chunk_get_vector(input, 0);
    const nd_duckdb_column bytes = {duckdb->vector_get_data(vector),
                                    duckdb->vector_get_validity(vector)};
    uint64_t count = duckdb->data_chunk_get_size(input);
    duckdb->vector_ensure_validity_writable(output);
    uint64_t *validity = duckdb->vector_get_validity(output);
    for (uint64_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *p = nd_duckdb_is_null(&bytes, i) ? NULL : nd_duckdb_string(&bytes, i, &length);
        bool valid = p && nd_kernel_get()->utf8_valid_prefix(p, length) == length;
        nd_duckdb_set_valid(validity, i, valid);
        if (valid) duckdb->vector_assign_string_element_len(output, i, p, length);
    }
}

/* ---- values of columns */

/* An expression of SQL, and the type of its values. */
typedef struct value {
    const nd_duckdb *duckdb;
    const char *expression;
    duckdb_logical_type type;
    unsigned depth; /* of lists and maps that it is inside of */
} value;

/* The most digits of a decimal number. */
enum { DECIMAL_DIGITS = 38 };

/* Whether JSON needs the values to be changed. */
static bool is_changed(const nd_duckdb *duckdb, duckdb_logical_type type);

static bool is_part_changed(const nd_duckdb *duckdb, duckdb_logical_type part) {
    bool changed = is_changed(duckdb, part);
    duckdb->destroy_logical_type(&part);
    return changed;
}

static bool is_changed(const nd_duckdb *duckdb, duckdb_logical_type type) {
    bool changed = false;
    switch (duckdb->get_type_id(type)) {
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_BLOB:
    case DUCKDB_TYPE_TIMESTAMP_TZ: return true;
    case DUCKDB_TYPE_DECIMAL: return duckdb->decimal_width(type) == duckdb->decimal_scale(type);
    case DUCKDB_TYPE_LIST: return is_part_changed(duckdb, duckdb->list_type_child_type(type));
    case DUCKDB_TYPE_MAP: return is_part_changed(duckdb, duckdb->map_type_value_type(type));
    case DUCKDB_TYPE_STRUCT:
        for (uint64_t i = 0; i < duckdb->struct_type_child_count(type) && !changed; i++)
            changed = is_part_changed(duckdb, duckdb->struct_type_child_type(type, i));
        return changed;
    default: return false;
    }
}

static void add_value(const value *v, nd_sql *sql);

/* [CHANGED FOR x1 IN LIST] */
static void add_list(const value *v, const char *list, duckdb_logical_type part, nd_sql *sql) {
    char name[24];
    nd_format(name, sizeof name, "x%u", v->depth + 1);
    const value each = {v->duckdb, name, part, v->depth + 1};
    nd_sql_add(sql, "[");
    add_value(&each, sql);
    nd_sql_add(sql, " FOR ");
    nd_sql_add(sql, name);
    nd_sql_add(sql, " IN ");
    nd_sql_add(sql, list);
    nd_sql_add(sql, "]");
    v->duckdb->destroy_logical_type(&part);
}

/* map(map_keys(MAP), [CHANGED FOR x1 IN map_values(MAP)]) */
static void add_map(const value *v, nd_sql *sql) {
    nd_sql values = {.allocator = sql->allocator};
    nd_sql_add(&values, "map_values(");
    nd_sql_add(&values, v->expression);
    nd_sql_add(&values, ")");
    nd_sql_add(sql, "map(map_keys(");
    nd_sql_add(sql, v->expression);
    nd_sql_add(sql, "), ");
    if (!values.failed) add_list(v, values.bytes, v->duckdb->map_type_value_type(v->type), sql);
    nd_sql_add(sql, ")");
    sql->failed = sql->failed || values.failed;
    nd_sql_free(&values);
}

/* 'name': CHANGED */
static void add_member(const value *v, uint64_t member, nd_sql *sql) {
    char *name = v->duckdb->struct_type_child_name(v->type, member);
    nd_sql part = {.allocator = sql->allocator};
    nd_sql_add(&part, v->expression);
    nd_sql_add(&part, "[");
    nd_sql_add_string(&part, name);
    nd_sql_add(&part, "]");
    nd_sql_add_string(sql, name);
    nd_sql_add(sql, ": ");
    duckdb_logical_type type = v->duckdb->struct_type_child_type(v->type, member);
    const value child = {v->duckdb, part.bytes, type, v->depth};
    if (!part.failed) add_value(&child, sql);
    sql->failed = sql->failed || part.failed;
    v->duckdb->destroy_logical_type(&type);
    nd_sql_free(&part);
    v->duckdb->free(name);
}

/* CASE WHEN STRUCT IS NOT NULL THEN {...} END */
static void add_struct(const value *v, nd_sql *sql) {
    nd_sql_add(sql, "CASE WHEN ");
    nd_sql_add(sql, v->expression);
    nd_sql_add(sql, " IS NOT NULL THEN {");
    for (uint64_t i = 0; i < v->duckdb->struct_type_child_count(v->type); i++) {
        nd_sql_add(sql, i > 0 ? ", " : "");
        add_member(v, i, sql);
    }
    nd_sql_add(sql, "} END");
}

/* Adds the expression of the value between two pieces of SQL. */
static void add_between(const value *v, const char *before, const char *behind, nd_sql *sql) {
    nd_sql_add(sql, before);
    nd_sql_add(sql, v->expression);
    nd_sql_add(sql, behind);
}

/* Of a decimal number without a digit before the point DuckDB makes ".5". It gets room for one. */
static void add_decimal(const value *v, nd_sql *sql) {
    unsigned digits = v->duckdb->decimal_scale(v->type);
    char type[40] = "DOUBLE";
    if (digits < DECIMAL_DIGITS)
        nd_format(type, sizeof type, "DECIMAL(%u, %u)", digits + 1, digits);
    add_between(v, "CAST(", " AS ", sql);
    nd_sql_add(sql, type);
    nd_sql_add(sql, ")");
}

/* Adds an expression of the value as JSON can have it. */
static void add_value(const value *v, nd_sql *sql) {
    bool changed = is_changed(v->duckdb, v->type);
    switch (changed ? v->duckdb->get_type_id(v->type) : DUCKDB_TYPE_VARCHAR) {
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
        add_between(v, "CASE WHEN isfinite(", ")", sql);
        add_between(v, " THEN ", " END", sql);
        break;
    case DUCKDB_TYPE_BLOB:
        add_between(v, "coalesce(" STRING_OF_BYTES "(", ")", sql);
        add_between(v, ", CAST(", " AS VARCHAR))", sql);
        break;
    case DUCKDB_TYPE_TIMESTAMP_TZ:
        add_between(v, "CAST(make_timestamp(epoch_us(", ")) AS VARCHAR) || '+00'", sql);
        break;
    case DUCKDB_TYPE_DECIMAL: add_decimal(v, sql); break;
    case DUCKDB_TYPE_LIST:
        add_list(v, v->expression, v->duckdb->list_type_child_type(v->type), sql);
        break;
    case DUCKDB_TYPE_MAP: add_map(v, sql); break;
    case DUCKDB_TYPE_STRUCT: add_struct(v, sql); break;
    default: nd_sql_add(sql, v->expression); break;
    }
}

/* ---- the statement */

static void add_file(nd_sql *sql, const char *path) {
    nd_sql_add(sql, " FROM read_parquet(");
    nd_sql_add_path(sql, path);
    nd_sql_add(sql, ", hive_partitioning = false)");
}

/* Adds "'name', VALUE": members have the names of the file, not those that DuckDB may give. */
static void add_column(duckdb_result *columns, const nd_duckdb *duckdb, size_t column,
                       const char *name, nd_sql *sql) {
    nd_sql expression = {.allocator = sql->allocator};
    nd_sql_add_name(&expression, duckdb->column_name(columns, column));
    duckdb_logical_type type = duckdb->column_logical_type(columns, column);
    const value v = {.duckdb = duckdb, .expression = expression.bytes, .type = type};
    nd_sql_add(sql, column > 0 ? ", " : "");
    nd_sql_add_string(sql, name);
    nd_sql_add(sql, ", ");
    if (!expression.failed) add_value(&v, sql);
    sql->failed = sql->failed || expression.failed;
    duckdb->destroy_logical_type(&type);
    nd_sql_free(&expression);
}

static nd_status add_columns(nd_duckdb_session *session, const char *path,
                             const nd_parquet_names *names, nd_sql *sql, nd_error *error) {
    nd_duckdb_rows rows;
    nd_sql all = {.allocator = &session->allocator};
    nd_sql_add(&all, "SELECT *");
    add_file(&all, path);
    nd_sql_add(&all, " LIMIT 0");
    nd_status status = nd_duckdb_run(session, &all, path, &rows, error);
    nd_sql_free(&all);
    ND_TRY(status);
    for (size_t c = 0; c < names->count; c++)
        add_column(&rows.result, &session->duckdb, c, names->names[c], sql);
    nd_duckdb_end(&rows);
    return ND_OK;
}

static nd_status add_statement(nd_duckdb_session *session, const char *path, nd_sql *sql,
                               nd_error *error) {
    nd_parquet_names names;
    nd_sql_add(sql, "SELECT CAST(json_object(");
    nd_status status = nd_parquet_names_read(session, path, &names, error);
    if (status == ND_OK) status = add_columns(session, path, &names, sql, error);
    nd_parquet_names_free(&names);
    nd_sql_add(sql, ") AS VARCHAR)");
    add_file(sql, path);
    return status;
}

/* ---- rows */

static nd_status begin(nd_parquet_json *in, nd_error *error) {
    nd_sql sql = {.allocator = &in->session->allocator};
    nd_status status = add_statement(in->session, in->path, &sql, error);
    calling = &in->session->duckdb;
    if (status == ND_OK) status = nd_duckdb_run(in->session, &sql, in->path, &in->rows, error);
    nd_sql_free(&sql);
    return status;
}

nd_status nd_parquet_json_open(nd_duckdb_session *session, const char *path, nd_parquet_json **out,
                               nd_error *error) {
    nd_parquet_json *in = nd_allocate_zero(&session->allocator, 1, sizeof *in);
    if (!in) return nd_fail_memory(error, sizeof *in, "a Parquet file");
    in->session = session;
    in->path = path;
    nd_status status = begin(in, error);
    if (status == ND_OK) *out = in;
    else nd_parquet_json_close(in);
    return status;
}

void nd_parquet_json_close(nd_parquet_json *in) {
    if (!in) return;
    nd_duckdb_end(&in->rows);
    nd_release(&in->session->allocator, in);
}

/* Fetches chunks up to the one that has the row. */
static nd_status find_chunk(nd_parquet_json *in, uint64_t number, nd_error *error) {
    calling = &in->session->duckdb;
    while (number > in->begin + in->rows.count) {
        in->begin += in->rows.count;
        ND_TRY(nd_duckdb_next(&in->rows, in->path, error));
        if (in->rows.count == 0)
            return nd_fail(error, ND_ERR_IO, "%s: it has other rows than before", in->path);
        in->objects = nd_duckdb_column_of(&in->rows, 0);
    }
    return ND_OK;
}

nd_status nd_parquet_json_row(nd_parquet_json *in, uint64_t number, const char **object,
                              size_t *length, nd_error *error) {
    ND_TRY(find_chunk(in, number, error));
    uint64_t row = number - in->begin - 1;
    bool missing = nd_duckdb_is_null(&in->objects, row);
    *object = missing ? "" : nd_duckdb_string(&in->objects, row, length);
    return !missing && *length > 0 && **object == '{'
               ? ND_OK
               : nd_fail(error, ND_ERR_INPUT, "%s:%llu: DuckDB makes no JSON of this row", in->path,
                         (unsigned long long)number);
}

/* ---- the check */

static nd_status check_names(const nd_parquet_names *n, const char *file, nd_error *error) {
    const char *twice = NULL;
    for (size_t a = 0; a < n->count && !twice; a++)
        for (size_t b = a + 1; b < n->count && !twice; b++)
            if (strcmp(n->names[a], n->names[b]) == 0) twice = n->names[a];
    if (twice)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: two columns are named \"%s\", but the members of an object need "
                       "different names",
                       file, twice);
    return nd_parquet_names_check_members(n, file, error);
}

/* Whether DuckDB has functions of JSON: not every build has them. */
static nd_status check_functions(nd_duckdb_session *session, const char *file, nd_error *error) {
    static const nd_duckdb_function strings = {
        .name = STRING_OF_BYTES, .call = make_strings, .argument = DUCKDB_TYPE_BLOB};
    const nd_duckdb *duckdb = &session->duckdb;
    nd_duckdb_rows rows;
    nd_error ignored;
    nd_sql sql = {.allocator = &session->allocator};
    if (session->has_strings) return ND_OK;
    nd_sql_add(&sql, "SELECT CAST(json_object('a', 1) AS VARCHAR)");
    nd_status status = nd_duckdb_run(session, &sql, file, &rows, &ignored);
    nd_sql_free(&sql);
    if (status != ND_OK)
        return nd_fail(
            error, ND_ERR_UNSUPPORTED,
            "DuckDB %s, as it is installed, makes no JSON: its extension json is missing",
            duckdb->library_version());
    nd_duckdb_end(&rows);
    ND_TRY(nd_duckdb_add_function(session, &strings,
                                  duckdb->create_logical_type(DUCKDB_TYPE_VARCHAR), error));
    session->has_strings = true;
    return ND_OK;
}

nd_status nd_parquet_json_check(nd_duckdb_session *session, const char *file, nd_error *error) {
    nd_parquet_names names;
    ND_TRY(check_functions(session, file, error));
    nd_status status = nd_parquet_names_read(session, file, &names, error);
    if (status == ND_OK) status = check_names(&names, file, error);
    nd_parquet_names_free(&names);
    return status;
}

#include "parquet/parquet_columns.h"

#include "base/decimal.h"
#include "base/format.h"

#include <string.h>

/* A value of the file, and the expression of SQL that reads it. */
typedef struct value {
    duckdb_logical_type type; /* NULL: there is no such value */
    nd_sql expression;
} value;

/* The file with the columns of its rows. */
typedef struct schema {
    nd_duckdb_session *session;
    const char *path;
    nd_duckdb_rows *rows;
} schema;

static void free_value(const schema *s, value *v) {
    if (v->type) s->session->duckdb.destroy_logical_type(&v->type);
    nd_sql_free(&v->expression);
}

/* A file in a folder a=1/ has no column a. */
static void add_file(nd_sql *sql, const char *path) {
    nd_sql_add(sql, " FROM read_parquet(");
    nd_sql_add_path(sql, path);
    nd_sql_add(sql, ", hive_partitioning = false)");
}

/* ---- finding a value */

/* Takes the type of a part of the value in place of its own. */
static void enter(const schema *s, value *v, duckdb_logical_type part) {
    if (v->type) s->session->duckdb.destroy_logical_type(&v->type);
    v->type = part;
}

static void find_column(const schema *s, const char *name, value *out) {
    const nd_duckdb *duckdb = &s->session->duckdb;
    duckdb_result *result = &s->rows->result;
    uint64_t count = duckdb->column_count(result);
    for (uint64_t i = 0; i < count && !out->type; i++)
        if (strcmp(duckdb->column_name(result, i), name) == 0)
            out->type = duckdb->column_logical_type(result, i);
    nd_sql_add_name(&out->expression, name);
}

/* struct_extract(VALUE, 'name') */
static void enter_struct(const schema *s, const char *name, value *v) {
    const nd_duckdb *duckdb = &s->session->duckdb;
    duckdb_logical_type part = NULL;
    uint64_t count = duckdb->struct_type_child_count(v->type);
    for (uint64_t i = 0; i < count && !part; i++) {
        char *child = duckdb->struct_type_child_name(v->type, i);
        if (child && strcmp(child, name) == 0) part = duckdb->struct_type_child_type(v->type, i);
        duckdb->free(child);
    }
    nd_sql_add(&v->expression, "[");
    nd_sql_add_string(&v->expression, name);
    nd_sql_add(&v->expression, "]");
    enter(s, v, part);
}

/* VALUE[number + 1]; null behind the end of the list. */
static void enter_list(const schema *s, const char *name, value *v) {
    uint64_t number;
    bool is_number = nd_whole_number_read(name, strlen(name), UINT32_MAX, &number);
    nd_sql_add(&v->expression, "[");
    nd_sql_add_number(&v->expression, is_number ? number + 1 : 0);
    nd_sql_add(&v->expression, "]");
    enter(s, v, is_number ? s->session->duckdb.list_type_child_type(v->type) : NULL);
}

/* Enters the part `name` of the value; of the rows themselves, a column. */
static void enter_part(const schema *s, bool first, const char *name, value *v) {
    if (first) {
        find_column(s, name, v);
        return;
    }
    if (!v->type) return;
    switch (s->session->duckdb.get_type_id(v->type)) {
    case DUCKDB_TYPE_STRUCT: enter_struct(s, name, v); break;
    case DUCKDB_TYPE_LIST: enter_list(s, name, v); break;
    default: enter(s, v, NULL); break;
    }
}

/* Cuts the next part from a JSON Pointer, which begins with '/': "~1" stands for '/', "~0" for
 * '~'. Returns what is behind it. */
static const char *cut_part(const char *pointer, char *part) {
    const char *at = pointer + 1;
    for (; *at && *at != '/'; at++) {
        bool escaped = *at == '~' && (at[1] == '0' || at[1] == '1');
        *part++ = !escaped ? *at : at[1] == '1' ? '/' : '~';
        at += escaped;
    }
    *part = '\0';
    return at;
}

static nd_status find_value(const schema *s, const char *field, value *out, nd_error *error) {
    const nd_allocator *a = &s->session->allocator;
    *out = (value){.expression = {.allocator = a}};
    if (*field != '/') {
        find_column(s, field, out);
        return ND_OK;
    }
    char *part = nd_allocate(a, strlen(field) + 1, 1);
    if (!part) return nd_fail_memory(error, strlen(field), "the name of a column");
    for (const char *at = field; *at;) {
        bool first = at == field;
        at = cut_part(at, part);
        enter_part(s, first, part, out);
    }
    nd_release(a, part);
    return ND_OK;
}

/* ---- types */

static bool is_string(duckdb_type type) {
    return type == DUCKDB_TYPE_VARCHAR || type == DUCKDB_TYPE_BLOB;
}

static bool is_integer(duckdb_type type) {
    return (type >= DUCKDB_TYPE_TINYINT && type <= DUCKDB_TYPE_UBIGINT) ||
           type == DUCKDB_TYPE_HUGEINT || type == DUCKDB_TYPE_UHUGEINT;
}

static bool is_number(duckdb_type type) {
    return is_integer(type) || type == DUCKDB_TYPE_FLOAT || type == DUCKDB_TYPE_DOUBLE ||
           type == DUCKDB_TYPE_DECIMAL;
}

static bool is_time(duckdb_type type) {
    return type == DUCKDB_TYPE_DATE || type == DUCKDB_TYPE_TIMESTAMP ||
           (type >= DUCKDB_TYPE_TIMESTAMP_S && type <= DUCKDB_TYPE_TIMESTAMP_NS) ||
           type == DUCKDB_TYPE_TIMESTAMP_TZ;
}

/* Calls the column bad that has the name or the pointer `field`, with its type as SQL calls it. */
static nd_status fail_type(const schema *s, const char *field, const value *v, const char *wanted,
                           nd_error *error) {
    nd_duckdb_rows rows;
    nd_sql sql = {.allocator = &s->session->allocator};
    char type[200] = "another type";
    nd_sql_add(&sql, "SELECT column_type FROM (DESCRIBE SELECT ");
    nd_sql_add(&sql, v->expression.bytes);
    add_file(&sql, s->path);
    nd_sql_add(&sql, ")");
    if (nd_duckdb_run(s->session, &sql, s->path, &rows, NULL) == ND_OK) {
        if (nd_duckdb_next(&rows, s->path, NULL) == ND_OK && rows.count > 0) {
            size_t length;
            const nd_duckdb_column column = nd_duckdb_column_of(&rows, 0);
            const char *name = nd_duckdb_string(&column, 0, &length);
            nd_format(type, sizeof type, "%.*s", (int)length, name);
        }
        nd_duckdb_end(&rows);
    }
    nd_sql_free(&sql);
    return nd_fail(error, ND_ERR_INPUT, "%s: \"%s\" has the type %s: %s is expected", s->path,
                   field, type, wanted);
}

static nd_status fail_missing(const schema *s, const char *field, nd_error *error) {
    const nd_duckdb *duckdb = &s->session->duckdb;
    duckdb_result *result = &s->rows->result;
    char names[400] = "";
    size_t size = 0;
    uint64_t count = duckdb->column_count(result);
    for (uint64_t i = 0; i < count && size < sizeof names; i++)
        size += nd_format(names + size, sizeof names - size, "%s%s", i > 0 ? ", " : "",
                          duckdb->column_name(result, i));
    return nd_fail(error, ND_ERR_INPUT, "%s: no %s \"%s\"; its columns: %s", s->path,
                   *field == '/' ? "value at" : "column", field, names);
}

/* ---- the statement */

static void add_column(nd_sql *sql, size_t *count, const char *before, const value *v,
                       const char *behind) {
    nd_sql_add(sql, *count > 0 ? ", " : "SELECT ");
    nd_sql_add(sql, before);
    nd_sql_add(sql, v->expression.bytes);
    nd_sql_add(sql, behind);
    ++*count;
}

static nd_status add_text(const schema *s, const char *field, const value *v,
                          nd_parquet_columns *out, nd_sql *sql, nd_error *error) {
    if (!v->type) return fail_missing(s, field, error);
    if (!is_string(s->session->duckdb.get_type_id(v->type)))
        return fail_type(s, field, v, "a string", error);
    add_column(sql, &out->count, "", v, "");
    return ND_OK;
}

static nd_status add_id(const schema *s, const char *field, const value *v, nd_parquet_columns *out,
                        nd_sql *sql, nd_error *error) {
    if (!v->type) return ND_OK;
    duckdb_type type = s->session->duckdb.get_type_id(v->type);
    if (!is_string(type) && !is_integer(type) && type != DUCKDB_TYPE_UUID)
        return fail_type(s, field, v, "a string or an integer", error);
    out->id = out->count;
    add_column(sql, &out->count, is_string(type) ? "" : "CAST(", v,
               is_string(type) ? "" : " AS VARCHAR)");
    return ND_OK;
}

static nd_status add_priority(const schema *s, const char *field, const value *v,
                              nd_parquet_columns *out, nd_sql *sql, nd_error *error) {
    if (!v->type) return ND_OK;
    duckdb_type type = s->session->duckdb.get_type_id(v->type);
    if (!is_string(type) && !is_number(type) && !is_time(type))
        return fail_type(s, field, v, "a number, a date, a time or a string", error);
    out->priority = out->count;
    out->priority_is_text = is_string(type);
    if (is_string(type)) add_column(sql, &out->count, "", v, "");
    else if (is_number(type)) add_column(sql, &out->count, "CAST(", v, " AS DOUBLE)");
    else if (type == DUCKDB_TYPE_TIMESTAMP_TZ) add_column(sql, &out->count, "epoch(", v, ")");
    else add_column(sql, &out->count, "epoch(CAST(", v, " AS TIMESTAMP))");
    return ND_OK;
}

/* Adds a field as text. */
static nd_status add_label(const schema *s, const char *field, const value *v,
                           nd_parquet_columns *out, nd_sql *sql, nd_error *error) {
    (void)s, (void)field, (void)error;
    if (!v->type) return ND_OK;
    out->label = out->count;
    add_column(sql, &out->count, "CAST(", v, " AS VARCHAR)");
    return ND_OK;
}

/* Adds the comparison of a field with a value. A file may have no such column. */
static nd_status add_compared(const schema *s, const char *field, const char *text,
                              nd_parquet_columns *out, nd_sql *sql, nd_error *error) {
    value v;
    nd_status status = find_value(s, field, &v, error);
    if (status == ND_OK && v.expression.failed)
        status = nd_fail_memory(error, strlen(field), "the name of a column");
    if (status == ND_OK && v.type) {
        add_column(sql, &out->count, "(CAST(", &v, " AS VARCHAR) = ");
        nd_sql_add_string(sql, text);
        nd_sql_add(sql, ")");
        out->compared_count++;
    }
    free_value(s, &v);
    return status;
}

typedef nd_status add_fn(const schema *s, const char *field, const value *v,
                         nd_parquet_columns *out, nd_sql *sql, nd_error *error);

static nd_status add_field(const schema *s, const char *field, add_fn *add, nd_parquet_columns *out,
                           nd_sql *sql, nd_error *error) {
    value v;
    if (!field) return ND_OK;
    nd_status status = find_value(s, field, &v, error);
    if (status == ND_OK && v.expression.failed)
        status = nd_fail_memory(error, strlen(field), "the name of a column");
    if (status == ND_OK) status = add(s, field, &v, out, sql, error);
    free_value(s, &v);
    return status;
}

static nd_status add_fields(const schema *s, const nd_parquet_fields *fields,
                            nd_parquet_columns *out, nd_sql *sql, nd_error *error) {
    for (size_t i = 0; i < fields->text_count; i++)
        ND_TRY(add_field(s, fields->texts[i], add_text, out, sql, error));
    ND_TRY(add_field(s, fields->id, add_id, out, sql, error));
    ND_TRY(add_field(s, fields->priority, add_priority, out, sql, error));
    ND_TRY(add_field(s, fields->label, add_label, out, sql, error));
    out->compared = out->count;
    for (size_t i = 0; i < fields->compared_count; i++)
        ND_TRY(add_compared(s, fields->compared[i], fields->values[i], out, sql, error));
    add_file(sql, s->path);
    return ND_OK;
}

nd_status nd_parquet_columns_select(nd_duckdb_session *session, const char *path,
                                    const nd_parquet_fields *fields, nd_parquet_columns *out,
                                    nd_sql *sql, nd_error *error) {
    nd_duckdb_rows rows;
    const schema s = {session, path, &rows};
    nd_sql all = {.allocator = &session->allocator};
    *out = (nd_parquet_columns){
        .text_count = fields->text_count, .id = SIZE_MAX, .priority = SIZE_MAX, .label = SIZE_MAX};
    nd_sql_add(&all, "SELECT *");
    add_file(&all, path);
    nd_sql_add(&all, " LIMIT 0");
    nd_status status = nd_duckdb_run(session, &all, path, &rows, error);
    nd_sql_free(&all);
    ND_TRY(status);
    status = add_fields(&s, fields, out, sql, error);
    nd_duckdb_end(&rows);
    return status;
}

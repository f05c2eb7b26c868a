#include "parquet/parquet_names.h"

#include <string.h>

/* An element of the file's schema: a column, a member of one, or the rows themselves. Its children
 * stand behind it, each with its own. */
typedef struct element {
    size_t name; /* where its name begins */
    uint64_t children;
} element;

typedef struct schema {
    nd_parquet_names *names;
    element *elements;
    size_t count, capacity;
} schema;

static const char *name_of(const schema *s, size_t e) {
    return s->names->bytes.bytes + s->elements[e].name;
}

/* ---- reading */

static nd_status add_elements(schema *s, const nd_duckdb_rows *rows, nd_error *error) {
    const nd_duckdb_column names = nd_duckdb_column_of(rows, 0),
                           children = nd_duckdb_column_of(rows, 1);
    nd_sql *bytes = &s->names->bytes;
    for (uint64_t i = 0; i < rows->count; i++) {
        size_t length;
        const char *name = nd_duckdb_string(&names, i, &length);
        if (!nd_reserve(&s->names->allocator, &s->elements, &s->capacity, s->count + 1))
            return nd_fail_memory(error, sizeof *s->elements, "the names of columns");
        s->elements[s->count++] = (element){bytes->size, ((const uint64_t *)children.data)[i]};
        nd_sql_add_bytes(bytes, name, length);
        nd_sql_add_bytes(bytes, "", 1);
    }
    return bytes->failed ? nd_fail_memory(error, bytes->size, "the names of columns") : ND_OK;
}

static nd_status read_schema(nd_duckdb_session *session, const char *file, schema *s,
                             nd_error *error) {
    nd_duckdb_rows rows;
    nd_sql sql = {.allocator = &session->allocator};
    nd_sql_add(&sql,
               "SELECT name, CAST(coalesce(num_children, 0) AS UBIGINT) FROM parquet_schema(");
    nd_sql_add_path(&sql, file);
    nd_sql_add(&sql, ")");
    nd_status status = nd_duckdb_run(session, &sql, file, &rows, error);
    nd_sql_free(&sql);
    ND_TRY(status);
    while (status == ND_OK && (status = nd_duckdb_next(&rows, file, error)) == ND_OK &&
           rows.count > 0)
        status = add_elements(s, &rows, error);
    nd_duckdb_end(&rows);
    return status;
}

/* ---- the tree */

/* The element behind `e` and all that is in it. */
static size_t behind(const schema *s, size_t e) {
    for (uint64_t left = 1; left > 0 && e < s->count; e++) left += s->elements[e].children - 1;
    return e;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* As DuckDB compares names. */
static bool is_same(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return lower(*a) == lower(*b);
}

/* Finds two children of `parent` with one name. */
static void find_same(const schema *s, size_t parent) {
    size_t end = behind(s, parent);
    for (size_t a = parent + 1; a < end; a = behind(s, a))
        for (size_t b = behind(s, a); b < end; b = behind(s, b))
            if (is_same(name_of(s, a), name_of(s, b))) {
                s->names->member = name_of(s, a);
                s->names->other_member = name_of(s, b);
                return;
            }
}

static nd_status list_columns(const schema *s, nd_error *error) {
    nd_parquet_names *n = s->names;
    n->names = nd_allocate(&n->allocator, s->count, sizeof *n->names);
    if (!n->names) return nd_fail_memory(error, s->count * 8, "the names of columns");
    for (size_t e = 1; e < s->count; e = behind(s, e)) n->names[n->count++] = name_of(s, e);
    for (size_t e = 1; e < s->count && !n->member; e++) find_same(s, e);
    return ND_OK;
}

nd_status nd_parquet_names_read(nd_duckdb_session *session, const char *file, nd_parquet_names *out,
                                nd_error *error) {
    schema s = {.names = out};
    *out = (nd_parquet_names){.allocator = session->allocator,
                              .bytes = {.allocator = &session->allocator}};
    nd_status status = read_schema(session, file, &s, error);
    if (status == ND_OK) status = list_columns(&s, error);
    nd_release(&out->allocator, s.elements);
    return status;
}

void nd_parquet_names_free(nd_parquet_names *names) {
    nd_sql_free(&names->bytes);
    nd_release(&names->allocator, names->names);
}

/* ---- the check */

nd_status nd_parquet_names_check_members(const nd_parquet_names *n, const char *file,
                                         nd_error *error) {
    return n->member ? nd_fail(error, ND_ERR_ARGUMENT,
                               "%s: DuckDB would write another name for the member \"%s\" of a "
                               "struct that has \"%s\", because case makes no difference to it: "
                               "rename the member",
                               file, n->other_member, n->member)
                     : ND_OK;
}

/* Compares the names with those of the result. */
static nd_status compare_names(const nd_parquet_names *n, const char *file,
                               const nd_duckdb_rows *rows, nd_error *error) {
    const nd_duckdb *duckdb = &rows->session->duckdb;
    duckdb_result result = rows->result;
    for (size_t c = 0; c < n->count; c++) {
        const char *name = duckdb->column_name(&result, c);
        if (name && strcmp(name, n->names[c]) == 0) continue;
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: DuckDB would write the column \"%s\" as \"%s\", because case makes no "
                       "difference to it: rename the column, or write JSON Lines, to a name that "
                       "ends in .jsonl",
                       file, n->names[c], name ? name : "");
    }
    return nd_parquet_names_check_members(n, file, error);
}

nd_status nd_parquet_names_check(nd_duckdb_session *session, const char *file, nd_error *error) {
    nd_parquet_names names;
    nd_duckdb_rows rows;
    nd_sql sql = {.allocator = &session->allocator};
    nd_sql_add(&sql, "SELECT * FROM read_parquet(");
    nd_sql_add_path(&sql, file);
    nd_sql_add(&sql, ", hive_partitioning = false) LIMIT 0");
    nd_status status = nd_parquet_names_read(session, file, &names, error);
    if (status == ND_OK) status = nd_duckdb_run(session, &sql, file, &rows, error);
    if (status == ND_OK) {
        status = compare_names(&names, file, &rows, error);
        nd_duckdb_end(&rows);
    }
    nd_sql_free(&sql);
    nd_parquet_names_free(&names);
    return status;
}

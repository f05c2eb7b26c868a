#include "parquet/parquet_out.h"

#include "base/format.h"
#include "parquet/duckdb_function.h"

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

/* ---- functions of rows */

/* The rows must come in their order, which is checked: each brings its number in its file. */
typedef struct row_walk {
    const nd_parquet_copy *copy;
    bool has_numbers; /* false: they bring any number */
    size_t file;
    uint64_t row; /* the number of the next one */
} row_walk;

/* A copy while DuckDB makes it. */
typedef struct running_copy {
    const nd_duckdb *duckdb;
    row_walk filtered, marked;
    nd_error failure; /* of the function that gets marks */
} running_copy;

/* The copy that this thread makes. DuckDB calls its functions on the same thread, because it has no
 * other one. Were that not so, the rows would not be counted. */
static _Thread_local running_copy *running;

static bool is_kept(const nd_parquet_copy *c, uint64_t row) {
    return c->kept[row / 64] >> row % 64 & 1;
}

/* Takes the next row, whose number in its file is `number`. False: another one was expected. */
static bool next_row(row_walk *w, int64_t number) {
    const nd_parquet_copy *c = w->copy;
    while (w->file < c->count && w->row == c->ends[w->file]) w->file++;
    uint64_t begin = w->file > 0 ? c->ends[w->file - 1] : c->begin;
    if (w->file == c->count) return false;
    if (w->has_numbers && (uint64_t)number != w->row - begin) return false;
    w->row++;
    return true;
}

/* The same of the rows that are kept. */
static bool next_kept_row(row_walk *w, int64_t number) {
    const nd_parquet_copy *c = w->copy;
    uint64_t end = c->ends[c->count - 1];
    while (w->row < end && !is_kept(c, w->row)) w->row++;
    return next_row(w, number);
}

static void filter_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    running_copy *r = running;
    if (!r) return;
    const nd_duckdb *duckdb = r->duckdb;
    const int64_t *numbers = duckdb->vector_get_data(duckdb->data_chunk_get_vector(input, 0));
    bool *kept = duckdb->vector_get_data(output);
    uint64_t count = duckdb->data_chunk_get_size(input);
    for (uint64_t i = 0; i < count; i++) {
        if (!next_row(&r->filtered, numbers[i])) {
            duckdb->scalar_function_set_error(info, "other rows than before");
            return;
        }
        kept[i] = is_kept(r->filtered.copy, r->filtered.row - 1);
    }
}

/* The members of a mark in DuckDB. */
enum { MARK_KEPT, MARK_OF, MARK_SIMILARITY, MARK_MEMBERS };
static const char *mark_members[] = {"kept", "of", "similarity"};
static const char *const mark_columns[] = {"neardup_kept", "neardup_of", "neardup_similarity"};
static const duckdb_type mark_types[] = {DUCKDB_TYPE_BOOLEAN, DUCKDB_TYPE_VARCHAR,
                                         DUCKDB_TYPE_DOUBLE};

/* The vectors that marks are put into. */
typedef struct mark_vectors {
    const nd_duckdb *duckdb;
    duckdb_vector of;
    bool *kept;
    double *similarities;
    uint64_t *of_validity, *similarity_validity;
} mark_vectors;

static mark_vectors vectors_of(const nd_duckdb *duckdb, duckdb_vector marks) {
    duckdb_vector members[MARK_MEMBERS];
    for (uint64_t m = 0; m < MARK_MEMBERS; m++)
        members[m] = duckdb->struct_vector_get_child(marks, m);
    duckdb->vector_ensure_validity_writable(members[MARK_OF]);
    duckdb->vector_ensure_validity_writable(members[MARK_SIMILARITY]);
    return (mark_vectors){
        .duckdb = duckdb,
        .of = members[MARK_OF],
        .kept = duckdb->vector_get_data(members[MARK_KEPT]),
        .similarities = duckdb->vector_get_data(members[MARK_SIMILARITY]),
        .of_validity = duckdb->vector_get_validity(members[MARK_OF]),
        .similarity_validity = duckdb->vector_get_validity(members[MARK_SIMILARITY])};
}

static void put_mark(const mark_vectors *v, uint64_t row, const nd_parquet_mark *mark) {
    v->kept[row] = mark->kept;
    nd_duckdb_set_valid(v->of_validity, row, !mark->kept);
    nd_duckdb_set_valid(v->similarity_validity, row, !mark->kept);
    if (mark->kept) return;
    v->duckdb->vector_assign_string_element_len(v->of, row, mark->of, mark->of_length);
    v->similarities[row] = mark->similarity;
}

static void mark_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    running_copy *r = running;
    if (!r) return;
    const nd_duckdb *duckdb = r->duckdb;
    const nd_parquet_copy *copy = r->marked.copy;
    const int64_t *numbers = duckdb->vector_get_data(duckdb->data_chunk_get_vector(input, 0));
    const mark_vectors vectors = vectors_of(duckdb, output);
    uint64_t count = duckdb->data_chunk_get_size(input);
    for (uint64_t i = 0; i < count; i++) {
        nd_parquet_mark mark;
        if (!next_kept_row(&r->marked, numbers[i])) {
            duckdb->scalar_function_set_error(info, "other rows than before");
            return;
        }
        if (copy->mark(copy->context, &mark, &r->failure) != ND_OK) {
            duckdb->scalar_function_set_error(info, "no mark");
            return;
        }
        put_mark(&vectors, i, &mark);
    }
}

#define FILTER "nd_row_is_kept"
#define MARK "nd_mark_of_row"

static duckdb_logical_type type_of_marks(const nd_duckdb *duckdb) {
    duckdb_logical_type types[MARK_MEMBERS];
    for (size_t m = 0; m < MARK_MEMBERS; m++) types[m] = duckdb->create_logical_type(mark_types[m]);
    duckdb_logical_type type = duckdb->create_struct_type(types, mark_members, MARK_MEMBERS);
    for (size_t m = 0; m < MARK_MEMBERS; m++) duckdb->destroy_logical_type(&types[m]);
    return type;
}

/* Adds the functions of the number of a row that the database does not have. */
static nd_status add_functions(nd_duckdb_session *session, bool marks, nd_error *error) {
    static const nd_duckdb_function filter = {FILTER, filter_rows, DUCKDB_TYPE_BIGINT, true},
                                    mark = {MARK, mark_rows, DUCKDB_TYPE_BIGINT, true};
    const nd_duckdb *duckdb = &session->duckdb;
    if (!session->has_filter)
        ND_TRY(nd_duckdb_add_function(session, &filter,
                                      duckdb->create_logical_type(DUCKDB_TYPE_BOOLEAN), error));
    session->has_filter = true;
    if (!marks || session->has_marks) return ND_OK;
    ND_TRY(nd_duckdb_add_function(session, &mark, type_of_marks(duckdb), error));
    session->has_marks = true;
    return ND_OK;
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

/* Adds the columns of a file that have these names, in any case, to a list with commas. */
static nd_status add_named(nd_duckdb_session *session, const char *file, const char *const *names,
                           size_t count, nd_sql *out, nd_error *error) {
    nd_duckdb_rows rows;
    nd_sql sql = {.allocator = &session->allocator};
    nd_sql_add(&sql, "SELECT column_name FROM (DESCRIBE SELECT * FROM read_parquet(");
    nd_sql_add_path(&sql, file);
    nd_sql_add(&sql, ", hive_partitioning = false)) WHERE lower(column_name) IN (");
    for (size_t n = 0; n < count; n++) {
        nd_sql_add(&sql, n > 0 ? ", " : "");
        nd_sql_add_string(&sql, names[n]);
    }
    nd_sql_add(&sql, ")");
    nd_status status = nd_duckdb_run(session, &sql, file, &rows, error);
    nd_sql_free(&sql);
    ND_TRY(status);
    while ((status = nd_duckdb_next(&rows, file, error)) == ND_OK && rows.count > 0) {
        const nd_duckdb_column found = nd_duckdb_column_of(&rows, 0);
        for (uint64_t i = 0; i < rows.count; i++) {
            size_t length;
            const char *name = nd_duckdb_string(&found, i, &length);
            nd_sql_add(out, out->size > 0 ? ", " : "");
            nd_sql_add_bytes(out, name, length);
        }
    }
    nd_duckdb_end(&rows);
    return status == ND_OK && out->failed ? nd_fail_memory(error, out->size, "columns") : status;
}

/* What a statement takes of the files. */
typedef struct selection {
    const nd_parquet_copy *copy;
    bool has_numbers;
    nd_sql left_out; /* columns that are not copied, with commas */
} selection;

/* Numbers of rows come in a column of their own. If the files have one of its name, there are no
 * numbers, and rows are only counted. */
static nd_status select_columns(nd_duckdb_session *session, selection *s, nd_error *error) {
    static const char *const number[] = {"file_row_number"};
    const char *file = s->copy->files[0];
    ND_TRY(add_named(session, file, number, 1, &s->left_out, error));
    s->has_numbers = s->left_out.size == 0;
    s->left_out.size = 0;
    nd_sql_add(&s->left_out, s->has_numbers ? number[0] : "");
    return s->copy->mark ? add_named(session, file, mark_columns, MARK_MEMBERS, &s->left_out, error)
                         : ND_OK;
}

static void add_columns_left(nd_sql *sql, const selection *s) {
    nd_sql_add(sql, "SELECT *");
    if (s->left_out.size == 0) return;
    nd_sql_add(sql, " EXCLUDE (");
    nd_sql_add(sql, s->left_out.bytes);
    nd_sql_add(sql, ")");
}

/* Adds a call of a function with the number of a row. DuckDB calls it once for rows that all have
 * the same argument, so it is no constant. */
static void add_call(nd_sql *sql, const char *function, bool has_numbers) {
    nd_sql_add(sql, function);
    nd_sql_add(sql, has_numbers ? "(file_row_number)" : "(CAST(random() AS BIGINT))");
}

static void add_rows(nd_sql *sql, const selection *s) {
    nd_sql_add(sql, " FROM read_parquet(");
    add_files(sql, s->copy);
    nd_sql_add(sql, s->has_numbers ? ", file_row_number = true" : "");
    nd_sql_add(sql, ", hive_partitioning = false) WHERE ");
    add_call(sql, FILTER, s->has_numbers);
}

/* The mark of a row is made once, as a struct with the name of the first column of marks, which no
 * other column has then. */
static void add_marked_rows(nd_sql *sql, const selection *s) {
    nd_sql_add(sql, "SELECT * EXCLUDE (neardup_kept)");
    for (size_t m = 0; m < MARK_MEMBERS; m++) {
        nd_sql_add(sql, ", neardup_kept[");
        nd_sql_add_string(sql, mark_members[m]);
        nd_sql_add(sql, "] AS ");
        nd_sql_add(sql, mark_columns[m]);
    }
    nd_sql_add(sql, " FROM (");
    add_columns_left(sql, s);
    nd_sql_add(sql, ", ");
    add_call(sql, MARK, s->has_numbers);
    nd_sql_add(sql, " AS neardup_kept");
    add_rows(sql, s);
    nd_sql_add(sql, ")");
}

static void add_selection(nd_sql *sql, const selection *s) {
    if (s->copy->mark) {
        add_marked_rows(sql, s);
        return;
    }
    add_columns_left(sql, s);
    add_rows(sql, s);
}

static void add_statement(nd_sql *sql, const selection *s, const form *f, const char *path) {
    nd_sql_add(sql, "COPY (");
    add_selection(sql, s);
    nd_sql_add(sql, ") TO ");
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

/* Whether each row was asked for, and each kept one for its mark. */
static bool is_whole(running_copy *r) {
    const nd_parquet_copy *copy = r->filtered.copy;
    uint64_t end = copy->ends[copy->count - 1];
    while (copy->mark && r->marked.row < end && !is_kept(copy, r->marked.row)) r->marked.row++;
    return r->filtered.row == end && (!copy->mark || r->marked.row == end);
}

static nd_status write_rows(nd_duckdb_session *session, const selection *s, const char *path,
                            const char *title, nd_error *error) {
    const row_walk walk = {.copy = s->copy, .has_numbers = s->has_numbers, .row = s->copy->begin};
    running_copy r = {.duckdb = &session->duckdb, .filtered = walk, .marked = walk};
    form f;
    nd_sql sql = {.allocator = &session->allocator};
    ND_TRY(find_form(session, s->copy, &f, error));
    add_statement(&sql, s, &f, path);
    running = &r;
    nd_status status = run_copy(session, &sql, title, error);
    running = NULL;
    nd_sql_free(&sql);
    if (r.failure.status != ND_OK) return nd_fail_as(error, &r.failure);
    return status == ND_OK && !is_whole(&r)
               ? nd_fail(error, ND_ERR_IO, "%s: the input has other rows than before", title)
               : status;
}

nd_status nd_parquet_write(nd_duckdb_session *session, const nd_parquet_copy *copy,
                           const char *path, const char *title, nd_error *error) {
    selection s = {.copy = copy, .left_out = {.allocator = &session->allocator}};
    ND_TRY(add_functions(session, copy->mark != NULL, error));
    nd_status status = select_columns(session, &s, error);
    if (status == ND_OK) status = write_rows(session, &s, path, title, error);
    nd_sql_free(&s.left_out);
    return status;
}

#include "dedup/kept_parquet.h"

#include "dedup/shard_names.h"
#include "io/compression.h"
#include "parquet/parquet_names.h"
#include "parquet/parquet_out.h"
#include "unicode/utf8_repair.h"

struct nd_kept_parquet {
    const nd_columns *columns;
    nd_allocator allocator;
    nd_record_target target;
    uint64_t *begins; /* per source: rows of the sources before it; and of all together */
    uint64_t *kept;   /* a bit per row that is written */
    nd_spool marks;   /* per such row a mark, if it gets one; not initialised: none gets one */
    nd_spool_cursor cursor; /* reads them */
    char *of;               /* memory for the id in a mark */
    size_t of_capacity;
    nd_id_buffer id; /* of the document that is added: its line is the number of its row */
};

/* ---- the check */

/* The columns of the first file that can be read, and of another one. */
typedef struct column_lists {
    nd_parquet_list first, other;
} column_lists;

static nd_status check_columns(nd_duckdb_session *session, const char *file, column_lists *lists,
                               nd_error *error) {
    bool is_first = !lists->first.file;
    ND_TRY(nd_parquet_list_columns(session, file, is_first ? &lists->first : &lists->other, error));
    return is_first ? ND_OK : nd_parquet_compare_columns(&lists->first, &lists->other, error);
}

/* Checks the columns of all files. A file that cannot be read is reported when it is read. */
static nd_status check_inputs(nd_duckdb_session *session, const nd_corpus *corpus, bool one_file,
                              nd_error *error) {
    column_lists lists = {{.columns = {.allocator = &session->allocator}},
                          {.columns = {.allocator = &session->allocator}}};
    nd_status status = ND_OK;
    for (size_t s = 0; s < nd_corpus_sources(corpus) && status == ND_OK; s++) {
        const char *file = nd_corpus_source(corpus, s)->name;
        nd_error failure;
        status = nd_parquet_names_check(session, file, &failure);
        if (status == ND_OK && one_file) status = check_columns(session, file, &lists, &failure);
        if (status == ND_ERR_INPUT || status == ND_ERR_IO) status = ND_OK;
        if (status != ND_OK) nd_fail_as(error, &failure);
    }
    nd_sql_free(&lists.first.columns);
    nd_sql_free(&lists.other.columns);
    return status;
}

static nd_status check_title(const char *title, nd_error *error) {
    return nd_compression_of_name(title) == ND_COMPRESSION_NONE
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT, "%s: Parquet is compressed inside of the file",
                         title);
}

static nd_status check_shards(const nd_corpus *corpus, const nd_record_target *target,
                              const nd_allocator *a, nd_error *error) {
    const nd_shard_names names = nd_shard_names_of(corpus, target->asked);
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
        char *name = NULL;
        if (nd_corpus_source(corpus, s)->fault) continue;
        ND_TRY(nd_shard_name(&names, s, a, &name, error));
        nd_status status = check_title(name, error);
        nd_release(a, name);
        ND_TRY(status);
    }
    return ND_OK;
}

static nd_status check_file(const nd_output_file *file, nd_error *error) {
    const char *title = nd_output_file_title(file);
    ND_TRY(check_title(title, error));
    return nd_output_file_path(file)
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT,
                         "%s: Parquet is written to regular files only: -o (kept) names one, and "
                         "--output-format (format) json-lines writes JSON Lines",
                         title);
}

nd_status nd_kept_parquet_check(nd_corpus *corpus, const nd_record_target *target,
                                nd_error *error) {
    nd_duckdb_session *session = NULL;
    ND_TRY(nd_corpus_duckdb(corpus, &session, error));
    ND_TRY(target->file ? check_file(target->file, error)
                        : check_shards(corpus, target, &session->allocator, error));
    return check_inputs(session, corpus, target->file != NULL, error);
}

/* ---- marks */

static bool is_marked(const nd_kept_parquet *k) { return k->marks.disk != NULL; }

/* A mark in the spool: whether the row is kept, in a byte; if it is not, this, and the id. */
typedef struct removed_mark {
    double similarity;
    uint64_t of_length;
} removed_mark;

/* Strings of DuckDB are UTF-8. Bytes of an id that are not become U+FFFD. */
static nd_status add_mark(nd_kept_parquet *k, const nd_record_mark *mark, nd_error *error) {
    char kept = mark->kept;
    ND_TRY(nd_spool_append(&k->marks, &kept, 1, error));
    if (mark->kept) return ND_OK;
    const removed_mark removed = {mark->similarity,
                                  nd_utf8_repair(mark->of, mark->of_length, NULL)};
    size_t length = (size_t)removed.of_length;
    if (!nd_reserve(&k->allocator, &k->of, &k->of_capacity, length + 1))
        return nd_fail_memory(error, length, "a mark");
    nd_utf8_repair(mark->of, mark->of_length, k->of);
    ND_TRY(nd_spool_append(&k->marks, &removed, sizeof removed, error));
    return nd_spool_append(&k->marks, k->of, length, error);
}

/* nd_parquet_mark_fn */
static nd_status read_mark(void *context, nd_parquet_mark *out, nd_error *error) {
    nd_kept_parquet *k = context;
    const void *piece;
    removed_mark removed;
    ND_TRY(nd_spool_next(&k->cursor, 1, &piece, error));
    *out = (nd_parquet_mark){.kept = *(const char *)piece != 0};
    if (out->kept) return ND_OK;
    ND_TRY(nd_spool_next(&k->cursor, sizeof removed, &piece, error));
    memcpy(&removed, piece, sizeof removed);
    ND_TRY(nd_spool_next(&k->cursor, (size_t)removed.of_length, &piece, error));
    out->of = piece;
    out->of_length = (size_t)removed.of_length;
    out->similarity = removed.similarity;
    return ND_OK;
}

/* ---- the rows */

/* Finds the rows of all files together. */
static nd_status count_rows(nd_kept_parquet *k, nd_error *error) {
    const nd_corpus *corpus = k->columns->corpus;
    size_t sources = nd_corpus_sources(corpus);
    k->begins = nd_allocate(&k->allocator, sources + 1, sizeof *k->begins);
    if (!k->begins) return nd_fail_memory(error, sources * 8, "the files of Parquet");
    k->begins[0] = 0;
    for (size_t s = 0; s < sources; s++)
        k->begins[s + 1] = k->begins[s] + nd_corpus_source(corpus, s)->rows;
    uint64_t rows = k->begins[sources];
    k->kept = nd_allocate_zero(&k->allocator, rows / 64 + 1, sizeof *k->kept);
    return k->kept ? ND_OK : nd_fail_memory(error, rows / 8, "the rows that are kept");
}

nd_status nd_kept_parquet_create(const nd_run *run, const nd_columns *columns,
                                 const nd_record_target *target, bool marked, nd_kept_parquet **out,
                                 nd_error *error) {
    const nd_allocator *a = &columns->allocator;
    nd_kept_parquet *k = nd_allocate_zero(a, 1, sizeof *k);
    if (!k) return nd_fail_memory(error, sizeof *k, "the kept rows");
    k->columns = columns;
    k->allocator = *a;
    k->target = *target;
    k->marks.fd = -1;
    if (marked)
        nd_spool_init(&k->marks, a, run->space, nd_memory_share(&run->budget, ND_MEMORY_MARKS),
                      "marks");
    k->cursor.spool = &k->marks;
    nd_status status = count_rows(k, error);
    if (status == ND_OK) *out = k;
    else nd_kept_parquet_free(k);
    return status;
}

void nd_kept_parquet_free(nd_kept_parquet *k) {
    if (!k) return;
    const nd_allocator allocator = k->allocator, *a = &allocator;
    nd_release(a, k->begins);
    nd_release(a, k->kept);
    nd_spool_free(&k->marks);
    nd_release(a, k->cursor.bytes);
    nd_release(a, k->of);
    nd_release(a, k->id.bytes);
    nd_release(a, k);
}

nd_status nd_kept_parquet_add(nd_kept_parquet *k, uint32_t document, const nd_record_mark *mark,
                              nd_error *error) {
    ND_TRY(nd_columns_id(k->columns, document, &k->id, error));
    uint64_t row = k->begins[nd_columns_source(k->columns, document)] + k->id.line - 1;
    k->kept[row / 64] |= UINT64_C(1) << row % 64;
    return is_marked(k) ? add_mark(k, mark, error) : ND_OK;
}

/* ---- writing */

/* DuckDB opens the files again, by their names. */
static nd_status check_files(const nd_corpus *corpus, nd_error *error) {
    struct stat s;
    for (size_t i = 0; i < nd_corpus_sources(corpus); i++) {
        const nd_source *source = nd_corpus_source(corpus, i);
        if (source->rows > 0 && (stat(source->name, &s) != 0 || !nd_source_is(source, &s)))
            return nd_fail(error, ND_ERR_IO, "%s: changed while it was read", source->name);
    }
    return ND_OK;
}

/* Writes the rows of all files that have some. If none has, the output gets the columns of the
 * first one. */
static nd_status write_file(nd_kept_parquet *k, nd_duckdb_session *session, nd_error *error) {
    const nd_allocator *a = &k->allocator;
    const nd_corpus *corpus = k->columns->corpus;
    size_t sources = nd_corpus_sources(corpus), count = 0;
    const char **files = nd_allocate(a, sources, sizeof *files);
    uint64_t *ends = nd_allocate(a, sources, sizeof *ends);
    nd_status status = ND_OK;
    if (!files || !ends) status = nd_fail_memory(error, sources * 16, "the files of Parquet");
    for (size_t s = 0; s < sources && status == ND_OK; s++) {
        if (nd_corpus_source(corpus, s)->rows == 0) continue;
        files[count] = nd_corpus_source(corpus, s)->name;
        ends[count++] = k->begins[s + 1];
    }
    if (count == 0 && status == ND_OK) {
        files[count] = nd_corpus_source(corpus, 0)->name;
        ends[count++] = 0;
    }
    const nd_parquet_copy copy = {.files = files,
                                  .ends = ends,
                                  .count = count,
                                  .kept = k->kept,
                                  .mark = is_marked(k) ? read_mark : NULL,
                                  .context = k};
    if (status == ND_OK)
        status = nd_parquet_write(session, &copy, nd_output_file_path(k->target.file),
                                  nd_output_file_title(k->target.file), error);
    nd_release(a, files);
    nd_release(a, ends);
    return status;
}

/* Whether a file was read, or has no rows. One that cannot be read has been reported. */
static nd_status is_readable(nd_duckdb_session *session, const nd_source *source, bool *readable,
                             nd_error *error) {
    nd_parquet_list list = {.columns = {.allocator = &session->allocator}};
    nd_error failure;
    *readable = source->rows > 0;
    if (*readable || source->fault) return ND_OK;
    nd_status status = nd_parquet_list_columns(session, source->name, &list, &failure);
    nd_sql_free(&list.columns);
    *readable = status == ND_OK;
    return status == ND_OK || status == ND_ERR_INPUT || status == ND_ERR_IO
               ? ND_OK
               : nd_fail_as(error, &failure);
}

static nd_status write_part(nd_kept_parquet *k, nd_duckdb_session *session,
                            const nd_shard_names *names, size_t s, uint64_t *bytes,
                            nd_error *error) {
    const char *file = nd_corpus_source(k->columns->corpus, s)->name;
    const nd_parquet_copy copy = {.files = &file,
                                  .ends = &k->begins[s + 1],
                                  .count = 1,
                                  .begin = k->begins[s],
                                  .kept = k->kept,
                                  .mark = is_marked(k) ? read_mark : NULL,
                                  .context = k};
    char *name = NULL;
    nd_output_part *part = NULL;
    ND_TRY(nd_shard_name(names, s, &k->allocator, &name, error));
    nd_status status = nd_output_part_create(k->target.tree, name, &part, error);
    nd_release(&k->allocator, name);
    ND_TRY(status);
    status = nd_parquet_write(session, &copy, nd_output_part_path(part), nd_output_part_title(part),
                              error);
    if (status == ND_OK) status = nd_output_part_finish(part, bytes, error);
    nd_output_part_free(part);
    return status;
}

static nd_status write_parts(nd_kept_parquet *k, nd_duckdb_session *session, uint64_t *bytes,
                             nd_error *error) {
    const nd_corpus *corpus = k->columns->corpus;
    const nd_shard_names names = nd_shard_names_of(corpus, k->target.asked);
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
        bool readable;
        ND_TRY(is_readable(session, nd_corpus_source(corpus, s), &readable, error));
        if (readable) ND_TRY(write_part(k, session, &names, s, bytes, error));
    }
    return ND_OK;
}

nd_status nd_kept_parquet_finish(nd_kept_parquet *k, uint64_t *bytes, nd_error *error) {
    nd_duckdb_session *session = NULL;
    ND_TRY(check_files(k->columns->corpus, error));
    ND_TRY(nd_corpus_duckdb(k->columns->corpus, &session, error));
    return k->target.file ? write_file(k, session, error) : write_parts(k, session, bytes, error);
}

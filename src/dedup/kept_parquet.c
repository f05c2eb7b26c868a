#include "dedup/kept_parquet.h"

#include "io/compression.h"
#include "parquet/parquet_out.h"

struct nd_kept_parquet {
    const nd_columns *columns;
    nd_allocator allocator;
    nd_output_file *output;
    /* Files that have rows, or, if none has, the first one: the output gets its columns. */
    const char **files;
    uint64_t *ends;
    size_t file_count;
    uint64_t *begins; /* per source: rows of the sources before it */
    uint64_t *kept;   /* a bit per row */
    nd_id_buffer id;  /* of the document that is added: its line is the number of its row */
};

bool nd_is_parquet(const nd_corpus *corpus) {
    const nd_source *first = nd_corpus_source(corpus, 0);
    return first->kind == ND_SOURCE_RECORDS && first->format == ND_FORMAT_PARQUET;
}

/* ---- the check */

/* A file that cannot be read is reported when it is read. */
static nd_status check_columns(nd_duckdb_session *session, const nd_corpus *corpus,
                               nd_error *error) {
    nd_parquet_list first = {.columns = {.allocator = &session->allocator}},
                    other = {.columns = {.allocator = &session->allocator}};
    nd_status status = ND_OK;
    for (size_t s = 0; s < nd_corpus_sources(corpus) && status == ND_OK; s++) {
        nd_parquet_list *list = first.file ? &other : &first;
        nd_error failure;
        status = nd_parquet_list_columns(session, nd_corpus_source(corpus, s)->name, list,
                                         &failure);
        if (status == ND_ERR_INPUT || status == ND_ERR_IO) status = ND_OK;
        else if (status != ND_OK) nd_fail_as(error, &failure);
        else if (list == &other) status = nd_parquet_compare_columns(&first, &other, error);
    }
    nd_sql_free(&first.columns);
    nd_sql_free(&other.columns);
    return status;
}

nd_status nd_kept_parquet_check(nd_corpus *corpus, const nd_output_file *output, nd_error *error) {
    const char *title = nd_output_file_title(output);
    nd_duckdb_session *session = NULL;
    if (nd_compression_of_name(title) != ND_COMPRESSION_NONE)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: Parquet is compressed inside of the file",
                       title);
    if (!nd_output_file_path(output))
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: Parquet is written to regular files only",
                       title);
    ND_TRY(nd_corpus_duckdb(corpus, &session, error));
    return check_columns(session, corpus, error);
}

/* ---- the rows */

/* Finds the rows of all files together. */
static nd_status take_sources(nd_kept_parquet *k, nd_error *error) {
    const nd_allocator *a = &k->allocator;
    const nd_corpus *corpus = k->columns->corpus;
    size_t sources = nd_corpus_sources(corpus);
    k->files = nd_allocate(a, sources, sizeof *k->files);
    k->ends = nd_allocate(a, sources, sizeof *k->ends);
    k->begins = nd_allocate(a, sources, sizeof *k->begins);
    if (!k->files || !k->ends || !k->begins)
        return nd_fail_memory(error, sources * 24, "the files of Parquet");
    uint64_t rows = 0;
    for (size_t s = 0; s < sources; s++) {
        const nd_source *source = nd_corpus_source(corpus, s);
        k->begins[s] = rows;
        rows += source->rows;
        if (source->rows == 0) continue;
        k->files[k->file_count] = source->name;
        k->ends[k->file_count++] = rows;
    }
    if (k->file_count == 0) {
        k->files[k->file_count] = nd_corpus_source(corpus, 0)->name;
        k->ends[k->file_count++] = 0;
    }
    k->kept = nd_allocate_zero(a, rows / 64 + 1, sizeof *k->kept);
    return k->kept ? ND_OK : nd_fail_memory(error, rows / 8, "the rows that are kept");
}

nd_status nd_kept_parquet_create(const nd_columns *columns, nd_output_file *output,
                                 nd_kept_parquet **out, nd_error *error) {
    const nd_allocator *a = &columns->allocator;
    nd_kept_parquet *k = nd_allocate_zero(a, 1, sizeof *k);
    if (!k) return nd_fail_memory(error, sizeof *k, "the kept rows");
    k->columns = columns;
    k->allocator = *a;
    k->output = output;
    nd_status status = take_sources(k, error);
    if (status == ND_OK) *out = k;
    else nd_kept_parquet_free(k);
    return status;
}

void nd_kept_parquet_free(nd_kept_parquet *k) {
    if (!k) return;
    const nd_allocator allocator = k->allocator, *a = &allocator;
    nd_release(a, k->files);
    nd_release(a, k->ends);
    nd_release(a, k->begins);
    nd_release(a, k->kept);
    nd_release(a, k->id.bytes);
    nd_release(a, k);
}

nd_status nd_kept_parquet_add(nd_kept_parquet *k, uint32_t document, nd_error *error) {
    ND_TRY(nd_columns_id(k->columns, document, &k->id, error));
    uint64_t row = k->begins[nd_columns_source(k->columns, document)] + k->id.line - 1;
    k->kept[row / 64] |= UINT64_C(1) << row % 64;
    return ND_OK;
}

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

nd_status nd_kept_parquet_finish(nd_kept_parquet *k, nd_error *error) {
    const nd_parquet_copy copy = {k->files, k->ends, k->file_count, k->kept};
    const char *path = nd_output_file_path(k->output), *title = nd_output_file_title(k->output);
    nd_duckdb_session *session = NULL;
    ND_TRY(check_files(k->columns->corpus, error));
    ND_TRY(nd_corpus_duckdb(k->columns->corpus, &session, error));
    return nd_parquet_write(session, &copy, path, title, error);
}

#include "dedup/row_objects.h"

#include "parquet/parquet_json.h"

struct nd_row_objects {
    const nd_corpus *corpus;
    nd_duckdb_session *session; /* the objects' own: others go on with that of the corpus */
    nd_parquet_json *file;      /* that is open; NULL: none */
    size_t source;              /* its source */
};

/* A file that cannot be read is reported when it is read. */
nd_status nd_row_objects_check(nd_corpus *corpus, nd_error *error) {
    nd_duckdb_session *session = NULL;
    ND_TRY(nd_corpus_duckdb(corpus, &session, error));
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
        nd_error failure;
        nd_status status = nd_parquet_json_check(session, nd_corpus_source(corpus, s)->name,
                                                 &failure);
        if (status != ND_OK && status != ND_ERR_INPUT && status != ND_ERR_IO)
            return nd_fail_as(error, &failure);
    }
    return ND_OK;
}

nd_status nd_row_objects_create(nd_corpus *corpus, nd_row_objects **out, nd_error *error) {
    nd_duckdb_session *shared = NULL;
    ND_TRY(nd_corpus_duckdb(corpus, &shared, error));
    nd_row_objects *objects = nd_allocate_zero(&shared->allocator, 1, sizeof *objects);
    if (!objects) return nd_fail_memory(error, sizeof *objects, "rows of Parquet");
    objects->corpus = corpus;
    nd_status status = nd_duckdb_share(shared, &objects->session, error);
    if (status == ND_OK) *out = objects;
    else nd_release(&shared->allocator, objects);
    return status;
}

void nd_row_objects_free(nd_row_objects *objects) {
    if (!objects) return;
    const nd_allocator allocator = objects->session->allocator;
    nd_parquet_json_close(objects->file);
    nd_duckdb_close(objects->session);
    nd_release(&allocator, objects);
}

static nd_status open_file(nd_row_objects *objects, size_t source, nd_error *error) {
    const nd_source *file = nd_corpus_source(objects->corpus, source);
    struct stat s;
    nd_parquet_json_close(objects->file);
    objects->file = NULL;
    objects->source = source;
    if (stat(file->name, &s) != 0 || !nd_source_is(file, &s))
        return nd_fail(error, ND_ERR_IO, "%s: changed while it was read", file->name);
    return nd_parquet_json_open(objects->session, file->name, &objects->file, error);
}

nd_status nd_row_objects_get(nd_row_objects *objects, size_t source, uint64_t number,
                             const char **object, size_t *length, nd_error *error) {
    if (!objects->file || objects->source != source) ND_TRY(open_file(objects, source, error));
    return nd_parquet_json_row(objects->file, number, object, length, error);
}

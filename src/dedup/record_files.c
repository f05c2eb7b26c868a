#include "dedup/record_files.h"

#include "dedup/shard_names.h"

struct nd_record_files {
    nd_allocator allocator;
    nd_corpus *corpus;
    nd_record_form form;
    nd_record_target target;
    nd_shard_names names;  /* of the files of sources */
    nd_form_buffer buffer; /* of headers */
    nd_output_part *part;  /* the open file of the directory; NULL: none */
    uint64_t opened;       /* files so far; a single file is opened by its header */
    uint64_t part_records, part_bytes;
    uint64_t bytes; /* of complete files of the directory */
};

/* ---- the open file */

static nd_status put(nd_record_files *f, const char *bytes, size_t size, nd_error *error) {
    f->part_bytes += size;
    if (size == 0) return ND_OK;
    ND_TRY(f->target.file ? nd_output_file_write(f->target.file, bytes, size, error)
                          : nd_output_part_write(f->part, bytes, size, error));
    return f->target.tree && nd_record_form_has_members(&f->form)
               ? nd_output_part_end_member(f->part, error)
               : ND_OK;
}

/* Whether there is a file for each source. */
static bool has_shards(const nd_record_files *f) {
    return f->target.tree && f->target.part_size == 0;
}

/* The first source with a header. All headers of CSV are the same. */
static const nd_source *first_header(const nd_record_files *f) {
    for (size_t s = 0; s < nd_corpus_sources(f->corpus); s++)
        if (nd_corpus_source(f->corpus, s)->header) return nd_corpus_source(f->corpus, s);
    return nd_corpus_source(f->corpus, 0);
}

static nd_status close_part(nd_record_files *f, nd_error *error) {
    if (f->part) ND_TRY(nd_output_part_finish(f->part, &f->bytes, error));
    nd_output_part_free(f->part);
    f->part = NULL;
    return ND_OK;
}

static nd_status open_part(nd_record_files *f, nd_error *error) {
    char *name = NULL;
    ND_TRY(f->target.part_size > 0
               ? nd_part_name(f->corpus, f->opened, f->form.to, &f->allocator, &name, error)
               : nd_shard_name(&f->names, (size_t)f->opened, &f->allocator, &name, error));
    nd_status status = nd_output_part_create(f->target.tree, name, &f->part, error);
    nd_release(&f->allocator, name);
    return status;
}

/* Closes the open file, and opens that of a source: its own, or the next one of a size, which
 * begins with a record of this source. A source that cannot be read has none. */
static nd_status open_next(nd_record_files *f, size_t next, nd_error *error) {
    bool own = has_shards(f) || f->form.to == ND_FORMAT_WARC;
    const nd_source *source = own ? nd_corpus_source(f->corpus, next) : first_header(f);
    ND_TRY(close_part(f, error));
    f->part_records = f->part_bytes = 0;
    if (has_shards(f) && source->fault) {
        f->opened++;
        return ND_OK;
    }
    if (f->target.tree) ND_TRY(open_part(f, error));
    ND_TRY(nd_record_form_put_header(&f->form, source, &f->buffer, error));
    f->opened++;
    return put(f, f->buffer.line.bytes, f->buffer.line.size, error);
}

/* Whether the next record belongs into another file than the open one. */
static bool needs_next(const nd_record_files *f, size_t source, size_t size) {
    if (has_shards(f)) return f->opened <= source;
    if (f->opened == 0 || f->target.file) return f->opened == 0;
    return f->part_records > 0 &&
           (f->part_bytes >= f->target.part_size || size > f->target.part_size - f->part_bytes);
}

/* ---- records */

nd_status nd_record_files_write(nd_record_files *f, size_t source, const char *bytes, size_t size,
                                nd_error *error) {
    while (needs_next(f, source, size))
        ND_TRY(open_next(f, has_shards(f) ? (size_t)f->opened : source, error));
    f->part_records++;
    return put(f, bytes, size, error);
}

nd_status nd_record_files_finish(nd_record_files *f, nd_error *error) {
    size_t files = has_shards(f) ? nd_corpus_sources(f->corpus) : 1;
    while (f->opened < files) ND_TRY(open_next(f, (size_t)f->opened, error));
    return close_part(f, error);
}

uint64_t nd_record_files_size(const nd_record_files *f) { return f->bytes; }

/* ---- all */

nd_status nd_record_files_create(nd_corpus *corpus, const nd_record_form *form,
                                 const nd_record_target *target, const nd_allocator *allocator,
                                 nd_record_files **out, nd_error *error) {
    nd_record_files *f = nd_allocate_zero(allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "the outputs");
    f->allocator = *allocator;
    f->corpus = corpus;
    f->form = *form;
    f->target = *target;
    f->names = nd_shard_names_of(corpus, target->asked);
    f->buffer.line.allocator = f->buffer.cell.allocator = *allocator;
    nd_status status = nd_record_form_check(form, first_header(f), &f->buffer, error);
    if (status == ND_OK) *out = f;
    else nd_record_files_free(f);
    return status;
}

void nd_record_files_free(nd_record_files *f) {
    if (!f) return;
    const nd_allocator allocator = f->allocator;
    nd_output_part_free(f->part);
    nd_release(&allocator, f->buffer.line.bytes);
    nd_release(&allocator, f->buffer.cell.bytes);
    nd_release(&allocator, f);
}

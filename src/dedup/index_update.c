#include "dedup/index_update.h"

#include "base/limits.h"
#include "base/hash.h"
#include "base/radix_sort.h"
#include "base/machine.h"
#include "base/printable.h"
#include "index/index.h"
#include "sketch/band_key.h"
#include "store/compaction.h"
#include "store/segment_writer.h"

#include <string.h>
#include <sys/stat.h>

/* Between two checkpoints: each reads all band keys of the run once more. */
#define CHECKPOINT_SECONDS ND_LIMIT(60.0, 0.0)

/* So few documents go to the write-ahead log, when their sets and ids take little memory: a segment
 * has more files to sync. */
#define FEW_BYTES (UINT64_C(16) << 20)
enum { FEW_DOCUMENTS = ND_LIMIT(1000, 2) };

enum { MOST_PERMS = 1024 };

struct nd_index_update {
    const nd_run *run;
    const nd_job_options *options;
    nd_store *store;
    nd_index_settings settings;
    uint32_t base;          /* documents of the index before the run */
    uint64_t job;           /* names the ingest job: a hash of its inputs and options */
    nd_ingest_mark earlier; /* what an earlier run of the same job has added; end 0: nothing */
    uint8_t *known;         /* bit d: document d is among that; NULL: none is */
    uint32_t *given_again;  /* by number - earlier.begin: the document of this run with that id;
                               UINT32_MAX: none; NULL: all are UINT32_MAX */
    uint32_t committed;     /* ranks below base + committed have been added */
    double last_checkpoint; /* nd_seconds() */
};

/* ---- opening */

static nd_status check_settings(const nd_job_options *o, const nd_index_settings *s,
                                nd_error *error) {
    const char *path = o->index;
    ND_TRY(nd_index_check_documents(path, s, error));
    ND_TRY(nd_index_check_hashes(path, s, o, error));
    if (s->ngram != o->ngram)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with ngram %u, not %u", path, s->ngram,
                       o->ngram);
    if (s->sketch_size != o->perms)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with perms %u, not %u", path,
                       s->sketch_size, o->perms);
    if (s->threshold != o->threshold)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with threshold %g, not %g", path,
                       s->threshold, o->threshold);
    if (s->recall != o->recall)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with recall %g, not %g", path, s->recall,
                       o->recall);
    if (s->exact && o->verify == ND_VERIFY_NONE)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: made with shingle sets, by which documents are compared: verify must "
                       "be ND_VERIFY_EXACT",
                       path);
    return ND_OK;
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    return nd_mix64(hash ^ (text ? nd_hash_token(&key, text, strlen(text)) : 0)) + ND_HASH_C1;
}

static uint64_t name_job(const nd_job_options *o) {
    uint64_t hash = hash_text(hash_text(0, o->text_field), o->id_field);
    for (size_t i = 0; i < o->input_count; i++) {
        struct stat s;
        hash = hash_text(hash, o->inputs[i]);
        /* A file that was written anew makes another job. */
        if (stat(o->inputs[i], &s) != 0) continue;
        hash = nd_mix64(hash ^ (uint64_t)s.st_size) + ND_HASH_C1;
        hash = nd_mix64(hash ^ (uint64_t)s.st_mtim.tv_sec ^ (uint64_t)s.st_mtim.tv_nsec << 32) +
               ND_HASH_C2;
    }
    return nd_mix64(hash ^ o->replace);
}

/* An unfinished job goes on where the names agree. Callbacks have nothing that would tell one job
 * from another. */
static bool continues(const nd_index_update *u, const nd_ingest_mark *m) {
    return (m->batch == u->job && !u->options->records) || u->options->resume;
}

static void find_earlier(nd_index_update *u) {
    nd_ingest_mark m = nd_store_ingest_mark(u->store);
    u->job = name_job(u->options);
    bool same = m.finished ? m.batch == u->job && u->options->resume : continues(u, &m);
    if (m.end == 0 || (m.finished && !same)) return;
    nd_warn(&u->run->warnings,
            !same ? "another batch was not finished: %u of its documents are in the index, and "
                    "stay there"
            : m.finished
                ? "this batch has been added already: %u of its documents are in the index"
                : "the unfinished run of this batch is continued: %u of its documents are in the "
                  "index already",
            m.end - m.begin);
    if (same) u->earlier = m;
}

nd_status nd_index_update_open(const nd_run *run, const nd_job_options *o, nd_index_update **out,
                               nd_error *error) {
    if (o->group == ND_GROUP_COMPONENT)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "group by component would join documents of an index that are kept: against "
                       "an index it must be greedy");
    nd_index_update *u = *out = nd_allocate_zero(&run->allocator, 1, sizeof *u);
    if (!u) return nd_fail_memory(error, sizeof *u, "an index");
    u->run = run;
    u->options = o;
    ND_TRY(nd_store_open(o->index, ND_STORE_WRITE, &run->allocator, &u->store, error));
    nd_store_set_progress(u->store, run->progress);
    u->settings = nd_store_state(u->store)->settings;
    ND_TRY(check_settings(o, &u->settings, error));
    ND_TRY(nd_store_flush_removed(u->store, error));
    u->base = nd_store_document_count(u->store);
    u->last_checkpoint = nd_seconds();
    find_earlier(u);
    return ND_OK;
}

void nd_index_update_free(nd_index_update *u) {
    if (!u) return;
    const nd_allocator *a = &u->run->allocator;
    nd_release(a, u->known);
    nd_release(a, u->given_again);
    nd_store_close(u->store);
    nd_release(a, u);
}

const nd_store *nd_index_update_store(const nd_index_update *u) { return u->store; }
const nd_index_settings *nd_index_update_settings(const nd_index_update *u) { return &u->settings; }
uint32_t nd_index_update_base(const nd_index_update *u) { return u->base; }
const uint8_t *nd_index_update_known(const nd_index_update *u) { return u->known; }

uint32_t nd_index_update_named_rank(const nd_index_update *u, const nd_ranks *ranks,
                                    uint32_t rank) {
    if (!u || !u->given_again || rank < u->earlier.begin || rank >= u->earlier.end) return rank;
    uint32_t document = u->given_again[rank - u->earlier.begin];
    return document == UINT32_MAX ? rank : nd_rank_of(ranks, document);
}

static bool is_known(const nd_index_update *u, uint32_t document) {
    return u->known && u->known[document >> 3] >> (document & 7) & 1;
}

/* ---- ids */

static nd_status mark_known(nd_index_update *u, const nd_columns *columns, uint32_t document,
                            uint32_t number, nd_error *error) {
    const nd_allocator *a = &u->run->allocator;
    size_t size = (size_t)columns->count / 8 + 1, numbers = u->earlier.end - u->earlier.begin;
    if (!u->known) u->known = nd_allocate_zero(a, size, 1);
    if (!u->known) return nd_fail_memory(error, size, "documents that are in the index");
    if (!u->given_again) {
        u->given_again = nd_allocate(a, numbers, sizeof *u->given_again);
        if (!u->given_again)
            return nd_fail_memory(error, numbers * sizeof *u->given_again,
                                  "documents that are in the index");
        memset(u->given_again, 0xff, numbers * sizeof *u->given_again);
    }
    u->known[document >> 3] |= (uint8_t)(1u << (document & 7));
    u->given_again[number - u->earlier.begin] = document;
    return ND_OK;
}

/* *out: the earlier run has added it; it is a document of that run's numbers with the same id and
 * sketch. */
static nd_status is_of_earlier(const nd_index_update *u, const nd_columns *columns,
                               uint32_t document, uint32_t number, bool *out, nd_error *error) {
    nd_stored_document stored;
    uint8_t sketch[MOST_PERMS];
    const void *own;
    *out = false;
    if (number < u->earlier.begin || number >= u->earlier.end) return ND_OK;
    ND_TRY(nd_store_document(u->store, number, &stored, error));
    ND_TRY(nd_columns_sketch(columns, document, sketch, &own, error));
    *out = memcmp(stored.sketch, own, columns->sketch_size) == 0;
    return ND_OK;
}

static nd_status check_id(nd_index_update *u, const nd_columns *columns, uint32_t document,
                          const nd_id_buffer *id, nd_error *error) {
    uint32_t number;
    bool known;
    ND_TRY(nd_store_find_id(u->store, id->id, id->length, &number, error));
    if (number == UINT32_MAX) return ND_OK;
    ND_TRY(is_of_earlier(u, columns, document, number, &known, error));
    if (known) return mark_known(u, columns, document, number, error);
    if (u->options->replace) return nd_store_mark_removed(u->store, number, error);
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s: it has a document with the id \"%.*s\" already (--resume takes up the "
                   "batch that was added last, --replace puts the new document in its place)",
                   u->options->index, nd_shown_length(id->id, id->length, ND_SHOWN_ID), id->id);
}

nd_status nd_index_update_check_ids(nd_index_update *u, const nd_columns *columns,
                                    nd_error *error) {
    nd_id_buffer id = {0};
    nd_status status = ND_OK;
    for (uint32_t d = 0; status == ND_OK && d < columns->count; d++) {
        status = nd_columns_id(columns, d, &id, error);
        if (status == ND_OK) status = check_id(u, columns, d, &id, error);
    }
    nd_release(&u->run->allocator, id.bytes);
    return status;
}

/* ---- rows */

/* The documents that are added together. */
typedef struct addition {
    nd_index_update *update;
    const nd_update_source *source;
    uint32_t *row_of; /* by document; UINT32_MAX: it is not added */
    uint32_t *document_at;
    uint32_t count;
    nd_segment_writer *writer; /* NULL: to the write-ahead log */
} addition;

/* The kept documents of the ranks base + [begin, end) that are not in the index yet. */
static nd_status find_kept(addition *x, uint32_t begin, uint32_t end, nd_error *error) {
    const nd_update_source *s = x->source;
    const nd_allocator *a = &x->update->run->allocator;
    size_t all = (size_t)s->columns->count;
    x->row_of = nd_allocate(a, all + 1, sizeof *x->row_of);
    x->document_at = nd_allocate(a, (size_t)(end - begin) + 1, sizeof *x->document_at);
    if (!x->row_of || !x->document_at)
        return nd_fail_memory(error, 2 * all * sizeof *x->row_of, "documents for the index");
    memset(x->row_of, 0xff, all * sizeof *x->row_of);
    for (uint32_t r = begin; r < end; r++) {
        uint32_t document = nd_document_of(s->ranks, s->ranks->base + r);
        if (nd_fate_of(s->fates, document) != ND_FATE_KEPT || is_known(x->update, document))
            continue;
        x->row_of[document] = x->count;
        x->document_at[x->count++] = document;
    }
    return ND_OK;
}

typedef struct row_buffers {
    nd_id_buffer id;
    nd_set_buffer set;
    uint8_t *sketch;
} row_buffers;

/* *row is valid until the buffers are used again. */
static nd_status make_row(const addition *x, uint32_t number, row_buffers *b,
                          nd_stored_document *row, nd_error *error) {
    const nd_columns *columns = x->source->columns;
    uint32_t document = x->document_at[number];
    const void *sketch;
    ND_TRY(nd_columns_id(columns, document, &b->id, error));
    ND_TRY(nd_columns_sketch(columns, document, b->sketch, &sketch, error));
    *row = (nd_stored_document){.id = b->id.id, .id_length = b->id.length, .sketch = sketch};
    if (!x->update->settings.exact) return ND_OK;
    ND_TRY(nd_columns_set(columns, document, &b->set, error));
    row->set = b->set.set;
    row->set_size = b->set.size;
    return ND_OK;
}

/* `keys`: of the bands, row by row, where rows go to the write-ahead log; else NULL. */
static nd_status put_row(const addition *x, uint32_t number, const uint64_t *keys, row_buffers *b,
                         nd_error *error) {
    nd_stored_document row;
    ND_TRY(make_row(x, number, b, &row, error));
    if (x->writer) return nd_segment_put_document(x->writer, &row, error);
    row.keys = keys + (size_t)number * x->update->settings.bands;
    return nd_store_add(x->update->store, &row, error);
}

static nd_status put_rows(const addition *x, const uint64_t *keys, nd_error *error) {
    enum { PROGRESS_ROWS = 4096 };
    const nd_run *run = x->update->run;
    const nd_allocator *a = &run->allocator;
    size_t size = x->source->columns->sketch_size;
    row_buffers b = {.sketch = nd_allocate(a, size, 1)};
    nd_status status = b.sketch ? ND_OK : nd_fail_memory(error, size, "a sketch");
    for (uint32_t number = 0; status == ND_OK && number < x->count; number++) {
        status = put_row(x, number, keys, &b, error);
        if (status == ND_OK && number % PROGRESS_ROWS == 0)
            status = nd_progress_report(run->progress, ND_STAGE_WRITE, number, x->count, error);
    }
    nd_release(a, b.id.bytes);
    nd_release(a, b.set.bytes);
    nd_release(a, b.sketch);
    return status;
}

/* ---- a segment */

/* Part after part, the band keys of the rows are the entries of the segment's band tables in
 * order. */
static nd_status put_bands(const addition *x, nd_part_buffer *buffer, nd_error *error) {
    const nd_external_sort *keys = x->source->band_keys;
    for (size_t part = 0; part < nd_external_sort_parts(keys); part++) {
        ND_TRY(nd_external_sort_load(keys, part, 32, buffer, error));
        size_t count = 0;
        for (size_t i = 0; i < buffer->count; i++) {
            uint32_t row = x->row_of[(uint32_t)buffer->words[i]];
            if (row != UINT32_MAX) buffer->words[count++] = buffer->words[i] >> 32 << 32 | row;
        }
        if (x->source->ranks->order) nd_radix_sort(buffer->words, buffer->scratch, count, 0);
        for (size_t i = 0; i < count; i++)
            ND_TRY(nd_segment_put_key(x->writer, nd_band_number_of(part, buffer->words[i]),
                                      (uint32_t)buffer->words[i], error));
    }
    return ND_OK;
}

static nd_status put_documents(const addition *x, nd_error *error) {
    nd_part_buffer buffer = {0};
    ND_TRY(put_rows(x, NULL, error));
    nd_status status = put_bands(x, &buffer, error);
    nd_part_buffer_free(&x->update->run->allocator, &buffer);
    return status;
}

static nd_status write_segment(addition *x, nd_manifest_segment *segment, nd_error *error) {
    nd_index_update *u = x->update;
    const nd_run *run = u->run;
    char *path;
    segment->documents = x->count;
    ND_TRY(nd_store_segment_path(u->store, &path, &segment->file, error));
    const nd_segment_request request = {
        .path = path,
        .settings = &u->settings,
        .documents = x->count,
        .disk = run->space,
        .memory_limit = nd_memory_share(&run->budget, ND_MEMORY_SEGMENT),
        .allocator = &run->allocator};
    nd_status status = nd_segment_writer_create(&request, &x->writer, error);
    if (status == ND_OK) status = put_documents(x, error);
    if (status == ND_OK) status = nd_segment_finish(x->writer, &segment->seal, error);
    nd_segment_writer_free(x->writer);
    x->writer = NULL;
    nd_release(&run->allocator, path);
    return status;
}

/* What the job has added so far, with `more` documents behind all that are in the index. */
static nd_ingest_mark mark_of(const nd_index_update *u, uint32_t more) {
    return (nd_ingest_mark){.batch = u->job,
                            .begin = u->earlier.end > 0 ? u->earlier.begin : u->base,
                            .end = nd_store_document_count(u->store) + more,
                            .finished = true};
}

/* Whether more documents of the job will follow. */
typedef enum job_end { JOB_GOES_ON, JOB_ENDS } job_end;

static nd_status add_segment(addition *x, job_end end, nd_error *error) {
    nd_manifest_segment segment = {0};
    if (x->count > 0) ND_TRY(write_segment(x, &segment, error));
    nd_ingest_mark mark = mark_of(x->update, x->count);
    mark.finished = end == JOB_ENDS;
    return nd_store_publish(x->update->store, x->count > 0 ? &segment : NULL, &mark, error);
}

/* ---- few documents: the write-ahead log */

static nd_status gather_keys(const addition *x, uint64_t *keys, nd_error *error) {
    const nd_external_sort *sorter = x->source->band_keys;
    uint32_t bands = x->update->settings.bands;
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    for (size_t part = 0; status == ND_OK && part < nd_external_sort_parts(sorter); part++) {
        status = nd_external_sort_load(sorter, part, 32, &buffer, error);
        for (size_t i = 0; status == ND_OK && i < buffer.count; i++) {
            uint32_t row = x->row_of[(uint32_t)buffer.words[i]];
            if (row != UINT32_MAX)
                keys[(size_t)row * bands + (part >> ND_BAND_PART_BITS)] = nd_band_number_of(
                    part, buffer.words[i]);
        }
    }
    nd_part_buffer_free(&x->update->run->allocator, &buffer);
    return status;
}

/* As one group of records: all of them, or none. */
static nd_status add_to_log(const addition *x, nd_error *error) {
    nd_index_update *u = x->update;
    const nd_allocator *a = &u->run->allocator;
    size_t count = (size_t)x->count * u->settings.bands;
    uint64_t *keys = nd_allocate(a, count, sizeof *keys);
    if (!keys) return nd_fail_memory(error, count * sizeof *keys, "band keys");
    nd_status status = gather_keys(x, keys, error);
    if (status == ND_OK) status = put_rows(x, keys, error);
    nd_release(a, keys);
    const nd_ingest_mark mark = mark_of(u, 0);
    if (status == ND_OK && x->count > 0) status = nd_store_mark_ingest(u->store, &mark, error);
    if (status == ND_OK) status = nd_store_commit(u->store, error);
    return status == ND_OK && u->options->sync != ND_SYNC_OFF ? nd_store_sync(u->store, error)
                                                              : status;
}

static bool goes_to_log(const addition *x) {
    const nd_index_update *u = x->update;
    const nd_columns *columns = x->source->columns;
    nd_ingest_mark last = nd_store_ingest_mark(u->store);
    bool alone = !u->options->replace && u->committed == 0 && (last.end == 0 || last.finished);
    bool small = x->count <= FEW_DOCUMENTS && columns->sets.size + columns->ids.size <= FEW_BYTES;
    return alone && small && !nd_store_is_full(u->store);
}

/* ---- adding */

/* A job that an earlier run finished has nothing to add, and stays as it was. */
static bool nothing_to_add(const addition *x, job_end end) {
    const nd_index_update *u = x->update;
    return x->count == 0 && u->earlier.finished && end == JOB_ENDS && u->committed == 0;
}

/* Adds what was kept of the ranks from base + committed to base + decided. */
static nd_status add_kept(nd_index_update *u, const nd_update_source *source, uint32_t decided,
                          job_end end, nd_error *error) {
    addition x = {.update = u, .source = source};
    nd_status status = find_kept(&x, u->committed, decided, error);
    if (status == ND_OK && !nothing_to_add(&x, end))
        status = end == JOB_ENDS && goes_to_log(&x) ? add_to_log(&x, error)
                                                    : add_segment(&x, end, error);
    u->committed = decided;
    nd_release(&u->run->allocator, x.row_of);
    nd_release(&u->run->allocator, x.document_at);
    return status;
}

nd_status nd_index_update_checkpoint(nd_index_update *u, const nd_update_source *source,
                                     uint32_t decided, nd_error *error) {
    /* Replaced documents go together with all that replaces them. */
    if (u->options->replace || decided == source->columns->count ||
        nd_seconds() - u->last_checkpoint < CHECKPOINT_SECONDS)
        return ND_OK;
    ND_TRY(add_kept(u, source, decided, JOB_GOES_ON, error));
    u->last_checkpoint = nd_seconds();
    return ND_OK;
}

nd_status nd_index_update_finish(nd_index_update *u, const nd_update_source *source,
                                 nd_error *error) {
    nd_error failure;
    ND_TRY(add_kept(u, source, (uint32_t)source->columns->count, JOB_ENDS, error));
    if (nd_store_log_documents(u->store) > 0 && !nd_store_is_full(u->store)) return ND_OK;
    if (nd_store_compact_levels(u->store, &failure) == ND_OK) return ND_OK;
    nd_warn(&u->run->warnings, "the batch is in the index, but segments could not be merged: %s",
            failure.message);
    return ND_OK;
}

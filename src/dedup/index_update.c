/* A job against an index: before it, whether the two fit; after it, the kept documents as a new
 * segment, in the order of rank. */
#include "base/limits.h"
#include "base/machine.h"
#include "base/printable.h"
#include "index/index.h"
#include "job/job.h"

#include "base/radix_sort.h"
#include "similarity/packed_set.h"

#include <string.h>
#include <sys/stat.h>

/* Between two checkpoints: each reads all band keys of the job once more. */
#define CHECKPOINT_SECONDS ND_LIMIT(60.0, 0.0)

/* So few documents go to the log, when their sets and ids take little memory: a segment has more
 * files to sync. */
#define FEW_BYTES (UINT64_C(16) << 20)
enum { FEW_DOCUMENTS = ND_LIMIT(1000, 2) };

enum { MOST_PERMS = 1024 };

/* ---- before */

static nd_status check_settings(const nd_job *job, const nd_index_settings *s, nd_error *error) {
    const nd_job_options *o = &job->options;
    const char *path = o->index;
    ND_TRY(nd_index_check_documents(path, s, error));
    ND_TRY(nd_index_check_hashes(path, s, o, error));
    if (s->ngram != o->ngram)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with ngram %u, not %u", path, s->ngram,
                       o->ngram);
    if (s->perms != o->perms)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with perms %u, not %u", path, s->perms,
                       o->perms);
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

/* ---- an earlier run of the same batch, unfinished or not: what it added stays, and its documents
 * are known by their ids */

static uint64_t hash_text(uint64_t hash, const char *text) {
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    return nd_mix64(hash ^ (text ? nd_hash_token(&key, text, strlen(text)) : 0)) + ND_HASH_C1;
}

static uint64_t name_batch(const nd_job_options *o) {
    uint64_t hash = hash_text(hash_text(0, o->text_field), o->id_field);
    for (size_t i = 0; i < o->input_count; i++) {
        struct stat s;
        hash = hash_text(hash, o->inputs[i]);
        /* A file that was written anew is another batch. */
        if (stat(o->inputs[i], &s) != 0) continue;
        hash = nd_mix64(hash ^ (uint64_t)s.st_size) + ND_HASH_C1;
        hash = nd_mix64(hash ^ (uint64_t)s.st_mtim.tv_sec ^ (uint64_t)s.st_mtim.tv_nsec << 32) +
               ND_HASH_C2;
    }
    return nd_mix64(hash ^ o->replace);
}

/* Of an unfinished run. Of a callback nothing is known that would tell one batch from another. */
static bool goes_on(const nd_job *job, const nd_batch_mark *m) {
    return (m->batch == job->batch && !job->options.records) || job->options.resume;
}

static void find_earlier(nd_job *job) {
    nd_batch_mark m = nd_store_batch(job->store);
    job->batch = name_batch(&job->options);
    bool same = m.finished ? m.batch == job->batch && job->options.resume : goes_on(job, &m);
    if (m.end == 0 || (m.finished && !same)) return;
    nd_job_warn(
        job,
        !same
            ? "another batch was not finished: %u of its documents are in the index, and stay there"
        : m.finished ? "this batch has been added already: %u of its documents are in the index"
                     : "the unfinished run of this batch is continued: %u of its documents are in "
                       "the index already",
        m.end - m.begin);
    if (same) job->earlier = m;
}

nd_status nd_job_open_index(nd_job *job, nd_error *error) {
    if (job->options.group == ND_GROUP_COMPONENT)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "group by component would join documents of an index that are kept: against "
                       "an index it must be greedy");
    ND_TRY(nd_store_open(job->options.index, ND_STORE_WRITE, &job->allocator, &job->store, error));
    nd_store_set_progress(job->store, &job->progress);
    const nd_index_settings *settings = &nd_store_state(job->store)->settings;
    ND_TRY(check_settings(job, settings, error));
    job->plan.bands = settings->bands;
    job->plan.rows = settings->rows;
    if (!settings->exact) job->options.verify = ND_VERIFY_NONE;
    ND_TRY(nd_store_settle(job->store, error));
    job->base = nd_store_numbers(job->store);
    job->checkpoint = nd_seconds();
    find_earlier(job);
    return ND_OK;
}

nd_status nd_job_set_of_rank(const nd_job *job, uint32_t rank, unsigned char **buffer,
                             size_t *capacity, const unsigned char **packed, size_t *size,
                             nd_error *error) {
    if (nd_job_is_indexed(job, rank)) {
        nd_stored_document stored;
        ND_TRY(nd_store_document(job->store, rank, &stored, error));
        *packed = stored.set;
        *size = stored.set_size;
        return ND_OK;
    }
    uint32_t document = nd_job_document(job, rank);
    const void *view;
    uint64_t ends[2] = {0}; /* of the document before, and its own */
    size_t before = document > 0;
    ND_TRY(nd_spool_read(&job->set_ends, ends + 1 - before, (before + 1) * sizeof *ends,
                         (document - before) * sizeof *ends, error));
    *size = (size_t)(ends[1] - ends[0]);
    if (!nd_reserve(&job->allocator, buffer, capacity, *size + 8))
        return nd_fail_memory(error, *size + 8, "a shingle set");
    ND_TRY(nd_spool_view(&job->sets, *size + 8, ends[0], *buffer, &view, error));
    *packed = view;
    return ND_OK;
}

static nd_status mark_known(nd_job *job, uint32_t document, uint32_t number, nd_error *error) {
    size_t size = (size_t)job->documents.count / 8 + 1,
           numbers = job->earlier.end - job->earlier.begin;
    if (!job->known) job->known = nd_allocate_zero(&job->allocator, size, 1);
    if (!job->known) return nd_fail_memory(error, size, "documents that are in the index");
    if (!job->given_again) {
        job->given_again = nd_allocate(&job->allocator, numbers, sizeof *job->given_again);
        if (!job->given_again)
            return nd_fail_memory(error, numbers * sizeof *job->given_again,
                                  "documents that are in the index");
        memset(job->given_again, 0xff, numbers * sizeof *job->given_again);
    }
    job->known[document >> 3] |= (uint8_t)(1u << (document & 7));
    job->given_again[number - job->earlier.begin] = document;
    return ND_OK;
}

/* Whether the earlier run has added it: a document of its range with the same id and sketch. */
static nd_status is_of_earlier(const nd_job *job, uint32_t document, uint32_t number, bool *out,
                               nd_error *error) {
    nd_stored_document stored;
    uint8_t sketch[MOST_PERMS];
    const void *own;
    uint32_t perms = job->plan.perms;
    *out = false;
    if (number < job->earlier.begin || number >= job->earlier.end) return ND_OK;
    ND_TRY(nd_store_document(job->store, number, &stored, error));
    ND_TRY(nd_spool_view(&job->sketches, perms, (uint64_t)document * perms, sketch, &own, error));
    *out = memcmp(stored.sketch, own, perms) == 0;
    return ND_OK;
}

static nd_status check_id(nd_job *job, uint32_t document, const nd_id_buffer *id, nd_error *error) {
    uint32_t number;
    bool known;
    ND_TRY(nd_store_find_id(job->store, id->id, id->length, &number, error));
    if (number == UINT32_MAX) return ND_OK;
    ND_TRY(is_of_earlier(job, document, number, &known, error));
    if (known) return mark_known(job, document, number, error);
    if (job->options.replace) return nd_store_mark_removed(job->store, number, error);
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s: it has a document with the id \"%.*s\" already (--resume takes up the "
                   "batch that was added last, --replace puts the new document in its place)",
                   job->options.index, nd_shown_length(id->id, id->length, ND_SHOWN_ID), id->id);
}

nd_status nd_job_check_index_ids(nd_job *job, nd_error *error) {
    nd_id_buffer id = {0};
    nd_status status = ND_OK;
    for (uint32_t d = 0; status == ND_OK && d < job->documents.count; d++) {
        status = nd_job_id(job, d, &id, error);
        if (status == ND_OK) status = check_id(job, d, &id, error);
    }
    nd_release(&job->allocator, id.bytes);
    return status;
}

/* ---- after: what is kept */

typedef struct extension {
    nd_job *job;
    uint32_t *place_of; /* of a document in the segment; UINT32_MAX: not kept */
    uint32_t *document_at;
    uint32_t count;
    nd_segment_writer *writer;
} extension;

/* Of the documents of ranks from job->base + begin to job->base + end those that are kept and not
 * in the index yet. */
static nd_status find_kept(extension *x, uint32_t begin, uint32_t end, nd_error *error) {
    nd_job *job = x->job;
    size_t all = (size_t)job->documents.count;
    x->place_of = nd_allocate(&job->allocator, all + 1, sizeof *x->place_of);
    x->document_at = nd_allocate(&job->allocator, (size_t)(end - begin) + 1,
                                 sizeof *x->document_at);
    if (!x->place_of || !x->document_at)
        return nd_fail_memory(error, 2 * all * sizeof *x->place_of, "documents for the index");
    memset(x->place_of, 0xff, all * sizeof *x->place_of);
    for (uint32_t r = begin; r < end; r++) {
        uint32_t document = nd_job_document(job, job->base + r);
        if (nd_document_at(&job->documents, document)->fate != ND_FATE_KEPT ||
            nd_job_is_known(job, document))
            continue;
        x->place_of[document] = x->count;
        x->document_at[x->count++] = document;
    }
    return ND_OK;
}

/* ---- rows and tables */

/* What a document's row is made of. */
typedef struct row_buffers {
    nd_id_buffer id;
    unsigned char *set;
    size_t set_capacity;
    uint8_t *sketch;
} row_buffers;

/* Valid until the buffers are used again. */
static nd_status make_row(const extension *x, uint32_t place, row_buffers *b,
                          nd_stored_document *row, nd_error *error) {
    const nd_job *job = x->job;
    uint32_t document = x->document_at[place], perms = job->plan.perms;
    const void *sketch;
    ND_TRY(nd_job_id(job, document, &b->id, error));
    ND_TRY(nd_spool_view(&job->sketches, perms, (uint64_t)document * perms, b->sketch, &sketch,
                         error));
    *row = (nd_stored_document){.id = b->id.id, .id_length = b->id.length, .sketch = sketch};
    if (!nd_job_has_sets(job)) return ND_OK;
    return nd_job_set_of_rank(job, nd_job_rank(job, document), &b->set, &b->set_capacity, &row->set,
                              &row->set_size, error);
}

/* Rows to the segment, or, with `keys` (those of the bands, document by document), to the log. */
static nd_status put_rows(extension *x, const uint64_t *keys, nd_error *error) {
    nd_job *job = x->job;
    const nd_allocator *a = &job->allocator;
    row_buffers b = {.sketch = nd_allocate(a, job->plan.perms, 1)};
    nd_stored_document row;
    nd_status status = b.sketch ? ND_OK : nd_fail_memory(error, job->plan.perms, "a sketch");
    for (uint32_t place = 0; status == ND_OK && place < x->count; place++) {
        status = make_row(x, place, &b, &row, error);
        if (status == ND_OK && keys) {
            row.keys = keys + (size_t)place * job->plan.bands;
            status = nd_store_add(job->store, &row, error);
        } else if (status == ND_OK) status = nd_segment_put_document(x->writer, &row, error);
        if (status == ND_OK && place % 4096 == 0)
            status = nd_progress_tell(&job->progress, ND_STAGE_WRITE, place, x->count, error);
    }
    nd_release(a, b.id.bytes);
    nd_release(a, b.set);
    nd_release(a, b.sketch);
    return status;
}

/* The parts of the bands in order are the entries of the bands in order, when what is not kept has
 * gone and places have taken the documents' stead. */
static nd_status put_bands(extension *x, nd_part_buffer *buffer, nd_error *error) {
    nd_job *job = x->job;
    for (size_t part = 0; part < nd_part_sorter_parts(job->bands); part++) {
        ND_TRY(nd_part_sorter_load(job->bands, part, 32, buffer, error));
        size_t count = 0;
        for (size_t i = 0; i < buffer->count; i++) {
            uint32_t place = x->place_of[(uint32_t)buffer->words[i]];
            if (place != UINT32_MAX) buffer->words[count++] = buffer->words[i] >> 32 << 32 | place;
        }
        if (job->order) nd_radix_sort(buffer->words, buffer->scratch, count, 0);
        for (size_t i = 0; i < count; i++)
            ND_TRY(nd_segment_put_key(x->writer, nd_band_number_of(part, buffer->words[i]),
                                      (uint32_t)buffer->words[i], error));
    }
    return ND_OK;
}

static nd_status put_documents(extension *x, nd_error *error) {
    nd_part_buffer buffer = {0};
    ND_TRY(put_rows(x, NULL, error));
    nd_status status = put_bands(x, &buffer, error);
    nd_part_buffer_free(&x->job->allocator, &buffer);
    return status;
}

static nd_status write_segment(extension *x, nd_manifest_segment *segment, nd_error *error) {
    nd_job *job = x->job;
    char *path;
    segment->documents = x->count;
    ND_TRY(nd_store_segment_path(job->store, &path, &segment->file, error));
    nd_status status = nd_segment_writer_create(
        path, &nd_store_state(job->store)->settings, x->count, &job->disk,
        nd_job_share(job, SHARE_HASHES), &job->allocator, &x->writer, error);
    if (status == ND_OK) status = put_documents(x, error);
    if (status == ND_OK) status = nd_segment_finish(x->writer, &segment->seal, error);
    nd_segment_writer_free(x->writer);
    nd_release(&job->allocator, path);
    return status;
}

/* ---- few documents */

static nd_status gather_keys(const extension *x, uint64_t *keys, nd_error *error) {
    nd_job *job = x->job;
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    for (size_t part = 0; status == ND_OK && part < nd_part_sorter_parts(job->bands); part++) {
        status = nd_part_sorter_load(job->bands, part, 32, &buffer, error);
        for (size_t i = 0; status == ND_OK && i < buffer.count; i++) {
            uint32_t place = x->place_of[(uint32_t)buffer.words[i]];
            if (place != UINT32_MAX)
                keys[(size_t)place * job->plan.bands + (part >> ND_BAND_PART_BITS)] =
                    nd_band_number_of(part, buffer.words[i]);
        }
    }
    nd_part_buffer_free(&job->allocator, &buffer);
    return status;
}

/* Of the batch so far, with `more` documents behind all that are in the index. */
static nd_batch_mark mark_of(const extension *x, uint32_t more) {
    const nd_job *job = x->job;
    return (nd_batch_mark){job->batch, job->earlier.end > 0 ? job->earlier.begin : job->base,
                           nd_store_numbers(job->store) + more, true};
}

/* As one group of the log: all or none. */
static nd_status add_to_log(extension *x, nd_error *error) {
    nd_job *job = x->job;
    uint64_t *keys = nd_allocate(&job->allocator, (size_t)x->count * job->plan.bands, sizeof *keys);
    if (!keys)
        return nd_fail_memory(error, (size_t)x->count * job->plan.bands * sizeof *keys,
                              "band keys");
    nd_status status = gather_keys(x, keys, error);
    if (status == ND_OK) status = put_rows(x, keys, error);
    nd_release(&job->allocator, keys);
    const nd_batch_mark mark = mark_of(x, 0);
    if (status == ND_OK && x->count > 0) status = nd_store_mark_batch(job->store, &mark, error);
    if (status == ND_OK) status = nd_store_commit(job->store, error);
    return status == ND_OK && job->options.sync != ND_SYNC_OFF ? nd_store_sync(job->store, error)
                                                               : status;
}

static bool goes_to_log(const extension *x) {
    const nd_job *job = x->job;
    nd_batch_mark last = nd_store_batch(job->store);
    bool alone = !job->options.replace && job->committed == 0 && (last.end == 0 || last.finished);
    bool small = x->count <= FEW_DOCUMENTS && job->sets.size + job->ids.size <= FEW_BYTES;
    return alone && small && !nd_store_is_full(job->store);
}

/* ---- all of it */

static nd_status add_segment(extension *x, bool unfinished, nd_error *error) {
    nd_job *job = x->job;
    nd_manifest_segment segment = {0};
    if (x->count > 0) ND_TRY(write_segment(x, &segment, error));
    nd_batch_mark mark = mark_of(x, x->count);
    mark.finished = !unfinished;
    return nd_store_publish(job->store, x->count > 0 ? &segment : NULL, &mark, error);
}

/* Adds what was kept of the documents of ranks up to `end`; `unfinished`: more of them will come.
 */
static nd_status extend(nd_job *job, uint32_t end, bool unfinished, nd_error *error) {
    extension x = {.job = job};
    nd_status status = find_kept(&x, job->committed, end, error);
    bool done = x.count == 0 && job->earlier.finished && !unfinished && job->committed == 0;
    if (status == ND_OK && !done)
        status = !unfinished && goes_to_log(&x) ? add_to_log(&x, error)
                                                : add_segment(&x, unfinished, error);
    job->committed = end;
    nd_release(&job->allocator, x.place_of);
    nd_release(&job->allocator, x.document_at);
    return status;
}

nd_status nd_job_checkpoint(nd_job *job, uint32_t end, nd_error *error) {
    /* What is replaced goes with what replaces it, all at once. */
    if (job->options.replace || end == job->documents.count ||
        nd_seconds() - job->checkpoint < CHECKPOINT_SECONDS)
        return ND_OK;
    ND_TRY(extend(job, end, true, error));
    job->checkpoint = nd_seconds();
    return ND_OK;
}

nd_status nd_job_extend_index(nd_job *job, nd_error *error) {
    nd_error failure;
    ND_TRY(extend(job, (uint32_t)job->documents.count, false, error));
    if (nd_store_log_documents(job->store) > 0 && !nd_store_is_full(job->store)) return ND_OK;
    if (nd_store_merge(job->store, false, &failure) == ND_OK) return ND_OK;
    nd_job_warn(job, "the batch is in the index, but segments could not be merged: %s",
                failure.message);
    return ND_OK;
}

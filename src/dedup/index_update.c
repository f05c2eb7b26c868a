#include "dedup/index_update.h"

#include "base/limits.h"
#include "base/hash.h"
#include "base/radix_sort.h"
#include "base/machine.h"
#include "base/printable.h"
#include "index/index.h"
#include "index/index_ingest.h"
#include "sketch/band_key.h"
#include "store/id_lookup.h"
#include "store/segment_writer.h"

#include <string.h>
#include <sys/stat.h>

/* Seconds between two checkpoints. They are rare, because each reads all band keys of the run. */
#define CHECKPOINT_SECONDS ND_LIMIT(60.0, 0.0)

/* At most so many documents, with at most so many bytes of sets and ids, go to the write-ahead log.
 * A segment would have more files to sync. */
#define FEW_BYTES (UINT64_C(16) << 20)
enum { FEW_DOCUMENTS = ND_LIMIT(1000, 2) };

enum { MOST_PERMS = 1024 };

struct nd_index_update {
    const nd_run *run;
    const nd_dedup_parts *options;
    nd_index_store *index;
    nd_index_store own; /* the index, if it was opened by its path */
    enum { NOT_BEGUN, BEGUN, ENDED } job_state;
    const nd_store *store; /* the store of `index` */
    nd_index_settings settings;
    uint8_t *replaced; /* nd_index_update_replaced */
    uint32_t *replaced_numbers;
    size_t replaced_count, replaced_capacity;
    uint32_t base;          /* number of documents in the index before the run */
    uint64_t job;           /* name of the ingest job: a hash of its inputs and options */
    nd_ingest_mark earlier; /* documents that an earlier run of the job added; end 0: none */
    uint8_t *known;         /* bit d: document d is one of them; NULL: none is */
    uint32_t *given_again;  /* by number - earlier.begin: the document of this run with that id and
                               sketch; UINT32_MAX: none; NULL: all are UINT32_MAX */
    uint32_t committed;     /* ranks below base + committed have been added */
    double last_checkpoint; /* value of nd_seconds() */
};

/* ---- opening */

/* Of a job that compares hashes alone. */
static nd_status check_identity(const char *path, const nd_dedup_parts *parts,
                                const nd_index_settings *s, nd_error *error) {
    static const char *const names[] = {
        [ND_EQUAL_BYTES] = "bytes", [ND_EQUAL_TEXT] = "text", [ND_EQUAL_TOKENS] = "tokens"};
    if (!s->identity)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: it keeps no hashes of its documents: neardup exact (nd_exact) has an "
                       "index of its own",
                       path);
    if (s->identity != 1 + (uint32_t)parts->equal)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with by %s, not %s", path,
                       names[s->identity - 1], names[parts->equal]);
    return parts->equal == ND_EQUAL_TOKENS ? nd_index_check_hashes(path, s, &parts->analyzer, error)
                                           : ND_OK;
}

static nd_status check_settings(const char *path, const nd_dedup_parts *parts,
                                const nd_index_settings *s, nd_error *error) {
    if (parts->exact) return check_identity(path, parts, s, error);
    const nd_similarity_options *o = &parts->similarity;
    ND_TRY(nd_index_check_documents(path, s, error));
    ND_TRY(nd_index_check_hashes(path, s, &parts->analyzer, error));
    if (s->ngram != parts->analyzer.ngram)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with ngram %u, not %u", path, s->ngram,
                       parts->analyzer.ngram);
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

static uint64_t name_job(const nd_dedup_parts *parts) {
    const nd_input_options *o = &parts->input;
    uint64_t hash = hash_text(0, o->id_field);
    for (size_t i = 0; i < o->text_field_count; i++) hash = hash_text(hash, o->text_fields[i]);
    hash = nd_mix64(hash ^ (uint64_t)o->format);
    for (size_t i = 0; i < o->input_count; i++) {
        struct stat s;
        hash = hash_text(hash, o->inputs[i]);
        /* If a file was written again, this is a different job. */
        if (stat(o->inputs[i], &s) != 0) continue;
        hash = nd_mix64(hash ^ (uint64_t)s.st_size) + ND_HASH_C1;
        hash = nd_mix64(hash ^ (uint64_t)s.st_mtim.tv_sec ^ (uint64_t)s.st_mtim.tv_nsec << 32) +
               ND_HASH_C2;
    }
    return nd_mix64(hash ^ parts->index.replace);
}

/* An unfinished job is continued if the names agree. The name of a job cannot identify records from
 * a callback, so such a job is continued only with `resume`. */
static bool continues(const nd_index_update *u, const nd_ingest_mark *m) {
    return (m->batch == u->job && !u->options->input.records) || u->options->index.resume;
}

static void find_earlier(nd_index_update *u) {
    nd_ingest_mark m = nd_store_ingest_mark(u->store);
    u->job = name_job(u->options);
    bool same = m.finished ? m.batch == u->job && u->options->index.resume : continues(u, &m);
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

static nd_status open_index(nd_index_update *u, nd_error *error) {
    const nd_index_use *use = &u->options->index;
    if (use->index) {
        u->index = &use->index->shared;
        return ND_OK;
    }
    ND_TRY(nd_index_store_open(use->path, ND_KIND_DOCUMENTS, ND_INDEX_WRITE, &u->run->allocator,
                               &u->own, error));
    u->index = &u->own;
    nd_index_store_set_sync(u->index, use->sync == ND_SYNC_OFF ? ND_SYNC_OFF : ND_SYNC_BATCH);
    return ND_OK;
}

nd_status nd_index_update_open(const nd_run *run, const nd_dedup_parts *o, nd_index_update **out,
                               nd_error *error) {
    if (o->survivors.group == ND_GROUP_COMPONENT)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "group by component would join documents of an index that are kept: against "
                       "an index it must be greedy");
    nd_index_update *u = *out = nd_allocate_zero(&run->allocator, 1, sizeof *u);
    if (!u) return nd_fail_memory(error, sizeof *u, "an index");
    u->run = run;
    u->options = o;
    ND_TRY(open_index(u, error));
    u->settings = u->index->settings;
    ND_TRY(check_settings(u->index->path, o, &u->settings, error));
    ND_TRY(nd_index_begin_ingest(u->index, run->progress, error));
    u->job_state = BEGUN;
    u->store = u->index->store;
    u->base = nd_store_document_count(u->store);
    u->last_checkpoint = nd_seconds();
    find_earlier(u);
    return ND_OK;
}

void nd_index_update_free(nd_index_update *u) {
    if (!u) return;
    const nd_allocator *a = &u->run->allocator;
    if (u->job_state == BEGUN) nd_index_abandon_ingest(u->index);
    if (u->index == &u->own) nd_index_store_close(&u->own);
    nd_release(a, u->known);
    nd_release(a, u->given_again);
    nd_release(a, u->replaced);
    nd_release(a, u->replaced_numbers);
    nd_release(a, u);
}

const char *nd_index_update_path(const nd_index_update *u) { return u->index->path; }
const uint8_t *nd_index_update_replaced(const nd_index_update *u) { return u->replaced; }
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

/* *out: document `number` of the index, which has the id of this document, was added by the earlier
 * run of the job, and has the same sketch. */
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

static nd_status mark_replaced(nd_index_update *u, uint32_t number, nd_error *error) {
    const nd_allocator *a = &u->run->allocator;
    size_t size = (size_t)u->base / 8 + 1;
    if (!u->replaced) u->replaced = nd_allocate_zero(a, size, 1);
    if (!u->replaced ||
        !nd_reserve(a, &u->replaced_numbers, &u->replaced_capacity, u->replaced_count + 1))
        return nd_fail_memory(error, size, "documents that are replaced");
    u->replaced[number >> 3] |= (uint8_t)(1u << (number & 7));
    u->replaced_numbers[u->replaced_count++] = number;
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
    if (u->options->index.replace) return mark_replaced(u, number, error);
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s: it has a document with the id \"%.*s\" already (--resume takes up the "
                   "batch that was added last, --replace puts the new document in its place)",
                   u->index->path, nd_shown_length(id->id, id->length, ND_SHOWN_ID), id->id);
}

/* Checks the ids of `count` documents. Nearly all of them are new, which their hashes tell. */
static nd_status check_group(nd_index_update *u, const nd_columns *columns, uint32_t first,
                             size_t count, nd_id_lookup *lookup, nd_id_buffer *id,
                             nd_error *error) {
    uint64_t hashes[ND_ID_GROUP];
    for (uint32_t i = 0; i < count; i++) {
        ND_TRY(nd_columns_id(columns, first + i, id, error));
        hashes[i] = nd_id_hash(id->id, id->length);
    }
    ND_TRY(nd_store_look_up_ids(u->store, lookup, hashes, count, error));
    for (uint32_t i = 0; i < count; i++) {
        if (!lookup->may_have[i]) continue;
        ND_TRY(nd_columns_id(columns, first + i, id, error));
        ND_TRY(check_id(u, columns, first + i, id, error));
    }
    return ND_OK;
}

nd_status nd_index_update_check_ids(nd_index_update *u, const nd_columns *columns,
                                    nd_error *error) {
    const nd_allocator *a = &u->run->allocator;
    nd_id_buffer id = {0};
    nd_status status = ND_OK;
    nd_id_lookup *lookup = nd_allocate_zero(a, 1, sizeof *lookup);
    if (!lookup) return nd_fail_memory(error, sizeof *lookup, "looking up ids");
    nd_lookup_context_init(&lookup->context, a);
    for (uint64_t d = 0; status == ND_OK && d < columns->count; d += ND_ID_GROUP) {
        uint64_t left = columns->count - d;
        size_t count = left < ND_ID_GROUP ? (size_t)left : ND_ID_GROUP;
        status = check_group(u, columns, (uint32_t)d, count, lookup, &id, error);
    }
    nd_release(a, id.bytes);
    nd_lookup_context_free(&lookup->context);
    nd_release(a, lookup);
    return status;
}

/* ---- rows */

/* Documents that are added together. */
typedef struct addition {
    nd_index_update *update;
    const nd_update_source *source;
    uint32_t *row_of; /* by document: its row; UINT32_MAX: it is not added */
    uint32_t *document_at;
    uint32_t count;
    nd_segment_writer *writer; /* NULL: rows go to the write-ahead log */
    const uint64_t *keys;      /* band keys, row by row, for the log */
} addition;

/* Finds the kept documents of the ranks base + [begin, end) that are not in the index yet. */
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

/* Makes a row. It is valid until the buffers are used again. */
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

/* Writes a row to the segment, or to `log` if it is not NULL. */
static nd_status write_row(const addition *x, uint32_t number, nd_store *log, row_buffers *b,
                           nd_error *error) {
    nd_stored_document row;
    ND_TRY(make_row(x, number, b, &row, error));
    if (!log) return nd_segment_put_document(x->writer, &row, error);
    row.keys = x->keys + (size_t)number * x->update->settings.bands;
    return nd_store_add(log, &row, error);
}

/* No progress is reported while rows go to the log. The caller's function might search the index,
 * and the search would wait for this thread. */
static nd_status write_rows(const addition *x, nd_store *log, nd_error *error) {
    enum { PROGRESS_ROWS = 4096 };
    const nd_run *run = x->update->run;
    const nd_allocator *a = &run->allocator;
    size_t size = x->source->columns->sketch_size;
    row_buffers b = {.sketch = nd_allocate(a, size, 1)};
    nd_status status = b.sketch ? ND_OK : nd_fail_memory(error, size, "a sketch");
    for (uint32_t number = 0; status == ND_OK && number < x->count; number++) {
        status = write_row(x, number, log, &b, error);
        if (status == ND_OK && !log && number % PROGRESS_ROWS == 0)
            status = nd_progress_report(run->progress, ND_STAGE_WRITE, number, x->count, error);
    }
    nd_release(a, b.id.bytes);
    nd_release(a, b.set.bytes);
    nd_release(a, b.sketch);
    return status;
}

/* ---- a segment */

/* Writes the band tables of the segment. Read part after part, the band keys of the rows are the
 * entries of these tables, in order. */
static nd_status write_bands(const addition *x, nd_part_buffer *buffer, nd_error *error) {
    const nd_key_sort *keys = x->source->band_keys;
    for (size_t part = 0; part < nd_key_sort_parts(keys); part++) {
        ND_TRY(nd_key_sort_load(keys, part, buffer, error));
        size_t count = 0;
        for (size_t i = 0; i < buffer->count; i++) {
            uint32_t row = x->row_of[(uint32_t)buffer->words[i]];
            if (row != UINT32_MAX) buffer->words[count++] = buffer->words[i] >> 32 << 32 | row;
        }
        if (x->source->ranks->order) nd_radix_sort(buffer->words, buffer->scratch, count, 0);
        ND_TRY(nd_segment_put_words(x->writer, part, buffer->words, count, error));
    }
    return ND_OK;
}

static nd_status write_documents(const addition *x, nd_error *error) {
    nd_part_buffer buffer = {0};
    ND_TRY(write_rows(x, NULL, error));
    nd_status status = write_bands(x, &buffer, error);
    nd_part_buffer_free(&x->update->run->allocator, &buffer);
    return status;
}

static nd_status write_segment(addition *x, nd_manifest_segment *segment, nd_error *error) {
    nd_index_update *u = x->update;
    const nd_run *run = u->run;
    char *path;
    segment->documents = x->count;
    ND_TRY(nd_store_segment_path(u->index->store, &path, &segment->file, error));
    const nd_segment_request request = {
        .path = path,
        .settings = &u->settings,
        .documents = x->count,
        .disk = run->space,
        .memory_limit = nd_memory_share(&run->budget, ND_MEMORY_SEGMENT),
        .allocator = &run->allocator};
    nd_status status = nd_segment_writer_create(&request, &x->writer, error);
    if (status == ND_OK) status = write_documents(x, error);
    if (status == ND_OK) status = nd_segment_finish(x->writer, &segment->seal, error);
    nd_segment_writer_free(x->writer);
    x->writer = NULL;
    nd_release(&u->index->allocator, path);
    return status;
}

/* Returns the mark of the job: all documents that it has added so far, and `more` documents behind
 * the last one of the index. */
static nd_ingest_mark mark_of(const nd_index_update *u, uint32_t more) {
    return (nd_ingest_mark){.batch = u->job,
                            .begin = u->earlier.end > 0 ? u->earlier.begin : u->base,
                            .end = nd_store_document_count(u->store) + more,
                            .finished = true};
}

/* Whether more documents of the job will follow. */
typedef enum job_end { JOB_GOES_ON, JOB_ENDS } job_end;

static nd_status add_segment(addition *x, job_end end, nd_error *error) {
    nd_index_update *u = x->update;
    nd_manifest_segment segment = {0};
    if (x->count > 0) ND_TRY(write_segment(x, &segment, error));
    nd_ingest_mark mark = mark_of(u, x->count);
    mark.finished = end == JOB_ENDS;
    const nd_index_publication publication = {.segment = x->count > 0 ? &segment : NULL,
                                              .mark = &mark,
                                              .removed = u->replaced_numbers,
                                              .removed_count = u->replaced_count};
    ND_TRY(nd_index_store_publish(u->index, &publication, error));
    u->replaced_count = 0;
    return ND_OK;
}

/* ---- few documents: the write-ahead log */

static nd_status gather_keys(const addition *x, uint64_t *keys, nd_error *error) {
    const nd_key_sort *sorter = x->source->band_keys;
    uint32_t bands = x->update->settings.bands;
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    for (size_t part = 0; status == ND_OK && part < nd_key_sort_parts(sorter); part++) {
        status = nd_key_sort_load(sorter, part, &buffer, error);
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

/* nd_index_ingest_fn; `context` is the addition. */
static nd_status add_rows(void *context, nd_store *store, nd_error *error) {
    const addition *x = context;
    const nd_index_update *u = x->update;
    ND_TRY(write_rows(x, store, error));
    for (size_t i = 0; i < u->replaced_count; i++)
        ND_TRY(nd_store_remove(store, u->replaced_numbers[i], error));
    return ND_OK;
}

/* Adds the rows to the log as one group of records: all of them or none. This ends the job. */
static nd_status add_to_log(addition *x, nd_error *error) {
    nd_index_update *u = x->update;
    const nd_allocator *a = &u->run->allocator;
    size_t count = (size_t)x->count * u->settings.bands;
    uint64_t *keys = nd_allocate(a, count, sizeof *keys);
    if (!keys) return nd_fail_memory(error, count * sizeof *keys, "band keys");
    x->keys = keys;
    nd_status status = gather_keys(x, keys, error);
    const nd_ingest_mark mark = mark_of(u, x->count);
    if (status == ND_OK) {
        u->job_state = ENDED;
        status = nd_index_end_ingest_in_log(u->index, add_rows, x, x->count > 0 ? &mark : NULL,
                                            error);
    }
    nd_release(a, keys);
    return status == ND_OK && u->options->index.sync != ND_SYNC_OFF
               ? nd_index_store_sync(u->index, error)
               : status;
}

/* Whether the rows go to the log. They always do with an index in memory, because it has no
 * segments. */
static bool goes_to_log(const addition *x) {
    const nd_index_update *u = x->update;
    const nd_columns *columns = x->source->columns;
    nd_ingest_mark last = nd_store_ingest_mark(u->store);
    bool alone = !u->options->index.replace && u->committed == 0 &&
                 (last.end == 0 || last.finished);
    bool small = x->count <= FEW_DOCUMENTS && columns->sets.size + columns->ids.size <= FEW_BYTES;
    return nd_store_is_in_memory(u->store) || (alone && small && !nd_store_is_full(u->store));
}

/* ---- merging what earlier batches have left */

nd_status nd_index_update_begin_merge(nd_index_update *u, uint32_t documents, nd_error *error) {
    nd_error failure;
    bool small = documents <= FEW_DOCUMENTS && !u->options->index.replace;
    if (small || nd_store_is_in_memory(u->store)) return ND_OK;
    nd_status status = nd_index_begin_merge(u->index, u->run->threads > 1, &failure);
    if (status == ND_ERR_CANCELLED) return nd_fail_as(error, &failure);
    if (status != ND_OK)
        nd_warn(&u->run->warnings, "segments of the index could not be merged: %s",
                failure.message);
    return ND_OK;
}

/* ---- adding */

/* Whether an earlier run finished the job, so that there is nothing to add and nothing to mark. */
static bool nothing_to_add(const addition *x, job_end end) {
    const nd_index_update *u = x->update;
    return x->count == 0 && u->earlier.finished && end == JOB_ENDS && u->committed == 0;
}

/* Adds the kept documents of the ranks from base + committed to base + decided. */
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
    /* Replaced documents must be removed together with adding the documents that replace them, so
     * there are no checkpoints then. */
    if (u->options->index.replace || nd_store_is_in_memory(u->store) ||
        decided == source->columns->count || nd_seconds() - u->last_checkpoint < CHECKPOINT_SECONDS)
        return ND_OK;
    ND_TRY(add_kept(u, source, decided, JOB_GOES_ON, error));
    u->last_checkpoint = nd_seconds();
    return ND_OK;
}

nd_status nd_index_update_finish(nd_index_update *u, const nd_update_source *source,
                                 nd_error *error) {
    nd_error failure;
    ND_TRY(add_kept(u, source, (uint32_t)source->columns->count, JOB_ENDS, error));
    if (u->job_state == ENDED) return ND_OK;
    u->job_state = ENDED;
    if (nd_index_end_ingest(u->index, &failure) != ND_OK)
        nd_warn(&u->run->warnings,
                "the batch is in the index, but segments could not be merged: %s", failure.message);
    return ND_OK;
}

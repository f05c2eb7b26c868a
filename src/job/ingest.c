/* Stage "read". Each worker takes a block of records, makes columns of it, waits for its turn and stores them: so documents are numbered in the order of input
 * whoever worked on them. */
#include "job/job.h"

#include "base/workers.h"
#include "match/band_key.h"
#include "sketch/minhash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A document in the columns of a block. */
typedef struct column_entry {
    uint32_t record; /* index in the block */
    uint64_t text_hash[2];
    uint64_t priority;
    size_t id_start, id_length; /* in the block's id bytes */
    bool id_given;
} column_entry;

/* What a worker makes of a block; reused from block to block. */
typedef struct columns {
    column_entry *entries;
    size_t count, entry_capacity;
    uint8_t *sketches;
    size_t sketch_capacity;
    uint64_t *keys; /* bands a document */
    size_t key_capacity;
    char *ids;
    size_t id_size, id_capacity;
    char *warnings; /* one after the other, each ended by NUL */
    size_t warning_size, warning_capacity;
    uint64_t text_bytes, skipped;
} columns;

typedef struct ingest {
    nd_job *job;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint64_t next; /* block to be stored */
    bool failed;
    bool by_priority;
} ingest;

typedef struct ingest_worker {
    ingest *shared;
    nd_reader *reader;
    nd_analyzer *analyzer;
    nd_block block;
    columns columns;
    uint32_t *signature;
} ingest_worker;

/* ---- columns of a block */

static nd_status add_id(nd_job *job, columns *c, column_entry *entry, const char *id, size_t length, nd_error *error) {
    if (!nd_reserve(&job->allocator, &c->ids, &c->id_capacity, c->id_size + length)) return nd_fail_memory(error, length, "ids");
    if (length > 0) memcpy(c->ids + c->id_size, id, length);
    entry->id_start = c->id_size;
    entry->id_length = length;
    c->id_size += length;
    return ND_OK;
}

/* The record's own id, or its place: FILE:LINE, or the number of a callback's record. */
static nd_status add_document_id(nd_job *job, columns *c, column_entry *entry, const nd_block *block, const nd_document *document, nd_error *error) {
    entry->id_given = document->id != NULL;
    if (document->id) return add_id(job, c, entry, document->id, document->id_length, error);
    const nd_source *source = nd_corpus_source(job->corpus, block->source);
    char line[32];
    int length = snprintf(line, sizeof line, "%s%llu", source->kind == ND_SOURCE_CALLBACK ? "" : ":",
                          (unsigned long long)block->records[entry->record].line);
    if (source->kind == ND_SOURCE_CALLBACK) return add_id(job, c, entry, line, (size_t)length, error);
    ND_TRY(add_id(job, c, entry, source->name, strlen(source->name), error));
    size_t start = entry->id_start, name_length = entry->id_length;
    ND_TRY(add_id(job, c, entry, line, (size_t)length, error));
    entry->id_start = start;
    entry->id_length += name_length;
    return ND_OK;
}

static nd_status add_warning(nd_job *job, columns *c, const char *message, nd_error *error) {
    size_t length = strlen(message) + 1;
    if (!nd_reserve(&job->allocator, &c->warnings, &c->warning_capacity, c->warning_size + length)) return nd_fail_memory(error, length, "a message");
    memcpy(c->warnings + c->warning_size, message, length);
    c->warning_size += length;
    return ND_OK;
}

/* Priorities as integers of which the greatest is taken first. */
static uint64_t ordered_double(double value) {
    uint64_t bits;
    value += 0.0; /* -0 and 0 are one value */
    memcpy(&bits, &value, 8);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t priority_of(const nd_job_options *options, const nd_document *document) {
    if (options->keep == ND_KEEP_LONGEST) return document->length;
    if (!document->has_priority || isnan(document->priority)) return 0; /* below every number: ordered_double gives at least 2^52 */
    uint64_t ordered = ordered_double(document->priority);
    return options->keep == ND_KEEP_MIN ? ~ordered : ordered;
}

static nd_status add_document(ingest_worker *w, size_t record, const nd_document *document, nd_error *error) {
    nd_job *job = w->shared->job;
    columns *c = &w->columns;
    const nd_plan *plan = &job->plan;
    nd_shingles shingles;
    ND_TRY(nd_analyze(w->analyzer, document->text, document->length, &shingles, error));
    nd_minhash_sign(job->minhash, shingles.hashes, shingles.count, w->signature);
    if (!nd_reserve(&job->allocator, &c->entries, &c->entry_capacity, c->count + 1) ||
        !nd_reserve(&job->allocator, &c->sketches, &c->sketch_capacity, (c->count + 1) * plan->perms) ||
        !nd_reserve(&job->allocator, &c->keys, &c->key_capacity, (c->count + 1) * plan->bands))
        return nd_fail_memory(error, plan->perms, "the columns of a block");
    nd_minhash_sketch(w->signature, plan->perms, c->sketches + c->count * plan->perms);
    uint64_t *keys = c->keys + c->count * plan->bands;
    for (uint32_t b = 0; b < plan->bands; b++) keys[b] = nd_band_key(w->signature + b * plan->rows, plan->rows);
    column_entry *entry = &c->entries[c->count];
    *entry = (column_entry){.record = (uint32_t)record, .text_hash = {shingles.text_hash[0], shingles.text_hash[1]}};
    entry->priority = priority_of(&job->options, document);
    ND_TRY(add_document_id(job, c, entry, &w->block, document, error));
    c->text_bytes += document->length;
    c->count++;
    return ND_OK;
}

static nd_status make_columns(ingest_worker *w, nd_error *error) {
    nd_job *job = w->shared->job;
    columns *c = &w->columns;
    c->count = c->id_size = c->warning_size = 0;
    c->text_bytes = c->skipped = 0;
    for (size_t i = 0; i < w->block.count; i++) {
        nd_document document;
        nd_record_state state;
        char why[700];
        ND_TRY(nd_reader_parse(w->reader, &w->block, i, &document, &state, why, sizeof why, error));
        if (state == ND_RECORD_FINE) {
            ND_TRY(add_document(w, i, &document, error));
            continue;
        }
        bool skip = job->options.skip_errors || (state == ND_RECORD_INVALID_TEXT && job->options.invalid == ND_INVALID_SKIP);
        if (!skip) return nd_fail(error, ND_ERR_INPUT, "%s", why);
        ND_TRY(add_warning(job, c, why, error));
        c->skipped++;
    }
    if (w->block.broken) {
        ND_TRY(add_warning(job, c, w->block.broken, error));
        c->skipped++;
    }
    return ND_OK;
}

/* ---- storing, one block at a time */

/* Band keys go to as many places as there are bands: those of the document after the next are fetched meanwhile. */
enum { AHEAD = 2 };

static void prefetch_keys(const nd_job *job, const columns *c, size_t i) {
    if (i >= c->count) return;
    for (uint32_t b = 0; b < job->plan.bands; b++) nd_part_sorter_prefetch(job->bands, nd_band_part(b, c->keys[i * job->plan.bands + b]));
}

static nd_status store_document(nd_job *job, const ingest_worker *w, size_t i, nd_error *error) {
    const columns *c = &w->columns;
    const column_entry *entry = &c->entries[i];
    const nd_raw_record *record = &w->block.records[entry->record];
    uint32_t document = (uint32_t)job->documents.count;
    ND_TRY(nd_document_add(&job->documents, record->place, record->length, error));
    for (uint32_t b = 0; b < job->plan.bands; b++) {
        uint64_t key = c->keys[i * job->plan.bands + b];
        ND_TRY(nd_part_sorter_push(job->bands, nd_band_part(b, key), nd_band_word(key, document), error));
    }
    ND_TRY(nd_part_sorter_push(job->hash_order, (size_t)(entry->text_hash[0] >> 56), entry->text_hash[0] << 32 | document, error));
    ND_TRY(nd_spool_append(&job->hashes, entry->text_hash, sizeof entry->text_hash, error));
    if (w->shared->by_priority) ND_TRY(nd_spool_append(&job->priorities, &entry->priority, 8, error));
    const char *id = c->ids + entry->id_start;
    if (entry->id_given) {
        static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
        uint64_t hash = nd_mix64(nd_hash_token(&key, id, entry->id_length));
        ND_TRY(nd_part_sorter_push(job->id_order, (size_t)(hash >> 56), hash << 32 | document, error));
    }
    ND_TRY(nd_spool_append(&job->ids, &record->line, 8, error));
    ND_TRY(nd_spool_append(&job->ids, id, entry->id_length, error));
    return nd_spool_append(&job->id_ends, &job->ids.size, 8, error);
}

static nd_status store_block(ingest_worker *w, nd_error *error) {
    nd_job *job = w->shared->job;
    const columns *c = &w->columns;
    for (const char *m = c->warnings; m && m < c->warnings + c->warning_size; m += strlen(m) + 1) nd_job_warn(job, m);
    nd_source *source = nd_corpus_source(job->corpus, w->block.source);
    if (source->first_document == UINT64_MAX) source->first_document = job->documents.count;
    ND_TRY(nd_spool_append(&job->sketches, c->sketches, c->count * job->plan.perms, error));
    for (size_t i = 0; i < c->count; i++) {
        prefetch_keys(job, c, i + AHEAD);
        ND_TRY(store_document(job, w, i, error));
    }
    job->summary.text_bytes += c->text_bytes;
    /* The files of a tree may be compressed: what they held is their texts. */
    job->summary.input_bytes += source->kind == ND_SOURCE_TREE ? c->text_bytes : w->block.input_bytes;
    job->summary.skipped += c->skipped;
    return nd_job_progress(job, ND_STAGE_READ, nd_corpus_read_bytes(job->corpus), nd_corpus_total_bytes(job->corpus), error);
}

/* Waits for the block's turn and stores it, or tells the failure that it met, so that of several the first in the order of input is told. *stop: another block
 * failed before this one. */
static nd_status take_turn(ingest_worker *w, nd_status status, bool *stop, nd_error *error) {
    ingest *shared = w->shared;
    pthread_mutex_lock(&shared->lock);
    while (shared->next != w->block.number && !shared->failed) pthread_cond_wait(&shared->turn, &shared->lock);
    *stop = shared->failed;
    if (!*stop && status == ND_OK) status = store_block(w, error);
    if (!*stop && status != ND_OK) shared->failed = true;
    shared->next++;
    pthread_cond_broadcast(&shared->turn);
    pthread_mutex_unlock(&shared->lock);
    return *stop ? ND_OK : status;
}

/* ---- workers */

static nd_status work(ingest_worker *w, nd_error *error) {
    for (bool stop = false; !stop;) {
        nd_status status = nd_corpus_next_block(w->shared->job->corpus, &w->block, error);
        if (w->block.end) return status;
        if (status == ND_OK) status = make_columns(w, error);
        nd_reader_let_go(w->reader);
        status = take_turn(w, status, &stop, error);
        if (status != ND_OK) return status;
    }
    return ND_OK;
}

static nd_status ingest_run(void *context, uint32_t index, nd_error *error) {
    (void)index;
    ingest *shared = context;
    nd_job *job = shared->job;
    ingest_worker w = {.shared = shared};
    nd_analyzer_options analyzer = {job->options.analyzer, job->options.ngram, job->options.seed};
    nd_status status = nd_reader_create(job->corpus, &w.reader, error);
    if (status == ND_OK) status = nd_analyzer_create(&analyzer, &job->allocator, &w.analyzer, error);
    if (status == ND_OK) {
        w.signature = nd_allocate(&job->allocator, job->plan.perms, sizeof *w.signature);
        if (!w.signature) status = nd_fail_memory(error, job->plan.perms * sizeof *w.signature, "a signature");
    }
    if (status == ND_OK) status = work(&w, error);
    nd_release(&job->allocator, w.signature);
    nd_analyzer_free(w.analyzer);
    nd_reader_free(w.reader);
    nd_block_free(job->corpus, &w.block);
    nd_release(&job->allocator, w.columns.entries);
    nd_release(&job->allocator, w.columns.sketches);
    nd_release(&job->allocator, w.columns.keys);
    nd_release(&job->allocator, w.columns.ids);
    nd_release(&job->allocator, w.columns.warnings);
    return status;
}

static nd_status make_sorters(nd_job *job, nd_error *error) {
    size_t parts = (size_t)job->plan.bands << ND_BAND_PART_BITS;
    ND_TRY(nd_part_sorter_create(&job->allocator, &job->disk, parts, nd_job_share(job, SHARE_BANDS), "band keys", &job->bands, error));
    ND_TRY(nd_part_sorter_create(&job->allocator, &job->disk, 256, nd_job_share(job, SHARE_HASHES), "text hashes", &job->hash_order, error));
    return nd_part_sorter_create(&job->allocator, &job->disk, 256, nd_job_share(job, SHARE_HASHES), "id hashes", &job->id_order, error);
}

nd_status nd_job_ingest(nd_job *job, nd_error *error) {
    job->documents.allocator = job->allocator;
    nd_spool_init(&job->sketches, &job->allocator, &job->disk, nd_job_share(job, SHARE_SKETCHES), "sketches");
    nd_spool_init(&job->hashes, &job->allocator, &job->disk, nd_job_share(job, SHARE_HASHES), "text hashes");
    nd_spool_init(&job->ids, &job->allocator, &job->disk, nd_job_share(job, SHARE_IDS), "ids");
    nd_spool_init(&job->id_ends, &job->allocator, &job->disk, nd_job_share(job, SHARE_IDS / 2), "ids");
    nd_spool_init(&job->priorities, &job->allocator, &job->disk, nd_job_share(job, SHARE_HASHES), "priorities");
    nd_spool_init(&job->verdicts, &job->allocator, &job->disk, nd_job_share(job, SHARE_HASHES), "verdicts");
    nd_spool_init(&job->found_pairs, &job->allocator, &job->disk, nd_job_share(job, SHARE_HASHES), "pairs");
    ND_TRY(make_sorters(job, error));
    for (size_t s = 0; s < nd_corpus_sources(job->corpus); s++) nd_corpus_source(job->corpus, s)->first_document = UINT64_MAX;
    ingest shared = {.job = job, .by_priority = job->options.keep != ND_KEEP_FIRST};
    pthread_mutex_init(&shared.lock, NULL);
    pthread_cond_init(&shared.turn, NULL);
    nd_status status = nd_run_workers(&job->allocator, job->threads, ingest_run, &shared, error);
    pthread_cond_destroy(&shared.turn);
    pthread_mutex_destroy(&shared.lock);
    job->summary.documents = job->documents.count;
    return status;
}

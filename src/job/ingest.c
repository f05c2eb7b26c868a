/* Stage "read". Each worker takes a block of records and makes columns of it. A block whose turn has not come is laid down, and its worker goes on with another;
 * who finishes the one whose turn it is stores it and all that wait behind it: so documents are numbered in the order of input whoever worked on them. */
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

/* What a worker makes of a block. */
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

/* A block on its way; reused from block to block. */
typedef struct batch {
    nd_block block;
    columns columns;
    nd_error failure; /* met on the way, told when the block's turn comes */
} batch;

/* As many are laid down as there are workers, at most. */
enum { BATCHES_A_WORKER = 2 };

typedef struct ingest {
    nd_job *job;
    bool by_priority;
    uint32_t batch_count;
    batch *batches;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    batch **spare;
    uint32_t spare_count;
    batch **laid_down; /* block b at b % batch_count */
    uint64_t next;     /* block to be stored */
    bool storing, failed;
} ingest;

typedef struct ingest_worker {
    ingest *shared;
    nd_reader *reader;
    nd_analyzer *analyzer;
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

static nd_status add_document(ingest_worker *w, batch *b, size_t record, const nd_document *document, nd_error *error) {
    nd_job *job = w->shared->job;
    columns *c = &b->columns;
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
    for (uint32_t band = 0; band < plan->bands; band++) keys[band] = nd_band_key(w->signature + band * plan->rows, plan->rows);
    column_entry *entry = &c->entries[c->count];
    *entry = (column_entry){.record = (uint32_t)record, .text_hash = {shingles.text_hash[0], shingles.text_hash[1]}};
    entry->priority = priority_of(&job->options, document);
    ND_TRY(add_document_id(job, c, entry, &b->block, document, error));
    c->text_bytes += document->length;
    c->count++;
    return ND_OK;
}

static nd_status make_columns(ingest_worker *w, batch *b, nd_error *error) {
    nd_job *job = w->shared->job;
    columns *c = &b->columns;
    c->count = c->id_size = c->warning_size = 0;
    c->text_bytes = c->skipped = 0;
    for (size_t i = 0; i < b->block.count; i++) {
        nd_document document;
        nd_record_state state;
        char why[700];
        ND_TRY(nd_reader_parse(w->reader, &b->block, i, &document, &state, why, sizeof why, error));
        if (state == ND_RECORD_FINE) {
            ND_TRY(add_document(w, b, i, &document, error));
            continue;
        }
        bool skip = job->options.skip_errors || (state == ND_RECORD_INVALID_TEXT && job->options.invalid == ND_INVALID_SKIP);
        if (!skip) return nd_fail(error, ND_ERR_INPUT, "%s", why);
        ND_TRY(add_warning(job, c, why, error));
        c->skipped++;
    }
    if (b->block.broken) {
        ND_TRY(add_warning(job, c, b->block.broken, error));
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

static nd_status store_document(const ingest *shared, const batch *b, size_t i, nd_error *error) {
    nd_job *job = shared->job;
    const columns *c = &b->columns;
    const column_entry *entry = &c->entries[i];
    const nd_raw_record *record = &b->block.records[entry->record];
    uint32_t document = (uint32_t)job->documents.count;
    ND_TRY(nd_document_add(&job->documents, record->place, record->length, error));
    for (uint32_t band = 0; band < job->plan.bands; band++) {
        uint64_t key = c->keys[i * job->plan.bands + band];
        ND_TRY(nd_part_sorter_push(job->bands, nd_band_part(band, key), nd_band_word(key, document), error));
    }
    ND_TRY(nd_part_sorter_push(job->hash_order, (size_t)(entry->text_hash[0] >> 56), entry->text_hash[0] << 32 | document, error));
    ND_TRY(nd_spool_append(&job->hashes, entry->text_hash, sizeof entry->text_hash, error));
    if (shared->by_priority) ND_TRY(nd_spool_append(&job->priorities, &entry->priority, 8, error));
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

static nd_status store_batch(const ingest *shared, const batch *b, nd_error *error) {
    nd_job *job = shared->job;
    const columns *c = &b->columns;
    for (const char *m = c->warnings; m && m < c->warnings + c->warning_size; m += strlen(m) + 1) nd_job_warn(job, m);
    nd_source *source = nd_corpus_source(job->corpus, b->block.source);
    if (source->first_document == UINT64_MAX) source->first_document = job->documents.count;
    ND_TRY(nd_spool_append(&job->sketches, c->sketches, c->count * job->plan.perms, error));
    for (size_t i = 0; i < c->count; i++) {
        prefetch_keys(job, c, i + AHEAD);
        ND_TRY(store_document(shared, b, i, error));
    }
    job->summary.text_bytes += c->text_bytes;
    /* The files of a tree may be compressed: what they held is their texts. */
    job->summary.input_bytes += source->kind == ND_SOURCE_TREE ? c->text_bytes : b->block.input_bytes;
    job->summary.skipped += c->skipped;
    return nd_job_progress(job, ND_STAGE_READ, nd_corpus_read_bytes(job->corpus), nd_corpus_total_bytes(job->corpus), error);
}

/* Stores the batch whose turn it is and those that wait behind it. Of several failures the first in the order of input is told. Under the lock, which is open
 * meanwhile. */
static nd_status store_in_turn(ingest *shared, nd_error *error) {
    nd_status status = ND_OK;
    for (batch *b; !shared->failed && (b = shared->laid_down[shared->next % shared->batch_count]);) {
        shared->laid_down[shared->next % shared->batch_count] = NULL;
        pthread_mutex_unlock(&shared->lock);
        status = b->failure.status == ND_OK ? store_batch(shared, b, error) : nd_fail(error, b->failure.status, "%s", b->failure.message);
        nd_block_let_go(shared->job->corpus, &b->block);
        pthread_mutex_lock(&shared->lock);
        shared->failed = status != ND_OK;
        shared->next++;
        shared->spare[shared->spare_count++] = b;
        pthread_cond_broadcast(&shared->changed);
    }
    return status;
}

/* Lays a finished batch down, and stores where it is its turn and nobody does. One with a large record waits for its turn, for its worker holds the gate. */
static nd_status hand_over(ingest *shared, batch *b, nd_error *error) {
    nd_status status = ND_OK;
    pthread_mutex_lock(&shared->lock);
    while (b->block.holds_gate && !shared->failed && (shared->next != b->block.number || shared->storing))
        pthread_cond_wait(&shared->changed, &shared->lock);
    shared->laid_down[b->block.number % shared->batch_count] = b;
    if (!shared->storing) {
        shared->storing = true;
        status = store_in_turn(shared, error);
        shared->storing = false;
        pthread_cond_broadcast(&shared->changed);
    }
    pthread_mutex_unlock(&shared->lock);
    return status;
}

/* A batch to work on; NULL when the work has failed elsewhere. */
static batch *take_spare(ingest *shared) {
    pthread_mutex_lock(&shared->lock);
    while (shared->spare_count == 0 && !shared->failed) pthread_cond_wait(&shared->changed, &shared->lock);
    batch *b = shared->failed ? NULL : shared->spare[--shared->spare_count];
    pthread_mutex_unlock(&shared->lock);
    return b;
}

/* ---- workers */

static nd_status work(ingest_worker *w, nd_error *error) {
    ingest *shared = w->shared;
    for (batch *b; (b = take_spare(shared));) {
        b->failure.status = ND_OK;
        nd_status status = nd_corpus_next_block(shared->job->corpus, &b->block, &b->failure);
        if (b->block.end) break;
        if (status == ND_OK) make_columns(w, b, &b->failure);
        nd_reader_let_go(w->reader);
        ND_TRY(hand_over(shared, b, error));
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
    return status;
}

/* ---- the stage */

static nd_status make_batches(ingest *shared, nd_error *error) {
    const nd_allocator *a = &shared->job->allocator;
    shared->batch_count = BATCHES_A_WORKER * shared->job->threads;
    shared->batches = nd_allocate_zero(a, shared->batch_count, sizeof *shared->batches);
    shared->spare = nd_allocate_zero(a, shared->batch_count, sizeof *shared->spare);
    shared->laid_down = nd_allocate_zero(a, shared->batch_count, sizeof *shared->laid_down);
    if (!shared->batches || !shared->spare || !shared->laid_down)
        return nd_fail_memory(error, shared->batch_count * sizeof(batch), "blocks of records");
    for (uint32_t i = 0; i < shared->batch_count; i++) shared->spare[shared->spare_count++] = &shared->batches[i];
    return ND_OK;
}

static void free_batches(ingest *shared) {
    const nd_allocator *a = &shared->job->allocator;
    for (uint32_t i = 0; shared->batches && i < shared->batch_count; i++) {
        columns *c = &shared->batches[i].columns;
        nd_block_free(shared->job->corpus, &shared->batches[i].block);
        nd_release(a, c->entries);
        nd_release(a, c->sketches);
        nd_release(a, c->keys);
        nd_release(a, c->ids);
        nd_release(a, c->warnings);
    }
    nd_release(a, shared->batches);
    nd_release(a, shared->spare);
    nd_release(a, shared->laid_down);
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
    pthread_cond_init(&shared.changed, NULL);
    nd_status status = make_batches(&shared, error);
    if (status == ND_OK) status = nd_run_workers(&job->allocator, job->threads, ingest_run, &shared, error);
    free_batches(&shared);
    pthread_cond_destroy(&shared.changed);
    pthread_mutex_destroy(&shared.lock);
    job->summary.documents = job->documents.count;
    return status;
}

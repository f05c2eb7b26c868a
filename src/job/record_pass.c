#include "job/record_pass.h"

#include "base/workers.h"

#include <string.h>

/* A block on its way; reused from block to block. */
typedef struct batch {
    nd_block block;
    void *made;
    char *warnings; /* one after the other, each ended by NUL */
    size_t warning_size, warning_capacity;
    uint64_t text_bytes, skipped;
    uint64_t fine, with_id, with_priority; /* documents */
    nd_error failure;                      /* met on the way, told when the block's turn comes */
} batch;

/* As many are laid down as there are workers, at most. */
enum { BATCHES_A_WORKER = 2 };

typedef struct running {
    const nd_record_pass *pass;
    nd_job *job;
    uint32_t batch_count;
    batch *batches;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    batch **spare;
    uint32_t spare_count;
    batch **laid_down;                     /* block b at b % batch_count */
    uint64_t next;                         /* block to be put */
    uint64_t fine, with_id, with_priority; /* documents that were put */
    bool putting, failed;
} running;

typedef struct pass_worker {
    running *shared;
    nd_reader *reader;
    void *own;
} pass_worker;

/* ---- ids */

nd_status nd_document_id(const nd_job *job, const nd_block *block, size_t record,
                         const nd_document *document, nd_id_buffer *buffer, nd_error *error) {
    return nd_corpus_document_id(job->corpus, block, record, document, buffer, error);
}

/* ---- a block */

static nd_status add_warning(nd_job *job, batch *b, const char *message, nd_error *error) {
    size_t length = strlen(message) + 1;
    if (!nd_reserve(&job->allocator, &b->warnings, &b->warning_capacity, b->warning_size + length))
        return nd_fail_memory(error, length, "a message");
    memcpy(b->warnings + b->warning_size, message, length);
    b->warning_size += length;
    b->skipped++;
    return ND_OK;
}

/* Makes of a document what is wanted. A text that is refused is a bad record, and `why` begins with
 * its place as the reader's messages do. */
static nd_status take(pass_worker *w, batch *b, size_t i, const nd_document *document,
                      nd_record_state *state, nd_error *why, nd_error *error) {
    const nd_record_pass *pass = w->shared->pass;
    nd_error failure;
    nd_status status = pass->take(pass->context, w->own, b->made, &b->block, i, document, &failure);
    if (status == ND_OK) return ND_OK;
    if (status != ND_ERR_INPUT) return nd_fail(error, status, "%s", failure.message);
    const nd_source *source = nd_corpus_source(w->shared->job->corpus, b->block.source);
    unsigned long long line = b->block.records[i].line;
    *state = ND_RECORD_BAD;
    if (source->kind == ND_SOURCE_LINES)
        nd_fail(why, status, "%s:%llu: %s", nd_source_title(source), line, failure.message);
    else if (source->kind == ND_SOURCE_TREE)
        nd_fail(why, status, "%s/%s: %s", source->name, b->block.bytes + b->block.records[i].start,
                failure.message);
    else nd_fail(why, status, "record %llu: %s", line, failure.message);
    return ND_OK;
}

static nd_status make(pass_worker *w, batch *b, nd_error *error) {
    const nd_record_pass *pass = w->shared->pass;
    nd_job *job = w->shared->job;
    pass->begin(b->made);
    for (size_t i = 0; i < b->block.count; i++) {
        nd_document document;
        nd_record_state state;
        nd_error why;
        ND_TRY(nd_reader_parse(w->reader, &b->block, i, &document, &state, &why, error));
        if (state == ND_RECORD_FINE) ND_TRY(take(w, b, i, &document, &state, &why, error));
        if (state == ND_RECORD_FINE) {
            b->text_bytes += document.length;
            b->fine++;
            b->with_id += document.id != NULL;
            b->with_priority += document.has_priority;
            continue;
        }
        bool skip = job->options.skip_errors ||
                    (state == ND_RECORD_INVALID_TEXT && job->options.invalid == ND_INVALID_SKIP);
        if (!skip) return nd_fail(error, ND_ERR_INPUT, "%s", why.message);
        ND_TRY(add_warning(job, b, why.message, error));
    }
    return b->block.broken ? add_warning(job, b, b->block.broken, error) : ND_OK;
}

/* ---- putting, one block at a time */

static nd_status put_batch(running *shared, const batch *b, nd_error *error) {
    nd_job *job = shared->job;
    for (const char *m = b->warnings; m && m < b->warnings + b->warning_size; m += strlen(m) + 1)
        nd_job_warn(job, "%s", m);
    ND_TRY(shared->pass->put(shared->pass->context, b->made, &b->block, error));
    job->summary.text_bytes += b->text_bytes;
    /* The files of a tree may be compressed: what they held is their texts. */
    bool tree = nd_corpus_source(job->corpus, b->block.source)->kind == ND_SOURCE_TREE;
    job->summary.input_bytes += tree ? b->text_bytes : b->block.input_bytes;
    job->summary.skipped += b->skipped;
    shared->fine += b->fine;
    shared->with_id += b->with_id;
    shared->with_priority += b->with_priority;
    return nd_progress_tell(&job->progress, ND_STAGE_READ, job->summary.input_bytes,
                            nd_corpus_expected_bytes(job->corpus, job->summary.input_bytes), error);
}

/* Puts the batch whose turn it is and those that wait behind it. Of several failures the first in
 * the order of input is told. Under the lock, which is open meanwhile. */
static nd_status put_in_turn(running *shared, nd_error *error) {
    nd_status status = ND_OK;
    for (batch *b;
         !shared->failed && (b = shared->laid_down[shared->next % shared->batch_count]);) {
        shared->laid_down[shared->next % shared->batch_count] = NULL;
        pthread_mutex_unlock(&shared->lock);
        status = b->failure.status == ND_OK
                     ? put_batch(shared, b, error)
                     : nd_fail(error, b->failure.status, "%s", b->failure.message);
        nd_block_let_go(shared->job->corpus, &b->block);
        pthread_mutex_lock(&shared->lock);
        shared->failed = status != ND_OK;
        shared->next++;
        shared->spare[shared->spare_count++] = b;
        pthread_cond_broadcast(&shared->changed);
    }
    return status;
}

/* Lays a finished batch down, and puts where it is its turn and nobody does. One with a large
 * record waits for its turn, for its worker holds the gate. */
static nd_status hand_over(running *shared, batch *b, nd_error *error) {
    nd_status status = ND_OK;
    pthread_mutex_lock(&shared->lock);
    while (b->block.holds_gate && !shared->failed &&
           (shared->next != b->block.number || shared->putting))
        pthread_cond_wait(&shared->changed, &shared->lock);
    shared->laid_down[b->block.number % shared->batch_count] = b;
    if (!shared->putting) {
        shared->putting = true;
        status = put_in_turn(shared, error);
        shared->putting = false;
        pthread_cond_broadcast(&shared->changed);
    }
    pthread_mutex_unlock(&shared->lock);
    return status;
}

/* A batch to work on; NULL when the work has failed elsewhere. */
static batch *take_spare(running *shared) {
    pthread_mutex_lock(&shared->lock);
    while (shared->spare_count == 0 && !shared->failed)
        pthread_cond_wait(&shared->changed, &shared->lock);
    batch *b = shared->failed ? NULL : shared->spare[--shared->spare_count];
    pthread_mutex_unlock(&shared->lock);
    return b;
}

/* ---- workers */

static nd_status work(pass_worker *w, nd_error *error) {
    running *shared = w->shared;
    for (batch *b; (b = take_spare(shared));) {
        b->failure.status = ND_OK;
        b->warning_size = 0;
        b->text_bytes = b->skipped = b->fine = b->with_id = b->with_priority = 0;
        nd_status status = nd_corpus_next_block(shared->job->corpus, &b->block, &b->failure);
        if (b->block.end) break;
        if (status == ND_OK) make(w, b, &b->failure);
        nd_reader_let_go(w->reader);
        ND_TRY(hand_over(shared, b, error));
    }
    return ND_OK;
}

static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    (void)index;
    running *shared = context;
    const nd_record_pass *pass = shared->pass;
    pass_worker w = {.shared = shared};
    nd_status status = nd_reader_create(shared->job->corpus, &w.reader, error);
    if (status == ND_OK) status = pass->begin_worker(pass->context, &w.own, error);
    if (status == ND_OK) status = work(&w, error);
    pass->end_worker(pass->context, w.own);
    nd_reader_free(w.reader);
    return status;
}

/* ---- the pass */

static nd_status make_batches(running *shared, nd_error *error) {
    const nd_allocator *a = &shared->job->allocator;
    shared->batch_count = BATCHES_A_WORKER * shared->job->threads;
    shared->batches = nd_allocate_zero(a, shared->batch_count, sizeof *shared->batches);
    shared->spare = nd_allocate_zero(a, shared->batch_count, sizeof *shared->spare);
    shared->laid_down = nd_allocate_zero(a, shared->batch_count, sizeof *shared->laid_down);
    if (!shared->batches || !shared->spare || !shared->laid_down)
        return nd_fail_memory(error, shared->batch_count * sizeof(batch), "blocks of records");
    for (uint32_t i = 0; i < shared->batch_count; i++) {
        batch *b = shared->spare[shared->spare_count++] = &shared->batches[i];
        b->made = nd_allocate_zero(a, shared->pass->made_size, 1);
        if (!b->made) return nd_fail_memory(error, shared->pass->made_size, "blocks of records");
    }
    return ND_OK;
}

static void free_batches(running *shared) {
    const nd_record_pass *pass = shared->pass;
    const nd_allocator *a = &shared->job->allocator;
    for (uint32_t i = 0; shared->batches && i < shared->batch_count; i++) {
        batch *b = &shared->batches[i];
        nd_block_free(shared->job->corpus, &b->block);
        if (b->made) pass->free_made(pass->context, b->made);
        nd_release(a, b->made);
        nd_release(a, b->warnings);
    }
    nd_release(a, shared->batches);
    nd_release(a, shared->spare);
    nd_release(a, shared->laid_down);
}

/* A field that was named and that no record has is most likely a wrong name. */
static void warn_of_field(nd_job *job, const char *field, const char *instead) {
    nd_job_warn(job, "no record has the field %s: %s", field, instead);
}

static void warn_of_fields(const running *shared) {
    nd_job *job = shared->job;
    const nd_job_options *o = &job->options;
    if (shared->fine == 0 || nd_corpus_source(job->corpus, 0)->kind != ND_SOURCE_LINES ||
        job->passes++ > 0)
        return;
    if (shared->with_id == 0 && o->id_field && strcmp(o->id_field, "id") != 0)
        warn_of_field(job, o->id_field, "ids are FILE:LINE");
    if (shared->with_priority == 0 && job->task == ND_TASK_STREAM && o->time_field)
        warn_of_field(job, o->time_field, "no document has a time");
}

static void warn_of_links(nd_job *job) {
    unsigned long long links = nd_corpus_links(job->corpus);
    if (links == 0) return;
    nd_job_warn(job,
                "%llu symbolic link%s to files in the directories left out: --follow "
                "(follow_links) takes them",
                links, links == 1 ? "" : "s");
}

nd_status nd_record_pass_run(const nd_record_pass *pass, nd_error *error) {
    running shared = {.pass = pass, .job = pass->job};
    pthread_mutex_init(&shared.lock, NULL);
    pthread_cond_init(&shared.changed, NULL);
    nd_status status = make_batches(&shared, error);
    if (status == ND_OK)
        status = nd_run_workers(&pass->job->allocator, pass->job->threads, run_worker, &shared,
                                error);
    if (status == ND_OK) warn_of_links(pass->job);
    if (status == ND_OK) warn_of_fields(&shared);
    free_batches(&shared);
    pthread_cond_destroy(&shared.changed);
    pthread_mutex_destroy(&shared.lock);
    return status;
}

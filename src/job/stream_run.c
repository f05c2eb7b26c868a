/* A stream over the documents of an input: blocks are analyzed by several threads, and added in the order of input. What a block has is synced, some hundred documents at a time, and then answered; a block has what has
 * come so far, so that nobody waits for an answer until more comes. */
#include "job/pass_job.h"
#include "job/stream.h"

#include <math.h>

enum { ANSWERED = 512 }; /* at once: they must be known again when they are sent again (ND_RECENT) */

typedef struct runner {
    nd_job job;
    nd_stream *stream;
    nd_stream_answer_fn *fn;
    void *context;
    /* Of the documents that are not answered yet. */
    nd_stream_answer answers[ANSWERED];
    size_t clusters[ANSWERED]; /* places of their names */
    char *names;
    size_t name_size, name_capacity;
} runner;

/* A document's parts in the bytes of what was made of its block. */
typedef struct prepared {
    size_t id, id_length, words, word_bytes, text, length;
    nd_fingerprint fingerprint;
    double time;
} prepared;

typedef struct batch {
    prepared *list;
    size_t count, capacity;
    char *bytes;
    size_t size, byte_capacity;
    nd_id_buffer id; /* scratch */
} batch;

static void begin_batch(void *made) {
    batch *b = made;
    b->count = b->size = 0;
}

static size_t put(batch *b, const void *bytes, size_t size) {
    if (size > 0) memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    return b->size - size;
}

static nd_status prepare(void *context, void *worker, void *made, const nd_block *block, size_t record, const nd_document *document,
                         nd_error *error) {
    const runner *r = context;
    batch *b = made;
    nd_arrival arrival;
    ND_TRY(nd_arrival_make(worker, document->text, document->length, &arrival, error));
    ND_TRY(nd_document_id(&r->job, block, record, document, &b->id, error));
    size_t text = r->stream->index.index ? document->length : 0, size = b->id.length + arrival.word_bytes + text;
    if (!nd_reserve(&r->job.allocator, &b->list, &b->capacity, b->count + 1) ||
        !nd_reserve(&r->job.allocator, &b->bytes, &b->byte_capacity, b->size + size + 1))
        return nd_fail_memory(error, size, "documents of a stream");
    prepared *p = &b->list[b->count++];
    *p = (prepared){.id = put(b, b->id.id, b->id.length), .id_length = b->id.length};
    p->words = put(b, arrival.words, arrival.word_bytes);
    p->word_bytes = arrival.word_bytes;
    p->text = put(b, document->text, text);
    p->length = text;
    p->fingerprint = arrival.fingerprint;
    p->time = document->has_priority ? document->priority : NAN;
    return ND_OK;
}

static nd_status answer_all(runner *r, size_t count, nd_error *error) {
    ND_TRY(nd_stream_sync(r->stream, error));
    for (size_t i = 0; i < count; i++) {
        r->answers[i].cluster = r->names + r->clusters[i];
        r->answers[i].last = i + 1 == count;
        if (!r->fn(r->context, &r->answers[i])) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    r->name_size = 0;
    return ND_OK;
}

static nd_status add(runner *r, const batch *b, const prepared *p, size_t waiting, nd_error *error) {
    nd_arrival arrival = {.id = b->bytes + p->id,
                          .id_length = p->id_length,
                          .time = p->time,
                          .fingerprint = p->fingerprint,
                          .words = (const unsigned char *)b->bytes + p->words,
                          .word_bytes = p->word_bytes};
    nd_stream_answer *a = &r->answers[waiting];
    ND_TRY(nd_stream_take(r->stream, &arrival, b->bytes + p->text, p->length, a, error));
    if (!nd_reserve(&r->job.allocator, &r->names, &r->name_capacity, r->name_size + a->cluster_length + 1))
        return nd_fail_memory(error, a->cluster_length, "answers");
    if (a->cluster_length > 0) memcpy(r->names + r->name_size, a->cluster, a->cluster_length);
    r->clusters[waiting] = r->name_size;
    r->name_size += a->cluster_length;
    r->job.summary.documents++;
    return ND_OK;
}

static nd_status add_batch(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)block;
    runner *r = context;
    const batch *b = made;
    size_t waiting = 0;
    for (size_t i = 0; i < b->count; i++) {
        ND_TRY(add(r, b, &b->list[i], waiting++, error));
        if (waiting < ANSWERED && i + 1 < b->count) continue;
        ND_TRY(answer_all(r, waiting, error));
        waiting = 0;
    }
    return ND_OK;
}

static void free_batch(void *context, void *made) {
    const nd_allocator *allocator = &((runner *)context)->job.allocator;
    batch *b = made;
    nd_release(allocator, b->list);
    nd_release(allocator, b->bytes);
    nd_release(allocator, b->id.bytes);
}

static nd_status begin_worker(void *context, void **worker, nd_error *error) {
    nd_arrival_maker *maker = NULL;
    nd_status status = nd_arrival_maker_create(((runner *)context)->stream, &maker, error);
    *worker = maker;
    return status;
}

static void end_worker(void *context, void *worker) {
    (void)context;
    nd_arrival_maker_free(worker);
}

nd_status nd_stream_run(nd_stream *stream, const nd_job_options *options, nd_stream_answer_fn *fn, void *context, nd_job_summary *summary,
                        nd_error *error) {
    if (!stream || !options || !fn) return nd_fail(error, ND_ERR_ARGUMENT, "stream, options and fn must not be NULL");
    const nd_allocator allocator = nd_allocator_or_default(options->allocator);
    runner *r = nd_allocate_zero(&allocator, 1, sizeof *r);
    if (!r) return nd_fail_memory(error, sizeof *r, "a stream");
    r->stream = stream;
    r->fn = fn;
    r->context = context;
    nd_pass_job_begin(&r->job, options);
    r->job.task = ND_TASK_STREAM;
    nd_record_pass pass = {&r->job, r, sizeof(batch), begin_worker, end_worker, begin_batch, prepare, add_batch, free_batch};
    nd_status status = nd_job_open_input(&r->job, error);
    if (status == ND_OK) status = nd_record_pass_run(&pass, error);
    nd_pass_job_end(&r->job, status, summary);
    nd_release(&allocator, r->names);
    nd_release(&allocator, r);
    return status;
}

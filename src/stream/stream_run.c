/* A stream over the documents of an input: blocks are analyzed by several threads, and added in the
 * order of input. What a block has is synced, some hundred documents at a time, and then answered,
 * while the next are added; a block has what has come so far, so that nobody waits for an answer
 * until more comes. */
#include "base/floats.h"
#include "job/run_context.h"
#include "stream/stream.h"

#include "base/argument.h"

#include <math.h>

/* Of two sets: they must be known again when they are sent again. */
enum { ANSWERED = ND_RECENT / 2 };

/* Documents that are answered together. */
typedef struct answer_set {
    nd_stream_answer answers[ANSWERED];
    size_t count;
    char *names; /* of each its id, that of its cluster, and its topics */
    size_t name_size, name_capacity;
    nd_stream_topic *topics; /* of each; */
    size_t topic_count, topic_capacity;
} answer_set;

typedef struct runner {
    nd_run run;
    nd_job_summary summary;
    nd_stream *stream;
    nd_stream_answer_fn *fn;
    void *context;
    answer_set sets[2];
    answer_set *collected,
        *synced; /* those that come, and those of which nobody has been told yet */
    bool cancelled;
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

static void reset_batch(void *made) {
    batch *b = made;
    b->count = b->size = 0;
}

static size_t put(batch *b, const void *bytes, size_t size) {
    if (size > 0) memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    return b->size - size;
}

static nd_status prepare(const void *plan, void *worker, void *made, const nd_scan_item *item,
                         nd_error *error) {
    const runner *r = plan;
    const nd_document *document = item->document;
    batch *b = made;
    nd_arrival arrival;
    ND_TRY(nd_arrival_make(worker, document->text, document->length, &arrival, error));
    ND_TRY(nd_document_id(item->source, item->record, document, &r->run.allocator, &b->id, error));
    size_t text = r->stream->index.index ? document->length : 0,
           size = b->id.length + arrival.word_bytes + text;
    if (!nd_reserve(&r->run.allocator, &b->list, &b->capacity, b->count + 1) ||
        !nd_reserve(&r->run.allocator, &b->bytes, &b->byte_capacity, b->size + size + 1))
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

/* What the answers point to, now that nothing of it moves any more. */
static void point(answer_set *set) {
    const char *name = set->names;
    nd_stream_topic *topic = set->topics;
    for (size_t i = 0; i < set->count; i++) {
        nd_stream_answer *a = &set->answers[i];
        a->id = name;
        a->cluster = a->id + a->id_length;
        name = a->cluster + a->cluster_length;
        a->topics = topic;
        for (size_t t = 0; t < a->topic_count; t++, topic++) {
            topic->term = name;
            name += topic->length;
        }
        a->last = i + 1 == set->count;
    }
}

/* nd_stream_synced_fn */
static void answer_all(void *context) {
    runner *r = context;
    point(r->synced);
    for (size_t i = 0; i < r->synced->count && !r->cancelled; i++)
        r->cancelled = !r->fn(r->context, &r->synced->answers[i]);
}

/* Nothing is on its way: what is told of a set before is told, and its place is free. */
static nd_status end_sync(runner *r, nd_error *error) {
    ND_TRY(nd_stream_end_sync(r->stream, error));
    return r->cancelled ? nd_fail(error, ND_ERR_CANCELLED, "cancelled") : ND_OK;
}

/* What has been collected is answered as soon as it is durable; the next may come meanwhile. */
static nd_status hand_over(runner *r, nd_error *error) {
    ND_TRY(end_sync(r, error));
    r->synced = r->collected;
    r->collected = r->synced == r->sets ? r->sets + 1 : r->sets;
    r->collected->count = r->collected->name_size = r->collected->topic_count = 0;
    return nd_stream_begin_sync(r->stream, answer_all, r, error);
}

static void put_name(answer_set *set, const char *name, size_t length) {
    if (length > 0) memcpy(set->names + set->name_size, name, length);
    set->name_size += length;
}

/* Copies what the next document's answer points to. */
static nd_status keep(const runner *r, answer_set *set, nd_error *error) {
    const nd_stream_answer *a = &set->answers[set->count++];
    size_t size = a->id_length + a->cluster_length;
    for (size_t t = 0; t < a->topic_count; t++) size += a->topics[t].length;
    if (!nd_reserve(&r->run.allocator, &set->names, &set->name_capacity,
                    set->name_size + size + 1) ||
        !nd_reserve(&r->run.allocator, &set->topics, &set->topic_capacity,
                    set->topic_count + a->topic_count + 1))
        return nd_fail_memory(error, size, "answers");
    put_name(set, a->id, a->id_length);
    put_name(set, a->cluster, a->cluster_length);
    for (size_t t = 0; t < a->topic_count; t++) {
        put_name(set, a->topics[t].term, a->topics[t].length);
        set->topics[set->topic_count++] = a->topics[t];
    }
    return ND_OK;
}

static nd_status add(runner *r, const batch *b, const prepared *p, nd_error *error) {
    nd_arrival arrival = {.id = b->bytes + p->id,
                          .id_length = p->id_length,
                          .time = p->time,
                          .fingerprint = p->fingerprint,
                          .words = (const unsigned char *)b->bytes + p->words,
                          .word_bytes = p->word_bytes};
    answer_set *set = r->collected;
    ND_TRY(nd_stream_take(r->stream, &arrival, b->bytes + p->text, p->length,
                          &set->answers[set->count], error));
    return keep(r, set, error);
}

static nd_status add_batch(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)block;
    runner *r = context;
    const batch *b = made;
    for (size_t i = 0; i < b->count; i++) {
        ND_TRY(add(r, b, &b->list[i], error));
        if (r->collected->count == ANSWERED || i + 1 == b->count) ND_TRY(hand_over(r, error));
    }
    return ND_OK;
}

static void destroy_batch(const void *plan, void *made) {
    const nd_allocator *allocator = &((const runner *)plan)->run.allocator;
    batch *b = made;
    nd_release(allocator, b->list);
    nd_release(allocator, b->bytes);
    nd_release(allocator, b->id.bytes);
}

static nd_status create_worker(const void *plan, void **worker, nd_error *error) {
    nd_arrival_maker *maker = NULL;
    nd_status status = nd_arrival_maker_create(((const runner *)plan)->stream, &maker, error);
    *worker = maker;
    return status;
}

static void destroy_worker(const void *plan, void *worker) {
    (void)plan;
    nd_arrival_maker_free(worker);
}

static nd_status run_input(runner *r, const nd_job_options *options, nd_error *error) {
    nd_corpus *corpus = NULL;
    nd_scan_counts counts;
    const nd_scan_stage stage = {.plan = r,
                                 .result = r,
                                 .create_worker = create_worker,
                                 .map = prepare,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(batch),
                                 .reset = reset_batch,
                                 .emit = add_batch,
                                 .destroy_batch = destroy_batch};
    ND_TRY(nd_run_begin(options, &r->run, error));
    ND_TRY(nd_job_options_reject_stem(options, error));
    ND_TRY(nd_run_open_input(&r->run, options, ND_INPUT_LIVE, options->time_field, &corpus, error));
    nd_status status = nd_run_scan(&r->run, options, corpus, &stage, &counts, error);
    if (status == ND_OK) {
        nd_summary_add_scan(&r->summary, &counts);
        if (counts.documents > 0 && counts.with_priority == 0 && options->time_field &&
            nd_corpus_source(corpus, 0)->kind == ND_SOURCE_LINES)
            nd_warn(&r->run.warnings, "no record has the field %s: no document has a time",
                    options->time_field);
    }
    nd_corpus_close(corpus);
    return status;
}

nd_status nd_stream_run(nd_stream *stream, const nd_job_options *options, nd_stream_answer_fn *fn,
                        void *context, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(stream, "stream", error));
    ND_TRY(nd_need(options, "options", error));
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_stream_check_changeable(stream, error));
    const nd_allocator allocator = nd_allocator_or_default(options->allocator);
    runner *r = nd_allocate_zero(&allocator, 1, sizeof *r);
    if (!r) return nd_fail_memory(error, sizeof *r, "a stream");
    r->stream = stream;
    r->fn = fn;
    r->context = context;
    r->collected = r->sets;
    nd_status status = run_input(r, options, error);
    nd_error failure;
    nd_status ended = end_sync(r, &failure);
    if (status == ND_OK && ended != ND_OK) status = nd_fail(error, ended, "%s", failure.message);
    if (status == ND_OK && summary) {
        nd_run_fill_scan_summary(&r->run, &r->summary);
        *summary = r->summary;
    }
    nd_run_end(&r->run);
    for (size_t i = 0; i < 2; i++) {
        nd_release(&allocator, r->sets[i].names);
        nd_release(&allocator, r->sets[i].topics);
    }
    nd_release(&allocator, r);
    return status;
}

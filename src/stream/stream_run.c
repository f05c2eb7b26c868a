/* A stream over the documents of an input.
 *
 * Several threads make arrivals of the documents of a block (stream/arrival_maker.h); one thread at
 * a time adds finished blocks to the stream, in the order of input. Up to 512 documents are synced
 * together, and then answered from the log's own thread, while the next blocks are prepared and
 * added. Fewer are synced where the input has no further record at hand, so nobody waits for an
 * answer until more come. */
#include "stream/stream.h"

#include "base/argument.h"
#include "base/floats.h"
#include "job/run_context.h"

#include <math.h>

/* Documents of an answer set. There are two sets, so at most ND_RECENT documents are unanswered: if
 * they are sent again after a crash, the stream knows them all. */
enum { ANSWERED = ND_RECENT / 2 };

/* Documents that are answered together. */
typedef struct answer_set {
    nd_stream_answer answers[ANSWERED];
    size_t count;
    char *names; /* for each answer: its id with a NUL, its cluster's id, its topics */
    size_t name_size, name_capacity;
    nd_stream_topic *topics; /* of all answers */
    size_t topic_count, topic_capacity;
} answer_set;

typedef struct runner {
    nd_run run;
    nd_corpus *corpus; /* answers have the names of its sources */
    nd_job_summary summary;
    nd_stream *stream;
    nd_stream_answer_fn *fn;
    void *context;
    answer_set sets[2];
    answer_set *collected; /* documents that are being added */
    answer_set *synced;    /* documents whose sync goes on; used by the log's thread */
    bool cancelled;
} runner;

/* ---- preparing, on all threads */

/* An arrival whose parts lie in the bytes of its batch: offsets there. */
typedef struct prepared {
    size_t id, id_length, words, word_bytes, hashes, word_count;
    size_t sketch, keys, set, set_size; /* of the document; with MinHash */
    nd_fingerprint fingerprint;
    double time;
    const char *source; /* NULL: the id */
    uint64_t line;
} prepared;

/* The arrivals of a block. */
typedef struct batch {
    prepared *list;
    size_t count, capacity;
    char *bytes;
    size_t size, byte_capacity;
    nd_id_buffer id; /* scratch */
} batch;

/* Bytes around a part: before keys and hashes, to align them; behind a set, which unpacking may
 * read. */
enum { AROUND = 8 };

static void reset_batch(void *own) {
    batch *b = own;
    b->count = b->size = 0;
}

/* Returns the offset of the copy. REQUIRES: there is room. */
static size_t copy_part(batch *b, const void *bytes, size_t size) {
    if (size > 0) memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    return b->size - size;
}

static size_t copy_aligned(batch *b, const uint64_t *numbers, size_t count) {
    b->size = (b->size + AROUND - 1) / AROUND * AROUND;
    return copy_part(b, numbers, count * sizeof *numbers);
}

static void copy_document(batch *b, prepared *p, const nd_stored_document *d,
                          const nd_index_settings *index) {
    p->keys = copy_aligned(b, d->keys, index->bands);
    p->sketch = copy_part(b, d->sketch, index->sketch_size);
    p->set = copy_part(b, d->set, d->set_size);
    p->set_size = d->set_size;
    b->size += AROUND;
}

static nd_status prepare(const void *plan, void *worker, void *own, const nd_scan_item *item,
                         nd_error *error) {
    const runner *r = plan;
    const nd_index *index = r->stream->index.index;
    const nd_document *document = item->document;
    batch *b = own;
    nd_prepared_arrival from;
    const nd_arrival *a = &from.arrival;
    ND_TRY(nd_arrival_make(worker, document->text, document->length, &from, error));
    ND_TRY(nd_document_id(item->source, item->record, document, &r->run.allocator, &b->id, error));
    size_t size = b->id.length + a->word_bytes + a->word_count * sizeof *a->hashes + 3 * AROUND;
    if (index)
        size += index->shared.settings.sketch_size +
                index->shared.settings.bands * sizeof(uint64_t) + from.document.set_size;
    if (!nd_reserve(&r->run.allocator, &b->list, &b->capacity, b->count + 1) ||
        !nd_reserve(&r->run.allocator, &b->bytes, &b->byte_capacity, b->size + size))
        return nd_fail_memory(error, size, "documents of a stream");
    prepared *p = &b->list[b->count++];
    *p = (prepared){.id_length = b->id.length,
                    .word_bytes = a->word_bytes,
                    .word_count = a->word_count,
                    .fingerprint = a->fingerprint,
                    .time = document->has_priority ? document->priority : NAN,
                    .source = item->source->files ? NULL : b->id.source,
                    .line = b->id.line};
    p->id = copy_part(b, b->id.id, b->id.length);
    p->words = copy_part(b, a->words, a->word_bytes);
    p->hashes = copy_aligned(b, a->hashes, a->word_count);
    if (index) copy_document(b, p, &from.document, &index->shared.settings);
    return ND_OK;
}

/* The arrival as the stream takes it. With SimHash its document is not looked at. */
static nd_prepared_arrival arrival_of(const batch *b, const prepared *p) {
    const char *bytes = b->bytes;
    return (nd_prepared_arrival){
        .arrival = {.id = bytes + p->id,
                    .id_length = p->id_length,
                    .time = p->time,
                    .fingerprint = p->fingerprint,
                    .words = (const unsigned char *)bytes + p->words,
                    .word_bytes = p->word_bytes,
                    .hashes = (const uint64_t *)(const void *)(bytes + p->hashes),
                    .word_count = p->word_count},
        .document = {.sketch = (const uint8_t *)bytes + p->sketch,
                     .keys = (const uint64_t *)(const void *)(bytes + p->keys),
                     .set = (const unsigned char *)bytes + p->set,
                     .set_size = p->set_size}};
}

static void destroy_batch(const void *plan, void *own) {
    const nd_allocator *allocator = &((const runner *)plan)->run.allocator;
    batch *b = own;
    nd_release(allocator, b->list);
    nd_release(allocator, b->bytes);
    nd_release(allocator, b->id.bytes);
}

static nd_status create_worker(const void *plan, void **worker, nd_error *error) {
    nd_arrival_maker *maker = NULL;
    nd_status status = nd_stream_create_maker(((const runner *)plan)->stream, &maker, error);
    *worker = maker;
    return status;
}

static void destroy_worker(const void *plan, void *worker) {
    (void)plan;
    nd_arrival_maker_free(worker);
}

/* ---- adding and answering, one thread at a time */

/* Sets the pointers of the answers. REQUIRES: names and topics do not grow any more. */
static void set_pointers(answer_set *set) {
    const char *name = set->names;
    nd_stream_topic *topic = set->topics;
    for (size_t i = 0; i < set->count; i++) {
        nd_stream_answer *a = &set->answers[i];
        a->id = name;
        if (!a->source) a->source = a->id;
        a->cluster = a->id + a->id_length + 1;
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
    set_pointers(r->synced);
    for (size_t i = 0; i < r->synced->count && !r->cancelled; i++)
        r->cancelled = !r->fn(r->context, &r->synced->answers[i]);
}

/* Waits until the synced set is answered and free. */
static nd_status end_sync(runner *r, nd_error *error) {
    ND_TRY(nd_stream_end_sync(r->stream, error));
    return r->cancelled ? nd_fail(error, ND_ERR_CANCELLED, "cancelled") : ND_OK;
}

/* Begins to sync the collected documents, if there are any, which are answered when they are
 * durable. The other set collects meanwhile. */
static nd_status sync_collected(runner *r, nd_error *error) {
    if (r->collected->count == 0) return ND_OK;
    ND_TRY(end_sync(r, error));
    r->synced = r->collected;
    r->collected = r->synced == r->sets ? r->sets + 1 : r->sets;
    r->collected->count = r->collected->name_size = r->collected->topic_count = 0;
    return nd_stream_begin_sync(r->stream, answer_all, r, error);
}

static void add_name(answer_set *set, const char *name, size_t length) {
    if (length > 0) memcpy(set->names + set->name_size, name, length);
    set->name_size += length;
}

/* Copies the names and topics of the newest answer, which the next document may overwrite. */
static nd_status keep_answer(const runner *r, answer_set *set, nd_error *error) {
    const nd_stream_answer *a = &set->answers[set->count++];
    size_t size = a->id_length + 1 + a->cluster_length;
    for (size_t t = 0; t < a->topic_count; t++) size += a->topics[t].length;
    if (!nd_reserve(&r->run.allocator, &set->names, &set->name_capacity,
                    set->name_size + size + 1) ||
        !nd_reserve(&r->run.allocator, &set->topics, &set->topic_capacity,
                    set->topic_count + a->topic_count + 1))
        return nd_fail_memory(error, size, "answers");
    add_name(set, a->id, a->id_length);
    add_name(set, "", 1);
    add_name(set, a->cluster, a->cluster_length);
    for (size_t t = 0; t < a->topic_count; t++) {
        add_name(set, a->topics[t].term, a->topics[t].length);
        set->topics[set->topic_count++] = a->topics[t];
    }
    return ND_OK;
}

static nd_status add(runner *r, const batch *b, const prepared *p, nd_error *error) {
    nd_prepared_arrival arrival = arrival_of(b, p);
    answer_set *set = r->collected;
    nd_stream_answer *answer = &set->answers[set->count];
    ND_TRY(nd_stream_add_prepared(r->stream, &arrival, answer, error));
    answer->source = p->source;
    answer->line = p->line;
    return keep_answer(r, set, error);
}

/* Asks for the memory of a document while the one before it is added. */
static void prefetch(const runner *r, const batch *b, const prepared *p) {
    nd_clusters_prefetch(r->stream->clusters, b->bytes + p->id, p->id_length);
}

static nd_status add_batch(void *result, void *own, const nd_block *block, nd_error *error) {
    runner *r = result;
    const batch *b = own;
    for (size_t i = 0; i < b->count; i++) {
        if (i + 1 < b->count) prefetch(r, b, &b->list[i + 1]);
        ND_TRY(add(r, b, &b->list[i], error));
        if (r->collected->count == ANSWERED) ND_TRY(sync_collected(r, error));
    }
    return block->more ? ND_OK : sync_collected(r, error);
}

typedef struct run_options {
    nd_stream_run_options own;
    nd_input_options input;
    nd_resources resources;
} run_options;

static nd_status run_input(runner *r, const run_options *options, nd_error *error) {
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
    const char *time_field = options->own.time_field;
    const nd_input_plan input = {.use = ND_INPUT_LIVE,
                                 .analyzer = r->stream->parts.analyzer.kind,
                                 .value_field = time_field};
    ND_TRY(nd_run_begin(&options->resources, NULL, &r->run, error));
    ND_TRY(nd_run_open_input(&r->run, &options->input, &input, &r->corpus, error));
    nd_status status = nd_run_scan(&r->run, &options->input, r->corpus, &stage, &counts, error);
    if (status == ND_OK) {
        nd_summary_add_scan(&r->summary, &counts);
        if (counts.documents > 0 && counts.with_priority == 0 && time_field &&
            nd_corpus_source(r->corpus, 0)->kind == ND_SOURCE_RECORDS)
            nd_warn(&r->run.warnings, "no record has the field %s: no document has a time",
                    time_field);
    }
    return status;
}

static nd_status read_options(const nd_stream_run_options *given, run_options *out,
                              nd_error *error) {
    out->own = (nd_stream_run_options){0};
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, &out->own, "nd_stream_run_options", error));
    ND_TRY(nd_input_options_read(out->own.input, &out->input, error));
    return nd_resources_read(out->own.resources, &out->resources, error);
}

nd_status nd_stream_run(nd_stream *stream, const nd_stream_run_options *options,
                        nd_stream_answer_fn *fn, void *context, nd_job_summary *summary,
                        nd_error *error) {
    ND_DEFAULT_FLOATS;
    run_options o;
    ND_TRY(nd_need(stream, "stream", error));
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(read_options(options, &o, error));
    ND_TRY(nd_stream_check_changeable(stream, error));
    const nd_allocator allocator = nd_allocator_or_default(o.resources.allocator);
    runner *r = nd_allocate_zero(&allocator, 1, sizeof *r);
    if (!r) return nd_fail_memory(error, sizeof *r, "a stream");
    r->stream = stream;
    r->fn = fn;
    r->context = context;
    r->collected = r->sets;
    nd_status status = run_input(r, &o, error);
    nd_error failure;
    nd_status ended = sync_collected(r, &failure);
    if (ended == ND_OK) ended = end_sync(r, &failure);
    if (status == ND_OK && ended != ND_OK) status = nd_fail(error, ended, "%s", failure.message);
    if (status == ND_OK) {
        nd_run_fill_scan_summary(&r->run, &r->summary);
        nd_job_summary_give(summary, &r->summary);
    }
    if (status == ND_ERR_CANCELLED && stream->index.index)
        nd_index_store_give_up_merge(&stream->index.index->shared);
    nd_corpus_close(r->corpus);
    nd_run_end(&r->run);
    for (size_t i = 0; i < 2; i++) {
        nd_release(&allocator, r->sets[i].names);
        nd_release(&allocator, r->sets[i].topics);
    }
    nd_release(&allocator, r);
    return status;
}

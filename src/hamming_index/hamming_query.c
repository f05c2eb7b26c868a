/* nd_hamming_query: searches an index of fingerprints for each fingerprint of a source, on several
 * threads. Each thread reads the next batch of queries under a lock, searches, and reports the
 * answers in the order of the source (base/sequencer.h). */
#include "base/floats.h"
#include "hamming_index/hamming_searcher.h"

#include "base/argument.h"
#include "base/limits.h"
#include "base/machine.h"
#include "base/workers.h"
#include "hamming_index/fingerprint_reader.h"
#include "base/sequencer.h"
#include "job/job_options.h"

#include <string.h>

/* Sizes of a batch of queries. The first batches are small. They grow while they have few answers,
 * until scanning the tables is cheaper than probing them. */
enum {
    LEAST = ND_LIMIT(4, 1),
    ENOUGH = ND_LIMIT(256, 3),    /* queries of a batch if tables are never scanned */
    LEARNING = ND_LIMIT(1024, 4), /* a larger batch grows by the answers that the last one had */
    MOST_BATCH = ND_LIMIT(ND_HAMMING_SEARCH_MOST, 30),
    KEYS_PER_QUERY = ND_LIMIT(64, 8),    /* stored fingerprints per query of a batch, at least */
    MOST_ANSWERS = ND_LIMIT(1 << 20, 40) /* answers of a batch; more make the next one smaller */
};
enum { STEP = 4 }; /* the factor by which batches grow and shrink */
static const uint64_t POSITION = UINT64_C(1) << 63;

typedef struct query_job {
    nd_hamming_index *index;
    nd_allocator allocator;
    nd_fingerprint_source source;
    nd_hamming_search_options how;
    nd_hamming_answer_fn *fn;
    void *context;
    nd_progress progress;
    nd_stream_in_options input;
    pthread_mutex_t reading; /* guards the members from `in` to `most` */
    nd_fingerprint_reader *in;
    uint64_t read; /* queries read so far */
    size_t next;   /* queries of the next batch */
    size_t most;   /* the most queries of a batch */
    nd_sequencer order;
    uint64_t queries, matches; /* reported so far, by the thread that is next in order */
} query_job;

/* A thread's batch of queries. The ids are behind each other in `ids`. */
typedef struct batch {
    nd_hamming_searcher *searcher;
    nd_fingerprint *queries;
    uint64_t *id_ends; /* offset in `ids`; with POSITION: the id is the query's position */
    uint64_t *counts;
    char *ids;
    size_t count, query_capacity, end_capacity, count_capacity, id_size, id_capacity;
    const nd_hamming_match *matches; /* owned by the searcher */
} batch;

static size_t most_of(nd_hamming_index *x, nd_hamming_kind kind) {
    nd_index_store_begin_read(&x->shared);
    size_t wanted = nd_store_live_count(x->shared.store) / KEYS_PER_QUERY;
    nd_index_store_end_read(&x->shared);
    bool scans = kind == ND_HAMMING_ALL || kind == ND_HAMMING_COUNT;
    return !scans || wanted < ENOUGH ? ENOUGH : wanted < MOST_BATCH ? wanted : MOST_BATCH;
}

/* ---- the steps of a batch: read, search, report */

static nd_status add_query(const query_job *q, batch *b, const nd_fingerprinted *given,
                           nd_error *error) {
    size_t length = given->id ? given->id_length : 0;
    if (!nd_reserve(&q->allocator, &b->ids, &b->id_capacity, b->id_size + length + 1))
        return nd_fail_memory(error, length, "queries");
    if (length > 0) memcpy(b->ids + b->id_size, given->id, length);
    b->id_size += length;
    b->queries[b->count] = given->fingerprint;
    b->id_ends[b->count++] = b->id_size | (given->id ? 0 : POSITION);
    return ND_OK;
}

/* Reads the next batch. REQUIRES: `reading` is held. */
static nd_status read_batch(query_job *q, batch *b, nd_error *error) {
    nd_fingerprinted given;
    bool more = true;
    b->count = b->id_size = 0;
    ND_TRY(nd_progress_report(&q->progress, ND_STAGE_MATCH, q->read, 0, error));
    if (!nd_reserve(&q->allocator, &b->queries, &b->query_capacity, q->next) ||
        !nd_reserve(&q->allocator, &b->id_ends, &b->end_capacity, q->next) ||
        !nd_reserve(&q->allocator, &b->counts, &b->count_capacity, q->next))
        return nd_fail_memory(error, q->next * sizeof *b->queries, "queries");
    while (more && b->count < q->next) {
        ND_TRY(nd_fingerprint_reader_next(q->in, &given, &more, error));
        if (more) ND_TRY(add_query(q, b, &given, error));
    }
    q->read += b->count;
    return ND_OK;
}

/* Returns the number of queries that have half of MOST_ANSWERS answers, if they are like the
 * queries of this batch. */
static uint64_t expected(const batch *b, uint64_t answers) {
    return b->count * (uint64_t)(MOST_ANSWERS / 2) / (answers + 1);
}

/* Sets the size of the next batch by the answers of this one. Once a batch is large enough to show
 * how many answers a query has, the next batch is as large as MOST_ANSWERS allows, because each
 * batch scans the tables again. */
static void learn(query_job *q, const batch *b) {
    uint64_t answers = 0;
    for (size_t i = 0; i < b->count && q->how.kind != ND_HAMMING_COUNT; i++)
        answers += b->counts[i];
    pthread_mutex_lock(&q->reading);
    if (answers > MOST_ANSWERS) q->next = b->count > STEP ? b->count / STEP : 1;
    else if (answers <= MOST_ANSWERS / STEP && b->count >= q->next) {
        uint64_t next = b->count < LEARNING ? b->count * STEP : expected(b, answers);
        q->next = next < q->most ? (size_t)next : q->most;
    }
    pthread_mutex_unlock(&q->reading);
}

/* Searches *count queries of the batch, from `begin` on. If their answers do not fit in memory
 * together, lowers *count until they do. */
static nd_status search(const query_job *q, batch *b, size_t begin, size_t *count,
                        nd_error *error) {
    for (;; *count = *count > STEP ? *count / STEP : 1) {
        const nd_hamming_searcher_request request = {
            .queries = b->queries + begin, .count = *count, .how = &q->how};
        nd_status status = nd_hamming_searcher_search(b->searcher, &request, &b->matches,
                                                      b->counts + begin, error);
        if (status == ND_OK || !nd_hamming_searcher_had_too_many(b->searcher)) return status;
    }
}

/* Reports the answers, in order. */
static nd_status report(query_job *q, const batch *b, size_t begin, size_t count, nd_error *error) {
    const nd_hamming_match *next = b->matches;
    uint64_t id = begin > 0 ? b->id_ends[begin - 1] & ~POSITION : 0;
    for (size_t i = begin; i < begin + count; i++) {
        nd_id_digits digits;
        uint64_t end = b->id_ends[i] & ~POSITION;
        nd_hamming_answer a = {.query = q->queries++,
                               .id = b->ids + id,
                               .id_length = (size_t)(end - id),
                               .fingerprint = b->queries[i],
                               .matches = next,
                               .count = b->counts[i]};
        if (b->id_ends[i] & POSITION)
            a.id_length = nd_id_of_number(a.query, &digits), a.id = digits.bytes;
        id = end;
        q->matches += a.count;
        if (next) next += a.count;
        if (!q->fn(q->context, &a)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    return ND_OK;
}

/* ---- threads */

static nd_status work(query_job *q, batch *b, nd_error *error) {
    for (;;) {
        pthread_mutex_lock(&q->reading);
        size_t part = nd_sequencer_next(&q->order);
        nd_status status = read_batch(q, b, error);
        pthread_mutex_unlock(&q->reading);
        if (status != ND_OK || b->count == 0) return status;
        for (size_t begin = 0, count = b->count; begin < b->count; begin += count) {
            if (count > b->count - begin) count = b->count - begin;
            ND_TRY(search(q, b, begin, &count, error));
            if (begin == 0) ND_TRY(nd_sequencer_await(&q->order, part));
            ND_TRY(report(q, b, begin, count, error));
        }
        learn(q, b);
        nd_sequencer_advance(&q->order);
    }
}

static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    query_job *q = context;
    nd_error own = {0};
    (void)index;
    batch *b = nd_allocate_zero(&q->allocator, 1, sizeof *b);
    if (!b) return nd_fail_memory(error, sizeof *b, "queries");
    nd_status status = nd_hamming_searcher_create(q->index, &b->searcher, &own);
    if (status == ND_OK) status = work(q, b, &own);
    if (status != ND_OK) nd_sequencer_fail(&q->order, status, &own);
    nd_hamming_searcher_free(b->searcher);
    void *const parts[] = {b->queries, b->id_ends, b->counts, b->ids, b};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(&q->allocator, parts[i]);
    return ND_OK;
}

static nd_status run(query_job *q, uint32_t threads, nd_error *error) {
    ND_TRY(nd_fingerprint_reader_open(&q->source, q->index->shared.settings.bits, &q->input, &q->in,
                                      error));
    pthread_mutex_init(&q->reading, NULL);
    nd_sequencer_init(&q->order);
    nd_status status = nd_run_workers(&q->allocator, threads, run_worker, q, error);
    if (status == ND_OK) status = nd_sequencer_result(&q->order, error);
    nd_sequencer_free(&q->order);
    pthread_mutex_destroy(&q->reading);
    nd_fingerprint_reader_close(q->in);
    return status;
}

static nd_status read_options(query_job *q, const nd_hamming_query_options *given,
                              nd_resources *resources, nd_error *error) {
    nd_hamming_query_options o = {0};
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, &o, "nd_hamming_query_options", error));
    ND_TRY(nd_fingerprint_source_read(o.source, &q->source, error));
    ND_TRY(nd_hamming_search_options_read(q->index, o.search, &q->how, error));
    return nd_resources_read(o.resources, resources, error);
}

nd_status nd_hamming_query(nd_hamming_index *x, const nd_hamming_query_options *options,
                           nd_hamming_answer_fn *fn, void *context, nd_job_summary *summary,
                           nd_error *error) {
    ND_DEFAULT_FLOATS;
    query_job q = {.index = x, .next = LEAST, .fn = fn, .context = context};
    nd_resources resources;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(read_options(&q, options, &resources, error));
    uint32_t threads = resources.threads ? resources.threads : nd_core_count();
    q.allocator = nd_allocator_or_default(resources.allocator);
    q.most = most_of(x, q.how.kind);
    q.progress = nd_progress_of(&resources);
    q.input = (nd_stream_in_options){
        .allocator = &q.allocator, .progress = &q.progress, .memory = resources.memory};
    double began = nd_seconds();
    ND_TRY(run(&q, threads, error));
    double seconds = nd_seconds() - began;
    const nd_job_summary made = {.documents = q.queries,
                                 .pairs = q.matches,
                                 .total_seconds = seconds,
                                 .seconds[ND_STAGE_MATCH] = seconds,
                                 .peak_memory = nd_peak_memory(),
                                 .threads = threads};
    nd_job_summary_give(summary, &made);
    return ND_OK;
}

/* nd_hamming_query: searches an index of fingerprints for each fingerprint of a source, on several
 * threads. Each thread reads the next batch of queries under a lock, searches, and reports the
 * answers in the order of the source (base/sequencer.h). */
#include "base/floats.h"
#include "hamming_index/hamming_finder.h"

#include "base/argument.h"
#include "base/limits.h"
#include "base/machine.h"
#include "base/workers.h"
#include "hamming_index/fingerprint_reader.h"
#include "base/sequencer.h"

#include <string.h>

/* The size of a batch of queries: small at first; it grows while batches have few answers, until a
 * scan of the tables pays. */
enum {
    LEAST = ND_LIMIT(4, 1),
    ENOUGH = ND_LIMIT(256, 3),    /* queries of a batch if tables are never scanned */
    LEARNING = ND_LIMIT(1024, 4), /* a larger batch grows by the answers that the last one had */
    MOST_BATCH = ND_LIMIT(ND_FIND_MOST, 30),
    KEYS_A_QUERY = ND_LIMIT(64,
                            8), /* a batch has at most one query for so many stored fingerprints */
    MOST_ANSWERS = ND_LIMIT(1 << 20, 40) /* of a batch; with more the next one is smaller */
};
enum { STEP = 4 }; /* the factor by which batches grow and shrink */
static const uint64_t POSITION = UINT64_C(1) << 63;

typedef struct query_job {
    nd_index *index;
    nd_allocator allocator;
    uint32_t k;
    nd_find_kind kind;
    uint64_t limit;
    nd_hamming_answer_fn *fn;
    void *context;
    nd_progress progress;
    nd_stream_in_options input;
    pthread_mutex_t reading; /* guards what follows, up to `turns` */
    nd_fingerprint_reader *in;
    uint64_t read; /* queries read so far */
    size_t next;   /* queries of the next batch */
    size_t most;   /* that it may have */
    nd_sequencer turns;
    uint64_t queries, matches; /* reported so far, by the thread that is next in order */
} query_job;

/* A thread's batch of queries, with their ids one behind the other. */
typedef struct batch {
    nd_finder *finder;
    nd_fingerprint *queries;
    uint64_t *id_ends; /* in ids; with POSITION: the id is the query's position */
    uint64_t *counts;
    char *ids;
    size_t count, query_capacity, end_capacity, count_capacity, id_size, id_capacity;
    const nd_hamming_match *matches; /* owned by the finder */
} batch;

static size_t most_of(nd_index *x, nd_find_kind kind) {
    nd_index_store_begin_read(&x->shared);
    size_t wanted = nd_store_live_count(x->shared.store) / KEYS_A_QUERY;
    nd_index_store_end_read(&x->shared);
    bool scans = kind == ND_FIND_ALL || kind == ND_FIND_COUNT;
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

/* The lock `reading` must be held. */
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

/* How many queries have half of MOST_ANSWERS, if they are like those of this batch. */
static uint64_t expected(const batch *b, uint64_t answers) {
    return b->count * (uint64_t)(MOST_ANSWERS / 2) / (answers + 1);
}

/* Sets the size of the next batch by the answers of this one. Once a batch is large enough to say
 * how many answers queries have, the next is as large as these allow, because each batch scans the
 * tables again. */
static void learn(query_job *q, const batch *b) {
    uint64_t answers = 0;
    for (size_t i = 0; i < b->count && q->kind != ND_FIND_COUNT; i++) answers += b->counts[i];
    pthread_mutex_lock(&q->reading);
    if (answers > MOST_ANSWERS) q->next = b->count > STEP ? b->count / STEP : 1;
    else if (answers <= MOST_ANSWERS / STEP && b->count >= q->next) {
        uint64_t next = b->count < LEARNING ? b->count * STEP : expected(b, answers);
        q->next = next < q->most ? (size_t)next : q->most;
    }
    pthread_mutex_unlock(&q->reading);
}

/* Searches *count queries of the batch from `begin` on, or fewer: *count shrinks until their
 * answers fit in memory together. */
static nd_status search(const query_job *q, batch *b, size_t begin, size_t *count,
                        nd_error *error) {
    for (;; *count = *count > STEP ? *count / STEP : 1) {
        const nd_finder_request request = {.queries = b->queries + begin,
                                           .count = *count,
                                           .k = q->k,
                                           .kind = q->kind,
                                           .limit = q->limit};
        nd_status status = nd_finder_search(b->finder, &request, &b->matches, b->counts + begin,
                                            error);
        if (status == ND_OK || !nd_finder_had_too_many(b->finder)) return status;
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
        size_t part = nd_sequencer_next(&q->turns);
        nd_status status = read_batch(q, b, error);
        pthread_mutex_unlock(&q->reading);
        if (status != ND_OK || b->count == 0) return status;
        for (size_t begin = 0, count = b->count; begin < b->count; begin += count) {
            if (count > b->count - begin) count = b->count - begin;
            ND_TRY(search(q, b, begin, &count, error));
            if (begin == 0) ND_TRY(nd_sequencer_await(&q->turns, part));
            ND_TRY(report(q, b, begin, count, error));
        }
        learn(q, b);
        nd_sequencer_advance(&q->turns);
    }
}

static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    query_job *q = context;
    nd_error own = {0};
    (void)index;
    batch *b = nd_allocate_zero(&q->allocator, 1, sizeof *b);
    if (!b) return nd_fail_memory(error, sizeof *b, "queries");
    nd_status status = nd_finder_create(q->index, &b->finder, &own);
    if (status == ND_OK) status = work(q, b, &own);
    if (status != ND_OK) nd_sequencer_fail(&q->turns, status, &own);
    nd_finder_free(b->finder);
    void *const parts[] = {b->queries, b->id_ends, b->counts, b->ids, b};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(&q->allocator, parts[i]);
    return ND_OK;
}

static nd_status run(query_job *q, const nd_fingerprint_source *source, uint32_t threads,
                     nd_error *error) {
    ND_TRY(nd_fingerprint_reader_open(source, q->index->shared.settings.bits, &q->input, &q->in,
                                      error));
    pthread_mutex_init(&q->reading, NULL);
    nd_sequencer_init(&q->turns);
    nd_status status = nd_run_workers(&q->allocator, threads, run_worker, q, error);
    if (status == ND_OK) status = nd_sequencer_result(&q->turns, error);
    nd_sequencer_free(&q->turns);
    pthread_mutex_destroy(&q->reading);
    nd_fingerprint_reader_close(q->in);
    return status;
}

nd_status nd_hamming_query(nd_index *x, const nd_fingerprint_source *source, uint32_t k,
                           nd_find_kind kind, uint64_t limit, const nd_job_options *options,
                           nd_hamming_answer_fn *fn, void *context, nd_job_summary *summary,
                           nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need(source, "source", error));
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_hamming_check_index(x, error));
    ND_TRY(nd_hamming_check_search(x, k, kind, limit, error));
    query_job q = {.index = x,
                   .allocator = nd_allocator_or_default(options ? options->allocator : NULL),
                   .k = k,
                   .kind = kind,
                   .limit = limit,
                   .next = LEAST,
                   .most = most_of(x, kind),
                   .fn = fn,
                   .context = context};
    nd_job_options usual;
    nd_job_options_init(&usual);
    if (!options) options = &usual;
    uint32_t threads = options->threads ? options->threads : nd_core_count();
    if (threads > ND_MAX_WORKERS)
        return nd_fail(error, ND_ERR_ARGUMENT, "threads must be 0 to %d, not %u", ND_MAX_WORKERS,
                       threads);
    q.progress = nd_progress_of(options);
    q.input = (nd_stream_in_options){&q.allocator, &q.progress, options->memory};
    double began = nd_seconds();
    ND_TRY(run(&q, source, threads, error));
    double seconds = nd_seconds() - began;
    if (summary)
        *summary = (nd_job_summary){.documents = q.queries,
                                    .pairs = q.matches,
                                    .total_seconds = seconds,
                                    .seconds[ND_STAGE_MATCH] = seconds,
                                    .peak_memory = nd_peak_memory(),
                                    .threads = threads};
    return ND_OK;
}

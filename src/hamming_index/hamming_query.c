/* Searching an index of fingerprints for each of a source, on several threads: each takes some
 * queries in turn, searches, and tells the answers when its turn has come. */
#include "base/floats.h"
#include "hamming_index/hamming_finder.h"

#include "base/argument.h"
#include "base/limits.h"
#include "base/machine.h"
#include "base/workers.h"
#include "hamming_index/fingerprint_reader.h"
#include "base/sequencer.h"

#include <string.h>

/* Queries that a thread takes at a time, a lot: few at first, then more and more as long as they
 * have few answers, until a sweep of the tables pays. */
enum {
    LEAST = ND_LIMIT(4, 1),
    ENOUGH = ND_LIMIT(256, 3), /* where each is looked up */
    TELLING = ND_LIMIT(1024, 4),
    MOST_LOT = ND_LIMIT(ND_FIND_MOST, 30),
    KEYS_A_QUERY = ND_LIMIT(64, 8),
    MOST_ANSWERS = ND_LIMIT(1 << 20, 40), /* of a lot; with more the next one is smaller */
};
enum { STEP = 4 }; /* times that lots grow and shrink */
static const uint64_t POSITION = UINT64_C(1) << 63;

typedef struct querier {
    nd_index *index;
    nd_allocator allocator;
    uint32_t k;
    nd_find_kind kind;
    uint64_t limit;
    nd_hamming_answer_fn *fn;
    void *context;
    nd_progress progress;
    nd_stream_in_options input;
    pthread_mutex_t reading; /* of what follows */
    nd_fingerprint_in *in;
    uint64_t taken;   /* queries read so far */
    size_t lot, most; /* queries of the next lot; it does not grow beyond */
    nd_turns turns;
    uint64_t queries, matches; /* told so far, in turns */
} querier;

/* A thread's lot of queries, the ids that they were given one behind the other. */
typedef struct lot {
    nd_finder *finder;
    nd_fingerprint *queries;
    uint64_t *id_ends; /* with POSITION: the id is the query's position */
    uint64_t *counts;
    char *ids;
    size_t count, query_capacity, end_capacity, count_capacity, id_size, id_capacity;
    const nd_hamming_match *matches; /* the finder's */
} lot;

static size_t most_of(nd_index *x, nd_find_kind kind) {
    nd_index_store_begin_read(&x->shared);
    size_t wanted = nd_store_live(x->shared.store) / KEYS_A_QUERY;
    nd_index_store_end_read(&x->shared);
    bool swept = kind == ND_FIND_ALL || kind == ND_FIND_COUNT;
    return !swept || wanted < ENOUGH ? ENOUGH : wanted < MOST_LOT ? wanted : MOST_LOT;
}

/* ---- the three steps of a lot */

static nd_status add_query(const querier *q, lot *l, const nd_fingerprinted *given,
                           nd_error *error) {
    size_t length = given->id ? given->id_length : 0;
    if (!nd_reserve(&q->allocator, &l->ids, &l->id_capacity, l->id_size + length + 1))
        return nd_fail_memory(error, length, "queries");
    if (length > 0) memcpy(l->ids + l->id_size, given->id, length);
    l->id_size += length;
    l->queries[l->count] = given->fingerprint;
    l->id_ends[l->count++] = l->id_size | (given->id ? 0 : POSITION);
    return ND_OK;
}

/* With the lock `reading`. */
static nd_status read_lot(querier *q, lot *l, nd_error *error) {
    nd_fingerprinted given;
    bool more = true;
    l->count = l->id_size = 0;
    ND_TRY(nd_progress_tell(&q->progress, ND_STAGE_MATCH, q->taken, 0, error));
    if (!nd_reserve(&q->allocator, &l->queries, &l->query_capacity, q->lot) ||
        !nd_reserve(&q->allocator, &l->id_ends, &l->end_capacity, q->lot) ||
        !nd_reserve(&q->allocator, &l->counts, &l->count_capacity, q->lot))
        return nd_fail_memory(error, q->lot * sizeof *l->queries, "queries");
    while (more && l->count < q->lot) {
        ND_TRY(nd_fingerprint_in_next(q->in, &given, &more, error));
        if (more) ND_TRY(add_query(q, l, &given, error));
    }
    q->taken += l->count;
    return ND_OK;
}

/* Queries that have half of the answers that a lot may have, if they go on like these. */
static uint64_t expected(const lot *l, uint64_t answers) {
    return l->count * (uint64_t)(MOST_ANSWERS / 2) / (answers + 1);
}

/* The next lots by what this one has found. Once a lot tells how many answers there are, they are
 * as large as these let them: each sweeps the tables anew. */
static void learn(querier *q, const lot *l) {
    uint64_t answers = 0;
    for (size_t i = 0; i < l->count && q->kind != ND_FIND_COUNT; i++) answers += l->counts[i];
    pthread_mutex_lock(&q->reading);
    if (answers > MOST_ANSWERS) q->lot = l->count > STEP ? l->count / STEP : 1;
    else if (answers <= MOST_ANSWERS / STEP && l->count >= q->lot) {
        uint64_t next = l->count < TELLING ? l->count * STEP : expected(l, answers);
        q->lot = next < q->most ? (size_t)next : q->most;
    }
    pthread_mutex_unlock(&q->reading);
}

/* The lot's queries from `begin` on, *count of them, or fewer, where these have too many answers to
 * be in memory together. */
static nd_status search(const querier *q, lot *l, size_t begin, size_t *count, nd_error *error) {
    for (;; *count = *count > STEP ? *count / STEP : 1) {
        nd_status status = nd_finder_search(l->finder, l->queries + begin, *count, q->k, q->kind,
                                            q->limit, &l->matches, l->counts + begin, error);
        if (status == ND_OK || !nd_finder_had_too_many(l->finder)) return status;
    }
}

/* In its turn. */
static nd_status tell(querier *q, const lot *l, size_t begin, size_t count, nd_error *error) {
    const nd_hamming_match *next = l->matches;
    uint64_t id = begin > 0 ? l->id_ends[begin - 1] & ~POSITION : 0;
    for (size_t i = begin; i < begin + count; i++) {
        nd_id_digits digits;
        uint64_t end = l->id_ends[i] & ~POSITION;
        nd_hamming_answer a = {q->queries++,  l->ids + id, (size_t)(end - id),
                               l->queries[i], next,        l->counts[i]};
        if (l->id_ends[i] & POSITION)
            a.id_length = nd_id_of_number(a.query, &digits), a.id = digits.bytes;
        id = end;
        q->matches += a.count;
        if (next) next += a.count;
        if (!q->fn(q->context, &a)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    return ND_OK;
}

/* ---- threads */

static nd_status work(querier *q, lot *l, nd_error *error) {
    for (;;) {
        pthread_mutex_lock(&q->reading);
        size_t part = nd_turns_take(&q->turns);
        nd_status status = read_lot(q, l, error);
        pthread_mutex_unlock(&q->reading);
        if (status != ND_OK || l->count == 0) return status;
        for (size_t begin = 0, count = l->count; begin < l->count; begin += count) {
            if (count > l->count - begin) count = l->count - begin;
            ND_TRY(search(q, l, begin, &count, error));
            if (begin == 0) ND_TRY(nd_turns_await(&q->turns, part));
            ND_TRY(tell(q, l, begin, count, error));
        }
        learn(q, l);
        nd_turns_advance(&q->turns);
    }
}

static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    querier *q = context;
    nd_error own = {0};
    (void)index;
    lot *l = nd_allocate_zero(&q->allocator, 1, sizeof *l);
    if (!l) return nd_fail_memory(error, sizeof *l, "queries");
    nd_status status = nd_finder_create(q->index, &l->finder, &own);
    if (status == ND_OK) status = work(q, l, &own);
    if (status != ND_OK) nd_turns_fail(&q->turns, status, &own);
    nd_finder_free(l->finder);
    void *const parts[] = {l->queries, l->id_ends, l->counts, l->ids, l};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(&q->allocator, parts[i]);
    return ND_OK;
}

static nd_status run(querier *q, const nd_fingerprint_source *source, uint32_t threads,
                     nd_error *error) {
    ND_TRY(
        nd_fingerprint_in_open(source, q->index->shared.settings.bits, &q->input, &q->in, error));
    pthread_mutex_init(&q->reading, NULL);
    nd_turns_init(&q->turns);
    nd_status status = nd_run_workers(&q->allocator, threads, run_worker, q, error);
    if (status == ND_OK) status = nd_turns_result(&q->turns, error);
    nd_turns_free(&q->turns);
    pthread_mutex_destroy(&q->reading);
    nd_fingerprint_in_close(q->in);
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
    querier q = {.index = x,
                 .allocator = nd_allocator_or_default(options ? options->allocator : NULL),
                 .k = k,
                 .kind = kind,
                 .limit = limit,
                 .lot = LEAST,
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

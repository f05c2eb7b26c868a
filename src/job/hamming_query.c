/* Searching an index of fingerprints for each of a source, on several threads: each takes some queries in turn, searches, and tells the answers when its turn has come. */
#include "job/hamming.h"

#include "base/workers.h"
#include "corpus/fingerprint_in.h"
#include "match/turns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifdef ND_TINY_LIMITS
enum { LOT = 3 };
#else
enum { LOT = 256 }; /* queries that a thread takes at a time */
#endif
enum { DIGITS = 24 }; /* room for a position */

typedef struct querier {
    nd_index *index;
    nd_allocator allocator;
    uint32_t k;
    nd_find_kind kind;
    uint64_t limit;
    nd_hamming_answer_fn *fn;
    void *context;
    pthread_mutex_t reading;
    nd_fingerprint_in *in; /* under `reading` */
    nd_turns turns;
    uint64_t queries, matches; /* told so far, in turns */
} querier;

/* Texts of a lot, one behind the other; what points into them is set when all are there. */
typedef struct texts {
    char *bytes;
    size_t size, capacity;
} texts;

/* A thread's lot: queries, and the matches of each behind those of the one before. */
typedef struct lot {
    nd_finder *finder;
    nd_hamming_answer answers[LOT];
    size_t count;
    texts query_ids, match_ids;
    nd_hamming_match *matches;
    size_t match_count, match_capacity;
} lot;

static nd_status add_text(const querier *q, texts *t, const char *text, size_t length, nd_error *error) {
    if (!nd_reserve(&q->allocator, &t->bytes, &t->capacity, t->size + length + 1)) return nd_fail_memory(error, length, "ids");
    if (length > 0) memcpy(t->bytes + t->size, text, length);
    t->size += length;
    return ND_OK;
}

/* ---- the three steps of a lot */

/* With the lock `reading`. */
static nd_status read_lot(querier *q, lot *l, nd_error *error) {
    nd_fingerprinted given;
    char digits[DIGITS];
    bool more = true;
    l->count = l->query_ids.size = 0;
    while (l->count < LOT) {
        ND_TRY(nd_fingerprint_in_next(q->in, &given, &more, error));
        if (!more) return ND_OK;
        if (!given.id) given.id_length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, given.document);
        ND_TRY(add_text(q, &l->query_ids, given.id ? given.id : digits, given.id_length, error));
        l->answers[l->count++] = (nd_hamming_answer){.query = given.document, .id_length = given.id_length, .fingerprint = given.fingerprint};
    }
    return ND_OK;
}

static nd_status search_one(const querier *q, lot *l, nd_hamming_answer *a, nd_error *error) {
    const nd_hamming_match *matches;
    ND_TRY(nd_find(l->finder, a->fingerprint, q->k, q->kind, q->limit, &matches, &a->count, error));
    if (!matches) return ND_OK;
    if (!nd_reserve(&q->allocator, &l->matches, &l->match_capacity, l->match_count + (size_t)a->count))
        return nd_fail_memory(error, a->count * sizeof *matches, "matches");
    for (size_t i = 0; i < a->count; i++) {
        l->matches[l->match_count++] = matches[i];
        ND_TRY(add_text(q, &l->match_ids, matches[i].id, matches[i].id_length, error));
    }
    return ND_OK;
}

static nd_status search_lot(const querier *q, lot *l, nd_error *error) {
    l->match_count = l->match_ids.size = 0;
    for (size_t i = 0; i < l->count; i++) ND_TRY(search_one(q, l, &l->answers[i], error));
    return ND_OK;
}

/* In its turn. */
static nd_status tell_lot(querier *q, lot *l, nd_error *error) {
    const char *id = l->query_ids.bytes, *match_id = l->match_ids.bytes;
    nd_hamming_match *next = l->matches;
    for (size_t i = 0; i < l->count; i++) {
        nd_hamming_answer *a = &l->answers[i];
        a->id = id;
        id += a->id_length;
        q->queries++;
        q->matches += a->count;
        if (q->kind != ND_FIND_COUNT) {
            a->matches = next;
            for (size_t m = 0; m < a->count; m++, match_id += next->id_length, next++) next->id = match_id;
        }
        if (!q->fn(q->context, a)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    return ND_OK;
}

/* ---- threads */

static nd_status work(querier *q, lot *l, nd_error *error) {
    for (;;) {
        bool reached;
        pthread_mutex_lock(&q->reading);
        size_t part = nd_turns_take(&q->turns);
        nd_status status = read_lot(q, l, error);
        pthread_mutex_unlock(&q->reading);
        if (status != ND_OK || l->count == 0) return status;
        ND_TRY(search_lot(q, l, error));
        ND_TRY(nd_turns_await(&q->turns, part, true, &reached));
        ND_TRY(tell_lot(q, l, error));
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
    nd_release(&q->allocator, l->query_ids.bytes);
    nd_release(&q->allocator, l->match_ids.bytes);
    nd_release(&q->allocator, l->matches);
    nd_release(&q->allocator, l);
    return ND_OK;
}

static nd_status run(querier *q, const nd_fingerprint_source *source, uint32_t threads, nd_error *error) {
    ND_TRY(nd_fingerprint_in_open(source, q->index->settings.bits, &q->allocator, &q->in, error));
    pthread_mutex_init(&q->reading, NULL);
    nd_turns_init(&q->turns);
    nd_status status = nd_run_workers(&q->allocator, threads, run_worker, q, error);
    if (status == ND_OK) status = nd_turns_result(&q->turns, error);
    nd_turns_free(&q->turns);
    pthread_mutex_destroy(&q->reading);
    nd_fingerprint_in_close(q->in);
    return status;
}

nd_status nd_hamming_query(nd_index *x, const nd_fingerprint_source *source, uint32_t k, nd_find_kind kind, uint64_t limit,
                           const nd_job_options *options, nd_hamming_answer_fn *fn, void *context, nd_job_summary *summary, nd_error *error) {
    if (!x || !source || !fn) return nd_fail(error, ND_ERR_ARGUMENT, "index, source and fn must not be NULL");
    ND_TRY(nd_hamming_check_index(x, error));
    ND_TRY(nd_hamming_check_search(x, k, kind, limit, error));
    querier q = {.index = x,
                 .allocator = nd_allocator_or_default(options ? options->allocator : NULL),
                 .k = k,
                 .kind = kind,
                 .limit = limit,
                 .fn = fn,
                 .context = context};
    uint32_t threads = options && options->threads ? options->threads : nd_core_count();
    if (threads > ND_MAX_WORKERS) return nd_fail(error, ND_ERR_ARGUMENT, "threads must be 0 to %d, not %u", ND_MAX_WORKERS, threads);
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

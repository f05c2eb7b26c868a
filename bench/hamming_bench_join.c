#include "hamming_bench_join.h"

#define PROGRAM_NAME "hamming_bench"
#include "base/hash.h"
#include "base/workers.h"
#include "match/hamming_batch.h"
#include "match/hamming_join.h"
#include "match/hamming_search.h"
#include "program.h"

#include <inttypes.h>

static const size_t memory_limit = (size_t)4 << 30;

static void check(nd_status status, const nd_error *error) {
    if (status != ND_OK) stop(error->message);
}

typedef struct figures {
    uint64_t hits, checksum;
} figures;

static void add(figures *f, uint32_t a, uint32_t b) {
    f->hits++;
    f->checksum += nd_mix64((uint64_t)a << 32 | b);
}

/* ---- join */

/* Numbers that have the same fingerprint as others do not come in pairs, but for the first: these are put in for it. */
typedef struct expansion {
    figures figures;
    uint32_t *next; /* of each number, the one behind it that has the same fingerprint; the last leads to itself */
} expansion;

static nd_status take_equal(void *context, uint32_t set, const uint32_t *numbers, size_t count, nd_error *error) {
    expansion *e = context;
    (void)set;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count) e->next[numbers[i]] = numbers[i + 1];
        for (size_t j = i + 1; j < count; j++) add(&e->figures, numbers[i], numbers[j]);
    }
    return ND_OK;
}

static nd_status take_pairs(void *context, const nd_hamming_pair *pairs, size_t count, nd_error *error) {
    expansion *e = context;
    (void)error;
    for (size_t i = 0; i < count; i++)
        for (uint32_t a = pairs[i].a;; a = e->next[a]) {
            for (uint32_t b = pairs[i].b;; b = e->next[b]) {
                add(&e->figures, a < b ? a : b, a < b ? b : a);
                if (e->next[b] == b) break;
            }
            if (e->next[a] == a) break;
        }
    return ND_OK;
}

void bench_hamming_join(const uint64_t *fingerprints, uint64_t count, uint32_t k, uint32_t threads, bool json) {
    const nd_hamming_join_settings settings = {.bits = 64, .k = k, .threads = threads, .expected = count, .memory_limit = memory_limit};
    nd_scratch_disk disk = {.directory = "/tmp"};
    nd_hamming_join *join;
    nd_error error;
    expansion e = {.next = sized(NULL, count, sizeof *e.next)};
    for (uint64_t i = 0; i < count; i++) e.next[i] = (uint32_t)i;
    uint64_t before = nd_peak_memory();
    double start = now();
    check(nd_hamming_join_create(&settings, &disk, &nd_allocator_default, &join, &error), &error);
    for (uint64_t i = 0; i < count; i++) check(nd_hamming_join_put(join, 0, (nd_fingerprint){fingerprints[i], 0}, (uint32_t)i, &error), &error);
    double taken = now();
    check(nd_hamming_join_run(join, &(nd_hamming_join_sink){&e, take_equal, take_pairs}, &error), &error);
    double end = now();
    uint64_t bytes = nd_peak_memory() - before;
    nd_hamming_join_free(join);
    if (json)
        printf("{\"name\": \"neardup\", \"count\": %" PRIu64 ", \"join\": %u, \"threads\": %u, \"build_seconds\": %.6f, \"bytes\": %" PRIu64
               ", \"seconds\": %.6f, \"hits\": %" PRIu64 ", \"checksum\": \"%016" PRIx64 "\"}\n",
               count, k, threads, taken - start, bytes, end - taken, e.figures.hits, e.figures.checksum);
    else
        printf("%" PRIu64 " join k=%u, %u threads: %.3f s and %.3f s to take them in, %.1f bytes, %" PRIu64 " pairs\n", count, k, threads,
               end - taken, taken - start, (double)bytes / (double)count, e.figures.hits);
    fflush(stdout);
    free(e.next);
}

/* ---- batch */

typedef struct answer {
    const nd_hamming_tables *tables;
    figures figures;
    uint32_t query;
} answer;

static nd_status add_documents(answer *a, uint32_t query, uint64_t entry, nd_error *error) {
    uint64_t begin, end;
    uint32_t document;
    ND_TRY(nd_hamming_places(a->tables, entry, &begin, &end, error));
    for (; begin < end; begin++) {
        ND_TRY(nd_hamming_document(a->tables, begin, &document, error));
        add(&a->figures, query, document);
    }
    return ND_OK;
}

static nd_status take_hit(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    answer *a = context;
    (void)more;
    return add_documents(a, a->query, hit->entry, error);
}

static nd_status take_hits(void *context, const nd_hamming_pair *pairs, size_t count, nd_error *error) {
    for (size_t i = 0; i < count; i++) ND_TRY(add_documents(context, pairs[i].a, pairs[i].b, error));
    return ND_OK;
}

static double time_online(const nd_hamming_tables *tables, const nd_fingerprint *queries, uint64_t count, uint32_t k, answer *a) {
    nd_hamming_prober *prober;
    nd_error error;
    check(nd_hamming_prober_create(&nd_allocator_default, &prober, &error), &error);
    double start = now();
    for (uint64_t i = 0; i < count; i++) {
        bool more = true;
        a->query = (uint32_t)i;
        check(nd_hamming_search(tables, prober, queries[i], k, take_hit, a, &more, &error), &error);
    }
    double seconds = now() - start;
    nd_hamming_prober_free(prober);
    return seconds;
}

void bench_hamming_batch(const nd_hamming_tables *tables, const uint64_t *queries, uint64_t count, uint32_t k, uint32_t threads, bool json) {
    answer online = {.tables = tables}, batched = {.tables = tables};
    nd_fingerprint *all = sized(NULL, count, sizeof *all);
    nd_error error;
    for (uint64_t i = 0; i < count; i++) all[i] = (nd_fingerprint){queries[i], 0};
    double online_seconds = time_online(tables, all, count, k, &online), start = now();
    nd_hamming_batch batch = {.queries = all, .count = count, .k = k, .threads = threads, .fn = take_hits, .context = &batched};
    check(nd_hamming_batch_run(tables, &batch, &nd_allocator_default, &error), &error);
    double seconds = now() - start;
    if (online.figures.hits != batched.figures.hits || online.figures.checksum != batched.figures.checksum) stop("batch and online answers differ");
    if (json)
        printf("{\"name\": \"neardup batch\", \"count\": %" PRIu64 ", \"k\": %u, \"threads\": %u, \"queries\": %" PRIu64
               ", \"online_seconds\": %.6f, \"seconds\": %.6f, \"hits\": %" PRIu64 ", \"checksum\": \"%016" PRIx64 "\"}\n",
               tables->documents, k, threads, count, online_seconds, seconds, batched.figures.hits, batched.figures.checksum);
    else
        printf("%" PRIu64 " k=%u, %" PRIu64 " queries: %.3f us each, as a batch on %u threads %.3f us (%.2f times faster)\n", tables->documents, k,
               count, online_seconds / (double)count * 1e6, threads, seconds / (double)count * 1e6, online_seconds / seconds);
    fflush(stdout);
    free(all);
}

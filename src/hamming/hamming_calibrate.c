/* Measures the costs of Hamming search on this machine: times the search itself on tables of evenly
 * spread keys. */
#include "base/alloc.h"
#include "base/argument.h"
#include "base/floats.h"
#include "base/format.h"
#include "base/hash.h"
#include "hamming/hamming_planner.h"
#include "hamming/hamming_search.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    SIZES = 4,
    MOST_ERRORS = 2,
    KIND = 0x63616c62, /* of the file: "calb" */
    TAG = 1,
    BITS = 64,
    SHALLOW = 5, /* bits less than the buckets have: 32 to 64 keys per probe */
    PASSES = 128,
    PROBES = 1 << 12 /* per pass: less than a millisecond, so most passes end uninterrupted */
};

/* A table of evenly spread keys, as the only one of a design. */
typedef struct trial {
    nd_allocator allocator;
    nd_sealed_file *file;
    nd_ef_table table;
    nd_bit_order order;
    nd_hamming_tables tables;
    nd_probe_plan plans[MOST_ERRORS + 1]; /* for each k; the last is used */
    nd_dense_runs none;
    atomic_uint_least64_t verified[2];
    nd_hamming_search_context *search;
    uint64_t seed;
} trial;

/* How many keys a table of about so many bytes has. */
static uint64_t keys_for(double bytes) {
    double keys = bytes / 6;
    for (int i = 0; i < 4; i++) keys *= bytes / nd_ef_table_bytes(BITS, keys);
    return (uint64_t)keys;
}

static nd_status put_keys(nd_sealed_writer *file, uint64_t keys, const nd_allocator *allocator,
                          nd_error *error) {
    nd_ef_table_writer *table = NULL;
    uint64_t stride = UINT64_MAX / keys;
    nd_status status = nd_ef_table_writer_create(file, TAG, BITS,
                                                 nd_ef_table_bucket_bits(BITS, keys, ND_EF_PROBED),
                                                 allocator, &table, error);
    for (uint64_t i = 0; status == ND_OK && i < keys; i++)
        status = nd_ef_table_put(table, (nd_key){i * stride + nd_mix64(i) % stride, 0}, NULL,
                                 error);
    if (status == ND_OK) status = nd_ef_table_finish(table, error);
    nd_ef_table_writer_free(table);
    return status;
}

static nd_status write_file(const char *path, uint64_t keys, const nd_allocator *allocator,
                            nd_error *error) {
    nd_sealed_writer *file;
    nd_seal seal;
    ND_TRY(nd_sealed_writer_create(path, KIND, allocator, &file, error));
    nd_status status = put_keys(file, keys, allocator, error);
    if (status == ND_OK) status = nd_sealed_finish(file, &seal, error);
    nd_sealed_writer_free(file);
    return status;
}

static nd_status verify_pages(const nd_sealed_file *file, const nd_section *section,
                              nd_error *error) {
    const unsigned char *p;
    for (uint64_t at = 0; at < section->size; at += ND_SEALED_PAGE)
        ND_TRY(nd_sealed_view(file, section, at, 1, &p, error));
    return ND_OK;
}

static nd_status open_trial(trial *t, const char *path, uint64_t keys, nd_error *error) {
    ND_TRY(nd_sealed_open(path, KIND, NULL, &t->allocator, &t->file, error));
    ND_TRY(nd_ef_table_open(t->file, TAG, BITS, nd_ef_table_bucket_bits(BITS, keys, ND_EF_PROBED),
                            keys, &t->table, error));
    nd_fingerprint all = nd_fingerprint_mask(BITS);
    nd_bit_order_init(&t->order, BITS, all);
    t->tables = (nd_hamming_tables){.file = t->file,
                                    .design = {.k = MOST_ERRORS},
                                    .keys = keys,
                                    .documents = keys,
                                    .windows = {1, {all}, {BITS}},
                                    .orders = &t->order,
                                    .tables = &t->table,
                                    .dense = &t->none,
                                    .plans = t->plans,
                                    .verified = t->verified};
    ND_TRY(verify_pages(t->file, &t->table.heads, error));
    ND_TRY(verify_pages(t->file, &t->table.directory, error));
    ND_TRY(verify_pages(t->file, &t->table.samples, error));
    return nd_hamming_search_context_create(&t->allocator, &t->search, error);
}

/* Of the thread's own processor time. */
static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static nd_status ignore_hit(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    (void)context;
    (void)hit;
    (void)more;
    (void)error;
    return ND_OK;
}

/* Queries of one kind. */
typedef struct query_kind {
    int errors;
    unsigned depth;
    double probes, least; /* of a query; nanoseconds of one, the least of the passes so far */
} query_kind;

/* Times one pass of queries. They are random, so they find next to nothing. */
static nd_status time_queries(trial *t, query_kind *q, nd_error *error) {
    size_t count = (size_t)(PROBES / q->probes) + 1;
    t->plans[MOST_ERRORS] = (nd_probe_plan){
        .errors = q->errors, .depth = q->depth, .shift = t->table.bucket_bits - q->depth};
    double start = nanoseconds();
    for (size_t i = 0; i < count; i++) {
        const nd_fingerprint query = {nd_mix64(++t->seed), 0};
        const nd_hamming_request request = {.tables = &t->tables,
                                            .queries = &query,
                                            .count = 1,
                                            .k = MOST_ERRORS,
                                            .fn = ignore_hit};
        ND_TRY(nd_hamming_search_tables(t->search, &request, error));
    }
    double took = (nanoseconds() - start) / (double)count;
    if (q->least == 0 || took < q->least) q->least = took;
    return ND_OK;
}

/* Costs in nanoseconds of a probe (`look`), of a key and of a query. Measured: queries of one
 * probe; with one error and with two at the depth of the buckets, so with few keys per probe; and
 * with two errors at a smaller depth, so with many keys per probe. The kinds come by turns. Other
 * jobs do not count: only the thread's processor time does. That has the time which other machines
 * of the host take, so the least time of many short passes counts: they interrupt some of these.
 * Where they interrupt all passes of a kind, the bounds of the costs keep them plausible. */
static nd_status time_probes(trial *t, double *look, double *key, double *query, nd_error *error) {
    unsigned deep = t->table.bucket_bits, shallow = deep - SHALLOW;
    double keys = (double)t->tables.keys / (double)(UINT64_C(1) << deep), few = 1 + deep,
           many = few + deep * (deep - 1) / 2;
    double wide = 1 + shallow + shallow * (shallow - 1) / 2;
    query_kind none = {0, deep, 1, 0}, one = {1, deep, few, 0}, two = {2, deep, many, 0},
               long_ones = {2, shallow, wide, 0}, *const kinds[] = {&none, &one, &two, &long_ones};
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            ND_TRY(time_queries(t, kinds[i], error));
    *query = none.least;
    double probe = (one.least / few + two.least / many) / 2, most = probe / (keys + 8);
    *key = (long_ones.least / wide - two.least / many) / (keys * ((1 << SHALLOW) - 1));
    /* Times are noisy, but no cost is 0, and a key costs at most an eighth of a look. */
    if (*key > most) *key = most;
    if (*key < 0.01) *key = 0.01;
    *look = probe - keys * *key;
    if (*look < 1) *look = 1;
    return ND_OK;
}

static nd_status measure(const char *path, double bytes, const nd_allocator *allocator,
                         double *look, double *key, double *query, nd_error *error) {
    trial t = {.allocator = *allocator};
    uint64_t keys = keys_for(bytes);
    nd_status status = write_file(path, keys, allocator, error);
    if (status == ND_OK) status = open_trial(&t, path, keys, error);
    unlink(path);
    if (status == ND_OK) status = time_probes(&t, look, key, query, error);
    nd_hamming_search_context_free(t.search);
    nd_sealed_close(t.file);
    return status;
}

/* Measures the sizes that fit in `memory`. For larger ones the costs grow by the same ratio as the
 * usual costs (nd_hamming_costs_init). */
static nd_status measure_sizes(const char *path, uint64_t memory, const nd_allocator *allocator,
                               nd_hamming_costs *out, nd_error *error) {
    nd_hamming_costs usual, costs;
    double query;
    nd_hamming_costs_init(&usual);
    for (int i = 0; i < SIZES; i++) {
        uint64_t bytes = UINT64_C(1) << (18 + 4 * i);
        if (i == 0 || bytes <= memory) {
            ND_TRY(measure(path, (double)bytes, allocator, &costs.look[i], &costs.key[i], &query,
                           error));
            if (i == 0) costs.query = query > costs.look[0] ? query - costs.look[0] : 0;
            continue;
        }
        costs.look[i] = costs.look[i - 1] * usual.look[i] / usual.look[i - 1];
        costs.key[i] = costs.key[i - 1] * usual.key[i] / usual.key[i - 1];
    }
    *out = costs;
    return ND_OK;
}

nd_status nd_hamming_calibrate(const char *directory, uint64_t memory,
                               const nd_allocator *allocator, nd_hamming_costs *out,
                               nd_error *error) {
    ND_DEFAULT_FLOATS;
    char folder[4096], path[sizeof folder + 8];
    ND_TRY(nd_need(out, "out", error));
    if (!allocator) allocator = &nd_allocator_default;
    if (!directory) directory = getenv("TMPDIR");
    if (!directory) directory = "/tmp";
    if (nd_format(folder, sizeof folder, "%s/neardup-XXXXXX", directory) >= sizeof folder)
        return nd_fail(error, ND_ERR_ARGUMENT, "the name of a directory has more than %zu bytes",
                       sizeof folder);
    if (!mkdtemp(folder))
        return nd_fail(error, ND_ERR_IO, "%s: no directory can be made there", directory);
    nd_format(path, sizeof path, "%s/table", folder);
    nd_status status = measure_sizes(path, memory ? memory : UINT64_C(64) << 20, allocator, out,
                                     error);
    rmdir(folder);
    return status;
}

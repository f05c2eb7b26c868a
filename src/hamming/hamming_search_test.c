/* Hamming tables against brute force: every design, every k, all widths, on even, clustered,
 * identical and hostile sets. */
#include "hamming/hamming_search.h"

#include "hamming/hamming_planner.h"
#include "own_directory.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 12000, SOME = 3000, QUERIES = 12 };

static nd_fingerprint random_fingerprint(uint64_t *seed, uint32_t bits) {
    nd_fingerprint f = {random_next(seed), random_next(seed)};
    return nd_fingerprint_and(f, nd_fingerprint_mask(bits));
}

static nd_fingerprint flip(nd_fingerprint f, uint32_t bit) {
    if (bit < 64) f.low ^= UINT64_C(1) << bit;
    else f.high ^= UINT64_C(1) << (bit - 64);
    return f;
}

static nd_fingerprint flip_some(nd_fingerprint f, uint64_t *seed, uint32_t bits, uint32_t most) {
    for (uint64_t i = random_below(seed, most + 1); i > 0; i--)
        f = flip(f, (uint32_t)random_below(seed, bits));
    return f;
}

typedef enum shape { EVEN, CLUSTERED, IDENTICAL, ENDS, ONE_BUCKET, FEW_WINDOWS, SHAPES } shape;

static size_t randomized_runs; /* dense runs that were searched with random plans */

/* ONE_BUCKET: all fingerprints have the same upper bits in every window. FEW_WINDOWS: most have one
 * of two near values in one of the windows, so that there are several dense runs in a bucket; and
 * most of these have a 0 in every third bit, so that some bits vary more than others. */
static nd_fingerprint make(shape kind, uint64_t *seed, const nd_hamming_design *design,
                           const nd_fingerprint *before, size_t count) {
    uint32_t bits = design->bits;
    nd_fingerprint all = nd_fingerprint_mask(bits),
                   centre = {0x0123456789abcdefULL, 0xfedcba9876543210ULL};
    nd_hamming_windows windows;
    switch (kind) {
    case CLUSTERED:
        return count && random_below(seed, 3)
                   ? flip_some(before[random_below(seed, count)], seed, bits, 4)
                   : random_fingerprint(seed, bits);
    case IDENTICAL:
        return random_below(seed, 4) ? nd_fingerprint_and(centre, all)
                                     : flip_some(nd_fingerprint_and(centre, all), seed, bits, 3);
    case ENDS:
        return flip_some(random_below(seed, 2) ? all : (nd_fingerprint){0, 0}, seed, bits, 2);
    case ONE_BUCKET: {
        nd_fingerprint f = {0, 0};
        nd_hamming_windows_of(design, &windows);
        for (uint32_t t = 0; t < windows.count; t++) {
            nd_bit_order order;
            nd_bit_order_init(&order, bits, windows.masks[t]);
            for (uint32_t i = 0; i < windows.widths[t] / 2; i++) {
                uint32_t bit = windows.widths[t] - 1 - i -
                               windows.widths[t] /
                                   2; /* the middle of the window, counted from below */
                uint32_t below = windows.widths[t] - 1 - bit; /* the highest bit of the key */
                nd_key key = {below < 64 ? UINT64_C(1) << (63 - below) : 0, 0};
                nd_fingerprint one = nd_key_fingerprint(&order, key);
                if (random_below(seed, 2)) f = (nd_fingerprint){f.low | one.low, f.high | one.high};
            }
        }
        return f;
    }
    case FEW_WINDOWS: {
        nd_fingerprint f = random_fingerprint(seed, bits), window;
        nd_bit_order order;
        nd_hamming_windows_of(design, &windows);
        if (random_below(seed, 5) == 0) return f;
        window = windows.masks[random_below(seed, windows.count)];
        nd_bit_order_init(&order, bits, window);
        uint32_t width = order.width < 64 ? order.width : 64;
        uint64_t low = random_below(seed, 2);
        nd_fingerprint value = nd_key_fingerprint(&order,
                                                  (nd_key){width > 0 ? low << (64 - width) : 0, 0});
        if (random_below(seed, 3) > 0)
            f = nd_fingerprint_and(
                f, (nd_fingerprint){UINT64_C(0xb6db6db6db6db6db), UINT64_C(0xdb6db6db6db6db6d)});
        return (nd_fingerprint){(f.low & ~window.low) | value.low,
                                (f.high & ~window.high) | value.high};
    }
    default: return random_fingerprint(seed, bits);
    }
}

static const char file_name[] = "hamming_search_test.tables";

static void write_tables(const nd_hamming_design *design, const nd_fingerprint *all, size_t count) {
    nd_error error;
    nd_sealed_writer *file;
    nd_hamming_writer *writer;
    nd_seal seal;
    remove(file_name);
    assert_int_equal(nd_sealed_writer_create(file_name, 7, &nd_allocator_default, &file, &error),
                     ND_OK);
    const nd_hamming_writer_settings settings = {.file = file,
                                                 .design = design,
                                                 .documents = count,
                                                 .disk = nd_sealed_writer_disk(file),
                                                 .memory_limit = 1 << 14};
    assert_int_equal(nd_hamming_writer_create(&settings, &nd_allocator_default, &writer, &error),
                     ND_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(nd_hamming_put(writer, &all[i], (uint32_t)i, 1, &error), ND_OK);
    if (nd_hamming_finish(writer, &error) != ND_OK) fail_msg("%s", error.message);
    nd_hamming_writer_free(writer);
    assert_int_equal(nd_sealed_finish(file, &seal, &error), ND_OK);
    nd_sealed_writer_free(file);
}

typedef struct answer {
    uint8_t distance[MOST]; /* distance + 1; 0: not found */
    size_t documents, hits;
} answer;

static nd_status take(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    answer *a = context;
    uint64_t begin, end;
    (void)more;
    assert_int_equal(nd_document_lists_slots(&hit->tables->lists, hit->entry, &begin, &end, error),
                     ND_OK);
    uint32_t before = 0;
    for (uint64_t slot = begin; slot < end; slot++) {
        uint32_t document;
        assert_int_equal(nd_document_lists_at(&hit->tables->lists, slot, &document, error), ND_OK);
        assert_true(slot == begin || document > before);
        assert_int_equal(a->distance[document], 0);
        a->distance[document] = (uint8_t)(hit->distance + 1);
        a->documents++;
        before = document;
    }
    a->hits++;
    return ND_OK;
}

static void check_query(const nd_hamming_tables *tables, nd_hamming_search_context *search,
                        const nd_fingerprint *all, size_t count, nd_fingerprint query, uint32_t k) {
    static answer a;
    nd_error error;
    size_t wanted = 0;
    const nd_hamming_request request = {
        .tables = tables, .queries = &query, .count = 1, .k = k, .fn = take, .context = &a};
    memset(&a, 0, sizeof a);
    if (nd_hamming_search_tables(search, &request, &error) != ND_OK) fail_msg("%s", error.message);
    for (size_t i = 0; i < count; i++) {
        uint32_t distance = nd_fingerprint_weight(nd_fingerprint_xor(all[i], query));
        wanted += distance <= k;
        if (a.distance[i] != (distance <= k ? distance + 1 : 0)) {
            char name[40];
            nd_hamming_design_name(&tables->design, name, sizeof name);
            fail_msg("%s, %u bits, k %u of %u, %zu documents, %d distinct: document %zu at "
                     "distance %u is given as %d",
                     name, tables->design.bits, k, tables->design.k, count, (int)tables->keys, i,
                     distance, a.distance[i] - 1);
        }
    }
    assert_int_equal(a.documents, wanted);
}

/* Gives dense runs random plans; most plans search short runs by their halves, too. */
static void randomize_dense_plan(const nd_hamming_tables *tables, nd_dense_runs *runs, uint32_t k,
                                 uint64_t *seed) {
    nd_dense_plan *plan = &runs->plans[k];
    uint32_t rest = tables->design.bits - runs->width;
    plan->least = random_below(seed, 4) ? 0 : random_below(seed, 200);
    for (unsigned half = 0; half < 2; half++) {
        unsigned bucket_bits = runs->tables[half].bucket_bits, width = (rest + 1 - half) / 2,
                 most = bucket_bits - runs->run_bits;
        plan->halves[half].depth = runs->run_bits +
                                   (unsigned)random_below(seed, (most < width ? most : width) + 1);
        plan->halves[half].shift = bucket_bits - plan->halves[half].depth;
    }
    randomized_runs += runs->count;
}

/* Gives tables random plans: probes at any depth find the same hits. */
static void randomize_plans(nd_hamming_tables *tables, uint64_t *seed) {
    for (size_t i = 0; i < (tables->design.k + 1) * (size_t)tables->windows.count; i++) {
        size_t t = i % tables->windows.count;
        unsigned most = tables->tables[t].bucket_bits < tables->windows.widths[t]
                            ? tables->tables[t].bucket_bits
                            : tables->windows.widths[t];
        nd_probe_plan *plan = &tables->plans[i];
        plan->depth = (unsigned)random_below(seed, most + 1);
        plan->shift = tables->tables[t].bucket_bits - plan->depth;
        plan->wide = random_below(seed, 2) ? (unsigned)random_below(seed, plan->depth + 1) : 0;
    }
    for (uint32_t t = 0; t < tables->windows.count; t++)
        for (uint32_t k = 0; tables->dense[t].count > 0 && k <= tables->design.k; k++)
            randomize_dense_plan(tables, &tables->dense[t], k, seed);
}

/* Counts and checksums of the hits of each query; a query is ended after `most` hits. */
typedef struct batch {
    size_t counts[QUERIES], most;
    uint64_t sums[QUERIES];
} batch;

static nd_status take_of_batch(void *context, const nd_hamming_hit *hit, bool *more,
                               nd_error *error) {
    batch *b = context;
    (void)error;
    assert_true(hit->query < QUERIES);
    b->sums[hit->query] += hit->entry * (hit->distance + 1);
    *more = ++b->counts[hit->query] < b->most;
    return ND_OK;
}

static void check_batch(const nd_hamming_tables *tables, nd_hamming_search_context *search,
                        const nd_fingerprint *queries, uint32_t k, size_t most) {
    nd_error error;
    batch together = {.most = most}, alone = {.most = most};
    const nd_hamming_request of_all = {.tables = tables,
                                       .queries = queries,
                                       .count = QUERIES,
                                       .k = k,
                                       .fn = take_of_batch,
                                       .context = &together};
    assert_int_equal(nd_hamming_search_tables(search, &of_all, &error), ND_OK);
    for (size_t q = 0; q < QUERIES; q++) {
        batch one = {.most = most};
        nd_hamming_request of_one = of_all;
        of_one.queries = &queries[q];
        of_one.count = 1;
        of_one.context = &one;
        assert_int_equal(nd_hamming_search_tables(search, &of_one, &error), ND_OK);
        assert_true(one.counts[0] <= most);
        alone.counts[q] = one.counts[0];
        alone.sums[q] = one.sums[0];
    }
    assert_memory_equal(together.counts, alone.counts, sizeof alone.counts);
    if (most == SIZE_MAX) assert_memory_equal(together.sums, alone.sums, sizeof alone.sums);
}

static void check_design(const nd_hamming_design *design, shape kind, size_t count, uint64_t seed) {
    static nd_fingerprint all[MOST];
    nd_fingerprint queries[QUERIES];
    nd_error error;
    nd_sealed_file *file;
    nd_hamming_tables tables;
    nd_hamming_search_context *search;
    for (size_t i = 0; i < count; i++) all[i] = make(kind, &seed, design, all, i);
    write_tables(design, all, count);
    assert_int_equal(nd_sealed_open(file_name, 7, NULL, &nd_allocator_default, &file, &error),
                     ND_OK);
    if (nd_hamming_tables_open(file, &nd_allocator_default, &tables, &error) != ND_OK)
        fail_msg("%s", error.message);
    if (nd_hamming_tables_check(&tables, &error) != ND_OK) fail_msg("%s", error.message);
    assert_int_equal(nd_hamming_search_context_create(&nd_allocator_default, &search, &error),
                     ND_OK);
    if (random_below(&seed, 2)) randomize_plans(&tables, &seed);
    for (uint32_t k = 0; k <= design->k; k += design->k > 4 ? 3 : 1) {
        for (size_t i = 0; i < QUERIES; i++) {
            queries[i] = i % 2 ? make(kind, &seed, design, all, count)
                               : flip_some(all[random_below(&seed, count)], &seed, design->bits,
                                           k + 1);
            check_query(&tables, search, all, count, queries[i], k);
        }
        check_batch(&tables, search, queries, k, SIZE_MAX);
        check_batch(&tables, search, queries, k, 1);
    }
    nd_hamming_search_context_free(search);
    nd_hamming_tables_close(&tables, &nd_allocator_default);
    nd_sealed_close(file);
    remove(file_name);
}

static void test_every_design(void **state) {
    (void)state;
    static const uint32_t widths[] = {16, 32, 64, 128};
    size_t checked = 0;
    for (size_t w = 0; w < 4; w++)
        for (uint32_t k = 0; k <= widths[w] / 4; k += k < 4 || k == 8 ? 1 : 4) {
            nd_hamming_design designs[ND_HAMMING_MOST_DESIGNS];
            size_t count = nd_hamming_designs(widths[w], k, designs);
            for (size_t i = 0; i < count; i++)
                for (unsigned kind = 0; kind < SHAPES; kind++) {
                    static const size_t counts[] = {1, 2, 70, 500, SOME};
                    size_t n = counts[(checked + kind) % 5];
                    if (designs[i].k > 4 && n > 500) n = 500;
                    if (nd_mix64(checked) % 2 < test_rounds(2))
                        check_design(&designs[i], (shape)kind, n, checked);
                    checked++;
                }
        }
    print_message("%zu sets\n", checked);
}

/* Several runs in each table, long enough to be dense in a build without tiny limits, too. */
static void test_dense_runs(void **state) {
    (void)state;
    static const uint32_t widths[] = {32, 64, 128};
    randomized_runs = 0;
    for (size_t w = 0; w < 3; w++)
        for (uint32_t k = 1; k <= 5; k++)
            for (uint64_t seed = 0; seed < test_rounds(4); seed++)
                check_design(&(nd_hamming_design){.kind = ND_HAMMING_WINDOWS,
                                                  .bits = widths[w],
                                                  .k = k,
                                                  .blocks = 2,
                                                  .chosen = 1},
                             FEW_WINDOWS, MOST, seed * 10 + k);
    print_message("%zu dense runs\n", randomized_runs);
    assert_true(randomized_runs > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_design),
                                       cmocka_unit_test(test_dense_runs)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

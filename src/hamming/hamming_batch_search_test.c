/* Batches of Hamming queries against brute force: every design, every k, all widths, on even,
 * clustered, identical and hostile sets; when a batch pays; failures. */
#include "hamming/hamming_batch_search.h"

#include "fingerprint_shapes.h"
#include "own_directory.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, MOST_QUERIES = 300, MOST_HITS = MOST * MOST_QUERIES };

static const char file_name[] = "hamming_batch_search_test.tables";

typedef struct opened {
    nd_sealed_file *file;
    nd_hamming_tables tables;
} opened;

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

static void open_tables(opened *o) {
    nd_error error;
    assert_int_equal(nd_sealed_open(file_name, 7, NULL, &nd_allocator_default, &o->file, &error),
                     ND_OK);
    if (nd_hamming_tables_open(o->file, &nd_allocator_default, &o->tables, &error) != ND_OK)
        fail_msg("%s", error.message);
}

static void close_tables(opened *o) {
    nd_hamming_tables_close(&o->tables, &nd_allocator_default);
    nd_sealed_close(o->file);
    remove(file_name);
}

typedef struct answer {
    nd_hamming_hit *hits;
    size_t count, calls, end_at;
} answer;

static nd_status take(void *context, const nd_hamming_hit *hits, size_t count, nd_error *error) {
    answer *a = context;
    assert_true(count > 0 && count <= ND_BATCH_HITS && a->count + count <= MOST_HITS);
    memcpy(a->hits + a->count, hits, count * sizeof *hits);
    a->count += count;
    return ++a->calls == a->end_at ? nd_fail(error, ND_ERR_CANCELLED, "enough") : ND_OK;
}

static answer answer_make(void) {
    return (answer){.hits = malloc(MOST_HITS * sizeof(nd_hamming_hit))};
}

static nd_status ask(const nd_hamming_tables *tables, const nd_fingerprint *queries, size_t count,
                     uint32_t k, const nd_allocator *allocator, answer *a, nd_error *error) {
    a->count = a->calls = 0;
    const nd_hamming_batch batch = {
        .tables = tables, .queries = queries, .count = count, .k = k, .fn = take, .context = a};
    return nd_hamming_batch_search(&batch, allocator, error);
}

/* The distance of each query and document, + 1; 0: not within k. */
static void check_answer(const nd_hamming_tables *tables, const nd_fingerprint *all, size_t count,
                         const nd_fingerprint *queries, size_t query_count, uint32_t k,
                         const answer *a) {
    static uint8_t found[MOST_QUERIES][MOST];
    nd_error error;
    char name[40];
    nd_hamming_design_name(&tables->design, name, sizeof name);
    memset(found, 0, sizeof found);
    for (size_t i = 0; i < a->count; i++) {
        uint64_t begin, end;
        const nd_hamming_hit *hit = &a->hits[i];
        assert_ptr_equal(hit->tables, tables);
        assert_int_equal(nd_document_lists_slots(&tables->lists, hit->entry, &begin, &end, &error),
                         ND_OK);
        for (uint64_t slot = begin; slot < end; slot++) {
            uint32_t document;
            assert_int_equal(nd_document_lists_at(&tables->lists, slot, &document, &error), ND_OK);
            assert_int_equal(found[hit->query][document], 0);
            assert_int_equal(
                nd_fingerprint_weight(nd_fingerprint_xor(all[document], hit->fingerprint)), 0);
            found[hit->query][document] = (uint8_t)(hit->distance + 1);
        }
    }
    for (size_t q = 0; q < query_count; q++)
        for (size_t i = 0; i < count; i++) {
            uint32_t distance = nd_fingerprint_weight(nd_fingerprint_xor(all[i], queries[q]));
            if (found[q][i] != (distance <= k ? distance + 1 : 0))
                fail_msg("%s, %u bits, k %u of %u, %zu documents, %d distinct, %zu queries: query "
                         "%zu, document %zu at distance %u is given as %d",
                         name, tables->design.bits, k, tables->design.k, count, (int)tables->keys,
                         query_count, q, i, distance, found[q][i] - 1);
        }
}

static void check_design(const nd_hamming_design *design, shape kind, size_t count,
                         size_t query_count, uint64_t seed) {
    static nd_fingerprint all[MOST], queries[MOST_QUERIES];
    static answer a;
    opened o;
    nd_error error;
    if (!a.hits) a = answer_make();
    for (size_t i = 0; i < count; i++) all[i] = make(kind, &seed, design->bits, all, i);
    for (size_t i = 0; i < query_count; i++)
        queries[i] = i % 3 == 2 ? random_fingerprint(&seed, design->bits)
                                : flip_some(all[random_below(&seed, count)], &seed, design->bits,
                                            design->k + 1);
    write_tables(design, all, count);
    open_tables(&o);
    for (uint32_t k = seed % 2 ? design->k : design->k / 2; k <= design->k;
         k += design->k / 2 + 1) {
        if (ask(&o.tables, queries, query_count, k, &nd_allocator_default, &a, &error) != ND_OK)
            fail_msg("%s", error.message);
        check_answer(&o.tables, all, count, queries, query_count, k, &a);
    }
    close_tables(&o);
}

static void test_every_design(void **state) {
    (void)state;
    static const uint32_t widths[] = {16, 32, 64, 128};
    static const size_t counts[] = {1, 2, 70, 500, 1500}, query_counts[] = {60, 1, 9, MOST_QUERIES};
    size_t checked = 0;
    for (size_t w = 0; w < 4; w++)
        for (uint32_t k = 0; k <= widths[w] / 4; k += k < 4 || k == 8 ? 1 : 4) {
            nd_hamming_design designs[ND_HAMMING_MOST_DESIGNS];
            size_t count = nd_hamming_designs(widths[w], k, designs);
            for (size_t i = 0; i < count; i++)
                for (int set = 0; set < 2; set++, checked++) {
                    size_t n = counts[checked % 5];
                    if (k > 4 && n > 500) n = 500;
                    check_design(&designs[i], (shape)(checked % SHAPES), n,
                                 query_counts[checked % 4], checked);
                }
        }
    for (unsigned kind = 0; kind < SHAPES; kind++)
        for (uint32_t blocks = 1; blocks <= 3; blocks++)
            check_design(
                &(nd_hamming_design){
                    .kind = ND_HAMMING_WINDOWS, .bits = 64, .k = 3, .blocks = blocks, .chosen = 1},
                (shape)kind, MOST, MOST_QUERIES, kind);
    print_message("%zu sets\n", checked);
}

static const nd_hamming_design usual = {
    .kind = ND_HAMMING_WINDOWS, .bits = 64, .k = 3, .blocks = 2, .chosen = 1};
static nd_fingerprint some[MOST_QUERIES];

static void open_some(opened *o) {
    uint64_t seed = 5;
    for (size_t i = 0; i < MOST_QUERIES; i++) some[i] = make(CLUSTERED, &seed, 64, some, i);
    write_tables(&usual, some, MOST_QUERIES);
    open_tables(o);
}

/* The n-th allocation fails, for every n. */
static void test_without_memory(void **state) {
    (void)state;
    opened o;
    answer a = answer_make();
    nd_status status = ND_ERR_MEMORY;
    long n = 0;
    open_some(&o);
    for (; status != ND_OK; n++) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_error error = {0};
        status = ask(&o.tables, some, 100, 3, &allocator, &a, &error);
        assert_int_equal(failing.live, 0);
        assert_true(status == ND_OK ||
                    (status == ND_ERR_MEMORY && strstr(error.message, "memory")));
    }
    assert_true(n > 5);
    close_tables(&o);
    free(a.hits);
}

static void test_ended_by_the_callback(void **state) {
    (void)state;
    opened o;
    answer a = answer_make();
    nd_status status = ND_ERR_CANCELLED;
    open_some(&o);
    for (size_t end = 1; status != ND_OK; end++) {
        nd_error error;
        a.end_at = end;
        status = ask(&o.tables, some, MOST_QUERIES, 3, &nd_allocator_default, &a, &error);
        if (status == ND_OK) assert_true(a.calls < end);
        else assert_int_equal(a.calls, end);
        if (status != ND_OK) assert_string_equal(error.message, "enough");
    }
    close_tables(&o);
    free(a.hits);
}

static void test_bad_arguments(void **state) {
    (void)state;
    opened o;
    nd_error error;
    open_some(&o);
    const nd_fingerprint wide[2] = {{1, 0}, {1, 1}};
    answer a = answer_make();
    assert_int_equal(ask(&o.tables, wide, 1, 3, &nd_allocator_default, &a, &error), ND_OK);
    assert_int_equal(ask(&o.tables, wide, 2, 3, &nd_allocator_default, &a, &error),
                     ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "query 1 has more than 64 bits");
    assert_int_equal(ask(&o.tables, wide, 0, 3, &nd_allocator_default, &a, &error), ND_OK);
    assert_int_equal(ask(&o.tables, wide, 1, 4, &nd_allocator_default, &a, &error),
                     ND_ERR_ARGUMENT);
    close_tables(&o);
    free(a.hits);
}

/* A batch of one query never pays; a large batch pays with some thousand fingerprints. */
static void test_when_it_pays(void **state) {
    (void)state;
    static nd_fingerprint all[MOST];
    opened o;
    uint64_t seed = 9;
    for (size_t i = 0; i < MOST; i++) all[i] = random_fingerprint(&seed, 64);
    write_tables(&usual, all, MOST);
    open_tables(&o);
    assert_false(nd_hamming_batch_pays(&o.tables, 1, 3));
    assert_true(nd_hamming_batch_pays(&o.tables, 100000, 3));
    close_tables(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_design), cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_ended_by_the_callback), cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_when_it_pays)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

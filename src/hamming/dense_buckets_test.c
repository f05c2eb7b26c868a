/* Heavy runs as they stand in a file: which there are, and that damage is told, or at least
 * harmless, where the hashes do not show it. What is found through them: hamming_search_test.c. */
#include "hamming/hamming_search.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS = 3,
    EACH = ND_DENSE_LEAST + 5,
    OTHERS = 100,
    FIRST_TAG = ND_TAG_HAMMING,
    HEAVY_TAG = ND_TAG_HAMMING + 512,
    BEHIND_TAG = HEAVY_TAG + 32
};

static const char whole_name[] = "dense_buckets_test.whole",
                  damaged_name[] = "dense_buckets_test.damaged";
static const nd_hamming_design design = {ND_HAMMING_WINDOWS, 64, 3, 2, 1};

static nd_sealed_writer *create(const char *name) {
    nd_error error;
    nd_sealed_writer *file;
    remove(name);
    assert_int_equal(nd_sealed_writer_create(name, 7, &nd_allocator_default, &file, &error), ND_OK);
    return file;
}

static void finish(nd_sealed_writer *file) {
    nd_error error;
    nd_seal seal;
    assert_int_equal(nd_sealed_finish(file, &seal, &error), ND_OK);
    nd_sealed_writer_free(file);
}

/* Runs of `each` fingerprints whose upper halves are 1, 2, 3, and some others. */
static void write_tables(uint64_t each) {
    nd_error error;
    nd_hamming_writer *writer;
    nd_sealed_writer *file = create(whole_name);
    uint64_t seed = 1, count = RUNS * each + OTHERS;
    assert_int_equal(nd_hamming_writer_create(file, &design, count, nd_sealed_writer_disk(file),
                                              1 << 14, &nd_allocator_default, &writer, &error),
                     ND_OK);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t low = i * 2654435761u % UINT32_MAX,
                 high = i < RUNS * each ? i / each + 1 : random_next(&seed) >> 32 | 16;
        assert_int_equal(
            nd_hamming_put(writer, &(nd_fingerprint){high << 32 | low, 0}, (uint32_t)i, 1, &error),
            ND_OK);
    }
    if (nd_hamming_finish(writer, &error) != ND_OK) fail_msg("%s", error.message);
    nd_hamming_writer_free(writer);
    finish(file);
}

static nd_sealed_file *open_file(const char *name) {
    nd_error error;
    nd_sealed_file *file;
    if (nd_sealed_open(name, 7, NULL, &nd_allocator_default, &file, &error) != ND_OK)
        fail_msg("%s", error.message);
    return file;
}

static void test_only_long_runs_are_heavy(void **state) {
    (void)state;
    for (uint64_t each = ND_DENSE_LEAST - 1; each <= EACH; each += 3) {
        nd_error error;
        nd_hamming_tables tables;
        bool heavy = each >= ND_DENSE_LEAST;
        write_tables(each);
        nd_sealed_file *file = open_file(whole_name);
        for (uint32_t tag = HEAVY_TAG; tag < BEHIND_TAG; tag++)
            assert_true(!nd_sealed_has(file, tag) || (heavy && tag < HEAVY_TAG + ND_DENSE_TAGS));
        assert_int_equal(nd_hamming_tables_open(file, &nd_allocator_default, &tables, &error),
                         ND_OK);
        assert_int_equal(tables.heavy[0].count, heavy ? RUNS : 0);
        assert_int_equal(tables.heavy[1].count, 0);
        for (uint64_t i = 0; i < tables.heavy[0].count; i++) {
            nd_dense_run run;
            assert_int_equal(nd_dense_run_at(&tables.heavy[0], i, &run, &error), ND_OK);
            assert_int_equal(run.window, (i + 1) << 32);
            assert_int_equal(run.first, i * each);
            assert_int_equal(run.end, (i + 1) * each);
        }
        nd_hamming_tables_close(&tables, &nd_allocator_default);
        nd_sealed_close(file);
    }
    remove(whole_name);
}

/* The file with another byte in a section, and with the hashes that belong to that. */
static void write_damaged(const nd_sealed_file *whole, uint32_t at_tag, uint64_t at,
                          unsigned char change) {
    nd_error error;
    nd_sealed_writer *file = create(damaged_name);
    for (uint32_t tag = FIRST_TAG; tag < BEHIND_TAG; tag++) {
        nd_section section;
        if (!nd_sealed_has(whole, tag)) continue;
        assert_int_equal(nd_sealed_section(whole, tag, &section, &error), ND_OK);
        unsigned char *bytes = malloc(section.size + 1);
        const unsigned char *p;
        assert_non_null(bytes);
        if (section.size > 0) {
            assert_int_equal(nd_sealed_view(whole, &section, 0, section.size, &p, &error), ND_OK);
            memcpy(bytes, p, section.size);
        }
        if (tag == at_tag) bytes[at] ^= change;
        assert_int_equal(nd_sealed_begin(file, tag, &error), ND_OK);
        assert_int_equal(nd_sealed_write(file, bytes, section.size, &error), ND_OK);
        free(bytes);
    }
    finish(file);
}

static nd_status pass_over(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    (void)context, (void)hit, (void)more, (void)error;
    return ND_OK;
}

/* Looks for what is near the runs, and then at everything. True: the damage is told. */
static bool look(void) {
    nd_error error;
    nd_hamming_tables tables;
    nd_hamming_prober *prober;
    nd_sealed_file *file = open_file(damaged_name);
    nd_status status = nd_hamming_tables_open(file, &nd_allocator_default, &tables, &error);
    if (status == ND_OK) {
        assert_int_equal(nd_hamming_prober_create(&nd_allocator_default, &prober, &error), ND_OK);
        for (uint32_t k = 0; k <= design.k; k++) tables.heavy[0].ways[k].least = 0;
        for (uint64_t i = 0; i < 40; i++) {
            bool more = true;
            nd_fingerprint query = {(i % 4) << 32 | (i * 77 * 2654435761u % UINT32_MAX ^ (i & 3)),
                                    0};
            status = nd_hamming_search(&tables, prober, query, design.k, pass_over, NULL, &more,
                                       &error);
            assert_true(status == ND_OK || status == ND_ERR_CORRUPT);
        }
        nd_hamming_prober_free(prober);
        status = nd_hamming_tables_check(&tables, &error);
        nd_hamming_tables_close(&tables, &nd_allocator_default);
    }
    assert_true(status == ND_OK || status == ND_ERR_CORRUPT);
    nd_sealed_close(file);
    return status != ND_OK;
}

static void test_damage(void **state) {
    (void)state;
    size_t told = 0, damages = 0;
    write_tables(EACH);
    nd_sealed_file *whole = open_file(whole_name);
    write_damaged(whole, 0, 0, 0);
    assert_false(look());
    for (uint32_t tag = HEAVY_TAG; tag < BEHIND_TAG; tag++) {
        nd_error error;
        nd_section section;
        if (!nd_sealed_has(whole, tag)) continue;
        assert_int_equal(nd_sealed_section(whole, tag, &section, &error), ND_OK);
        uint64_t step = section.size / 20 + 1;
        for (uint64_t at = 0; at < section.size; at += step, damages++) {
            write_damaged(whole, tag, at, (unsigned char)(1u << damages % 8));
            bool found = look();
            if (!found && at + 8 < section.size)
                fail_msg("a change of byte %d of section %u is not told", (int)at, tag - HEAVY_TAG);
            told += found;
        }
    }
    print_message("%zu damages, told %zu times\n", damages, told);
    nd_sealed_close(whole);
    remove(whole_name);
    remove(damaged_name);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_only_long_runs_are_heavy),
                                       cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

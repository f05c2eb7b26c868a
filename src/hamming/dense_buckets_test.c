/* Dense buckets in a file: which runs are dense; and damage that the hashes do not show is
 * reported, or at least harmless. hamming_search_test.c tests the searches in them. */
#include "hamming/hamming_search.h"

#include "own_directory.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS = 3,
    EACH = ND_DENSE_LEAST + 5,
    OTHERS = 100,
    FIRST_TAG = ND_TAG_HAMMING,
    DENSE_TAG = ND_TAG_HAMMING + 512,
    BEHIND_TAG = DENSE_TAG + 32
};

static const char whole_name[] = "dense_buckets_test.whole",
                  damaged_name[] = "dense_buckets_test.damaged";
static const nd_hamming_design design = {
    .kind = ND_HAMMING_WINDOWS, .bits = 64, .k = 3, .blocks = 2, .chosen = 1};

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

/* Writes RUNS runs of `each` fingerprints whose upper halves are 1, 2, 3, and OTHERS others. */
static void write_tables(uint64_t each) {
    nd_error error;
    nd_hamming_writer *writer;
    nd_sealed_writer *file = create(whole_name);
    uint64_t seed = 1, count = RUNS * each + OTHERS;
    const nd_hamming_writer_settings settings = {.file = file,
                                                 .design = &design,
                                                 .documents = count,
                                                 .disk = nd_sealed_writer_disk(file),
                                                 .memory_limit = 1 << 14};
    assert_int_equal(nd_hamming_writer_create(&settings, &nd_allocator_default, &writer, &error),
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

static void test_only_long_runs_are_dense(void **state) {
    (void)state;
    for (uint64_t each = ND_DENSE_LEAST - 1; each <= EACH; each += 3) {
        nd_error error;
        nd_hamming_tables tables;
        bool dense = each >= ND_DENSE_LEAST;
        write_tables(each);
        nd_sealed_file *file = open_file(whole_name);
        for (uint32_t tag = DENSE_TAG; tag < BEHIND_TAG; tag++)
            assert_true(!nd_sealed_has(file, tag) || (dense && tag < DENSE_TAG + ND_DENSE_TAGS));
        assert_int_equal(nd_hamming_tables_open(file, &nd_allocator_default, &tables, &error),
                         ND_OK);
        assert_int_equal(tables.dense[0].count, dense ? RUNS : 0);
        assert_int_equal(tables.dense[1].count, 0);
        for (uint64_t i = 0; i < tables.dense[0].count; i++) {
            nd_dense_run run;
            assert_int_equal(nd_dense_run_at(&tables.dense[0], i, &run, &error), ND_OK);
            assert_int_equal(run.window, (i + 1) << 32);
            assert_int_equal(run.first, i * each);
            assert_int_equal(run.end, (i + 1) * each);
        }
        nd_hamming_tables_close(&tables, &nd_allocator_default);
        nd_sealed_close(file);
    }
    remove(whole_name);
}

/* Writes the file with one changed byte, and with hashes that fit the change. */
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

static nd_status ignore_hit(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    (void)context, (void)hit, (void)more, (void)error;
    return ND_OK;
}

/* Searches near the runs, and then checks all. True: the damage is reported. */
static bool reports_damage(void) {
    nd_error error;
    nd_hamming_tables tables;
    nd_hamming_search_context *search;
    nd_sealed_file *file = open_file(damaged_name);
    nd_status status = nd_hamming_tables_open(file, &nd_allocator_default, &tables, &error);
    if (status == ND_OK) {
        assert_int_equal(nd_hamming_search_context_create(&nd_allocator_default, &search, &error),
                         ND_OK);
        for (uint32_t k = 0; k <= design.k; k++) tables.dense[0].plans[k].least = 0;
        for (uint64_t i = 0; i < 40; i++) {
            nd_fingerprint query = {(i % 4) << 32 | (i * 77 * 2654435761u % UINT32_MAX ^ (i & 3)),
                                    0};
            const nd_hamming_request request = {
                .tables = &tables, .queries = &query, .count = 1, .k = design.k, .fn = ignore_hit};
            status = nd_hamming_search_tables(search, &request, &error);
            assert_true(status == ND_OK || status == ND_ERR_CORRUPT);
        }
        nd_hamming_search_context_free(search);
        status = nd_hamming_tables_check(&tables, &error);
        nd_hamming_tables_close(&tables, &nd_allocator_default);
    }
    assert_true(status == ND_OK || status == ND_ERR_CORRUPT);
    nd_sealed_close(file);
    return status != ND_OK;
}

static void test_damage(void **state) {
    (void)state;
    size_t reported = 0, damages = 0;
    write_tables(EACH);
    nd_sealed_file *whole = open_file(whole_name);
    write_damaged(whole, 0, 0, 0);
    assert_false(reports_damage());
    for (uint32_t tag = DENSE_TAG; tag < BEHIND_TAG; tag++) {
        nd_error error;
        nd_section section;
        if (!nd_sealed_has(whole, tag)) continue;
        assert_int_equal(nd_sealed_section(whole, tag, &section, &error), ND_OK);
        uint64_t step = section.size / 20 + 1;
        for (uint64_t at = 0; at < section.size; at += step, damages++) {
            write_damaged(whole, tag, at, (unsigned char)(1u << damages % 8));
            bool found = reports_damage();
            if (!found && at + 8 < section.size)
                fail_msg("a change of byte %d of section %u is not reported", (int)at,
                         tag - DENSE_TAG);
            reported += found;
        }
    }
    print_message("%zu damages, %zu reported\n", damages, reported);
    nd_sealed_close(whole);
    remove(whole_name);
    remove(damaged_name);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_only_long_runs_are_dense),
                                       cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

/* Tables that are sound by themselves but do not have the same fingerprints: the check of Hamming
 * tables finds them, and a batch of queries that meets a fingerprint the first table has not. */
#include "hamming/hamming_batch_search.h"
#include "hamming/hamming_tables.h"

#include "own_directory.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 500, KIND = 7 };

static const char *const names[] = {"hamming_tables_test.first", "hamming_tables_test.second"};

static void write_tables(const char *name, const nd_hamming_design *design,
                         const nd_fingerprint *all) {
    nd_sealed_writer *file;
    nd_hamming_writer *writer;
    nd_temp_space disk = {.directory = "."};
    nd_error error;
    nd_seal seal;
    remove(name);
    assert_int_equal(nd_sealed_writer_create(name, KIND, &nd_allocator_default, &file, &error),
                     ND_OK);
    const nd_hamming_writer_settings settings = {
        .file = file, .design = design, .documents = COUNT, .disk = &disk, .memory_limit = 1 << 20};
    assert_int_equal(nd_hamming_writer_create(&settings, &nd_allocator_default, &writer, &error),
                     ND_OK);
    assert_int_equal(nd_hamming_put(writer, all, 0, COUNT, &error), ND_OK);
    assert_int_equal(nd_hamming_finish(writer, &error), ND_OK);
    assert_int_equal(nd_sealed_finish(file, &seal, &error), ND_OK);
    nd_hamming_writer_free(writer);
    nd_sealed_writer_free(file);
}

/* Replaces the sections of one table of a file by those of another file. */
static void write_mixed(const char *name, const char *other, uint32_t table) {
    nd_sealed_file *files[2];
    nd_sealed_writer *writer;
    nd_error error;
    nd_seal seal;
    char mixed[40];
    snprintf(mixed, sizeof mixed, "%s-mixed", name);
    remove(mixed);
    assert_int_equal(nd_sealed_open(name, KIND, NULL, &nd_allocator_default, &files[0], &error),
                     ND_OK);
    assert_int_equal(nd_sealed_open(other, KIND, NULL, &nd_allocator_default, &files[1], &error),
                     ND_OK);
    assert_int_equal(nd_sealed_writer_create(mixed, KIND, &nd_allocator_default, &writer, &error),
                     ND_OK);
    for (uint32_t tag = ND_TAG_HAMMING; tag < ND_TAG_HAMMING + 1024; tag++) {
        uint32_t first = ND_TAG_HAMMING + 8 + table * (uint32_t)ND_EF_TABLE_TAGS;
        bool exchanged = tag >= first && tag < first + ND_EF_TABLE_TAGS;
        nd_section section;
        if (nd_sealed_section(files[exchanged], tag, &section, NULL) != ND_OK) continue;
        assert_int_equal(nd_sealed_begin(writer, tag, &error), ND_OK);
        for (uint64_t at = 0; at < section.size; at++) {
            const unsigned char *byte;
            assert_int_equal(nd_sealed_view(files[exchanged], &section, at, 1, &byte, &error),
                             ND_OK);
            assert_int_equal(nd_sealed_write(writer, byte, 1, &error), ND_OK);
        }
    }
    assert_int_equal(nd_sealed_finish(writer, &seal, &error), ND_OK);
    nd_sealed_writer_free(writer);
    for (int i = 0; i < 2; i++) nd_sealed_close(files[i]);
    assert_int_equal(rename(mixed, name), 0);
}

static nd_status count_hits(void *context, const nd_hamming_hit *hits, size_t count,
                            nd_error *error) {
    (void)hits, (void)error;
    *(size_t *)context += count;
    return ND_OK;
}

typedef nd_status use_fn(const nd_hamming_tables *tables, nd_fingerprint near, nd_error *error);

/* A batch of queries near a fingerprint. */
static nd_status ask(const nd_hamming_tables *tables, nd_fingerprint near, nd_error *error) {
    enum { QUERIES = 200, ERRORS = 3 };
    nd_fingerprint queries[QUERIES];
    uint64_t seed = 11;
    size_t hits = 0;
    for (size_t i = 0; i < QUERIES; i++) {
        queries[i] = near;
        for (int e = 0; e < ERRORS; e++) {
            uint64_t bit = random_below(&seed, tables->design.bits);
            if (bit < 64) queries[i].low ^= UINT64_C(1) << bit;
            else queries[i].high ^= UINT64_C(1) << (bit - 64);
        }
    }
    const nd_hamming_batch batch = {.tables = tables,
                                    .queries = queries,
                                    .count = QUERIES,
                                    .k = ERRORS,
                                    .fn = count_hits,
                                    .context = &hits};
    nd_status status = nd_hamming_batch_search(&batch, &nd_allocator_default, error);
    if (status == ND_OK) assert_true(hits >= QUERIES);
    return status;
}

static nd_status check(const nd_hamming_tables *tables, nd_fingerprint near, nd_error *error) {
    (void)near;
    return nd_hamming_tables_check(tables, error);
}

static nd_status use(const char *name, use_fn *fn, nd_fingerprint near, nd_error *error) {
    nd_sealed_file *file;
    nd_hamming_tables tables;
    assert_int_equal(nd_sealed_open(name, KIND, NULL, &nd_allocator_default, &file, error), ND_OK);
    assert_int_equal(nd_hamming_tables_open(file, &nd_allocator_default, &tables, error), ND_OK);
    nd_status status = fn(&tables, near, error);
    nd_hamming_tables_close(&tables, &nd_allocator_default);
    nd_sealed_close(file);
    return status;
}

static void check_sound(const char *name, nd_fingerprint near) {
    nd_error error;
    if (use(name, check, near, &error) != ND_OK) fail_msg("%s", error.message);
    if (use(name, ask, near, &error) != ND_OK) fail_msg("%s", error.message);
}

static void check_fails(const char *name, use_fn *fn, nd_fingerprint near, const char *message) {
    nd_error error;
    assert_int_equal(use(name, fn, near, &error), ND_ERR_CORRUPT);
    if (!strstr(error.message, message)) fail_msg("%s", error.message);
}

/* The tables differ in one bit of one fingerprint. */
static void check_unlike(uint32_t bits, uint32_t table, uint64_t seed) {
    nd_hamming_design design = {
        .kind = ND_HAMMING_WINDOWS, .bits = bits, .k = 3, .blocks = 2, .chosen = 1};
    nd_fingerprint all[COUNT];
    uint64_t bit = random_below(&seed, bits), changed = random_below(&seed, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        all[i] = nd_fingerprint_and((nd_fingerprint){random_next(&seed), random_next(&seed)},
                                    nd_fingerprint_mask(bits));
    write_tables(names[0], &design, all);
    const nd_fingerprint before = all[changed];
    if (bit < 64) all[changed].low ^= UINT64_C(1) << bit;
    else all[changed].high ^= UINT64_C(1) << (bit - 64);
    write_tables(names[1], &design, all);
    check_sound(names[0], before);
    write_mixed(names[0], names[0], table);
    check_sound(names[0], before);
    write_mixed(names[0], names[1], table);
    check_fails(names[0], check, before, "one of its tables has other fingerprints than the first");
    check_fails(names[0], ask, table == 0 ? before : all[changed],
                "a table of fingerprints has one that the first has not");
}

static void test_unlike_tables(void **state) {
    static const uint32_t widths[] = {32, 64, 128};
    (void)state;
    for (size_t w = 0; w < 3; w++)
        for (uint32_t table = 0; table < 2; table++)
            for (uint64_t seed = 1; seed <= 3; seed++) check_unlike(widths[w], table, seed);
    for (int i = 0; i < 2; i++) remove(names[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unlike_tables)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

/* The check of Hamming tables finds tables that are sound by themselves but do not have the same
 * fingerprints. */
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

static nd_status check(const char *name, nd_error *error) {
    nd_sealed_file *file;
    nd_hamming_tables tables;
    assert_int_equal(nd_sealed_open(name, KIND, NULL, &nd_allocator_default, &file, error), ND_OK);
    assert_int_equal(nd_hamming_tables_open(file, &nd_allocator_default, &tables, error), ND_OK);
    nd_status status = nd_hamming_tables_check(&tables, error);
    nd_hamming_tables_close(&tables, &nd_allocator_default);
    nd_sealed_close(file);
    return status;
}

/* The tables differ in one bit of one fingerprint. */
static void check_unlike(uint32_t bits, uint32_t table, uint64_t seed) {
    nd_hamming_design design = {
        .kind = ND_HAMMING_WINDOWS, .bits = bits, .k = 3, .blocks = 2, .chosen = 1};
    nd_fingerprint all[COUNT];
    nd_error error;
    uint64_t bit = random_below(&seed, bits), changed = random_below(&seed, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        all[i] = nd_fingerprint_and((nd_fingerprint){random_next(&seed), random_next(&seed)},
                                    nd_fingerprint_mask(bits));
    write_tables(names[0], &design, all);
    if (bit < 64) all[changed].low ^= UINT64_C(1) << bit;
    else all[changed].high ^= UINT64_C(1) << (bit - 64);
    write_tables(names[1], &design, all);
    if (check(names[0], &error) != ND_OK) fail_msg("%s", error.message);
    write_mixed(names[0], names[0], table);
    if (check(names[0], &error) != ND_OK) fail_msg("%s", error.message);
    write_mixed(names[0], names[1], table);
    assert_int_equal(check(names[0], &error), ND_ERR_CORRUPT);
    assert_non_null(
        strstr(error.message, "one of its tables has other fingerprints than the first"));
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

/* Tombstones against an array of booleans: tombstones of a file, and tombstones added since. */
#include "store/tombstones.h"

#include "own_directory.h"

#include <string.h>

enum { MOST = 100000 };

static bool oracle[2][MOST]; /* of the file; added */

static void write_file(uint32_t documents, nd_seal *seal) {
    nd_tombstone_writer *w;
    nd_error error;
    assert_int_equal(nd_tombstone_writer_create("t", &nd_allocator_default, &w, &error), ND_OK);
    for (uint32_t d = 0; d < documents; d++)
        assert_int_equal(nd_tombstone_writer_put(w, oracle[0][d], &error), ND_OK);
    assert_int_equal(nd_tombstone_writer_finish(w, seal, &error), ND_OK);
    nd_tombstone_writer_free(w);
}

static void check(uint32_t documents, uint64_t seed) {
    nd_tombstones t = {0};
    nd_seal seal;
    nd_error error;
    uint32_t removed = 0, added = 0;
    memset(oracle, 0, sizeof oracle);
    for (uint32_t d = 0; d < documents; d++) removed += oracle[0][d] = random_below(&seed, 10) == 0;
    write_file(documents, &seal);
    assert_int_equal(
        nd_tombstones_open("t", &seal, documents + 8, removed, &nd_allocator_default, &t, &error),
        ND_ERR_CORRUPT);
    nd_tombstones_close(&t, &nd_allocator_default);
    assert_int_equal(
        nd_tombstones_open("t", &seal, documents, removed, &nd_allocator_default, &t, &error),
        ND_OK);
    for (int i = 0; i < 500; i++) {
        uint32_t d = (uint32_t)random_below(&seed, documents);
        if (oracle[0][d] || oracle[1][d]) continue;
        assert_int_equal(nd_tombstones_add(&t, d, &nd_allocator_default, &error), ND_OK);
        oracle[1][d] = true;
        added++;
    }
    assert_int_equal(t.file_count, removed);
    assert_int_equal(t.added_count, added);
    for (uint32_t d = 0; d < documents; d++) {
        assert_int_equal(nd_tombstones_has(&t, d), oracle[0][d] || oracle[1][d]);
        assert_int_equal(nd_tombstones_added(&t, d), oracle[1][d]);
    }
    nd_tombstones_close(&t, &nd_allocator_default);
    assert_int_equal(unlink("t"), 0);
}

static void test_against_array(void **state) {
    (void)state;
    const uint32_t documents[] = {1, 7, 8, 9, 1000, 1 << 15, (1 << 15) + 1, MOST};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) check(documents[i], i);
}

/* Without a file there are only the added tombstones. */
static void test_no_file(void **state) {
    (void)state;
    nd_tombstones t = {0};
    nd_error error;
    assert_false(nd_tombstones_has(&t, 5));
    assert_int_equal(nd_tombstones_add(&t, 70000, &nd_allocator_default, &error), ND_OK);
    for (uint32_t d = 0; d < MOST; d++) assert_int_equal(nd_tombstones_has(&t, d), d == 70000);
    nd_tombstones_close(&t, &nd_allocator_default);
    nd_tombstone_writer_free(NULL);
}

/* A file that was not finished is removed. */
static void test_unfinished(void **state) {
    (void)state;
    nd_tombstone_writer *w;
    nd_error error;
    assert_int_equal(nd_tombstone_writer_create("t", &nd_allocator_default, &w, &error), ND_OK);
    assert_int_equal(nd_tombstone_writer_put(w, true, &error), ND_OK);
    nd_tombstone_writer_free(w);
    assert_int_equal(access("t", F_OK), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_array),
                                       cmocka_unit_test(test_no_file),
                                       cmocka_unit_test(test_unfinished)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

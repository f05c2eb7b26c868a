/* Runs of ids against the ids one by one, in memory and on disk. */
#include "store/id_runs.h"

#include "test.h"

#include <stdlib.h>

enum { MOST = 200000 };

static void check(size_t count, uint64_t gaps, size_t memory, uint64_t seed) {
    static uint32_t all[MOST];
    nd_temp_space disk = {.directory = "."};
    nd_id_runs runs;
    nd_id_run run = {0, 0};
    nd_error error;
    size_t runs_wanted = 0, runs_read = 0, at = 0;
    nd_id_runs_init(&runs, &nd_allocator_default, &disk, memory);
    for (size_t i = 0; i < count;) {
        run = (nd_id_run){(uint32_t)(i ? all[i - 1] + 1 + (random_below(&seed, 100) < gaps)
                                       : random_below(&seed, 3)),
                          1};
        run.count += (uint32_t)random_below(&seed, count - i < 4 ? count - i : 4);
        runs_wanted += i == 0 || run.first != all[i - 1] + 1;
        for (uint32_t n = 0; n < run.count; n++) all[i++] = run.first + n;
        assert_int_equal(nd_id_runs_add(&runs, run, &error), ND_OK);
    }
    nd_id_run_cursor cursor = nd_id_run_cursor_begin(&runs);
    do {
        assert_int_equal(nd_id_run_cursor_next(&cursor, &run, &error), ND_OK);
        runs_read += run.count > 0;
        for (uint32_t n = 0; n < run.count; n++, at++) {
            assert_true(at < count);
            assert_int_equal(run.first + n, all[at]);
        }
    } while (run.count > 0);
    assert_int_equal(at, count);
    assert_int_equal(runs_read, runs_wanted);
    nd_id_run_cursor_free(&cursor);
    nd_id_runs_free(&runs);
    assert_int_equal(disk.now, 0);
}

static void test_runs(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        static const size_t counts[] = {0, 1, 1000, MOST};
        static const uint64_t gaps[] = {0, 5, 100};
        check(counts[seed % 4], gaps[seed % 3], seed % 2 ? 0 : 1 << 20, seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* spool.h and spool_blocks.h against one flat array. */
#include "io/spool_blocks.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Random appends against one flat array, with limits from "all in a file" to "all in memory". */
static void test_against_array(void **state) {
    (void)state;
    uint64_t seed = 1;
    size_t most = 5 * ND_SPOOL_CHUNK + 777;
    char *flat = malloc(most), *got = malloc(most);
    const size_t limits[] = {0, ND_SPOOL_CHUNK, 3 * ND_SPOOL_CHUNK, 100 * (size_t)ND_SPOOL_CHUNK};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        nd_temp_space disk = {.directory = "."};
        nd_spool spool;
        nd_error error;
        nd_spool_init(&spool, &nd_allocator_default, &disk, limits[l], "test");
        size_t size = 0;
        while (size < most) {
            assert_int_equal(nd_spool_append(&spool, NULL, 0, &error), ND_OK);
            size_t n = random_below(&seed,
                                    random_below(&seed, 4) ? 1000 : 2 * (size_t)ND_SPOOL_CHUNK);
            if (n > most - size) n = most - size;
            for (size_t i = 0; i < n; i++) flat[size + i] = (char)random_next(&seed);
            assert_int_equal(nd_spool_append(&spool, flat + size, n, &error), ND_OK);
            size += n;
        }
        assert_int_equal(spool.size, most);
        nd_spool_blocks blocks = {.spool = &spool};
        for (int round = 0; round < 300; round++) {
            size_t offset = random_below(&seed, most), n = random_below(&seed, most - offset + 1);
            if (round % 2) n = n > 500 ? n % 500 : n;
            const void *view;
            assert_int_equal(nd_spool_read(&spool, got, n, offset, &error), ND_OK);
            assert_memory_equal(got, flat + offset, n);
            assert_int_equal(nd_spool_view(&spool, n, offset, got, &view, &error), ND_OK);
            assert_memory_equal(view, flat + offset, n);
            const char *piece;
            assert_int_equal(nd_spool_blocks_view(&blocks, n, offset, &piece, &error), ND_OK);
            assert_memory_equal(piece, flat + offset, n);
        }
        nd_spool_blocks_free(&blocks);
        size_t kept = random_below(&seed, most);
        nd_spool_drop(&spool, kept);
        assert_int_equal(nd_spool_read(&spool, got, most - kept, kept, &error), ND_OK);
        assert_memory_equal(got, flat + kept, most - kept);
        assert_true((disk.most > 0) == (limits[l] < most));
        assert_true(disk.most <= most);
        nd_spool_free(&spool);
        assert_int_equal(disk.now, 0);
    }
    free(flat);
    free(got);
}

static void test_no_directory(void **state) {
    (void)state;
    nd_temp_space disk = {.directory = "no-such-directory"};
    nd_spool spool;
    nd_error error = {0};
    nd_spool_init(&spool, &nd_allocator_default, &disk, 0, "test");
    static char bytes[2 * ND_SPOOL_CHUNK];
    assert_int_equal(nd_spool_append(&spool, bytes, sizeof bytes, &error), ND_ERR_IO);
    assert_non_null(strstr(error.message, "no-such-directory"));
    nd_spool_free(&spool);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_array),
                                       cmocka_unit_test(test_no_directory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

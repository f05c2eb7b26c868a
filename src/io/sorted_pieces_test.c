/* sorted_pieces.h against qsort of all records. */
#include "io/sorted_pieces.h"

#include "test.h"

#include <stdlib.h>

enum { RECORDS_MOST = 6000, WORDS_MOST = 3 };

static unsigned words, keys;

/* The last word of a record is its turn, so that equal records stay in their order. */
static int in_order(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    for (unsigned k = 0; k < keys; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return x[words - 1] < y[words - 1] ? -1 : x[words - 1] > y[words - 1];
}

/* Adds random pieces, of which `all` gets the records. Returns their number. */
static size_t add_pieces(nd_sorted_pieces *p, size_t pieces, uint64_t *seed, uint64_t *all) {
    const size_t most = RECORDS_MOST / (pieces + 1), values = 1 + random_below(seed, 50);
    size_t count = 0;
    nd_error error;
    for (size_t i = 0; i < pieces; i++) {
        size_t n = 1 + random_below(seed, most);
        uint64_t *piece = all + count * words;
        for (size_t r = 0; r < n; r++) {
            for (unsigned w = 0; w < words; w++) piece[r * words + w] = random_below(seed, values);
            if (keys < words) piece[r * words + words - 1] = count + r;
        }
        qsort(piece, n, words * sizeof *piece, in_order);
        assert_int_equal(nd_sorted_pieces_add(p, piece, n, &error), ND_OK);
        count += n;
    }
    return count;
}

static void check_order(nd_sorted_pieces *p, const uint64_t *sorted, size_t count) {
    const uint64_t *record;
    nd_error error;
    assert_int_equal(nd_sorted_pieces_begin(p, &error), ND_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(nd_sorted_pieces_next(p, &record, &error), ND_OK);
        assert_non_null(record);
        assert_memory_equal(record, sorted + i * words, words * sizeof *record);
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(nd_sorted_pieces_next(p, &record, &error), ND_OK);
        assert_null(record);
    }
}

static void check(size_t pieces, size_t limit, uint64_t *seed) {
    static uint64_t all[RECORDS_MOST * WORDS_MOST];
    nd_temp_space disk = {.directory = "."};
    nd_sorted_pieces p = {.settings = {.allocator = nd_allocator_default,
                                       .disk = &disk,
                                       .memory_limit = limit,
                                       .words = words,
                                       .keys = keys,
                                       .what = "test"}};
    for (int use = 0; use < 2; use++) {
        size_t count = add_pieces(&p, pieces, seed, all);
        qsort(all, count, words * sizeof *all, in_order);
        check_order(&p, all, count);
        check_order(&p, all, count);
        nd_sorted_pieces_free(&p);
    }
    assert_int_equal(disk.now, 0);
}

static void test_against_qsort(void **state) {
    (void)state;
    const size_t limits[] = {1, 10000, 100000, 10000000}, pieces[] = {0, 1, 2, 3, 40, 700};
    uint64_t seed = 1;
    for (words = 1; words <= WORDS_MOST; words++)
        for (keys = 1; keys <= words; keys++)
            for (size_t i = 0; i < 24; i++) check(pieces[i / 4], limits[i % 4], &seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_qsort)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

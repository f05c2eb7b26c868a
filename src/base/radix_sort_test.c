/* radix_sort.h against a stable insertion sort. */
#include "base/radix_sort.h"

#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000 };

static unsigned from; /* lowest bit that the comparison reads */

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a >> from, y = *(const uint64_t *)b >> from;
    return x < y ? -1 : x > y;
}

/* The oracle: insertion from the left, which is stable. */
static void plain_sort(uint64_t *words, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t word = words[i];
        size_t j = i;
        for (; j > 0 && compare(&words[j - 1], &word) > 0; j--) words[j] = words[j - 1];
        words[j] = word;
    }
}

static void test_words(void **state) {
    (void)state;
    static uint64_t words[MOST], scratch[MOST], wanted[MOST];
    uint64_t seed = 1;
    for (int round = 0; round < 60; round++) {
        size_t count = random_below(&seed, round < 30 ? 100 : MOST);
        unsigned keep = (unsigned)random_below(&seed, 65);
        from = (unsigned)random_below(&seed, 2) * 32;
        for (size_t i = 0; i < count; i++)
            wanted[i] = words[i] = keep == 0 ? 7
                                             : random_next(&seed) >> (64 - keep) |
                                                   (random_next(&seed) & 3) << 60;
        plain_sort(wanted, count);
        nd_radix_sort(words, scratch, count, from);
        assert_memory_equal(words, wanted, count * sizeof *words);
    }
}

static void test_indices(void **state) {
    (void)state;
    static uint64_t keys[MOST];
    static uint32_t order[MOST], scratch[MOST];
    uint64_t seed = 2;
    for (int round = 0; round < 20; round++) {
        size_t count = random_below(&seed, MOST);
        uint64_t range = round % 2 ? 5 : UINT64_MAX;
        for (size_t i = 0; i < count; i++) {
            keys[i] = random_next(&seed) % range;
            order[i] = (uint32_t)i;
        }
        nd_radix_sort_indices(order, scratch, count, keys);
        for (size_t i = 1; i < count; i++) {
            assert_true(keys[order[i - 1]] <= keys[order[i]]);
            if (keys[order[i - 1]] == keys[order[i]]) assert_true(order[i - 1] < order[i]);
        }
    }
}

typedef struct record {
    uint64_t words[3];
    size_t turn;
} record;

static unsigned keys_compared;

static int compare_records(const void *a, const void *b) {
    const record *x = a, *y = b;
    for (unsigned w = 0; w < keys_compared; w++)
        if (x->words[w] != y->words[w]) return x->words[w] < y->words[w] ? -1 : 1;
    return x->turn < y->turn ? -1 : 1;
}

/* Keys that are spread evenly, few of them, and keys that share their upper bits. */
static void test_records(void **state) {
    (void)state;
    static record all[MOST];
    static uint64_t records[3 * MOST];
    uint64_t *scratch = malloc(nd_radix_scratch_words(MOST, 3) * sizeof *scratch);
    assert_non_null(scratch);
    static const unsigned shapes[][2] = {{1, 1}, {2, 1}, {2, 2}, {3, 1}, {3, 2}, {3, 3}};
    uint64_t seed = 3;
    for (int round = 0; round < 120; round++) {
        unsigned words = shapes[round % 6][0];
        size_t count = random_below(&seed, round < 40 ? 60 : MOST);
        unsigned keep = round % 3 == 0 ? 64 : (unsigned)random_below(&seed, 65);
        keys_compared = shapes[round % 6][1];
        for (size_t i = 0; i < count; i++) {
            for (unsigned w = 0; w < words; w++)
                all[i].words[w] = keep == 0 ? 7 : random_next(&seed) >> (64 - keep);
            all[i].turn = i;
            memcpy(records + i * words, all[i].words, words * sizeof *records);
        }
        qsort(all, count, sizeof *all, compare_records);
        nd_radix_sort_records(records, scratch, count, words, keys_compared);
        for (size_t i = 0; i < count; i++)
            assert_memory_equal(records + i * words, all[i].words, words * sizeof *records);
    }
    free(scratch);
}

/* Words that are spread evenly, with repeats and zeros, and words that agree in their upper bits.
 */
static void test_spread_and_sets(void **state) {
    (void)state;
    static const unsigned widths[] = {16, 40, 64};
    static uint64_t words[MOST], set[MOST], scratch[MOST], wanted[MOST];
    uint64_t seed = 4;
    from = 0;
    for (int round = 0; round < 90; round++) {
        unsigned bits = widths[round % 3];
        size_t count = random_below(&seed, round < 60 ? 300 : MOST), kept = 0;
        bool crowded = round % 5 == 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t word = random_next(&seed) >> (crowded ? 50 : 0);
            bool repeats = i > 0 && random_below(&seed, 8) == 0;
            set[i] = repeats ? set[random_below(&seed, i)] : random_below(&seed, 50) ? word : 0;
            wanted[i] = words[i] = set[i] & UINT64_MAX >> (64 - bits);
        }
        plain_sort(wanted, count);
        nd_radix_sort_spread(words, scratch, count, bits);
        assert_memory_equal(words, wanted, count * sizeof *words);
        for (size_t i = 0; i < count; i++) {
            uint64_t element = wanted[i] + !wanted[i];
            if (kept == 0 || element != wanted[kept - 1]) wanted[kept++] = element;
        }
        assert_int_equal(nd_radix_sort_set(set, scratch, count, bits), kept);
        assert_memory_equal(set, wanted, kept * sizeof *set);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_indices),
                                       cmocka_unit_test(test_records),
                                       cmocka_unit_test(test_spread_and_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

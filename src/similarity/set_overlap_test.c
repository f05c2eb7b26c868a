/* Sets and their overlap, compared with plain loops. */
#include "neardup.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t plain_set(uint64_t *hashes, size_t count) {
    qsort(hashes, count, sizeof *hashes, ascending);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || hashes[kept - 1] != hashes[i]) hashes[kept++] = hashes[i];
    return kept;
}

static size_t plain_overlap(const uint64_t *a, size_t count_a, const uint64_t *b, size_t count_b) {
    size_t both = 0;
    for (size_t i = 0; i < count_a; i++)
        both += bsearch(&a[i], b, count_b, sizeof *b, ascending) != NULL;
    return both;
}

/* Few values with many repeats; or many values; or values with equal low bits. */
static void fill(uint64_t *hashes, size_t count, uint64_t *seed, int kind) {
    for (size_t i = 0; i < count; i++) {
        uint64_t value = random_below(seed, kind == 0 ? 20 : 3000);
        hashes[i] = kind == 2 ? value << 40 : kind == 3 ? value : nd_mix64(value);
    }
}

static void test_overlap(void **state) {
    (void)state;
    static uint64_t a[MOST], b[MOST];
    uint64_t seed = 3;
    for (int round = 0; round < 200; round++) {
        size_t count_a = random_below(&seed, round < 100 ? 50 : MOST),
               count_b = random_below(&seed, round < 100 ? 50 : MOST);
        fill(a, count_a, &seed, round % 4);
        fill(b, count_b, &seed, round % 4);
        size_t size_a = plain_set(a, count_a), size_b = plain_set(b, count_b);
        nd_overlap overlap = nd_set_overlap(a, size_a, b, size_b);
        assert_int_equal(overlap.intersection, plain_overlap(a, size_a, b, size_b));
        assert_int_equal(overlap.size_a, size_a);
        assert_int_equal(overlap.size_b, size_b);
    }
}

static void test_set_make(void **state) {
    (void)state;
    static uint64_t got[MOST], wanted[MOST];
    uint64_t seed = 4;
    for (int round = 0; round < 100; round++) {
        size_t count = random_below(&seed, MOST);
        fill(got, count, &seed, round % 4);
        memcpy(wanted, got, sizeof got);
        size_t size = plain_set(wanted, count);
        assert_int_equal(nd_set_make(got, count), size);
        assert_memory_equal(got, wanted, size * sizeof *got);
    }
}

static void test_measures(void **state) {
    (void)state;
    assert_true(nd_jaccard((nd_overlap){0, 0, 0}) == 1.0);
    assert_true(nd_jaccard((nd_overlap){3, 0, 0}) == 0.0);
    assert_true(nd_jaccard((nd_overlap){5, 4, 4}) == 0.8);
    assert_true(nd_containment((nd_overlap){5, 4, 4}) == 1.0);
    assert_true(nd_containment((nd_overlap){5, 4, 1}) == 0.25);
    assert_true(nd_containment((nd_overlap){0, 4, 0}) == 1.0);
}

static void test_compare_texts(void **state) {
    (void)state;
    nd_analyzer *analyzer;
    nd_error error;
    nd_analyzer_options options;
    nd_analyzer_options_init(&options, sizeof options);
    options.ngram = 2;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, &error), ND_OK);
    const char *a = "one two three four one two", *b = "Two, three; FOUR five";
    nd_overlap overlap;
    assert_int_equal(nd_compare_texts(analyzer, a, strlen(a), b, strlen(b), &overlap, &error),
                     ND_OK);
    assert_int_equal(overlap.size_a, 4); /* one two, two three, three four, four one */
    assert_int_equal(overlap.size_b, 3); /* two three, three four, four five */
    assert_int_equal(overlap.intersection, 2);
    assert_int_equal(nd_compare_texts(analyzer, a, strlen(a), "\xff", 1, &overlap, &error),
                     ND_ERR_INPUT);
    nd_analyzer_free(analyzer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap), cmocka_unit_test(test_set_make),
        cmocka_unit_test(test_measures), cmocka_unit_test(test_compare_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

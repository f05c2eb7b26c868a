/* merge_sort.h against qsort; also cancelled, and without memory. */
#include "base/merge_sort.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static int by_value(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static bool stop(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    unsigned *left = context;
    return *left > 0 && --*left > 0;
}

static void test_sorts(void **state) {
    (void)state;
    uint64_t seed = 1;
    static const size_t counts[] = {0,     1,     2,     3,     4,     5,      31,
                                    32767, 32768, 32769, 65536, 65537, 100000, 131073};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t count = counts[i];
        uint32_t *sorted = malloc(count * 4 + 1), *expected = malloc(count * 4 + 1);
        assert_true(sorted && expected);
        for (size_t k = 0; k < count; k++)
            expected[k] = sorted[k] = (uint32_t)random_below(&seed, i % 2 ? 10 : 1000000);
        assert_int_equal(
            nd_merge_sort(sorted, count, 4, by_value, &nd_allocator_default, NULL, NULL), ND_OK);
        qsort(expected, count, 4, by_value);
        assert_memory_equal(sorted, expected, count * 4);
        free(sorted);
        free(expected);
    }
}

static void test_ends(void **state) {
    (void)state;
    enum { COUNT = 200000 };
    uint32_t *numbers = calloc(COUNT, sizeof *numbers);
    assert_non_null(numbers);
    for (unsigned calls = 1; calls < 20; calls++) {
        unsigned left = calls;
        nd_progress progress = {.fn = stop, .context = &left};
        assert_int_equal(
            nd_merge_sort(numbers, COUNT, 4, by_value, &nd_allocator_default, &progress, NULL),
            ND_ERR_CANCELLED);
    }
    failing_allocator failing = {.left = 0};
    nd_allocator allocator = failing_allocator_make(&failing);
    assert_int_equal(nd_merge_sort(numbers, COUNT, 4, by_value, &allocator, NULL, NULL),
                     ND_ERR_MEMORY);
    free(numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sorts), cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Unique runs against their definition: each by counting, their number by a plain table. */
#include "similarity/unique_runs.h"

#include "test.h"

#include <string.h>

enum { MOST = 120 };

static size_t occurrences(const uint32_t *text, size_t count, const uint32_t *run, size_t length) {
    size_t found = 0;
    for (size_t i = 0; i + length <= count; i++)
        found += memcmp(text + i, run, length * sizeof *run) == 0;
    return found;
}

/* The most unique runs that ascend in both: longest[i] ends with the run at i. */
static size_t plain_count(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count,
                          size_t length) {
    size_t longest[MOST] = {0}, place[MOST], most = 0;
    for (size_t i = 0; i + length <= a_count; i++) {
        if (occurrences(a, a_count, a + i, length) != 1 ||
            occurrences(b, b_count, a + i, length) != 1)
            continue;
        for (place[i] = 0; memcmp(b + place[i], a + i, length * sizeof *a) != 0;) place[i]++;
        longest[i] = 1;
        for (size_t h = 0; h < i; h++)
            if (longest[h] > 0 && place[h] < place[i] && longest[h] >= longest[i])
                longest[i] = longest[h] + 1;
        if (longest[i] > most) most = longest[i];
    }
    return most;
}

static void test_random(void **state) {
    (void)state;
    uint64_t seed = 21;
    size_t found = 0, rounds = test_rounds(4000);
    for (size_t round = 0; round < rounds; round++) {
        uint32_t a[MOST], b[MOST];
        size_t a_count = random_below(&seed, MOST), b_count = random_below(&seed, MOST);
        size_t length = 1 + random_below(&seed, 5), count;
        uint64_t letters = 1 + random_below(&seed, length == 1 ? 100 : 6);
        for (size_t i = 0; i < a_count; i++) a[i] = (uint32_t)random_below(&seed, letters);
        for (size_t j = 0; j < b_count; j++)
            b[j] = j > 0 && j < a_count && random_below(&seed, 8)
                       ? a[j - random_below(&seed, 2)]
                       : (uint32_t)random_below(&seed, letters);
        nd_unique_run *runs;
        assert_int_equal(nd_unique_runs_find(a, a_count, b, b_count, length, &nd_allocator_default,
                                             &runs, &count, NULL),
                         ND_OK);
        assert_int_equal(count, plain_count(a, a_count, b, b_count, length));
        for (size_t i = 0; i < count; i++) {
            assert_true(runs[i].a + length <= a_count && runs[i].b + length <= b_count);
            assert_memory_equal(a + runs[i].a, b + runs[i].b, length * sizeof *a);
            assert_int_equal(occurrences(a, a_count, a + runs[i].a, length), 1);
            assert_int_equal(occurrences(b, b_count, a + runs[i].a, length), 1);
            assert_true(i == 0 || (runs[i - 1].a < runs[i].a && runs[i - 1].b < runs[i].b));
        }
        found += count;
        nd_release(&nd_allocator_default, runs);
    }
    assert_true(found > rounds);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

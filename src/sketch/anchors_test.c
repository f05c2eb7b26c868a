/* Anchors, compared with sorting all shingles of a text; and that they are a uniform sample. */
#include "sketch/anchors.h"

#include "test.h"

#include <stdlib.h>

enum { LARGEST = 20000 };

static uint64_t shingles[LARGEST], sorted[LARGEST];
static nd_anchor_sampler sampler;

/* The order of the definition. */
static int by_key(const void *a, const void *b) {
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = *(const uint64_t *)a * factor, y = *(const uint64_t *)b * factor;
    return x < y ? -1 : x > y;
}

static void check(size_t count, uint32_t most) {
    uint32_t found;
    size_t distinct = 0, expected;
    memcpy(sorted, shingles, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_key);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1]) sorted[distinct++] = sorted[i];
    expected = distinct < most ? distinct : most;
    uint64_t *anchors = malloc((expected + 1) * sizeof *anchors);
    assert_non_null(anchors);
    const uint64_t *sample = nd_anchors_sample(&sampler, shingles, count, most, &found);
    assert_int_equal(found, expected);
    memcpy(anchors, sample, found * sizeof *anchors);
    qsort(anchors, found, sizeof *anchors, by_key);
    assert_memory_equal(anchors, sorted, found * sizeof *anchors);
    free(anchors);
}

static void test_against_sorting(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (unsigned round = 0; round < test_rounds(400); round++) {
        size_t count = 1 + random_below(&seed, round % 8 ? 500 : LARGEST - 1);
        uint64_t distinct = random_below(&seed, 3) ? UINT64_MAX
                                                   : 1 + random_below(&seed, 2 * count);
        for (size_t i = 0; i < count; i++) shingles[i] = nd_mix64(random_below(&seed, distinct));
        check(count, 1 + (uint32_t)random_below(&seed, round % 2 ? 64 : ND_MOST_ANCHORS));
    }
}

/* Each half of many sets should have half of the anchors: of 64 in 2,000 sets, 64,000 and three
 * standard deviations of 179. */
static void test_uniform(void **state) {
    (void)state;
    uint64_t seed = 11;
    uint64_t in_half = 0;
    for (int round = 0; round < 2000; round++) {
        uint32_t found;
        for (size_t i = 0; i < 300; i++)
            shingles[i] = random_next(&seed) >> 1 | (uint64_t)(i & 1) << 63;
        const uint64_t *sample = nd_anchors_sample(&sampler, shingles, 300, 64, &found);
        assert_int_equal(found, 64);
        for (uint32_t i = 0; i < found; i++) in_half += sample[i] >> 63;
    }
    assert_in_range(in_half, 64000 - 540, 64000 + 540);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_sorting),
        cmocka_unit_test(test_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

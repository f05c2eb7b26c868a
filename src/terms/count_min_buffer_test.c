/* Documents added by a buffer give the same sketch as documents added one by one. */
#include "terms/count_min_buffer.h"

#include "test.h"

#include <stdlib.h>

enum { VOCABULARY = 3000, DOCUMENTS = 2000, MOST = 300 };

/* Random features, of which small numbers are frequent; 0 is one of them. */
static uint64_t random_feature(uint64_t *seed) {
    uint64_t below = 1 + random_below(seed, VOCABULARY);
    uint64_t word = random_below(seed, below);
    return word == 0 ? 0 : nd_mix64(word);
}

static void test_against_plain(void **state) {
    (void)state;
    uint64_t seed = 5;
    nd_feature_counts *plain, *held;
    nd_feature_counter *counters[2];
    assert_int_equal(nd_feature_counts_create(NULL, &plain, NULL), ND_OK);
    assert_int_equal(nd_feature_counts_create(NULL, &held, NULL), ND_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(nd_feature_counter_create(held, &nd_allocator_default, &counters[i], NULL),
                         ND_OK);
    for (int d = 0; d < DOCUMENTS; d++) {
        uint64_t features[MOST], copy[MOST];
        size_t count = random_below(&seed, MOST);
        for (size_t i = 0; i < count; i++) copy[i] = features[i] = random_feature(&seed);
        assert_int_equal(
            nd_feature_counter_add(counters[random_below(&seed, 2)], features, count, NULL), ND_OK);
        nd_feature_counts_add(plain, copy, nd_set_make(copy, count));
    }
    for (int i = 0; i < 2; i++) nd_feature_counter_free(counters[i]);
    assert_int_equal(nd_feature_counts_documents(held), DOCUMENTS);
    for (uint64_t word = 0; word < VOCABULARY; word++) {
        uint64_t feature = word == 0 ? 0 : nd_mix64(word);
        assert_int_equal(nd_feature_counts_of(held, feature), nd_feature_counts_of(plain, feature));
    }
    assert_int_equal(nd_feature_counts_of(held, nd_mix64(VOCABULARY + 7)),
                     nd_feature_counts_of(plain, nd_mix64(VOCABULARY + 7)));
    nd_feature_counts_free(plain);
    nd_feature_counts_free(held);
}

/* A counter stops at its largest value, whether little or much is added; one that wraps would be
 * 0. */
static void test_most(void **state) {
    (void)state;
    static const uint32_t steps[] = {1, 4096, UINT32_MAX / 3};
    for (int s = 0; s < 3; s++) {
        nd_feature_counts *counts;
        uint64_t feature = 77;
        uint32_t before = UINT32_MAX - steps[s] + 1;
        assert_int_equal(nd_feature_counts_create(NULL, &counts, NULL), ND_OK);
        nd_feature_counts_add(counts, NULL, 0);
        nd_feature_counts_add_times(counts, &feature, &before, 1);
        nd_feature_counts_add_times(counts, &feature, &steps[s], 1);
        assert_int_equal(nd_feature_counts_of(counts, feature), 1); /* at most the documents */
        nd_feature_counts_free(counts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_plain),
                                       cmocka_unit_test(test_most)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

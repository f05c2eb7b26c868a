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
    nd_count_min *plain, *held;
    nd_count_min_buffer *counters[2];
    assert_int_equal(nd_count_min_create(NULL, &plain, NULL), ND_OK);
    assert_int_equal(nd_count_min_create(NULL, &held, NULL), ND_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            nd_count_min_buffer_create(held, &nd_allocator_default, &counters[i], NULL), ND_OK);
    for (int d = 0; d < DOCUMENTS; d++) {
        uint64_t features[MOST], copy[MOST];
        size_t count = random_below(&seed, MOST);
        for (size_t i = 0; i < count; i++) copy[i] = features[i] = random_feature(&seed);
        assert_int_equal(nd_count_min_buffer_add_document(counters[random_below(&seed, 2)],
                                                          features, count, NULL),
                         ND_OK);
        nd_count_min_add_document(plain, copy, nd_set_make(copy, count));
    }
    for (int i = 0; i < 2; i++) nd_count_min_buffer_free(counters[i]);
    assert_int_equal(nd_count_min_documents(held), DOCUMENTS);
    for (uint64_t word = 0; word < VOCABULARY; word++) {
        uint64_t feature = word == 0 ? 0 : nd_mix64(word);
        assert_int_equal(nd_count_min_of(held, feature), nd_count_min_of(plain, feature));
    }
    assert_int_equal(nd_count_min_of(held, nd_mix64(VOCABULARY + 7)),
                     nd_count_min_of(plain, nd_mix64(VOCABULARY + 7)));
    nd_count_min_free(plain);
    nd_count_min_free(held);
}

/* A counter stops at its largest value, whether little or much is added; a counter that wraps would
 * be 0. */
static void test_most(void **state) {
    (void)state;
    static const uint32_t steps[] = {1, 4096, UINT32_MAX / 3};
    for (int s = 0; s < 3; s++) {
        nd_count_min *counts;
        uint64_t feature = 77;
        uint32_t before = UINT32_MAX - steps[s] + 1;
        assert_int_equal(nd_count_min_create(NULL, &counts, NULL), ND_OK);
        nd_count_min_add_document(counts, NULL, 0);
        nd_count_min_add_counts(counts, &feature, &before, 1);
        nd_count_min_add_counts(counts, &feature, &steps[s], 1);
        assert_int_equal(nd_count_min_of(counts, feature), 1); /* at most the documents */
        nd_count_min_free(counts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_plain),
                                       cmocka_unit_test(test_most)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

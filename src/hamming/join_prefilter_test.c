/* The filter passes all fingerprints within k, and few others if it pays. */
#include "hamming/join_prefilter.h"

#include "fingerprint_shapes.h"
#include "test.h"

enum { FEW = 50, MANY = 2000 };

static void check_filter(uint32_t bits, uint32_t k, const uint64_t varying[2], uint64_t seed) {
    uint64_t few[FEW][3], many[MANY][3], all[2] = {varying[0], varying[1]};
    bool may[MANY];
    nd_join_prefilter *filter;
    nd_error error;
    size_t passed = 0, near = 0;
    const nd_join_prefilter_settings settings = {
        .k = k, .varying = {all[0], all[1]}, .few = FEW, .many = 1e9, .pass = 1000};
    assert_int_equal(nd_join_prefilter_create(&settings, &nd_allocator_default, &filter, &error),
                     ND_OK);
    if (!filter) return;
    for (size_t i = 0; i < FEW; i++) {
        nd_fingerprint f = random_fingerprint(&seed, bits);
        few[i][0] = f.low & all[0];
        few[i][1] = f.high & all[1];
        nd_join_prefilter_add(filter, few[i]);
    }
    for (size_t i = 0; i < MANY; i++) {
        nd_fingerprint f = random_fingerprint(&seed, bits), of = {few[i % FEW][0], few[i % FEW][1]};
        if (i % 2) f = flip_some(of, &seed, bits, k);
        many[i][0] = f.low & all[0];
        many[i][1] = f.high & all[1];
    }
    nd_join_prefilter_probe(filter, many[0], 3, MANY, may);
    for (size_t i = 0; i < MANY; i++) {
        near += i % 2;
        passed += may[i];
        assert_true(may[i] || i % 2 == 0);
    }
    if (k <= 3) assert_true(passed < near + (MANY - near) / 2);
    nd_join_prefilter_free(filter);
}

static void test_passes_all_that_are_near(void **state) {
    (void)state;
    const uint64_t whole[2] = {~UINT64_C(0), 0}, both[2] = {~UINT64_C(0), ~UINT64_C(0)},
                   some[2] = {UINT64_C(0xff00ff00ff00ffff), 0};
    for (uint32_t k = 0; k <= 16; k++) {
        check_filter(64, k, whole, k);
        check_filter(64, k, some, k);
        check_filter(128, k, both, k);
    }
}

static void test_pays_or_not(void **state) {
    (void)state;
    const nd_join_prefilter_settings few = {
        .k = 3, .varying = {~UINT64_C(0), 0}, .few = 100, .many = 1e9, .pass = 100};
    nd_join_prefilter_settings not_few = few, none_vary = few;
    not_few.few = 1e8;
    none_vary.varying[0] = 0;
    nd_join_prefilter *filter;
    assert_int_equal(nd_join_prefilter_create(&few, &nd_allocator_default, &filter, NULL), ND_OK);
    assert_non_null(filter);
    nd_join_prefilter_free(filter);
    assert_int_equal(nd_join_prefilter_create(&not_few, &nd_allocator_default, &filter, NULL),
                     ND_OK);
    assert_null(filter);
    assert_int_equal(nd_join_prefilter_create(&none_vary, &nd_allocator_default, &filter, NULL),
                     ND_OK);
    assert_null(filter);
    nd_join_prefilter_free(NULL);
    nd_status status = ND_ERR_MEMORY;
    for (long n = 0; status != ND_OK; n++) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_error error;
        status = nd_join_prefilter_create(&few, &allocator, &filter, &error);
        if (status == ND_OK) nd_join_prefilter_free(filter);
        else assert_int_equal(status, ND_ERR_MEMORY);
        assert_int_equal(failing.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_passes_all_that_are_near),
                                       cmocka_unit_test(test_pays_or_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* memory_budget.h: the stores of each phase fit in the budget; small budgets mean few threads. */
#include "job/memory_budget.h"

#include "test.h"

/* BAND_KEYS, HAMMING_JOIN and VERIFIED never live at one time (memory_budget.c). */
static void test_phases_fit(void **state) {
    (void)state;
    for (int phase = 0; phase < ND_PHASES; phase++) {
        unsigned sum = 0, one_of = 0;
        for (int store = 0; store < ND_MEMORY_STORES; store++) {
            unsigned percent = nd_memory_percent((nd_memory_store)store, (nd_memory_phase)phase);
            bool alternative = store == ND_MEMORY_BAND_KEYS || store == ND_MEMORY_HAMMING_JOIN ||
                               store == ND_MEMORY_VERIFIED;
            if (!alternative) sum += percent;
            else if (percent > one_of) one_of = percent;
        }
        assert_in_range(sum + one_of, 1, 100);
    }
}

static void test_every_store_has_a_share(void **state) {
    (void)state;
    for (int store = 0; store < ND_MEMORY_STORES; store++) {
        unsigned most = 0;
        for (int phase = 0; phase < ND_PHASES; phase++)
            most += nd_memory_percent((nd_memory_store)store, (nd_memory_phase)phase);
        assert_true(most > 0);
    }
}

static void test_few_bytes_mean_few_threads(void **state) {
    (void)state;
    uint32_t threads = 64;
    nd_memory_budget budget = nd_memory_budget_make(ND_MEMORY_LEAST, &threads);
    assert_int_equal(threads, 2);
    assert_int_equal(budget.limit, ND_MEMORY_LEAST);
    assert_true(budget.shared > 0 && budget.shared < budget.limit);
    uint64_t before = budget.shared;
    nd_memory_reserve_sets(&budget);
    assert_int_equal(budget.sets + budget.shared, before);
}

static void test_too_little(void **state) {
    (void)state;
    nd_error error;
    assert_int_equal(nd_memory_check(ND_MEMORY_LEAST - 1, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "memory must be at least 64 MiB, not 67108863 bytes");
    assert_int_equal(nd_memory_check(ND_MEMORY_LEAST, &error), ND_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases_fit),
        cmocka_unit_test(test_every_store_has_a_share),
        cmocka_unit_test(test_few_bytes_mean_few_threads),
        cmocka_unit_test(test_too_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

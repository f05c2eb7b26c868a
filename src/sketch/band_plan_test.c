/* Chosen plans, compared with the definition. */
#include "test.h"

#include <math.h>
#include <string.h>

/* The definition, computed with libm: the most rows, of at most a quarter of the values, with which
 * as many bands as fit reach the recall. */
static bool plain_plan(double threshold, double recall, uint32_t perms, uint32_t *bands,
                       uint32_t *rows) {
    *bands = 0;
    for (*rows = (perms + 3) / 4; *rows > 0; (*rows)--) {
        *bands = perms / *rows;
        double found = 1.0 - pow(1.0 - pow(threshold, *rows), *bands);
        if (fabs(found - recall) < 1e-12)
            return false; /* too close for another arithmetic to decide */
        if (found >= recall) return true;
    }
    return true;
}

static void test_against_definition(void **state) {
    (void)state;
    uint64_t seed = 5;
    int reached = 0;
    for (int round = 0; round < 5000; round++) {
        double threshold = (double)(1 + random_below(&seed, 1000)) / 1000.0,
               recall = (double)(1 + random_below(&seed, 998)) / 1000.0;
        uint32_t perms = (uint32_t)(1 + random_below(&seed, round % 2 ? 64 : 1024)), bands, rows;
        nd_plan plan;
        if (!plain_plan(threshold, recall, perms, &bands, &rows)) continue;
        nd_status status = nd_plan_choose(threshold, recall, perms, &plan, NULL);
        assert_int_equal(status, rows > 0 ? ND_OK : ND_ERR_ARGUMENT);
        if (status != ND_OK) continue;
        reached++;
        assert_int_equal(plan.rows, rows);
        assert_int_equal(plan.bands, bands);
        double s = (double)random_below(&seed, 1001) / 1000.0;
        assert_true(fabs(nd_plan_probability(&plan, s) - (1.0 - pow(1.0 - pow(s, rows), bands))) <
                    1e-9);
    }
    assert_true(reached > 1000);
}

static void test_known_plans(void **state) {
    (void)state;
    nd_plan plan;
    assert_int_equal(nd_plan_choose(0.8, 0.999, 128, &plan, NULL), ND_OK);
    assert_int_equal(plan.bands, 25);
    assert_int_equal(plan.rows, 5);
    assert_int_equal(nd_plan_choose(0.5, 0.99, 128, &plan, NULL), ND_OK);
    assert_int_equal(plan.bands, 42);
    assert_int_equal(plan.rows, 3);
    assert_int_equal(nd_plan_choose(1, 0.999, 128, &plan, NULL), ND_OK);
    assert_int_equal(plan.bands, 4);
    assert_int_equal(plan.rows, 32);
    assert_int_equal(nd_plan_choose(1, 0.999, 1, &plan, NULL), ND_OK);
    assert_int_equal(plan.bands, 1);
    assert_int_equal(plan.rows, 1);
    assert_true(nd_plan_probability(&plan, 0.0) == 0.0);
    assert_true(nd_plan_probability(&plan, 1.0) == 1.0);
}

static void test_ranges(void **state) {
    (void)state;
    const struct {
        double threshold, recall;
        uint32_t perms;
        const char *named;
    } bad[] = {
        {0, .9, 128, "threshold"}, {1.5, .9, 128, "threshold"}, {NAN, .9, 128, "threshold"},
        {.8, 0, 128, "recall"},    {.8, 1, 128, "recall"},      {.8, NAN, 128, "recall"},
        {.8, .9, 0, "perms"},      {.8, .9, 1025, "perms"},     {.01, .999, 128, "out of reach"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nd_plan plan = {.bands = 77};
        nd_error error = {0};
        assert_int_equal(
            nd_plan_choose(bad[i].threshold, bad[i].recall, bad[i].perms, &plan, &error),
            ND_ERR_ARGUMENT);
        assert_int_equal(plan.bands, 77);
        assert_non_null(strstr(error.message, bad[i].named));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_definition),
                                       cmocka_unit_test(test_known_plans),
                                       cmocka_unit_test(test_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Plans of anchors: the numbers of the binomial distribution, by libm; and that a sample without
 * replacement keeps the promise, whose tails are summed exactly. */
#include "sketch/anchors.h"

#include "test.h"

#include <math.h>

static double log_choose(double n, double k) {
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* P(Bin(m, p) < least), for p below 1. */
static double binomial_tail(uint32_t m, double p, uint32_t least) {
    double tail = 0;
    for (uint32_t j = 0; j < least; j++)
        tail += exp(log_choose(m, j) + j * log(p) + (m - j) * log1p(-p));
    return tail;
}

/* The probability that fewer than `least` of m draws without replacement, from n things, are among
 * `good` of them. */
static double sampled_tail(uint32_t n, uint32_t good, uint32_t m, uint32_t least) {
    double tail = 0;
    for (uint32_t j = 0; j < least && j <= m; j++)
        if (j <= good && m - j <= n - good)
            tail += exp(log_choose(good, j) + log_choose(n - good, m - j) - log_choose(n, m));
    return tail;
}

static void test_least_is_largest(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned round = 0; round < test_rounds(200); round++) {
        double threshold = (double)(20 + random_below(&seed, 970)) / 1000,
               recall = (double)(900 + random_below(&seed, 99)) / 1000;
        nd_anchor_plan plan;
        assert_int_equal(nd_anchor_plan_choose(threshold, recall, &plan, NULL), ND_OK);
        assert_true(binomial_tail(plan.anchors, threshold, plan.least) <= 1 - recall + 1e-9);
        assert_true(binomial_tail(plan.anchors, threshold, plan.least + 1) > 1 - recall - 1e-9);
        double x = (double)(1 + random_below(&seed, 998)) / 1000,
               found = nd_anchor_plan_probability(&plan, x);
        assert_true(fabs(found - (1 - binomial_tail(plan.anchors, x, plan.least))) < 1e-9);
    }
}

/* Sets of all sizes that the threshold divides worst: with the least intersection that reaches it.
 */
static void test_promise_without_replacement(void **state) {
    (void)state;
    static const double thresholds[] = {.02, .1, .3, .5, .8, .95, 1},
                        recalls[] = {.01, .5, .9, .99, .999, .999999};
    for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++)
        for (size_t r = 0; r < sizeof recalls / sizeof *recalls; r++) {
            nd_anchor_plan plan;
            if (nd_anchor_plan_choose(thresholds[t], recalls[r], &plan, NULL) != ND_OK) continue;
            for (uint32_t n = plan.anchors; n < 20 * plan.anchors; n += n / 7) {
                uint32_t good = (uint32_t)ceil(thresholds[t] * n - 1e-9);
                assert_true(sampled_tail(n, good, plan.anchors, plan.least) <=
                            1 - recalls[r] + 1e-9);
            }
        }
}

/* A set that is its own sample is found exactly if it reaches the threshold. */
static void test_small_sets(void **state) {
    (void)state;
    static const double thresholds[] = {.05, .3, .5, .8, 1};
    for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++) {
        nd_anchor_plan plan;
        assert_int_equal(nd_anchor_plan_choose(thresholds[t], .999, &plan, NULL), ND_OK);
        for (uint32_t size = 1; size < plan.anchors; size++) {
            uint32_t needed = nd_anchors_needed(&plan, size);
            assert_in_range(needed, 1, size);
            assert_true(nd_containment((nd_overlap){size, 2 * size, needed}) >= thresholds[t]);
            assert_true(nd_containment((nd_overlap){size, 2 * size, needed - 1}) < thresholds[t]);
        }
        assert_int_equal(nd_anchors_needed(&plan, plan.anchors), plan.least);
    }
}

static void test_known_plans(void **state) {
    (void)state;
    static const struct {
        double threshold;
        uint32_t anchors, least;
    } known[] = {{1, 32, 32}, {.8, 64, 41}, {.5, 128, 47}, {.3, 256, 55}, {.1, 1024, 74}};
    nd_anchor_plan plan;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(nd_anchor_plan_choose(known[i].threshold, .999, &plan, NULL), ND_OK);
        assert_int_equal(plan.anchors, known[i].anchors);
        assert_int_equal(plan.least, known[i].least);
        assert_true(nd_anchor_plan_probability(&plan, known[i].threshold) >= .999);
        assert_true(nd_anchor_plan_probability(&plan, 1) == 1);
        assert_true(nd_anchor_plan_probability(&plan, 0) == 0);
        /* Between them: the power of a number next to 0 is far below all doubles. */
        assert_true(nd_anchor_plan_probability(&plan, nextafter(1, 0)) > 1 - 1e-12);
        assert_true(nd_anchor_plan_probability(&plan, nextafter(0, 1)) < 1e-12);
    }
    nd_error error;
    assert_int_equal(nd_anchor_plan_choose(.005, .999, &plan, &error), ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "out of reach with 1024 anchors"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_is_largest),
        cmocka_unit_test(test_promise_without_replacement),
        cmocka_unit_test(test_small_sets),
        cmocka_unit_test(test_known_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

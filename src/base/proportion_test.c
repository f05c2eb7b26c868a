/* Intervals of shares: published ones, their limits, and their coverage in drawn samples. */
#include "base/proportion.h"

#include "test.h"

#include <math.h>

static void assert_near(double a, double b, double distance) {
    if (!(fabs(a - b) <= distance)) fail_msg("%.9g is not %.9g", a, b);
}

/* Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I, method 4. */
static void test_published(void **state) {
    (void)state;
    static const struct {
        double bad, trials, low, high;
    } known[] = {
        {81, 263, .2535, .3682}, {15, 148, .0598, .1644}, {0, 20, 0, .2005}, {1, 29, .0018, .1963}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        nd_audit_share s = nd_share_of_trials(known[i].bad / known[i].trials, known[i].trials,
                                              INFINITY);
        assert_near(s.share, 1 - known[i].bad / known[i].trials, 1e-12);
        assert_near(1 - s.high, known[i].low, 1e-4);
        assert_near(1 - s.low, known[i].high, 1e-4);
    }
}

/* Quantiles of Student's distribution, 97.5 percent. */
static void test_degrees(void **state) {
    (void)state;
    static const double known[][2] = {
        {3, 3.182}, {5, 2.571}, {10, 2.228}, {30, 2.042}, {200, 1.972}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double z = known[i][1], n = 1e12;
        nd_audit_share s = nd_share_of_trials(.5, n, known[i][0]);
        assert_near((s.high - .5) * 2 * sqrt(n) / z, 1, .011);
    }
}

static void test_limits(void **state) {
    (void)state;
    nd_audit_share s = nd_share_of_clusters(NULL, 0, 10, 100);
    assert_true(s.share == 1 && s.low == 0 && s.high == 1);
    const nd_cluster good[] = {{50, 2, 0}, {50, 0, 0}}, bad[] = {{1, 3, 3}, {3, 4, 1}};
    s = nd_share_of_clusters(good, 2, 100, 1000000);
    assert_true(s.share == 1 && s.high == 1);
    assert_in_range((uint64_t)(s.low * 1000), 900, 940); /* the rule of three: 0.94 */
    s = nd_share_of_clusters(good, 2, 100, 100);
    assert_true(s.share == 1 && s.low == 1 && s.high == 1);
    s = nd_share_of_clusters(bad, 1, 1, 100);
    assert_true(s.share == 0 && s.low == 0 && s.high > .9);
    s = nd_share_of_clusters(bad, 2, 4, 100);
    assert_near(s.share, .6, 1e-12);
    assert_true(s.low >= 0 && s.low < .6 && s.high > .6 && s.high <= 1);
    s = nd_share_of_units(10, 10, 10, 1000);
    assert_true(s.share == 0 && s.low == 0 && s.high < .5);
}

/* Documents with very different numbers of things, a few of them bad. */
enum { POPULATION = 2000, SAMPLES = 2000 };

static unsigned covered(uint64_t *seed, const unsigned *all, const unsigned *bad, uint64_t size) {
    uint32_t order[POPULATION];
    double sum = 0, sum_bad = 0;
    unsigned hits = 0;
    for (uint32_t i = 0; i < POPULATION; i++) {
        order[i] = i;
        sum += all[i];
        sum_bad += bad[i];
    }
    for (int sample = 0; sample < SAMPLES; sample++) {
        nd_cluster taken[POPULATION];
        for (uint64_t i = 0; i < size; i++) {
            uint64_t j = i + random_below(seed, POPULATION - i);
            uint32_t document = order[j];
            order[j] = order[i];
            order[i] = document;
            taken[i] = (nd_cluster){1, all[document], bad[document]};
        }
        nd_audit_share s = nd_share_of_clusters(taken, size, size, POPULATION);
        double exact = 1 - sum_bad / sum;
        hits += s.low <= exact && exact <= s.high;
    }
    return hits;
}

static void test_coverage(void **state) {
    (void)state;
    static unsigned all[POPULATION], bad[POPULATION];
    uint64_t seed = 1;
    for (unsigned rare = 2; rare <= 50; rare *= 5) {
        for (uint32_t i = 0; i < POPULATION; i++) {
            all[i] = bad[i] = 0;
            if (random_below(&seed, 3) > 0) continue;
            all[i] = 1 + (unsigned)random_below(&seed, i % 7 == 0 ? 20 : 4);
            bool unlucky = random_below(&seed, 4) == 0; /* its things depend on each other */
            for (unsigned k = 0; k < all[i]; k++)
                bad[i] += random_below(&seed, unlucky ? (rare + 3) / 4 : 4 * rare) == 0;
        }
        for (uint64_t size = 100; size <= 1600; size *= 4)
            assert_in_range(covered(&seed, all, bad, size), SAMPLES / 100 * 92, SAMPLES);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_degrees),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

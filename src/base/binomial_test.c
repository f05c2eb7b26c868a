/* Tails of the binomial distribution, against distributions that are made trial by trial. */
#include "base/binomial.h"

#include "test.h"

#include <math.h>

/* below[i] becomes P(Bin(trials, p) < i), for i <= trials + 1. */
static void make_tails(uint32_t trials, double p, double *below) {
    double chances[ND_MOST_TRIALS + 1] = {1};
    for (uint32_t t = 1; t <= trials; t++)
        for (uint32_t j = t + 1; j-- > 0;)
            chances[j] = chances[j] * (1 - p) + (j > 0 ? chances[j - 1] * p : 0);
    below[0] = 0;
    for (uint32_t j = 0; j <= trials; j++) below[j + 1] = below[j] + chances[j];
}

static void check(uint32_t trials, double p) {
    static double below[ND_MOST_TRIALS + 2];
    make_tails(trials, p, below);
    for (uint32_t least = 0; least <= trials; least++) {
        double tail = nd_binomial_below(trials, p, least);
        assert_true(fabs(tail - below[least]) <= 1e-11 * below[least] + 1e-290);
    }
    for (double missed = 1e-12; missed < .6; missed *= 30) {
        uint32_t least = nd_binomial_least(trials, p, missed);
        assert_in_range(least, 0, trials);
        assert_true(below[least] <= missed * (1 + 1e-9));
        if (least < trials) assert_true(below[least + 1] >= missed * (1 - 1e-9));
    }
}

static void test_any(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (unsigned round = 0; round < test_rounds(200); round++) {
        uint32_t trials = 1 + (uint32_t)random_below(&seed, round % 8 ? 200 : ND_MOST_TRIALS);
        check(trials, (double)random_below(&seed, 1001) / 1000);
    }
}

/* Probabilities that no double can say, of numbers on the way to ones that a double can. */
static void test_extremes(void **state) {
    (void)state;
    static const double chances[] = {0, 1e-300, 1e-9, .5, .999, 1 - 1e-12, 1};
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        check(1, chances[i]);
        check(ND_MOST_TRIALS, chances[i]);
    }
    assert_int_equal(nd_binomial_least(ND_MOST_TRIALS, 1, 0), ND_MOST_TRIALS);
    assert_int_equal(nd_binomial_least(ND_MOST_TRIALS, 0, .999), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

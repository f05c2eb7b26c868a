/* fixed_log.h against libm, at the ends of its range, and against frozen bits. */
#include "base/fixed_log.h"

#include "test.h"

#include <math.h>

static double fixed(uint64_t x) {
    return (double)nd_fixed_log(x) / (double)(UINT64_C(1) << ND_FIXED_LOG_BITS);
}

static void test_against_libm(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint64_t x = 1; x < 100000; x++) assert_true(fabs(fixed(x) - log((double)x)) < 1e-11);
    for (int i = 0; i < 200000; i++) {
        uint64_t x = random_next(&seed) >> random_below(&seed, 63) | 1;
        assert_true(fabs(fixed(x) - (double)logl((long double)x)) < 1e-11);
    }
}

static void test_ends(void **state) {
    (void)state;
    assert_true(nd_fixed_log(1) == 0);
    assert_true(fabs(fixed(UINT64_MAX) - 64 * log(2)) < 1e-11);
    for (unsigned bit = 1; bit < 64; bit++) {
        uint64_t x = UINT64_C(1) << bit;
        assert_true(nd_fixed_log(x - 1) <= nd_fixed_log(x));
        assert_true(nd_fixed_log(x) <= nd_fixed_log(x + 1));
    }
    for (uint64_t x = 1; x < 100000; x++) assert_true(nd_fixed_log(x) < nd_fixed_log(x + 1));
}

/* Bits that must be the same on every machine: true values rounded down, from 60 decimal digits. */
static void test_golden(void **state) {
    (void)state;
    const struct {
        uint64_t x, log;
    } golden[] = {{2, UINT64_C(762123384785)},
                  {3, UINT64_C(1207936985808)},
                  {10, UINT64_C(2531719083690)},
                  {1000001, UINT64_C(15190315601654)},
                  {UINT64_C(4294967296), UINT64_C(24387948313145)},
                  {UINT64_MAX, UINT64_C(48775896626291)}};
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
        assert_int_equal(nd_fixed_log(golden[i].x), golden[i].log);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_libm),
                                       cmocka_unit_test(test_ends), cmocka_unit_test(test_golden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

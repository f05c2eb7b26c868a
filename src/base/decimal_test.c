/* decimal.h against strtod, which reads the same numbers in the C locale. */
#include "base/decimal.h"

#include "german_locale.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 30 };

static void expect(const char *text, uint32_t units) {
    uint32_t got = 12345;
    if (!nd_decimal_read(text, strlen(text), MOST, &got) || got != units)
        fail_msg("%s: %u, not %u", text, (unsigned)got, (unsigned)units);
}

static void expect_rejected(const char *text) {
    uint32_t got = 12345;
    if (nd_decimal_read(text, strlen(text), MOST, &got)) fail_msg("%s is accepted", text);
    assert_int_equal(got, 12345);
}

static void test_numbers(void **state) {
    (void)state;
    expect("0", 0);
    expect("1", 4096);
    expect("1.", 4096);
    expect(".5", 2048);
    expect("0001.50000000000000000000000000000000000000", 6144);
    expect("262144", MOST);
    expect("262144.0001", MOST);
    expect("1e0", 4096);
    expect("2.5E+1", 25 * 4096);
    expect("25000e-3", 25 * 4096);
    expect("0.00000000000000000025e20", 25 * 4096);
    expect("0e999999999999999999999", 0);
    expect("1e-999999999999999999999", 0);
    expect("13.900677652", 56937);
    /* Half a unit, and the least bit below. */
    expect("0.0001220703125", 1);
    expect("0.00012207031249999999999999999999", 0);
    expect("0.00012207031250000000000000000001", 1);
    expect("0.0003662109375", 2);
}

static void test_rejected(void **state) {
    (void)state;
    const char *const wrong[] = {
        "",     ".",     "-1", "+1",  "-0",     "nan", "inf",   "0x1",
        "1,5",  "1.5.2", "1 ", " 1",  "1e",     "e1",  "1e+",   "1e1.5",
        "1e5x", "a",     "--", "1_0", "262145", "1e6", "1e100", "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) expect_rejected(wrong[i]);
}

static void against_strtod(void) {
    uint64_t seed = 5;
    for (int i = 0; i < 200000; i++) {
        char text[60], point[60];
        double divisor = pow(10, (double)random_below(&seed, 13));
        int digits = 1 + (int)random_below(&seed, 15);
        snprintf(text, sizeof text, random_below(&seed, 2) ? "%.*e" : "%.*g", digits,
                 (double)random_below(&seed, UINT64_C(1) << 50) / divisor);
        snprintf(point, sizeof point, "%s", text);
        /* The text has the point of the locale; the function reads it with a point. */
        char *comma = strchr(point, ',');
        if (comma) *comma = '.';
        double units = floor(strtod(text, NULL) * 4096 + .5);
        if (units > MOST) expect_rejected(point);
        else expect(point, (uint32_t)units);
    }
}

static void test_against_strtod(void **state) {
    (void)state;
    against_strtod();
}

static void test_other_locale(void **state) {
    (void)state;
    set_german_locale();
    expect("1.5", 6144);
    expect_rejected("1,5");
    against_strtod();
    setlocale(LC_ALL, "C");
}

static void test_whole_numbers(void **state) {
    (void)state;
    uint64_t out = 7;
    assert_true(nd_whole_number_read("18446744073709551615", 20, UINT64_MAX, &out) &&
                out == UINT64_MAX);
    assert_true(nd_whole_number_read("007", 3, 7, &out) && out == 7);
    const char *const wrong[] = {
        "",   "8", "18446744073709551616", "99999999999999999999", "-1", "+1", "1.0", "1e0",
        " 1", "1 "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(nd_whole_number_read(wrong[i], strlen(wrong[i]), 7, &out));
    assert_int_equal(out, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_against_strtod), cmocka_unit_test(test_other_locale),
        cmocka_unit_test(test_whole_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

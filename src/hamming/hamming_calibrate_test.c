/* Measured costs: their values differ by machine, but must be plausible. */
#include "hamming/hamming_planner.h"

#include "own_directory.h"
#include "test.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = "hamming_calibrate_test.folder";

static void test_measured(void **state) {
    (void)state;
    nd_error error;
    nd_hamming_costs usual, costs;
    nd_hamming_costs_init(&usual);
    memset(&costs, 0xff, sizeof costs); /* no numbers */
    mkdir(folder, 0777);
    if (nd_hamming_calibrate(folder, 1 << 20, NULL, &costs, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_int_equal(rmdir(folder), 0); /* nothing was left in it */
    for (int i = 0; i < 4; i++) {
        assert_true(costs.look[i] >= 1 && costs.look[i] < 1e6);
        assert_true(costs.key[i] > 0 &&
                    costs.key[i] < costs.look[i]); /* comparing a key is cheaper than a probe */
        if (i == 0) continue;
        assert_true(fabs(costs.look[i] / costs.look[0] / (usual.look[i] / usual.look[0]) - 1) <
                    1e-9);
        assert_true(fabs(costs.key[i] / costs.key[0] / (usual.key[i] / usual.key[0]) - 1) < 1e-9);
    }
    assert_true(costs.query >= 0 && costs.query < 1e6);
}

static void test_no_directory(void **state) {
    (void)state;
    nd_error error;
    nd_hamming_costs costs;
    assert_int_equal(
        nd_hamming_calibrate("hamming_calibrate_test.nowhere", 0, NULL, &costs, &error), ND_ERR_IO);
    assert_non_null(strstr(error.message, "hamming_calibrate_test.nowhere"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_measured),
                                       cmocka_unit_test(test_no_directory)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

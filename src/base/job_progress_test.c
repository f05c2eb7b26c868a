/* job_progress.h: reports reach the caller, and a cancelled job stays cancelled. */
#include "base/job_progress.h"

#include "test.h"

typedef struct seen {
    unsigned calls;
    nd_stage stage;
    uint64_t done, total;
    bool go_on;
} seen;

static bool see(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    seen *s = context;
    s->calls++;
    s->stage = stage;
    s->done = done;
    s->total = total;
    return s->go_on;
}

static void test_report_and_poll(void **state) {
    (void)state;
    seen s = {.go_on = true};
    nd_progress progress = {.fn = see, .context = &s};
    assert_int_equal(nd_progress_report(&progress, ND_STAGE_DECIDE, 3, 7, NULL), ND_OK);
    assert_int_equal(nd_progress_poll(&progress, NULL), ND_OK);
    assert_int_equal(s.calls, 2);
    assert_int_equal(s.stage, ND_STAGE_DECIDE);
    assert_int_equal(s.done, 3);
    assert_int_equal(s.total, 7);
}

static void test_cancelled_stays(void **state) {
    (void)state;
    seen s = {.go_on = false};
    nd_progress progress = {.fn = see, .context = &s};
    nd_error error;
    assert_int_equal(nd_progress_poll(&progress, &error), ND_ERR_CANCELLED);
    assert_string_equal(error.message, "cancelled");
    s.go_on = true;
    assert_int_equal(nd_progress_poll(&progress, NULL), ND_ERR_CANCELLED);
    assert_int_equal(nd_progress_report(&progress, ND_STAGE_READ, 0, 0, NULL), ND_ERR_CANCELLED);
    assert_int_equal(s.calls, 1);
}

/* While the caller's function runs, it is neither called again nor waited for. */
static bool see_inside(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    nd_progress *progress = context;
    return nd_progress_poll(progress, NULL) == ND_OK;
}

static void test_one_at_a_time(void **state) {
    (void)state;
    nd_progress progress = {.fn = see_inside, .context = &progress};
    assert_int_equal(nd_progress_poll(&progress, NULL), ND_OK);
}

static void test_no_callback(void **state) {
    (void)state;
    nd_progress progress = {.fn = NULL};
    assert_int_equal(nd_progress_report(&progress, ND_STAGE_READ, 0, 0, NULL), ND_OK);
    assert_int_equal(nd_progress_poll(&progress, NULL), ND_OK);
    assert_int_equal(nd_progress_poll(NULL, NULL), ND_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_and_poll), cmocka_unit_test(test_cancelled_stays),
        cmocka_unit_test(test_one_at_a_time), cmocka_unit_test(test_no_callback)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* async_task.h: each task runs once, its result is returned by the wait, and freeing waits for it.
 */
#include "base/async_task.h"

#include "test.h"

typedef struct piece {
    uint64_t sum, fail_at, runs;
} piece;

static nd_status add(void *context, nd_error *error) {
    piece *p = context;
    p->runs++;
    for (uint64_t i = 0; i < 1000; i++) p->sum += i;
    return p->runs == p->fail_at ? nd_fail(error, ND_ERR_IO, "piece %d", (int)p->runs) : ND_OK;
}

static nd_async_task *make(void) {
    nd_async_task *t = NULL;
    nd_error error;
    assert_int_equal(nd_async_task_create(&nd_allocator_default, &t, &error), ND_OK);
    return t;
}

static void test_one_after_the_other(void **state) {
    (void)state;
    nd_error error;
    piece p = {.fail_at = UINT64_MAX};
    nd_async_task *t = make();
    assert_int_equal(nd_async_task_wait(t, &error), ND_OK);
    for (uint64_t i = 1; i <= 2000; i++) {
        nd_async_task_start(t, add, &p);
        assert_int_equal(nd_async_task_wait(t, &error), ND_OK);
        assert_int_equal(p.runs, i);
        assert_int_equal(p.sum, i * 499500);
    }
    nd_async_task_free(t);
}

static void test_failure(void **state) {
    (void)state;
    nd_error error;
    piece p = {.fail_at = 2};
    nd_async_task *t = make();
    for (uint64_t i = 1; i <= 3; i++) {
        nd_async_task_start(t, add, &p);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(nd_async_task_wait(t, &error), i == 2 ? ND_ERR_IO : ND_OK);
            if (i == 2) assert_string_equal(error.message, "piece 2");
        }
    }
    nd_async_task_free(t);
}

static void test_in_the_callers_thread(void **state) {
    (void)state;
    nd_error error;
    piece p = {.fail_at = 2};
    nd_async_task *t = make();
    assert_int_equal(nd_async_task_run(t, add, &p, &error), ND_OK);
    assert_int_equal(nd_async_task_run(t, add, &p, &error), ND_ERR_IO);
    assert_int_equal(nd_async_task_wait(t, &error), ND_ERR_IO);
    nd_async_task_start(t, add, &p);
    assert_int_equal(nd_async_task_wait(t, &error), ND_OK);
    assert_int_equal(p.runs, 3);
    nd_async_task_free(t);
}

static void test_freed_while_it_runs(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        piece p = {.fail_at = 1};
        nd_async_task *t = make();
        nd_async_task_start(t, add, &p);
        nd_async_task_free(t);
        assert_int_equal(p.runs, 1);
    }
    nd_async_task_free(make());
    nd_async_task_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_after_the_other), cmocka_unit_test(test_failure),
        cmocka_unit_test(test_in_the_callers_thread), cmocka_unit_test(test_freed_while_it_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* sequencer.h: parts come out in the order of their numbers, and a failure ends all waits. */
#include "base/sequencer.h"

#include "base/workers.h"

#include "test.h"

#include <string.h>

enum { PARTS = 500, THREADS = 4 };

typedef struct run {
    nd_sequencer sequencer;
    size_t fail_at; /* the number of the part that fails */
    size_t emitted;
    bool in_order;
} run;

static nd_status emit_parts(run *r, nd_error *error) {
    for (size_t part; part = nd_sequencer_next(&r->sequencer), part < PARTS;) {
        if (part == r->fail_at) return nd_fail(error, ND_ERR_INPUT, "part %zu", part);
        ND_TRY(nd_sequencer_await(&r->sequencer, part));
        r->in_order = r->in_order && r->emitted == part;
        r->emitted++;
        nd_sequencer_advance(&r->sequencer);
    }
    return ND_OK;
}

static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    (void)index, (void)error;
    run *r = context;
    nd_error own = {0};
    nd_status status = emit_parts(r, &own);
    if (status != ND_OK) nd_sequencer_fail(&r->sequencer, status, &own);
    return ND_OK;
}

static nd_status run_all(run *r, nd_error *error) {
    nd_sequencer_init(&r->sequencer);
    assert_int_equal(nd_run_workers(&nd_allocator_default, THREADS, run_worker, r, NULL), ND_OK);
    nd_status status = nd_sequencer_result(&r->sequencer, error);
    nd_sequencer_free(&r->sequencer);
    return status;
}

static void test_in_order(void **state) {
    (void)state;
    run r = {.fail_at = PARTS, .in_order = true};
    assert_int_equal(run_all(&r, NULL), ND_OK);
    assert_int_equal(r.emitted, PARTS);
    assert_true(r.in_order);
}

static void test_failure(void **state) {
    (void)state;
    for (size_t fail_at = 0; fail_at < 50; fail_at++) {
        run r = {.fail_at = fail_at, .in_order = true};
        nd_error error;
        assert_int_equal(run_all(&r, &error), ND_ERR_INPUT);
        assert_true(r.emitted <= fail_at);
        assert_true(r.in_order);
        assert_non_null(strstr(error.message, "part "));
    }
}

static void test_reached(void **state) {
    (void)state;
    nd_sequencer sequencer;
    bool reached = true;
    nd_sequencer_init(&sequencer);
    assert_int_equal(nd_sequencer_reached(&sequencer, 1, &reached), ND_OK);
    assert_false(reached);
    nd_sequencer_advance(&sequencer);
    assert_int_equal(nd_sequencer_reached(&sequencer, 1, &reached), ND_OK);
    assert_true(reached);
    nd_sequencer_fail(&sequencer, ND_ERR_IO, NULL);
    assert_int_equal(nd_sequencer_reached(&sequencer, 1, &reached), ND_ERR_CANCELLED);
    assert_int_equal(nd_sequencer_await(&sequencer, 2), ND_ERR_CANCELLED);
    assert_int_equal(nd_sequencer_result(&sequencer, NULL), ND_ERR_IO);
    nd_sequencer_free(&sequencer);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_order),
                                       cmocka_unit_test(test_failure),
                                       cmocka_unit_test(test_reached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sets in the order of texts and their overlap, compared with plain loops. */
#include "similarity/ordered_set.h"

#include "test.h"

#include <string.h>

enum { MOST = 3000 };

static bool has(const uint64_t *values, size_t count, uint64_t value) {
    for (size_t i = 0; i < count; i++)
        if (values[i] == value) return true;
    return false;
}

/* The distinct values of `from`, in the order of their first occurrence. */
static size_t plain_set(const uint64_t *from, size_t count, uint64_t *to) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        if (!has(to, size, from[i])) to[size++] = from[i];
    return size;
}

/* Many values, 0 too; values with equal low bits, the worst case for the table; or few values with
 * many repeats. */
static uint64_t value_of(uint64_t *seed, int kind) {
    uint64_t value = random_below(seed, kind == 2 ? 20 : 2 * MOST);
    return kind == 0 ? nd_mix64(value) : kind == 1 ? value << 40 : value;
}

static void fill(uint64_t *values, size_t count, uint64_t *seed, int kind) {
    for (size_t i = 0; i < count; i++) values[i] = value_of(seed, kind);
}

/* A copy of a text from which some shingles are left out, others replaced, and others moved. */
static size_t edit(const uint64_t *from, size_t count, uint64_t *to, uint64_t *seed, int kind) {
    size_t size = 0, edits = 1 + random_below(seed, 40);
    for (size_t i = 0; i < count; i++) {
        uint64_t which = random_below(seed, count) < edits ? random_below(seed, 3) : 3;
        if (which == 0) continue;
        to[size++] = which == 1   ? value_of(seed, kind)
                     : which == 2 ? from[random_below(seed, count)]
                                  : from[i];
    }
    return size;
}

static void compare(nd_ordered_set *set, nd_ordered_set *other, const uint64_t *a, size_t count_a,
                    const uint64_t *b, size_t count_b) {
    static uint64_t plain_a[MOST], plain_b[MOST];
    nd_error error;
    size_t size_a = plain_set(a, count_a, plain_a), size_b = plain_set(b, count_b, plain_b),
           both = 0;
    for (size_t i = 0; i < size_b; i++) both += has(plain_a, size_a, plain_b[i]);
    nd_overlap overlap;
    assert_int_equal(nd_ordered_set_make(set, a, count_a, &error), ND_OK);
    assert_int_equal(set->size, size_a);
    assert_memory_equal(set->values, plain_a, size_a * sizeof *a);
    for (int round = 0; round < 2; round++) { /* comparing leaves the set as it was */
        assert_int_equal(nd_ordered_set_compare(set, other, b, count_b, &overlap, &error), ND_OK);
        assert_int_equal(overlap.size_a, size_b);
        assert_int_equal(overlap.size_b, size_a);
        assert_int_equal(overlap.intersection, both);
    }
    assert_int_equal(other->size, size_b - both);
    for (size_t i = 0; i < other->size; i++) assert_false(has(plain_a, size_a, other->values[i]));
}

static void test_against_loops(void **state) {
    (void)state;
    static uint64_t a[MOST], b[MOST];
    nd_ordered_set set, other;
    nd_ordered_set_init(&set, &nd_allocator_default);
    nd_ordered_set_init(&other, &nd_allocator_default);
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        size_t count = random_below(&seed, round % 10 ? 60 : MOST), count_b = count;
        int kind = round % 3;
        fill(a, count, &seed, kind);
        if (round % 4) count_b = edit(a, count, b, &seed, kind);
        else fill(b, count, &seed, kind);
        compare(&set, &other, a, count, b, count_b);
    }
    nd_ordered_set_free(&set);
    nd_ordered_set_free(&other);
}

/* New sets without a shingle, before they have memory. */
static void test_empty(void **state) {
    (void)state;
    nd_ordered_set set, other;
    nd_overlap overlap;
    nd_error error;
    nd_ordered_set_init(&set, &nd_allocator_default);
    nd_ordered_set_init(&other, &nd_allocator_default);
    assert_int_equal(nd_ordered_set_make(&set, NULL, 0, &error), ND_OK);
    assert_int_equal(set.size, 0);
    assert_int_equal(nd_ordered_set_compare(&set, &other, NULL, 0, &overlap, &error), ND_OK);
    assert_int_equal(overlap.size_a + overlap.size_b + overlap.intersection, 0);
    nd_ordered_set_free(&set);
    nd_ordered_set_free(&other);
}

/* A small text behind a huge one gives its memory back. */
static void test_memory(void **state) {
    (void)state;
    enum { HUGE_COUNT = 1 << 18 };
    nd_ordered_set set, other;
    nd_overlap overlap;
    nd_error error;
    nd_ordered_set_init(&set, &nd_allocator_default);
    nd_ordered_set_init(&other, &nd_allocator_default);
    uint64_t *values = nd_allocate(&nd_allocator_default, HUGE_COUNT, sizeof *values);
    for (size_t i = 0; i < HUGE_COUNT; i++) values[i] = nd_mix64(i);
    assert_int_equal(nd_ordered_set_make(&set, values, HUGE_COUNT, &error), ND_OK);
    assert_int_equal(nd_ordered_set_compare(&set, &other, values, HUGE_COUNT, &overlap, &error),
                     ND_OK);
    assert_int_equal(overlap.intersection, HUGE_COUNT);
    assert_int_equal(nd_ordered_set_make(&set, values, 10, &error), ND_OK);
    assert_true(set.allocated < HUGE_COUNT / 8);
    assert_int_equal(nd_ordered_set_compare(&set, &other, values, HUGE_COUNT, &overlap, &error),
                     ND_OK);
    assert_int_equal(overlap.intersection, 10);
    assert_int_equal(overlap.size_a, HUGE_COUNT);
    assert_int_equal(nd_ordered_set_compare(&set, &other, values, 20, &overlap, &error), ND_OK);
    assert_int_equal(overlap.size_a, 20);
    assert_true(other.allocated < HUGE_COUNT / 8);
    nd_release(&nd_allocator_default, values);
    nd_ordered_set_free(&set);
    nd_ordered_set_free(&other);
}

static void test_no_memory(void **state) {
    (void)state;
    const uint64_t values[] = {1, 2, 3};
    for (long left = 0; left < 6; left++) {
        failing_allocator failing = {.left = left};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_ordered_set set, other;
        nd_overlap overlap;
        nd_error error;
        nd_ordered_set_init(&set, &allocator);
        nd_ordered_set_init(&other, &allocator);
        nd_status status = nd_ordered_set_make(&set, values, 3, &error);
        assert_int_equal(status, left < 3 ? ND_ERR_MEMORY : ND_OK);
        if (status == ND_OK)
            assert_int_equal(nd_ordered_set_compare(&set, &other, values, 3, &overlap, &error),
                             ND_ERR_MEMORY);
        nd_ordered_set_free(&set);
        nd_ordered_set_free(&other);
        assert_int_equal(failing.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_loops),
                                       cmocka_unit_test(test_empty), cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

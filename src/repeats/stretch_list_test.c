/* stretch_list.h against one array of all stretches. */
#include "repeats/stretch_list.h"

#include "test.h"

#include <stdlib.h>

enum { STRETCHES = 3000 };

static int in_order(const void *a, const void *b) {
    const nd_stretch *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    if (x->source_text != y->source_text) return x->source_text < y->source_text ? -1 : 1;
    return x->source_begin < y->source_begin ? -1 : x->source_begin > y->source_begin;
}

/* Whether two stretches of the same source, with 6 bytes that both have, cover one between. */
static bool is_covered(const nd_stretch *before, const nd_stretch *s, const nd_stretch *next) {
    if (s->source_text != next->source_text || s->end > next->end) return false;
    return s->begin >= next->begin ||
           (before && before->source_text == next->source_text && before->end >= next->begin + 6);
}

/* Adds stretches of texts whose windows come from few sources or many, and fills `all`. Returns how
 * many are left. */
static size_t add(nd_stretch_list *list, size_t count, uint64_t *seed, nd_stretch *all) {
    const uint64_t sources = 1 + random_below(seed, random_below(seed, 2) ? 3 : 1000),
                   steps = 1 + random_below(seed, 20), sizes = 1 + random_below(seed, 100);
    uint64_t at = 100;
    size_t left = 0;
    nd_error error;
    for (size_t i = 0; i < count; i++) {
        at += random_below(seed, steps);
        const nd_stretch s = {.begin = at - random_below(seed, 30),
                              .end = at + 1 + random_below(seed, sizes),
                              .source_text = (UINT64_C(1) << 39) + random_below(seed, sources),
                              .source_begin = random_below(seed, 5)};
        assert_int_equal(nd_stretch_list_add(list, &s, &error), ND_OK);
        if (left > 0 && is_covered(left > 1 ? &all[left - 2] : NULL, &all[left - 1], &s)) left--;
        all[left++] = s;
    }
    return left;
}

static void check_order(nd_stretch_list *list, const nd_stretch *sorted, size_t count) {
    nd_stretch s;
    bool found;
    nd_error error;
    assert_int_equal(nd_stretch_list_begin(list, &error), ND_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(nd_stretch_list_next(list, &s, &found, &error), ND_OK);
        assert_true(found);
        assert_int_equal(in_order(&s, &sorted[i]), 0);
    }
    assert_int_equal(nd_stretch_list_next(list, &s, &found, &error), ND_OK);
    assert_false(found);
}

static void test_against_array(void **state) {
    (void)state;
    static nd_stretch all[STRETCHES];
    nd_temp_space disk = {.directory = "."};
    const nd_run run = {
        .allocator = nd_allocator_default, .space = &disk, .budget = {.shared = 1 << 26}};
    uint64_t seed = 1;
    size_t written = 0;
    nd_stretch_list list;
    nd_stretch_list_init(&list, &run);
    for (int round = 0; round < 300; round++) {
        size_t count = random_below(&seed, round % 2 ? 20 : STRETCHES);
        list.most = 3 + random_below(&seed, round % 3 ? 10 : STRETCHES);
        assert_true(nd_stretch_list_is_empty(&list));
        count = add(&list, count, &seed, all);
        assert_true(nd_stretch_list_is_empty(&list) == (count == 0));
        qsort(all, count, sizeof *all, in_order);
        check_order(&list, all, count);
        check_order(&list, all, count);
        written += list.pieces.count;
        nd_stretch_list_clear(&list);
    }
    assert_true(written > 0);
    nd_stretch_list_free(&list);
    assert_int_equal(disk.now, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

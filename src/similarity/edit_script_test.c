/* Edit scripts against their definition: what they leave is equal, and a plain table of longest
 * common subsequences tells how much can be left. */
#include "similarity/edit_script.h"

#include "base/limits.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

typedef struct edited {
    bool *a_changed, *b_changed;
    size_t a_left, b_left;
    bool shortest;
} edited;

static size_t left_of(const bool *changed, size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) left += !changed[i];
    return left;
}

static void check_equal_rest(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                             const edited *e) {
    size_t j = 0;
    for (size_t i = 0; i < a_count; i++) {
        if (e->a_changed[i]) continue;
        while (j < b_count && e->b_changed[j]) j++;
        assert_true(j < b_count);
        assert_true(a[i] == b[j++]);
    }
}

static edited edit(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    edited e = {calloc(a_count + 1, sizeof(bool)), calloc(b_count + 1, sizeof(bool)), 0, 0, false};
    assert_int_equal(nd_edit_script_find(a, a_count, b, b_count, &nd_allocator_default, e.a_changed,
                                         e.b_changed, &e.shortest, NULL),
                     ND_OK);
    e.a_left = left_of(e.a_changed, a_count);
    e.b_left = left_of(e.b_changed, b_count);
    assert_int_equal(e.a_left, e.b_left);
    check_equal_rest(a, a_count, b, b_count, &e);
    return e;
}

static void edited_free(edited *e) {
    free(e->a_changed);
    free(e->b_changed);
}

static size_t longest_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    static size_t row[2][MOST + 1];
    memset(row, 0, sizeof row);
    for (size_t i = 1; i <= a_count; i++)
        for (size_t j = 1; j <= b_count; j++) {
            size_t *now = row[i % 2], *before = row[(i + 1) % 2];
            now[j] = before[j] > now[j - 1] ? before[j] : now[j - 1];
            if (a[i - 1] == b[j - 1]) now[j] = before[j - 1] + 1;
        }
    return row[a_count % 2][b_count];
}

/* A copy of a with about one edit in `rarity` tokens; returns its length. */
static size_t change(uint64_t *seed, const uint64_t *a, size_t count, uint64_t letters,
                     uint64_t rarity, uint64_t *b, size_t most) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t what = random_below(seed, 3 * rarity);
        if (what != 0 && used < most) b[used++] = a[i];
        if (what <= 1 && used < most) b[used++] = random_below(seed, letters);
    }
    return used;
}

static void test_shortest(void **state) {
    (void)state;
    uint64_t seed = 17, a[MOST], b[MOST];
    size_t bounded = 0, rounds = test_rounds(12000);
    for (size_t round = 0; round < rounds; round++) {
        uint64_t letters = 1 + random_below(&seed, round % 2 ? 4 : 100);
        size_t most = 1 + random_below(&seed, round % 9 ? 40 : MOST), b_count;
        size_t a_count = random_below(&seed, most);
        for (size_t i = 0; i < a_count; i++) a[i] = random_below(&seed, letters);
        if (round % 3) {
            b_count = change(&seed, a, a_count, letters, 1 + random_below(&seed, 20), b, most);
        } else {
            b_count = random_below(&seed, most);
            for (size_t i = 0; i < b_count; i++) b[i] = random_below(&seed, letters + 2);
        }
        edited e = edit(a, a_count, b, b_count);
        size_t longest = longest_common(a, a_count, b, b_count);
        bounded += !e.shortest;
        if (e.shortest) assert_int_equal(e.a_left, longest);
        else assert_true(e.a_left <= longest);
        edited_free(&e);
    }
    if (ND_LIMIT(1, 0)) assert_int_equal(bounded, 0);
    else assert_true(bounded > rounds / 100 && bounded < rounds / 2);
}

/* Periods of 1 to 7 tokens, with and without an edit in the middle. */
static void test_periodic(void **state) {
    (void)state;
    uint64_t a[MOST], b[MOST];
    for (size_t period = 1; period < 8; period++)
        for (size_t longer = 0; longer < 10; longer++) {
            size_t a_count = MOST - longer;
            for (size_t i = 0; i < MOST; i++) {
                a[i] = i % period;
                b[i] = (i + longer % 2) % period;
            }
            a[200] = longer % 3 ? 99 : a[200];
            edited e = edit(a, a_count, b, MOST);
            if (e.shortest) assert_int_equal(e.a_left, longest_common(a, a_count, b, MOST));
            edited_free(&e);
        }
}

static uint64_t *random_tokens(uint64_t *seed, size_t count, uint64_t letters) {
    uint64_t *tokens = malloc((count + 1) * sizeof *tokens);
    for (size_t i = 0; i < count; i++) tokens[i] = random_below(seed, letters);
    return tokens;
}

/* Sequences for which a shortest script takes too many steps. With repeated tokens alone there is
 * nothing to cut at; otherwise nearly all that is in common is found. */
static void test_bound(void **state) {
    (void)state;
    enum { COUNT = 200000 };
    uint64_t seed = 3;
    uint64_t *a = random_tokens(&seed, COUNT, 50000), *b = malloc(2 * COUNT * sizeof *b);
    size_t b_count = change(&seed, a, COUNT, 50000, 6, b, 2 * COUNT);
    edited e = edit(a, COUNT, b, b_count);
    assert_false(e.shortest);
    assert_true(e.a_left > COUNT * 8 / 10);
    edited_free(&e);
    /* Two halves that change places: one of them is in common. */
    memcpy(b, a + COUNT / 2, COUNT / 2 * sizeof *b);
    memcpy(b + COUNT / 2, a, COUNT / 2 * sizeof *b);
    e = edit(a, COUNT, b, COUNT);
    assert_true(e.a_left >= COUNT / 2);
    edited_free(&e);
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = random_below(&seed, 100);
        b[i] = random_below(&seed, 100);
    }
    e = edit(a, COUNT, b, COUNT);
    assert_false(e.shortest);
    edited_free(&e);
    /* Nothing in common needs no bound. */
    for (size_t i = 0; i < COUNT; i++) b[i] += 100;
    e = edit(a, COUNT, b, COUNT);
    assert_true(e.shortest && e.a_left == 0);
    edited_free(&e);
    free(a);
    free(b);
}

static void test_memory(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    uint64_t seed = 8;
    uint64_t *a = random_tokens(&seed, COUNT, 900), *b = random_tokens(&seed, COUNT, 900);
    bool *a_changed = NULL, *b_changed = NULL, shortest;
    nd_status status = ND_ERR_MEMORY;
    for (long left = 0; status == ND_ERR_MEMORY; left++) {
        failing_allocator memory = {.left = left};
        nd_allocator allocator = failing_allocator_make(&memory);
        free(a_changed);
        free(b_changed);
        a_changed = calloc(COUNT, sizeof *a_changed);
        b_changed = calloc(COUNT, sizeof *b_changed);
        status = nd_edit_script_find(a, COUNT, b, COUNT, &allocator, a_changed, b_changed,
                                     &shortest, NULL);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(status, ND_OK);
    free(a_changed);
    free(b_changed);
    free(a);
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shortest),
                                       cmocka_unit_test(test_periodic),
                                       cmocka_unit_test(test_bound), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

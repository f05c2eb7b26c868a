/* Runs compared with their definition, taken literally, on sequences that repeat themselves. */
#include "similarity/suffix_automaton.h"

#include "test.h"

#include <stdlib.h>

enum { LONGEST = 60, ROUNDS = 60000, LONG = 400000 };

/* The definition: tries every position of B at every position of A. */
static size_t plain_runs(const uint64_t *a, size_t count_a, const uint64_t *b, size_t count_b,
                         size_t least, nd_common_run *out) {
    size_t used = 0;
    for (size_t i = 0; i < count_a;) {
        nd_common_run best = {i, 0, 0};
        for (size_t j = 0; j < count_b; j++) {
            size_t n = 0;
            while (i + n < count_a && j + n < count_b && a[i + n] == b[j + n]) n++;
            if (n > best.count) best = (nd_common_run){i, j, n};
        }
        if (best.count >= least) out[used++] = best;
        i += best.count >= least ? best.count : 1;
    }
    return used;
}

static size_t random_tokens(uint64_t *seed, uint64_t *to, uint64_t letters) {
    size_t count = random_below(seed, LONGEST + 1);
    for (size_t i = 0; i < count; i++) {
        /* Tokens that share most of their bits, 0 among them; sometimes a piece is repeated. */
        to[i] = random_below(seed, letters) << 40;
        size_t back = 1 + random_below(seed, LONGEST);
        if (random_below(seed, 4) == 0 && back <= i) to[i] = to[i - back];
    }
    return count;
}

static void test_against_definition(void **state) {
    (void)state;
    uint64_t seed = 12;
    size_t long_runs = 0, from_right = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t a[LONGEST], b[LONGEST], letters = 1 + random_below(&seed, 6);
        size_t count_a = random_tokens(&seed, a, letters),
               count_b = random_tokens(&seed, b, letters), least = 1 + random_below(&seed, 7),
               got_count, longest_b;
        nd_common_run expected[LONGEST], *got;
        nd_suffix_automaton *index;
        size_t count = plain_runs(a, count_a, b, count_b, least, expected);
        assert_int_equal(nd_suffix_automaton_create(b, count_b, NULL, &index, NULL), ND_OK);
        assert_int_equal(nd_common_runs_find(index, a, count_a, least, &got, &got_count, NULL),
                         ND_OK);
        assert_int_equal(got_count, count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(got[i].a, expected[i].a);
            assert_int_equal(got[i].b, expected[i].b);
            assert_int_equal(got[i].count, expected[i].count);
            assert_int_equal(
                nd_common_run_longest(index, a + got[i].a, count_a - got[i].a, &longest_b),
                expected[i].count);
            assert_int_equal(longest_b, expected[i].b);
            long_runs += got[i].count > 10;
            from_right += i > 0 && got[i].b < got[i - 1].b;
        }
        free(got);
        nd_suffix_automaton_free(index);
    }
    assert_true(long_runs > 1000 && from_right > 1000);
}

/* ---- merging */

static void test_merge(void **state) {
    (void)state;
    static const nd_common_run runs[] = {
        {0, 10, 8},
        {10, 20, 8} /* gaps of 2 and 2 */,
        {22, 32, 9} /* 4 and 4 */,
        {36, 45, 8} /* 5 and 4: too far */,
        {44, 53, 8} /* none */,
        {52, 60, 8} /* begins before the end */,
        {60, 0, 8} /* to the left */,
    };
    static const nd_common_passage expected[] = {
        {0, 31, 10, 41, 25}, {36, 52, 45, 61, 16}, {52, 60, 60, 68, 8}, {60, 68, 0, 8, 8}};
    nd_common_passage got[7];
    assert_int_equal(nd_common_runs_merge(runs, 7, 4, got), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(got[i].a_begin, expected[i].a_begin);
        assert_int_equal(got[i].a_end, expected[i].a_end);
        assert_int_equal(got[i].b_begin, expected[i].b_begin);
        assert_int_equal(got[i].b_end, expected[i].b_end);
        assert_int_equal(got[i].tokens, expected[i].tokens);
    }
    assert_int_equal(nd_common_runs_merge(runs, 7, 5, got), 3);
    assert_int_equal(nd_common_runs_merge(runs, 7, 0, got), 6);
    assert_int_equal(nd_common_runs_merge(runs, 0, 4, got), 0);
}

/* ---- bounds */

typedef struct meter {
    size_t held, most;
} meter;

static void *meter_reallocate(void *context, void *memory, size_t size) {
    meter *m = context;
    size_t *head = memory ? (size_t *)memory - 2 : NULL;
    if (head) m->held -= *head;
    head = realloc(head, size + 2 * sizeof *head);
    *head = size;
    m->held += size;
    if (m->held > m->most) m->most = m->held;
    return head + 2;
}

static void *meter_allocate(void *context, size_t size) {
    return meter_reallocate(context, NULL, size);
}

static void meter_release(void *context, void *memory) {
    if (!memory) return;
    ((meter *)context)->held -= ((size_t *)memory)[-2];
    free((size_t *)memory - 2);
}

/* Long texts of the shapes that give the most states and edges: a search in more than linear time
 * would not end. */
static void test_long(void **state) {
    (void)state;
    uint64_t *tokens = malloc(LONG * sizeof *tokens), seed = 9;
    assert_non_null(tokens);
    for (int shape = 0; shape < 5; shape++) {
        for (size_t i = 0; i < LONG; i++) {
            size_t bit = (size_t)__builtin_ctzll(i + 1);
            tokens[i] = shape == 0   ? 7
                        : shape == 1 ? i % 1000
                        : shape == 2
                            ? (uint64_t)(i >= LONG / 2) + (i == LONG - 1) /* aaa...bbb...c */
                        : shape == 3 ? bit
                                     : random_below(&seed, 3);
        }
        meter m = {0, 0};
        nd_allocator allocator = {&m, meter_allocate, meter_reallocate, meter_release};
        nd_suffix_automaton *index;
        nd_common_run *runs;
        size_t count;
        assert_int_equal(nd_suffix_automaton_create(tokens, LONG, &allocator, &index, NULL), ND_OK);
        /* The arrays have their largest size just after they have grown. */
        assert_true(m.held < (size_t)LONG * 136 * 3 / 2);
        assert_int_equal(nd_common_runs_find(index, tokens, LONG, 1, &runs, &count, NULL), ND_OK);
        assert_int_equal(count, 1);
        assert_int_equal(runs->count, LONG);
        meter_release(&m, runs);
        /* No run is long enough, so every position is searched. */
        tokens[LONG / 2] = 99;
        assert_int_equal(nd_common_runs_find(index, tokens, LONG, LONG - 1, &runs, &count, NULL),
                         ND_OK);
        assert_int_equal(count, 0);
        assert_null(runs);
        nd_suffix_automaton_free(index);
        assert_int_equal(m.held, 0);
    }
    free(tokens);
}

static void test_out_of_memory(void **state) {
    (void)state;
    uint64_t tokens[500], seed = 4;
    for (size_t i = 0; i < 500; i++) tokens[i] = random_below(&seed, 9);
    nd_status status = ND_ERR_MEMORY;
    for (long left = 0; status != ND_OK; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_suffix_automaton *index = NULL;
        nd_common_run *runs = NULL;
        size_t count;
        status = nd_suffix_automaton_create(tokens, 500, &allocator, &index, NULL);
        if (status == ND_OK)
            status = nd_common_runs_find(index, tokens, 500, 1, &runs, &count, NULL);
        assert_true(status == ND_OK || status == ND_ERR_MEMORY);
        nd_release(&allocator, runs);
        nd_suffix_automaton_free(index);
        assert_int_equal(failing.live, 0);
        assert_true(left < 200);
    }
    nd_suffix_automaton_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_definition),
                                       cmocka_unit_test(test_merge), cmocka_unit_test(test_long),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

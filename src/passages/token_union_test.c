/* The union of ranges against a mark for each token. */
#include "passages/token_union.h"

#include "test.h"

enum { TOKENS = 80, MOST = 12, ROUNDS = 20000 };

static void test_against_marks(void **state) {
    (void)state;
    uint64_t seed = 5, words[MOST];
    size_t overlaps = 0, gaps = 0;
    for (int round = 0; round < ROUNDS; round++) {
        bool marks[TOKENS] = {false};
        size_t count = random_below(&seed, MOST + 1), sum = 0, marked = 0, last = 0;
        for (size_t i = 0; i < count; i++) {
            uint32_t begin = (uint32_t)random_below(&seed, TOKENS),
                     end = begin + (uint32_t)random_below(&seed, TOKENS - begin + 1);
            words[i] = nd_token_word(begin, end);
            sum += end - begin;
            for (uint32_t t = begin; t < end; t++) marks[t] = true;
        }
        for (size_t t = 0; t < TOKENS; t++)
            if (marks[t]) marked++, last = t + 1;
        overlaps += sum > marked;
        gaps += last > marked;
        assert_int_equal(nd_token_union(words, count), marked);
    }
    assert_true(overlaps > ROUNDS / 2 && gaps > ROUNDS / 2);
}

static void test_ends(void **state) {
    (void)state;
    uint64_t whole[] = {nd_token_word(0, UINT32_MAX), nd_token_word(UINT32_MAX - 1, UINT32_MAX)};
    assert_int_equal(nd_token_union(whole, 0), 0);
    assert_int_equal(nd_token_union(whole, 2), UINT32_MAX);
    uint64_t touching[] = {nd_token_word(8, 9), nd_token_word(5, 8), nd_token_word(5, 8)};
    assert_int_equal(nd_token_union(touching, 3), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_marks),
                                       cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

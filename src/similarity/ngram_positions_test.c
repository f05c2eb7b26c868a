/* All positions of all n-grams, compared with a plain search, over small alphabets. */
#include "similarity/ngram_positions.h"

#include "test.h"

enum { ROUNDS = 3000, TEXTS = 6, LONGEST = 40 };

static bool is_position(const uint64_t *tokens, const uint32_t *begins, size_t texts,
                        size_t position, const uint64_t *run, size_t n) {
    size_t text = 0;
    while (text + 1 < texts && begins[text + 1] <= position) text++;
    if (position + n > begins[text + 1]) return false;
    for (size_t i = 0; i < n; i++)
        if (tokens[position + i] != run[i]) return false;
    return true;
}

static void test_against_search(void **state) {
    (void)state;
    uint64_t seed = 7;
    size_t several = 0, none = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t tokens[TEXTS * LONGEST], probe[LONGEST], letters = 1 + random_below(&seed, 5);
        uint32_t begins[TEXTS + 1] = {0};
        size_t texts = random_below(&seed, TEXTS + 1), n = 1 + random_below(&seed, 9),
               length = random_below(&seed, LONGEST + 1);
        for (size_t t = 0; t < texts; t++)
            begins[t + 1] = begins[t] + (uint32_t)random_below(&seed, LONGEST + 1);
        for (size_t i = 0; i < begins[texts]; i++)
            tokens[i] = nd_mix64(random_below(&seed, letters));
        for (size_t i = 0; i < length; i++) probe[i] = nd_mix64(random_below(&seed, letters));
        nd_ngram_positions *places;
        assert_int_equal(nd_ngram_positions_create(tokens, begins, texts, n, NULL, &places, NULL),
                         ND_OK);
        nd_ngram_hash hash = nd_ngram_hash_of(n);
        for (size_t i = 0; i < length; i++) {
            uint64_t value = nd_ngram_hash_next(&hash, probe, i);
            if (i + 1 < n) continue;
            uint32_t got = nd_ngram_positions_last(places, value);
            size_t count = 0;
            for (size_t position = begins[texts]; position-- > 0;) {
                if (!is_position(tokens, begins, texts, position, probe + i + 1 - n, n)) continue;
                assert_int_equal(got, position);
                got = nd_ngram_positions_previous(places, got);
                count++;
            }
            assert_int_equal(got, ND_NO_POSITION);
            several += count > 1;
            none += count == 0;
        }
        nd_ngram_positions_free(places);
    }
    assert_true(several > 1000 && none > 1000);
}

static void test_without_memory(void **state) {
    (void)state;
    uint64_t tokens[] = {1, 2, 3};
    uint32_t begins[] = {0, 3};
    for (long left = 0;; left++) {
        failing_allocator memory = {.left = left};
        nd_allocator allocator = failing_allocator_make(&memory);
        nd_ngram_positions *places = NULL;
        nd_error error;
        nd_status status = nd_ngram_positions_create(tokens, begins, 1, 2, &allocator, &places,
                                                     &error);
        nd_ngram_positions_free(status == ND_OK ? places : NULL);
        assert_int_equal(memory.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_search),
                                       cmocka_unit_test(test_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

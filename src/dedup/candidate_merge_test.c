/* The merge over random lists, against plain sets of the same members. */
#include "dedup/candidate_merge.h"

#include "test.h"

enum { RANKS = 60, LISTS = 6 };

typedef struct lists {
    uint32_t ranks[LISTS][RANKS];
    bool has[LISTS][RANKS];
    bool large[LISTS];
    nd_candidate_list list[LISTS];
    size_t count;
} lists;

static void make_lists(lists *x, uint64_t *seed) {
    size_t most = random_below(seed, LISTS + 1);
    *x = (lists){0};
    for (size_t l = 0; l < most; l++) {
        size_t size = 0;
        x->large[l] = random_below(seed, 2);
        for (uint32_t r = 0; r < RANKS; r++) {
            x->has[l][r] = random_below(seed, 5) == 0;
            if (x->has[l][r]) x->ranks[l][size++] = r;
        }
        if (size > 0)
            x->list[x->count++] = (nd_candidate_list){
                .next = x->ranks[l], .end = x->ranks[l] + size, .large = x->large[l]};
    }
}

/* Returns the number of lists of a kind that contain a rank. */
static size_t owners(const lists *x, uint32_t rank, bool large) {
    size_t sum = 0;
    for (size_t l = 0; l < LISTS; l++) sum += x->large[l] == large && x->has[l][rank];
    return sum;
}

/* From some rank on the posting lists of large buckets are left out. */
static void test_walk(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int round = 0; round < 2000; round++) {
        lists x;
        make_lists(&x, &seed);
        uint32_t rank = RANKS, stop = (uint32_t)random_below(&seed, RANKS + 1);
        uint64_t dropped = 0, wanted = 0;
        bool only_large = false;
        for (uint32_t r = 0; r < RANKS; r++) {
            size_t small = owners(&x, r, false), large = owners(&x, r, true);
            if (r == stop) dropped = nd_candidates_drop_large(x.list, &x.count);
            if (r >= stop) wanted += large;
            if (small == 0 && (large == 0 || r >= stop)) continue;
            assert_true(nd_candidate_next(x.list, &x.count, &rank, &only_large));
            assert_int_equal(rank, r);
            assert_int_equal(only_large, small == 0);
        }
        assert_false(nd_candidate_next(x.list, &x.count, &rank, &only_large));
        assert_int_equal(dropped, wanted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

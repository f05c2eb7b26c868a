/* The walk over random lists against the sets that they are. */
#include "dedup/candidate_merge.h"

#include "test.h"

enum { RANKS = 60, LISTS = 6 };

typedef struct lists {
    uint32_t ranks[LISTS][RANKS];
    bool has[LISTS][RANKS];
    bool wide[LISTS];
    nd_candidate_list list[LISTS];
    size_t count;
} lists;

static void make_lists(lists *x, uint64_t *seed) {
    size_t most = random_below(seed, LISTS + 1);
    *x = (lists){0};
    for (size_t l = 0; l < most; l++) {
        size_t size = 0;
        x->wide[l] = random_below(seed, 2);
        for (uint32_t r = 0; r < RANKS; r++) {
            x->has[l][r] = random_below(seed, 5) == 0;
            if (x->has[l][r]) x->ranks[l][size++] = r;
        }
        if (size > 0)
            x->list[x->count++] = (nd_candidate_list){x->ranks[l], x->ranks[l] + size, x->wide[l]};
    }
}

/* How many lists of a kind have a rank. */
static size_t owners(const lists *x, uint32_t rank, bool wide) {
    size_t sum = 0;
    for (size_t l = 0; l < LISTS; l++) sum += x->wide[l] == wide && x->has[l][rank];
    return sum;
}

/* From some rank on the wide lists are left out. */
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
            size_t narrow = owners(&x, r, false), wide = owners(&x, r, true);
            if (r == stop) dropped = nd_candidates_drop_large(x.list, &x.count);
            if (r >= stop) wanted += wide;
            if (narrow == 0 && (wide == 0 || r >= stop)) continue;
            assert_true(nd_candidate_next(x.list, &x.count, &rank, &only_large));
            assert_int_equal(rank, r);
            assert_int_equal(only_large, narrow == 0);
        }
        assert_false(nd_candidate_next(x.list, &x.count, &rank, &only_large));
        assert_int_equal(dropped, wanted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

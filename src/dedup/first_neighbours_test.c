/* first_neighbours.h with pairs in any order: no lost pair is silent, few pairs are kept, and the
 * first neighbours are among them. */
#include "dedup/first_neighbours.h"

#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { RANKS = 5000 };

typedef enum arrival { ASCENDING, DESCENDING, RANDOM, ARRIVALS } arrival;

/* Orders the neighbours of the last rank as they will be added. */
static void make_order(uint32_t *order, uint32_t from, uint32_t count, arrival how,
                       uint64_t *seed) {
    for (uint32_t i = 0; i < count; i++) order[i] = from + (how == DESCENDING ? count - 1 - i : i);
    if (how != RANDOM) return;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)random_below(seed, i), t = order[j];
        order[j] = order[i - 1];
        order[i - 1] = t;
    }
}

static void check_order(const uint32_t *order, uint32_t from, uint32_t count, uint32_t bound,
                        arrival how) {
    static bool taken[RANKS];
    uint32_t sum = 0, all = 0;
    nd_first_neighbours first;
    assert_int_equal(nd_first_neighbours_init(&first, &nd_allocator_default, RANKS, bound, NULL),
                     ND_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(
            nd_first_neighbours_take(&first, RANKS - 1, order[i], 2, &taken[order[i]], NULL),
            ND_OK);
        sum += taken[order[i]];
    }
    assert_int_equal(nd_neighbours_left_out(&first, RANKS - 1), 2 * (count - sum));
    assert_int_equal(nd_has_many_neighbours(&first, RANKS - 1), count >= bound);
    assert_false(nd_has_many_neighbours(&first, 0));
    while (all < count && taken[from + all]) all++;
    if (how != DESCENDING) assert_true(all >= (count < bound ? count : bound / 4));
    assert_true(sum <=
                bound + (bound / 2 + 1) *
                            (how == DESCENDING ? 32 : 3 + 1.5 * log2(count / (double)bound + 1)));
    nd_first_neighbours_free(&first);
}

static void test_orders(void **state) {
    (void)state;
    static uint32_t order[RANKS];
    uint64_t seed = 4;
    for (uint32_t bound = 1; bound < 2 * RANKS; bound = bound * 3 + 1) {
        for (int how = 0; how < ARRIVALS; how++) {
            for (uint32_t count = 0; count < RANKS; count = count * 2 + 1) {
                uint32_t from = (uint32_t)random_below(&seed, RANKS - count);
                make_order(order, from, count, (arrival)how, &seed);
                check_order(order, from, count, bound, (arrival)how);
            }
        }
    }
}

/* A document with few neighbours keeps all of them, however many neighbours other documents have.
 */
static void test_few(void **state) {
    (void)state;
    nd_first_neighbours first;
    bool taken;
    assert_int_equal(nd_first_neighbours_init(&first, &nd_allocator_default, RANKS, 10, NULL),
                     ND_OK);
    for (uint32_t later = 1; later < RANKS; later++) {
        uint32_t count = later % 20 < later ? later % 20 : later;
        for (uint32_t earlier = 0; earlier < count; earlier++) {
            assert_int_equal(nd_first_neighbours_take(&first, later, earlier, 1, &taken, NULL),
                             ND_OK);
            assert_true(taken || count > 10);
        }
        assert_int_equal(nd_has_many_neighbours(&first, later), count >= 10);
    }
    nd_first_neighbours_free(&first);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

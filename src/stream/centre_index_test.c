/* The nearest centre against brute force, while centres are added, moved and removed. */
#include "stream/centre_index.h"

#include "fingerprint_shapes.h"
#include "test.h"

enum { MOST = 600, STEPS = 4000 };

typedef struct set {
    nd_fingerprint list[MOST];
    bool live[MOST];
} set;

static void check_nearest(nd_centre_index *table, const set *s, nd_fingerprint query, uint32_t k) {
    uint32_t number, distance, wanted = UINT32_MAX, least = k;
    for (uint32_t i = 0; i < MOST; i++) {
        if (!s->live[i]) continue;
        uint32_t d = nd_distance(s->list[i], query);
        if (d < least || (d == least && wanted == UINT32_MAX)) least = d, wanted = i;
    }
    nd_centre_index_nearest(table, query, &number, &distance);
    assert_int_equal(number, wanted);
    if (wanted != UINT32_MAX) assert_int_equal(distance, least);
}

/* A random fingerprint, or, half of the time, one near a fingerprint that is or was in the index.
 */
static nd_fingerprint make_fingerprint(const set *s, uint64_t *seed, uint32_t bits, uint32_t k) {
    uint64_t from = random_below(seed, MOST);
    return random_below(seed, 2) ? flip_some(s->list[from], seed, bits, k + 2)
                                 : random_fingerprint(seed, bits);
}

static void check(uint32_t bits, uint32_t k, uint64_t seed) {
    nd_error error;
    nd_centre_index *table;
    set s = {0};
    assert_int_equal(nd_centre_index_create(bits, k, &nd_allocator_default, &table, &error), ND_OK);
    for (int step = 0; step < STEPS; step++) {
        uint32_t i = (uint32_t)random_below(&seed, MOST);
        nd_fingerprint f = make_fingerprint(&s, &seed, bits, k);
        if (!s.live[i]) {
            assert_int_equal(nd_centre_index_add(table, i, f, &error), ND_OK);
            s.live[i] = true;
            s.list[i] = f;
        } else if (random_below(&seed, 3)) {
            if (random_below(&seed, 2)) f = flip_some(s.list[i], &seed, bits, 1);
            assert_int_equal(nd_centre_index_move(table, i, s.list[i], f, &error), ND_OK);
            s.list[i] = f;
        } else {
            nd_centre_index_remove(table, i, s.list[i]);
            s.live[i] = false;
        }
        check_nearest(table, &s, make_fingerprint(&s, &seed, bits, k), k);
    }
    nd_centre_index_free(table);
}

static void test_against_brute_force(void **state) {
    (void)state;
    static const uint32_t widths[] = {16, 32, 64, 128};
    for (size_t w = 0; w < 4; w++)
        for (uint32_t k = 0; k <= widths[w] / 4; k += k < 4 ? 1 : 4)
            check(widths[w], k, widths[w] + k);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

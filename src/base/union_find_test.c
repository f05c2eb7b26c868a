/* union_find.h against components that are found by repeated flooding. */
#include "base/union_find.h"

#include "test.h"

enum { MOST = 300 };

/* The oracle: components by repeated flooding. */
static void test_against_flooding(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int round = 0; round < 100; round++) {
        uint32_t parent[MOST], label[MOST], edges[MOST][2];
        size_t count = 1 + random_below(&seed, MOST), edge_count = random_below(&seed, count);
        nd_union_find_init(parent, count);
        for (size_t i = 0; i < count; i++) label[i] = (uint32_t)i;
        for (size_t e = 0; e < edge_count; e++) {
            for (int k = 0; k < 2; k++) edges[e][k] = (uint32_t)random_below(&seed, count);
            nd_union_find_join(parent, edges[e][0], edges[e][1]);
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t e = 0; e < edge_count; e++) {
                uint32_t *a = &label[edges[e][0]], *b = &label[edges[e][1]];
                changed = changed || *a != *b;
                *a = *b = *a < *b ? *a : *b;
            }
        }
        for (size_t i = 0; i < count; i++)
            assert_int_equal(nd_union_find_root(parent, (uint32_t)i), label[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_flooding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

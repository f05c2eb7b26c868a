/* The middle of a script against a plain table of edit distances: both parts together have as many
 * edits as the whole, and each has half of them. */
#include "similarity/middle_snake.h"

#include "test.h"

enum { MOST = 60 };

static size_t distance(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count) {
    static size_t table[MOST + 1][MOST + 1];
    for (size_t i = 0; i <= a_count; i++)
        for (size_t j = 0; j <= b_count; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            size_t removed = table[i - 1][j] + 1, inserted = table[i][j - 1] + 1;
            table[i][j] = removed < inserted ? removed : inserted;
            if (a[i - 1] == b[j - 1]) table[i][j] = table[i - 1][j - 1];
        }
    return table[a_count][b_count];
}

static void test_middle(void **state) {
    (void)state;
    uint64_t seed = 4;
    nd_snake_room room = {0};
    size_t given_up = 0;
    for (unsigned round = test_rounds(20000); round > 0; round--) {
        uint32_t a[MOST], b[MOST];
        size_t a_count = 1 + random_below(&seed, MOST), b_count = 1 + random_below(&seed, MOST);
        uint64_t letters = 2 + random_below(&seed, 9), most = random_below(&seed, 4000);
        for (size_t i = 0; i < a_count; i++) a[i] = (uint32_t)random_below(&seed, letters);
        for (size_t j = 0; j < b_count; j++)
            b[j] = j < a_count && random_below(&seed, 4) ? a[j]
                                                         : (uint32_t)random_below(&seed, letters);
        b[0] = a[0] + 1;
        if (b[b_count - 1] == a[a_count - 1]) b[b_count - 1]++;
        if (b[0] == a[0]) continue;
        uint64_t steps = most;
        bool found;
        nd_edit_place middle;
        assert_int_equal(nd_middle_snake_find(&room, a, a_count, b, b_count, &nd_allocator_default,
                                              &steps, &found, &middle, NULL),
                         ND_OK);
        assert_true(steps <= most + MOST);
        if (!found) {
            given_up++;
            continue;
        }
        assert_true(middle.a <= a_count && middle.b <= b_count);
        size_t whole = distance(a, a_count, b, b_count),
               before = distance(a, middle.a, b, middle.b);
        assert_int_equal(before, (whole + 1) / 2);
        assert_int_equal(
            distance(a + middle.a, a_count - middle.a, b + middle.b, b_count - middle.b),
            whole - before);
    }
    assert_true(given_up > 0);
    nd_snake_room_free(&room, &nd_allocator_default);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_middle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Permutations: an example computed by hand, the theorem over all permutations of six rows, and
 * random permutations. */
#include "test.h"

#include "neardup.h"

#include <string.h>

/* Three sets over six rows, and four permutations; each column gives the positions of rows 0 to 5:
 *
 *     row   A  B  C    p0 p1 p2 p3
 *      0    1  1  0     0  3  5  2
 *      1    0  0  1     1  5  0  4
 *      2    1  1  0     2  1  4  0
 *      3    0  1  1     3  0  2  5
 *      4    0  0  1     4  4  1  3
 *      5    1  0  0     5  2  3  1
 *
 *     p0   A min(0, 2, 5) = 0   B min(0, 2, 3) = 0   C min(1, 3, 4) = 1
 *     p1   A min(3, 1, 2) = 1   B min(3, 1, 0) = 0   C min(5, 0, 4) = 0
 *     p2   A min(5, 4, 3) = 3   B min(5, 4, 2) = 2   C min(0, 2, 1) = 0
 *     p3   A min(2, 0, 1) = 0   B min(2, 0, 5) = 0   C min(4, 5, 3) = 3
 *
 * A and B agree in p0 and p3: 2/4, which equals their similarity, 2 rows of 4. B and C agree in p1:
 * 1/4, and have 1 row of 5 in common. A and C have no row in common and never agree. */
enum { ROWS = 6, SETS = 3 };
static const uint8_t matrix[ROWS * SETS] = {1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0};

static void test_by_hand(void **state) {
    (void)state;
    enum { COUNT = 4 };
    static const uint32_t permutations[COUNT * ROWS] = {0, 1, 2, 3, 4, 5, 3, 5, 1, 0, 4, 2,
                                                        5, 0, 4, 2, 1, 3, 2, 4, 0, 5, 3, 1};
    static const uint32_t expected[SETS * COUNT] = {0, 1, 3, 0, 0, 0, 2, 0, 1, 0, 0, 3};
    uint32_t got[SETS * COUNT];
    assert_int_equal(nd_permutations_sign(matrix, ROWS, SETS, permutations, COUNT, got, NULL),
                     ND_OK);
    assert_memory_equal(got, expected, sizeof got);
    assert_true(nd_minhash_estimate(got, got + COUNT, COUNT) == 0.5);
    assert_true(nd_minhash_estimate(got + COUNT, got + 2 * COUNT, COUNT) == 0.25);
    assert_true(nd_minhash_estimate(got, got + 2 * COUNT, COUNT) == 0);
}

/* The next permutation in lexicographic order; false after the last. */
static bool next_permutation(uint32_t *positions, size_t count) {
    size_t i = count - 1, j = count - 1;
    while (i > 0 && positions[i - 1] >= positions[i]) i--;
    if (i == 0) return false;
    while (positions[j] <= positions[i - 1]) j--;
    uint32_t kept = positions[i - 1];
    positions[i - 1] = positions[j];
    positions[j] = kept;
    for (size_t low = i, high = count - 1; low < high; low++, high--) {
        kept = positions[low];
        positions[low] = positions[high];
        positions[high] = kept;
    }
    return true;
}

/* Over all 720 permutations the share of equal values is the similarity itself: 360, 144 and 0
 * permutations. */
static void test_all(void **state) {
    (void)state;
    enum { ALL = 720 };
    uint32_t permutations[ALL * ROWS], positions[ROWS] = {0, 1, 2, 3, 4, 5}, got[SETS * ALL];
    for (size_t p = 0; p < ALL; p++) {
        memcpy(permutations + p * ROWS, positions, sizeof positions);
        assert_int_equal(next_permutation(positions, ROWS), p + 1 < ALL);
    }
    assert_int_equal(nd_permutations_sign(matrix, ROWS, SETS, permutations, ALL, got, NULL), ND_OK);
    assert_true(nd_minhash_estimate(got, got + ALL, ALL) == 360.0 / 720);
    assert_true(nd_minhash_estimate(got + ALL, got + 2 * ALL, ALL) == 144.0 / 720);
    assert_true(nd_minhash_estimate(got, got + 2 * ALL, ALL) == 0);
}

/* Permutations drawn as doc/internals/formats.md says, written a second time; the second one goes
 * on where the first ended. */
static void test_drawn(void **state) {
    (void)state;
    enum { MANY = 50 };
    uint64_t state_of_stream = 7;
    uint32_t got[2 * MANY];
    nd_permutations_draw(MANY, 2, 7, got);
    for (size_t p = 0; p < 2; p++) {
        uint32_t expected[MANY];
        for (uint32_t i = 0; i < MANY; i++) expected[i] = i;
        for (uint32_t i = MANY - 1; i >= 1; i--) {
            uint32_t j = (uint32_t)((random_next(&state_of_stream) >> 32) * (i + 1) >> 32),
                     kept = expected[j];
            expected[j] = expected[i];
            expected[i] = kept;
        }
        assert_memory_equal(got + p * MANY, expected, sizeof expected);
    }
}

/* All 24 permutations of four rows are equally frequent: a chi-square of 23 degrees, which exceeds
 * 50 once in a thousand. */
static void test_uniform(void **state) {
    (void)state;
    enum { DRAWN = 24000 };
    static uint32_t got[DRAWN * 4];
    unsigned counts[256] = {0};
    double chi_square = 0;
    size_t kinds = 0;
    nd_permutations_draw(4, DRAWN, 3, got);
    for (size_t p = 0; p < DRAWN; p++)
        counts[got[4 * p] << 6 | got[4 * p + 1] << 4 | got[4 * p + 2] << 2 | got[4 * p + 3]]++;
    for (size_t i = 0; i < 256; i++) {
        double off = counts[i] - DRAWN / 24.0;
        if (counts[i] > 0) chi_square += off * off / (DRAWN / 24.0);
        kinds += counts[i] > 0;
    }
    assert_int_equal(kinds, 24);
    assert_true(chi_square < 50);
}

/* No rows, no sets, no permutations; an empty set among others. */
static void test_nothing(void **state) {
    (void)state;
    static const uint8_t column[4] = {0, 1, 0, 1};
    static const uint32_t permutation[2] = {1, 0};
    uint32_t got[2] = {5, 5};
    nd_permutations_draw(0, 3, 1, NULL);
    assert_int_equal(nd_permutations_sign(NULL, 0, 2, NULL, 1, got, NULL), ND_OK);
    assert_true(got[0] == UINT32_MAX && got[1] == UINT32_MAX);
    assert_int_equal(nd_permutations_sign(NULL, 0, 0, NULL, 0, NULL, NULL), ND_OK);
    assert_int_equal(nd_permutations_sign(column, 2, 2, permutation, 1, got, NULL), ND_OK);
    assert_true(got[0] == UINT32_MAX && got[1] == 0);
}

static void test_rejected(void **state) {
    (void)state;
    static const uint32_t twice[6] = {0, 1, 2, 1, 0, 1}, above[3] = {0, 3, 1};
    static const uint8_t column[3] = {1, 1, 1};
    uint32_t got[2] = {5, 5};
    nd_error error;
    assert_int_equal(nd_permutations_sign(column, 3, 1, twice, 2, got, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message,
                        "permutation 1 puts row 2 at place 1, where there is another");
    assert_int_equal(nd_permutations_sign(column, 3, 1, above, 1, got, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "permutation 0 puts row 1 at place 3: places are 0 to 2");
    assert_int_equal(nd_permutations_sign(column, 65537, 1, above, 1, got, &error),
                     ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "rows must be 0 to 65536, not 65537");
    assert_true(got[0] == 5 && got[1] == 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_all),
        cmocka_unit_test(test_drawn),   cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

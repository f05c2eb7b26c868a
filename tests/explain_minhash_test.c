/* The output of cli/explain/explain_minhash.c, against golden/explain_minhash.txt. The golden file
 * was worked out by hand: the permutations were followed, the equal values counted, and the exact
 * similarities are 2 of 4 rows, 0 of 6 and 1 of 5. */
#include "explain/explain_minhash.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, SETS = 3 };
static const char *const names[SETS] = {"a.txt", "b\tb.txt", "c.txt"};
static const char *const labels[ROWS] = {"the quick fox",  "狐\n狸",     "quick fox jumps",
                                         "fox jumps over", "a lazy dog", "jumps high"};
static const uint64_t hashes[ROWS] = {0x9ae16a3b2f90404f, 2, 3, 4, 5, 6};
static const uint8_t matrix[ROWS * SETS] = {1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0};

static char *printed(const explained_sets *given) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    bool good = explain_minhash(out, given);
    assert_int_equal(fclose(out), 0);
    if (good) return text;
    free(text);
    return NULL;
}

static char *golden(void) {
    static char text[4096];
    FILE *file = fopen(ND_TEST_DATA "/golden/explain_minhash.txt", "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    assert_int_equal(fclose(file), 0);
    return text;
}

static void test_golden(void **state) {
    (void)state;
    explained_sets given = {names, SETS, labels, hashes, ROWS, matrix, 10, 1};
    char *text = printed(&given);
    assert_non_null(text);
    assert_string_equal(text, golden());
    free(text);
}

/* Without labels the hashes are shown; a set without rows has no positions. */
static void test_bare(void **state) {
    (void)state;
    explained_sets given = {names, 2, NULL, hashes, 1, (const uint8_t[]){1, 0}, 2, 1};
    char *text = printed(&given);
    assert_non_null(text);
    assert_non_null(strstr(text, "\n   0    1  0    0    0   9ae16a3b2f90404f\n"));
    assert_non_null(strstr(text, "\n   A      0    0\n   B      -    -\n"));
    assert_non_null(
        strstr(text, "\n   A  B   0.0000   0.0000 (0.0000)   0.0000 (0.0000)   0.0000 (0.0000)\n"));
    free(text);
}

static void test_rejected(void **state) {
    (void)state;
    static const uint64_t many[EXPLAIN_MOST_ROWS + 1];
    static const uint8_t column[EXPLAIN_MOST_ROWS + 1];
    explained_sets given = {names, 1, NULL, many, EXPLAIN_MOST_ROWS + 1, column, 2, 1};
    assert_null(printed(&given));
    given.rows = 3;
    given.permutations = 1;
    assert_null(printed(&given));
    given.permutations = EXPLAIN_MOST_PERMUTATIONS + 1;
    assert_null(printed(&given));
    given.permutations = 2;
    given.sets = 0;
    assert_null(printed(&given));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden), cmocka_unit_test(test_bare),
                                       cmocka_unit_test(test_rejected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

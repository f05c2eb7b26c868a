/* The keys by which similar texts are kept apart, their explanations, and wrong lists. */
#include "text/differ_by.h"

#include "test.h"

#include <string.h>

static nd_differ_by *lists_of(const char *const *lists, size_t count) {
    nd_differ_by *d;
    assert_int_equal(nd_differ_by_create(lists, count, &nd_allocator_default, &d, NULL), ND_OK);
    return d;
}

static uint64_t key_of(nd_differ_by *d, const char *text) {
    uint64_t key;
    assert_int_equal(nd_differ_by_key(d, text, strlen(text), &key, NULL), ND_OK);
    return key;
}

/* `how` NULL: nothing keeps the texts apart. */
static void expect(nd_differ_by *d, const char *a, const char *b, const char *how) {
    char *explained;
    assert_int_equal(nd_differ_by_explain(d, a, strlen(a), b, strlen(b), &explained, NULL), ND_OK);
    assert_int_equal(key_of(d, a) == key_of(d, b), how == NULL);
    if (how) assert_string_equal(explained, how);
    else assert_null(explained);
    nd_release(&nd_allocator_default, explained);
}

static void test_numbers(void **state) {
    (void)state;
    nd_differ_by *d = lists_of((const char *const[]){"numbers"}, 1);
    expect(d, "", "no numbers", NULL);
    expect(d, "April 5", "april \uff15!", NULL);
    expect(d, "April 5", "April 9", "the numbers differ: 5, 9");
    expect(d, "1.2", "2.1", "the numbers differ: 1.2, 2.1");
    expect(d, "1.2", "1 2", "the numbers differ: 1.2, 1, 2");
    expect(d, "5 and 9 and 5", "9 and 5", NULL); /* sets: repeats and order do not count */
    expect(d, "1 2 3 4 5 6 7", "", "the numbers differ: 1, 2, 3, 4, 5, 6, ...");
    expect(d, "123456789012345678901234567890123456789012345", "",
           "the numbers differ: 1234567890123456789012345678901234567890...");
    expect(d, "Enable it", "Disable it", NULL);
    nd_differ_by_free(d);
}

static void test_words(void **state) {
    (void)state;
    nd_differ_by *d = lists_of((const char *const[]){"enable,Disable", "not", "\u542f\u7528"}, 3);
    expect(d, "Enable-ADAccount", "ENABLE it", NULL);
    expect(d, "Enable-ADAccount", "Disable-ADAccount", "the listed words differ: enable, Disable");
    expect(d, "enabled", "disabled", NULL); /* other words */
    expect(d, "do not", "do", "the listed words differ: not");
    expect(d, "\u8bf7\u542f\u7528\u8d26\u6237", "\u8bf7\u7528\u8d26\u6237",
           "the listed words differ: \u542f\u7528");
    expect(d, "\u542f\u52a8", "\u52a8", NULL); /* only the first character of the word */
    expect(d, "April 5", "April 9", NULL);
    nd_differ_by_free(d);
}

static void test_both(void **state) {
    (void)state;
    nd_differ_by *d = lists_of((const char *const[]){"not", "numbers"}, 2);
    expect(d, "not 5", "9", "the numbers differ: 5, 9; the listed words differ: not");
    nd_differ_by_free(d);
    d = lists_of((const char *const[]){"numbers,not"}, 1);
    expect(d, "not 5", "9", "the numbers differ: 5, 9; the listed words differ: not");
    expect(d, "numbers", "number", NULL);
    nd_differ_by_free(d);
}

static void expect_wrong(const char *list) {
    nd_differ_by *d;
    nd_error error;
    assert_int_equal(nd_differ_by_create(&list, 1, &nd_allocator_default, &d, &error),
                     ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "differ_by"));
}

static void test_wrong_lists(void **state) {
    (void)state;
    expect_wrong(NULL);
    expect_wrong("");
    expect_wrong("yes,,no");
    expect_wrong("no,");
    expect_wrong("?");
    expect_wrong("\xff");
}

static void test_no_memory(void **state) {
    (void)state;
    const char *const lists[] = {"numbers", "not,never"};
    for (long left = 0;; left++) {
        failing_allocator failing = {.left = left};
        const nd_allocator allocator = failing_allocator_make(&failing);
        nd_differ_by *d = NULL;
        uint64_t key;
        char *how = NULL;
        nd_status status = nd_differ_by_create(lists, 2, &allocator, &d, NULL);
        if (status == ND_OK) status = nd_differ_by_key(d, "not 1 2", 7, &key, NULL);
        if (status == ND_OK) status = nd_differ_by_explain(d, "not 1", 5, "2", 1, &how, NULL);
        nd_release(&allocator, how);
        nd_differ_by_free(d);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) return;
        assert_int_equal(status, ND_ERR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_words), cmocka_unit_test(test_both),
        cmocka_unit_test(test_wrong_lists), cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

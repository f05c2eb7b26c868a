#include "corpus/protected_values.h"

#include "test.h"

#include <string.h>

static void test_values(void **state) {
    (void)state;
    static const char *const given[] = {"split=test", "/a/b=c=d", "empty="};
    nd_protected_values v;
    assert_int_equal(nd_protected_values_make(given, 3, &nd_allocator_default, &v, NULL), ND_OK);
    assert_int_equal(v.count, 3);
    assert_string_equal(v.fields[0], "split");
    assert_string_equal(v.fields[1], "/a/b");
    assert_string_equal(v.fields[2], "empty");
    assert_true(nd_protected_value_is(&v, 0, "testing", 4));
    assert_false(nd_protected_value_is(&v, 0, "testing", 5));
    assert_false(nd_protected_value_is(&v, 0, "tests", 3));
    assert_true(nd_protected_value_is(&v, 1, "c=d", 3));
    assert_true(nd_protected_value_is(&v, 2, "", 0));
    assert_false(nd_protected_value_is(&v, 2, "\0", 1));
    nd_protected_values_free(&v, &nd_allocator_default);
    assert_int_equal(nd_protected_values_make(NULL, 0, &nd_allocator_default, &v, NULL), ND_OK);
    nd_protected_values_free(&v, &nd_allocator_default);
}

static void test_wrong(void **state) {
    (void)state;
    static const char *const wrong[] = {"", "split", "=test", NULL};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        nd_protected_values v;
        nd_error error;
        assert_int_equal(nd_protected_values_make(&wrong[i], 1, &nd_allocator_default, &v, &error),
                         ND_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, "protect[0]"));
        nd_protected_values_free(&v, &nd_allocator_default);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

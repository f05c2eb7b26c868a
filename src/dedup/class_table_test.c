/* class_table.h against a plain list. */
#include "dedup/class_table.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 500, DOCUMENTS = 5000 };

static void test_classes(void **state) {
    (void)state;
    nd_class_table table = {.allocator = nd_allocator_default};
    uint64_t seed = 4, documents[NAMES] = {0}, removed[NAMES] = {0};
    uint32_t example[NAMES], number;
    char name[40];
    for (uint32_t d = 0; d < DOCUMENTS; d++) {
        size_t n = random_below(&seed, 1 + d / 10);
        bool is_removed = random_below(&seed, 3) == 0;
        int length = snprintf(name, sizeof name, "class %zu and more", n);
        assert_int_equal(nd_class_table_find(&table, name, (size_t)length, &number, NULL), ND_OK);
        nd_class_table_count(&table, number, d, is_removed);
        documents[n]++;
        if (is_removed && removed[n]++ == 0) example[n] = d;
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < table.count; i++) {
        const nd_class_entry *e = &table.entries[i];
        sum += e->documents;
        if (nd_class_is_other(&table, i)) continue;
        size_t n = strtoul(nd_class_name(&table, e) + strlen("class "), NULL, 10);
        assert_int_equal(e->documents, documents[n]);
        assert_int_equal(e->removed, removed[n]);
        if (removed[n] > 0) assert_int_equal(e->example, example[n]);
    }
    assert_int_equal(sum, DOCUMENTS);
    assert_true(table.count <= ND_CLASSES_MOST + 1);
    nd_class_table_free(&table);
}

/* Beyond its bounds a table has one class more, and the classes that it has stay. */
static void test_bounds(void **state) {
    (void)state;
    enum { LONG = 1 << 20 };
    nd_class_table table = {.allocator = nd_allocator_default};
    uint32_t first, number, other = UINT32_MAX;
    char *name = malloc(LONG);
    memset(name, 'x', LONG);
    assert_int_equal(nd_class_table_find(&table, "first", 5, &first, NULL), ND_OK);
    for (char c = 'a'; c < 'z'; c++) {
        name[0] = c;
        assert_int_equal(nd_class_table_find(&table, name, LONG, &number, NULL), ND_OK);
        if (!nd_class_is_other(&table, number)) continue;
        assert_true(other == UINT32_MAX || other == number);
        other = number;
    }
    assert_true(other != UINT32_MAX);
    assert_true(table.names_size <= ND_CLASS_NAMES_MOST + sizeof "(other)");
    assert_string_equal(nd_class_name(&table, &table.entries[other]), "(other)");
    assert_int_equal(nd_class_table_find(&table, "new", 3, &number, NULL), ND_OK);
    assert_int_equal(number, other);
    assert_int_equal(nd_class_table_find(&table, "first", 5, &number, NULL), ND_OK);
    assert_int_equal(number, first);
    free(name);
    nd_class_table_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes),
                                       cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

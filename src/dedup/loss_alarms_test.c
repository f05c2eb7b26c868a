/* The thresholds of loss_alarms.h, each at its edge. */
#include "dedup/loss_alarms.h"

#include "test.h"

static nd_class_entry entries[10];
static nd_loss_alarm found[ND_ALARMS_MOST];

/* Finds the alarms of hosts alone, with groups of no striking size. */
static size_t find(uint64_t documents, uint64_t removed, size_t classes) {
    const nd_group_losses groups = {.removed = removed, .largest = {{.removed = 1}}, .count = 1};
    nd_class_losses classed = {0};
    classed.tables[ND_LOSS_HOST].entries = entries;
    classed.tables[ND_LOSS_HOST].count = classes;
    return nd_loss_alarms_find(documents, &groups, &classed, found);
}

static size_t find_class(uint64_t documents, uint64_t removed, uint64_t of, uint64_t of_removed) {
    entries[0] = (nd_class_entry){.documents = of, .removed = of_removed};
    return find(documents, removed, 1);
}

static size_t find_group(uint64_t removed, uint32_t largest) {
    const nd_group_losses groups = {
        .removed = removed, .largest = {{.removed = largest, .example = 7}}, .count = 1};
    const nd_class_losses classes = {0};
    return nd_loss_alarms_find(1000000, &groups, &classes, found);
}

static void test_most(void **state) {
    (void)state;
    assert_int_equal(find(1000, 500, 0), 0);
    assert_int_equal(find(1000, 501, 0), 1);
    assert_int_equal(found[0].kind, ND_ALARM_MOST);
    assert_int_equal(found[0].removed, 501);
    assert_int_equal(find(99, 98, 0), 0);
    assert_int_equal(find(0, 0, 0), 0);
}

static void test_groups(void **state) {
    (void)state;
    assert_int_equal(find_group(1000, 100), 0);
    assert_int_equal(find_group(999, 100), 1);
    assert_int_equal(found[0].kind, ND_ALARM_GROUP);
    assert_int_equal(found[0].example, 7);
    assert_int_equal(find_group(99, 99), 0);
}

static void test_classes(void **state) {
    (void)state;
    /* 21 of 100, where 70 of 1,000 others are removed: exactly three times as much. */
    assert_int_equal(find_class(1100, 91, 100, 21), 0);
    assert_int_equal(find_class(1100, 90, 100, 21), 1);
    assert_int_equal(found[0].kind, ND_ALARM_CLASS);
    assert_int_equal(found[0].class_kind, ND_LOSS_HOST);
    assert_int_equal(found[0].other_documents, 1000);
    assert_int_equal(found[0].other_removed, 69);
    assert_int_equal(find_class(1100, 20, 100, 20), 0);
    /* Everything is removed, and much of the others, too. */
    assert_int_equal(find_class(1100, 500, 100, 100), 1);
    assert_int_equal(find_class(1100, 499, 100, 99), 0);
    assert_int_equal(find_class(1100, 99, 99, 99), 0);
    /* There are no others, or too few. */
    assert_int_equal(find_class(200, 90, 200, 90), 0);
    assert_int_equal(find_class(299, 90, 200, 90), 0);
    assert_int_equal(find_class(300, 90, 200, 90), 1);
}

/* The five classes that lose most, of equal ones the larger, then the first. */
static void test_many(void **state) {
    (void)state;
    static const uint64_t removed[] = {110, 300, 120, 300, 130, 140, 110, 300};
    static const size_t order[] = {7, 1, 3, 5, 4};
    uint64_t sum = 0;
    for (size_t i = 0; i < 8; i++) {
        entries[i] = (nd_class_entry){.documents = 400 + (i == 7), .removed = removed[i]};
        sum += removed[i];
    }
    assert_int_equal(find(100000, sum, 8), ND_ALARMS_OF_KIND);
    for (size_t i = 0; i < ND_ALARMS_OF_KIND; i++)
        assert_ptr_equal(found[i].entry, &entries[order[i]]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_most), cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_classes), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

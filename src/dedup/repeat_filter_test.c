/* The guesses of a filter, on one thread and on several. */
#include "dedup/repeat_filter.h"

#include "base/limits.h"
#include "base/workers.h"
#include "test.h"

enum { KEYS = 25, MEMORY = 1 << 23, DOCUMENTS = ND_LIMIT(30000, 3000) };

/* Keys of a document: those of another one, of which the first `same` are equal. */
static void fill(uint64_t keys[KEYS], uint64_t document, uint64_t like, unsigned same) {
    for (unsigned i = 0; i < KEYS; i++)
        keys[i] = nd_mix64((i < same ? like : document) * KEYS + i) >> 26;
}

static bool add(nd_repeat_filter *filter, uint64_t document, uint64_t like, unsigned same,
                uint64_t text) {
    uint64_t keys[KEYS];
    fill(keys, document, like, same);
    nd_repeat_filter_prefetch(filter, keys, KEYS, text);
    return nd_repeat_filter_add(filter, keys, KEYS, text);
}

static nd_repeat_filter *make(size_t memory) {
    nd_repeat_filter *filter;
    nd_error error;
    assert_int_equal(nd_repeat_filter_create(&nd_allocator_default, memory, &filter, &error),
                     ND_OK);
    return filter;
}

/* With enough memory each near-duplicate is found, and few others; the filter grows meanwhile. */
static void test_guesses(void **state) {
    (void)state;
    nd_repeat_filter *filter = make(MEMORY);
    unsigned wrong = 0;
    for (uint64_t d = 0; d < DOCUMENTS; d++) wrong += add(filter, d, d, 0, d);
    assert_in_range(wrong, 0, DOCUMENTS / 5);
    unsigned missed = 0, copies = 0;
    for (uint64_t d = 0; d < DOCUMENTS; d++) {
        missed += !add(filter, DOCUMENTS + d, d, 1, DOCUMENTS + d);
        copies += !add(filter, d, d, KEYS, d);
    }
    assert_in_range(missed, 0, DOCUMENTS / 10); /* taken for copies */
    assert_int_equal(copies, DOCUMENTS);
    nd_repeat_filter_free(filter);
}

/* At its limit the filter begins anew: it finds the last documents, and does not take all others
 * for repeats. */
static void test_limit(void **state) {
    (void)state;
    nd_repeat_filter *filter = make(0);
    unsigned wrong = 0, missed = 0;
    for (uint64_t d = 0; d < DOCUMENTS; d += 2) {
        wrong += add(filter, d, d, 0, d);
        missed += !add(filter, d + 1, d, 3, d + 1);
    }
    assert_in_range(wrong, 0, DOCUMENTS / 8);
    assert_in_range(missed, 0, DOCUMENTS / 8);
    nd_repeat_filter_free(filter);
}

static void test_few_keys(void **state) {
    (void)state;
    nd_repeat_filter *filter = make(0);
    const uint64_t key = 5;
    assert_false(nd_repeat_filter_add(filter, NULL, 0, 1));
    assert_false(nd_repeat_filter_add(filter, &key, 1, 2));
    assert_true(nd_repeat_filter_add(filter, &key, 1, 3));
    assert_false(nd_repeat_filter_add(filter, &key, 1, 3)); /* an exact copy */
    nd_repeat_filter_free(filter);
    nd_repeat_filter_free(NULL);
}

static nd_status add_documents(void *context, uint32_t index, nd_error *error) {
    (void)error;
    for (uint64_t d = 0; d < DOCUMENTS; d++) add(context, index * DOCUMENTS + d, d, 2, d + index);
    return ND_OK;
}

/* Threads lose few guesses. */
static void test_threads(void **state) {
    (void)state;
    nd_repeat_filter *filter = make(MEMORY);
    nd_error error;
    assert_int_equal(nd_run_workers(&nd_allocator_default, 4, add_documents, filter, &error),
                     ND_OK);
    unsigned missed = 0;
    for (uint64_t d = 0; d < DOCUMENTS; d++)
        missed += !add(filter, 5 * DOCUMENTS + d, d, 2, 5 * DOCUMENTS + d);
    assert_in_range(missed, 0, DOCUMENTS / 4);
    nd_repeat_filter_free(filter);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_guesses), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_few_keys),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

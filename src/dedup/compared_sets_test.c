/* compared_sets.h against a model that never forgets: words that are found are the document's last
 * ones, the newest ones are found, and no more than the memory is taken. */
#include "dedup/compared_sets.h"

#include "base/limits.h"
#include "test.h"

#include <stdlib.h>

enum { DOCUMENTS = 300, MOST_WORDS = ND_LIMIT(700, 60), KEPT = 20000 };

/* Counts bytes in use; a block's size stands before it. */
typedef struct counted {
    size_t now, most;
} counted;

static void *count_reallocation(void *context, void *memory, size_t size) {
    counted *c = context;
    size_t *block = memory ? (size_t *)memory - 2 : NULL, before = block ? *block : 0;
    block = realloc(block, size + 2 * sizeof *block);
    assert_non_null(block);
    *block = size;
    c->now += size - before;
    if (c->now > c->most) c->most = c->now;
    return block + 2;
}

static void *count_allocation(void *context, size_t size) {
    return count_reallocation(context, NULL, size);
}

static void count_release(void *context, void *memory) {
    counted *c = context;
    size_t *block = (size_t *)memory - 2;
    c->now -= *block;
    free(block);
}

/* The words of a document, as they are kept the n-th time. */
static uint64_t word_of(uint32_t rank, uint64_t n, size_t i) {
    return nd_mix64((uint64_t)rank << 40 | n << 16 | i);
}

/* Returns how many documents are found; their words must be the last ones kept. */
static size_t check_all(const nd_compared_sets *sets, const uint64_t *last, const size_t *counts) {
    size_t found = 0, count;
    for (uint32_t r = 0; r < DOCUMENTS; r++) {
        const uint64_t *words = nd_compared_sets_find(sets, r, &count);
        if (!words) continue;
        found++;
        assert_int_equal(count, counts[r]);
        for (size_t i = 0; i < count; i++) assert_int_equal(words[i], word_of(r, last[r], i));
    }
    return found;
}

/* The words kept last must be found, as many as fill five eighths of the memory: one of the slabs
 * is being filled, and each ends with words that the next set did not fit into. Small slabs have
 * more of these. */
static void expect_newest(const nd_compared_sets *sets, const uint32_t *order, size_t kept,
                          const size_t *counts, size_t memory) {
    size_t words = 0, count;
    for (size_t k = kept; k-- > 0;) {
        words += counts[order[k]];
        if (words * sizeof(uint64_t) > memory / 8 * ND_LIMIT(5, 4)) return;
        assert_non_null(nd_compared_sets_find(sets, order[k], &count));
    }
}

static void check(size_t memory, size_t documents, uint64_t seed) {
    static uint32_t order[KEPT];
    counted c = {0};
    const nd_allocator allocator = {&c, count_allocation, count_reallocation, count_release};
    uint64_t last[DOCUMENTS] = {0}, words[MOST_WORDS];
    size_t counts[DOCUMENTS] = {0};
    nd_compared_sets *sets;
    nd_error error;
    assert_int_equal(nd_compared_sets_create(&allocator, memory, documents, &sets, &error), ND_OK);
    size_t before = c.now;
    for (size_t k = 0; k < KEPT; k++) {
        uint32_t rank = order[k] = (uint32_t)random_below(&seed, DOCUMENTS);
        size_t most = memory / sizeof(uint64_t) / 4;
        counts[rank] = 1 + random_below(&seed, most < MOST_WORDS ? most : MOST_WORDS);
        last[rank] = k;
        for (size_t i = 0; i < counts[rank]; i++) words[i] = word_of(rank, k, i);
        nd_compared_sets_keep(sets, rank, words, counts[rank]);
        if (k % 97 > 0) continue;
        size_t found = check_all(sets, last, counts);
        assert_true(found > 0);
        if (documents >= DOCUMENTS && memory / 1024 >= DOCUMENTS)
            expect_newest(sets, order, k + 1, counts, memory);
    }
    assert_in_range(c.most - before, 0, memory + memory / 8); /* with the list of slabs */
    nd_compared_sets_free(sets);
    assert_int_equal(c.now, 0);
}

static void test_against_model(void **state) {
    (void)state;
    const size_t memories[] = {4096, 100000, 1024 * 3 * DOCUMENTS, 50000000};
    for (uint64_t i = 0; i < 8; i++) check(memories[i / 2], i % 2 ? DOCUMENTS : 7, i);
}

/* Nothing is kept: no words, too many, no memory for any, or none that can be allocated. */
static void test_nothing_kept(void **state) {
    (void)state;
    failing_allocator counts = {.left = FAILING_ALLOCATOR_NEVER};
    const nd_allocator allocator = failing_allocator_make(&counts);
    static const uint64_t words[4096];
    const size_t memories[] = {0, sizeof words};
    size_t count;
    nd_compared_sets *sets;
    nd_error error;
    for (size_t m = 0; m < 2; m++) {
        assert_int_equal(nd_compared_sets_create(&allocator, memories[m], 10, &sets, &error),
                         ND_OK);
        nd_compared_sets_keep(sets, 1, words, sizeof words / sizeof *words);
        nd_compared_sets_keep(sets, 2, words, 0);
        counts.left = 0;
        nd_compared_sets_keep(sets, 3, words, 5);
        for (uint32_t r = 0; r < 4; r++) assert_null(nd_compared_sets_find(sets, r, &count));
        counts.left = FAILING_ALLOCATOR_NEVER;
        nd_compared_sets_keep(sets, 3, words, 5);
        assert_true((nd_compared_sets_find(sets, 3, &count) != NULL) == (memories[m] > 0));
        nd_compared_sets_free(sets);
    }
    for (long n = 0; n < 2; n++) {
        counts.left = n;
        assert_int_equal(nd_compared_sets_create(&allocator, 4096, 10, &sets, &error),
                         ND_ERR_MEMORY);
        assert_null(sets);
    }
    nd_compared_sets_free(NULL);
    assert_int_equal(counts.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_model),
                                       cmocka_unit_test(test_nothing_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

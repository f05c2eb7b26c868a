/* compared_pairs.h: the sample has the pairs with the least hashes of each class, whatever the
 * order and the threads in which they came; the counts agree with the similarities. */
#include "dedup/compared_pairs.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS = 5000, MOST = 7 };

static nd_sampled_pair made[PAIRS];

static int make_pairs(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (uint32_t i = 0; i < PAIRS; i++) {
        uint64_t thousandths = random_below(&seed, 1001);
        made[i] = (nd_sampled_pair){.kind = random_below(&seed, 50) == 0 ? ND_SAMPLE_COPY
                                            : thousandths >= 800         ? ND_SAMPLE_DUPLICATE
                                                                         : ND_SAMPLE_REJECTED,
                                    .band = (uint32_t)(thousandths < 1000 ? thousandths / 50 : 19),
                                    .similarity = (double)thousandths / 1000,
                                    .verdict = {.earlier = i / 3, .later = i + 1}};
        if (made[i].kind == ND_SAMPLE_COPY) {
            made[i].similarity = 1;
            made[i].band = 0;
        }
    }
    return 0;
}

static nd_pair_sample sample_of(uint32_t most) {
    return (nd_pair_sample){.allocator = nd_allocator_default, .most = most};
}

static void add(nd_pair_sample *s, uint32_t i) {
    assert_int_equal(nd_pair_sample_add(s, &made[i], NULL), ND_OK);
}

/* Whether fewer than MOST pairs of the class of a pair have a smaller hash, and how many it has. */
static void expect_least(const nd_sampled_pair *sorted, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t smaller = 0;
        for (uint32_t j = 0; j < PAIRS; j++) {
            if (made[j].kind != sorted[i].kind) continue;
            if (made[j].band != sorted[i].band) continue;
            nd_pair_sample one = sample_of(1);
            add(&one, j);
            nd_sampled_pair *only;
            size_t number;
            assert_int_equal(nd_pair_sample_sort(&one, &only, &number, NULL), ND_OK);
            assert_int_equal(number, 1);
            smaller += only->hash < sorted[i].hash;
            free(only);
            nd_pair_sample_free(&one);
        }
        assert_in_range(smaller, 0, MOST - 1);
    }
}

static void test_least_hashes(void **state) {
    (void)state;
    nd_pair_sample forward = sample_of(MOST), parts[3], merged = sample_of(MOST);
    nd_sampled_pair *a, *b;
    size_t count, other;
    for (size_t p = 0; p < 3; p++) parts[p] = sample_of(MOST);
    for (uint32_t i = 0; i < PAIRS; i++) {
        add(&forward, i);
        add(&parts[i * i % 3], PAIRS - 1 - i);
    }
    for (size_t p = 0; p < 3; p++) {
        assert_int_equal(nd_pair_sample_merge(&merged, &parts[p], NULL), ND_OK);
        nd_pair_sample_free(&parts[p]);
    }
    assert_int_equal(nd_pair_sample_sort(&forward, &a, &count, NULL), ND_OK);
    assert_int_equal(nd_pair_sample_sort(&merged, &b, &other, NULL), ND_OK);
    uint64_t offered = 0;
    for (size_t i = 0; i < count; i += MOST) offered += nd_pair_sample_offered(&merged, &b[i]);
    assert_int_equal(offered, PAIRS);
    /* 16 bands of rejected pairs, 4 of duplicates, and copies. */
    assert_int_equal(count, 21 * MOST);
    assert_int_equal(other, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(a[i].hash, b[i].hash);
        assert_int_equal(a[i].verdict.later, b[i].verdict.later);
        assert_int_equal(a[i].kind, b[i].kind);
    }
    expect_least(a, count);
    free(a);
    free(b);
    nd_pair_sample_free(&forward);
    nd_pair_sample_free(&merged);
}

static void test_order(void **state) {
    (void)state;
    nd_pair_sample sample = sample_of(1000);
    nd_sampled_pair *all;
    size_t count;
    for (uint32_t i = 0; i < PAIRS; i++) add(&sample, i);
    assert_int_equal(nd_pair_sample_sort(&sample, &all, &count, NULL), ND_OK);
    assert_int_equal(count, PAIRS);
    assert_int_equal(all[0].kind, ND_SAMPLE_DUPLICATE);
    assert_int_equal(all[count - 1].kind, ND_SAMPLE_COPY);
    for (size_t i = 1; i < count; i++) {
        const nd_sampled_pair *x = &all[i - 1], *y = &all[i];
        if (x->kind != y->kind) {
            assert_true(y->kind != ND_SAMPLE_DUPLICATE && x->kind != ND_SAMPLE_COPY);
            continue;
        }
        if (x->kind == ND_SAMPLE_DUPLICATE) assert_true(x->similarity <= y->similarity);
        else assert_true(x->similarity >= y->similarity);
        if (x->similarity == y->similarity) assert_true(x->verdict.later < y->verdict.later);
    }
    free(all);
    nd_pair_sample_free(&sample);
}

static void test_none_wanted(void **state) {
    (void)state;
    nd_pair_sample sample = sample_of(0);
    nd_sampled_pair *all;
    size_t count;
    add(&sample, 0);
    assert_int_equal(nd_pair_sample_sort(&sample, &all, &count, NULL), ND_OK);
    assert_int_equal(count, 0);
    free(all);
    nd_pair_sample_free(&sample);
}

static void test_counts(void **state) {
    (void)state;
    nd_comparison_counts sum = {.candidates = 2}, more = {.candidates = 3, .rejected = 1};
    nd_comparison_counts_take(&sum, 1, true);
    nd_comparison_counts_take(&sum, .995, true);
    nd_comparison_counts_take(&sum, 0, false);
    nd_comparison_counts_take(&more, .79, false);
    nd_comparison_counts_take(&more, .5, true);
    nd_comparison_counts_add(&sum, &more);
    assert_int_equal(sum.candidates, 5);
    assert_int_equal(sum.rejected, 1);
    for (size_t s = 0; s < ND_SIMILARITY_STEPS; s++) {
        assert_int_equal(sum.duplicates_by_similarity[s], s == 99 ? 2 : s == 50);
        assert_int_equal(sum.rejected_by_similarity[s], s == 79 || s == 0);
    }
}

static void test_memory(void **state) {
    (void)state;
    failing_allocator counts = {.left = 0};
    nd_pair_sample sample = {.allocator = failing_allocator_make(&counts), .most = 3};
    nd_error error;
    assert_int_equal(nd_pair_sample_add(&sample, &made[0], &error), ND_ERR_MEMORY);
    nd_pair_sample_free(&sample);
    assert_int_equal(counts.live, 0);
}

/* Each distance of fingerprints has its band, and distances of digests share bands of ten. */
static void test_distance_bands(void **state) {
    (void)state;
    uint32_t members[ND_SAMPLE_BANDS] = {0};
    for (uint32_t d = 0; d <= 300; d++) {
        assert_in_range(nd_distance_band(d), d == 0 ? 0 : nd_distance_band(d - 1),
                        ND_SAMPLE_BANDS - 1);
        members[nd_distance_band(d)]++;
    }
    for (uint32_t band = 0; band < ND_SAMPLE_BANDS; band++)
        assert_int_equal(members[band], band <= 32 ? 1 : band < ND_SAMPLE_BANDS - 1 ? 10 : 8);
    assert_int_equal(nd_distance_band(UINT32_MAX), ND_SAMPLE_BANDS - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_hashes), cmocka_unit_test(test_order),
        cmocka_unit_test(test_none_wanted),  cmocka_unit_test(test_counts),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_distance_bands),
    };
    return cmocka_run_group_tests(tests, make_pairs, NULL);
}

/* Bottom-k against its definition, written a second time, and against fixed values. Its estimates
 * must be right on average, with the errors that they state. All random numbers are fixed, so the
 * statistics are the same in every run. */
#include "test.h"

#include "neardup.h"

#include <math.h>
#include <stdlib.h>

static uint64_t state_of_random = 6;

static nd_bottom_k *make(uint32_t k, uint64_t seed) {
    nd_bottom_k *sketch = NULL;
    nd_error error;
    assert_int_equal(nd_bottom_k_create(k, seed, NULL, &sketch, &error), ND_OK);
    return sketch;
}

static void assert_same(nd_bottom_k *a, nd_bottom_k *b) {
    const uint64_t *x, *y;
    size_t count = nd_bottom_k_values(a, &x);
    assert_int_equal(nd_bottom_k_values(b, &y), count);
    assert_memory_equal(x, y, count * sizeof *x);
}

/* ---- the definition */

static int compare_values(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t plain_mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Stores the values of a set in `values`; returns their number. */
static size_t plain_sketch(uint32_t k, uint64_t seed, const uint64_t *hashes, size_t count,
                           uint64_t *values) {
    uint64_t key = plain_mix(seed + UINT64_C(0x3c6ef372fe94f82b));
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++) values[i] = plain_mix(hashes[i] ^ key);
    qsort(values, count, sizeof *values, compare_values);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || values[i] != values[i - 1]) values[distinct++] = values[i];
    return distinct < k ? distinct : k;
}

/* Elements with repeats, added in pieces of any length. */
static void test_definition(void **state) {
    (void)state;
    enum { MOST = 3000 };
    uint64_t hashes[MOST], expected[MOST];
    for (unsigned round = 0; round < 400; round++) {
        uint32_t k = (uint32_t)(2 + random_below(&state_of_random, round % 2 ? 20 : 500));
        uint64_t seed = random_next(&state_of_random);
        size_t count = (size_t)random_below(&state_of_random, MOST),
               kinds = 1 + (size_t)random_below(&state_of_random, MOST);
        nd_bottom_k *sketch = make(k, seed);
        for (size_t i = 0; i < count; i++)
            hashes[i] = random_below(&state_of_random, kinds) * UINT64_C(0x100000001);
        for (size_t at = 0, piece; at < count; at += piece) {
            const uint64_t *values;
            piece = 1 + (size_t)random_below(&state_of_random, count - at);
            nd_bottom_k_add(sketch, hashes + at, piece);
            if (round % 3 == 0) nd_bottom_k_values(sketch, &values);
        }
        const uint64_t *values;
        size_t size = plain_sketch(k, seed, hashes, count, expected);
        assert_int_equal(nd_bottom_k_values(sketch, &values), size);
        assert_memory_equal(values, expected, size * sizeof *values);
        nd_bottom_k_free(sketch);
    }
}

static void test_golden(void **state) {
    (void)state;
    static const uint64_t golden[8] = {UINT64_C(0x0055fb690c284294), UINT64_C(0x00b4ed1f5a50ca7f),
                                       UINT64_C(0x010c3fcd664668ab), UINT64_C(0x012b663252dcf1cf),
                                       UINT64_C(0x017a13e893a54721), UINT64_C(0x019fb59e64a6a2bd),
                                       UINT64_C(0x01a6e030dfe5384f), UINT64_C(0x01bb4f8b28069e8a)};
    const uint64_t *values;
    uint64_t hashes[1000];
    for (uint64_t i = 0; i < 1000; i++) hashes[i] = i * i;
    nd_bottom_k *sketch = make(8, 42);
    nd_bottom_k_add(sketch, hashes, 1000);
    assert_int_equal(nd_bottom_k_values(sketch, &values), 8);
    assert_memory_equal(values, golden, sizeof golden);
    nd_bottom_k_free(sketch);
}

/* ---- union */

/* The sketches of overlapping parts, merged in any order, give the sketch of the whole. */
static void test_merge(void **state) {
    (void)state;
    enum { PARTS = 7, MOST = 500 };
    for (unsigned round = 0; round < 200; round++) {
        uint32_t k = (uint32_t)(2 + random_below(&state_of_random, 300));
        nd_bottom_k *whole = make(k, round), *parts[PARTS];
        for (size_t p = 0; p < PARTS; p++) {
            uint64_t hashes[MOST];
            size_t count = (size_t)random_below(&state_of_random, MOST);
            for (size_t i = 0; i < count; i++) hashes[i] = random_below(&state_of_random, 1500);
            parts[p] = make(k, round);
            nd_bottom_k_add(parts[p], hashes, count);
            nd_bottom_k_add(whole, hashes, count);
        }
        for (size_t left = PARTS; left > 1; left--) {
            size_t into = (size_t)random_below(&state_of_random, left - 1);
            assert_int_equal(nd_bottom_k_merge(parts[into], parts[left - 1], NULL), ND_OK);
            nd_bottom_k_free(parts[left - 1]);
        }
        assert_same(parts[0], whole);
        assert_int_equal(nd_bottom_k_merge(whole, whole, NULL), ND_OK);
        assert_same(parts[0], whole);
        nd_bottom_k_free(parts[0]);
        nd_bottom_k_free(whole);
    }
}

/* A sketch loaded from stored values is the same, and grows as the first would have. */
static void test_store(void **state) {
    (void)state;
    enum { MOST = 400 };
    for (unsigned round = 0; round < 100; round++) {
        uint64_t hashes[MOST];
        const uint64_t *values;
        size_t first = round == 0 ? 0 : (size_t)random_below(&state_of_random, MOST);
        for (size_t i = 0; i < MOST; i++) hashes[i] = random_next(&state_of_random);
        nd_bottom_k *sketch = make(100, 9), *again = make(100, 9);
        nd_bottom_k_add(again, hashes, 300); /* loading replaces these */
        nd_bottom_k_add(sketch, hashes, first);
        size_t count = nd_bottom_k_values(sketch, &values);
        assert_int_equal(nd_bottom_k_load(again, count ? values : NULL, count, NULL), ND_OK);
        assert_same(again, sketch);
        nd_bottom_k_add(sketch, hashes + first, MOST - first);
        nd_bottom_k_add(again, hashes + first, MOST - first);
        assert_same(again, sketch);
        nd_bottom_k_free(sketch);
        nd_bottom_k_free(again);
    }
}

/* ---- rejected arguments */

static void test_rejected(void **state) {
    (void)state;
    static const uint64_t repeated[] = {3, 7, 7}, falling[] = {3, 2}, many[] = {1, 2, 3, 4, 5};
    failing_allocator failing = {0, 0};
    nd_allocator none = failing_allocator_make(&failing);
    nd_bottom_k_estimates estimates;
    nd_error error;
    nd_bottom_k *sketch = NULL, *other_k = make(5, 1), *other_seed = make(4, 2);
    assert_int_equal(nd_bottom_k_create(1, 1, NULL, &sketch, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "k must be 2 to 65536, not 1");
    assert_int_equal(nd_bottom_k_create(65537, 1, NULL, &sketch, NULL), ND_ERR_ARGUMENT);
    assert_int_equal(nd_bottom_k_create(4, 1, &none, &sketch, &error), ND_ERR_MEMORY);
    assert_null(sketch);
    sketch = make(4, 1);
    assert_int_equal(nd_bottom_k_load(sketch, many, 5, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "a bottom-k sketch has at most k = 4 values, not 5");
    assert_int_equal(nd_bottom_k_load(sketch, repeated, 3, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "value 2 of a bottom-k sketch, 0x0000000000000007, must be "
                                       "above the one before it, 0x0000000000000007");
    assert_int_equal(nd_bottom_k_load(sketch, falling, 2, NULL), ND_ERR_INPUT);
    assert_true(nd_bottom_k_size(sketch).value == 0);
    assert_int_equal(nd_bottom_k_merge(sketch, other_k, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "two bottom-k sketches must have the same k, not 4 and 5");
    assert_int_equal(nd_bottom_k_estimate(sketch, other_seed, &estimates, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message,
                        "two bottom-k sketches must have the same seed, not 1 and 2");
    nd_bottom_k_free(sketch);
    nd_bottom_k_free(other_k);
    nd_bottom_k_free(other_seed);
    nd_bottom_k_free(NULL);
}

/* ---- estimates */

/* Sketches of two sets of consecutive numbers, `shared` of which are in both. */
static void make_pair(uint32_t k, size_t only_a, size_t shared, size_t only_b, nd_bottom_k **a,
                      nd_bottom_k **b) {
    uint64_t seed = random_next(&state_of_random);
    size_t all = only_a + shared + only_b;
    uint64_t *hashes = malloc((all + 1) * sizeof *hashes);
    for (size_t i = 0; i < all; i++) hashes[i] = i;
    *a = make(k, seed);
    *b = make(k, seed);
    nd_bottom_k_add(*a, hashes, only_a + shared);
    nd_bottom_k_add(*b, hashes + only_a, shared + only_b);
    free(hashes);
}

static void assert_exact(nd_estimate estimate, double value) {
    assert_true(fabs(estimate.value - value) < 1e-12);
    assert_true(estimate.error == 0);
}

/* Both sets have fewer than k elements, their union may have more. */
static void test_exact(void **state) {
    (void)state;
    static const size_t shapes[][3] = {{3, 5, 7},   {50, 49, 50}, {0, 99, 0},
                                       {60, 0, 70}, {0, 30, 60},  {1, 0, 0}};
    nd_bottom_k *a, *b;
    nd_bottom_k_estimates got;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        double only_a = (double)shapes[s][0], shared = (double)shapes[s][1],
               only_b = (double)shapes[s][2];
        make_pair(100, shapes[s][0], shapes[s][1], shapes[s][2], &a, &b);
        assert_exact(nd_bottom_k_size(a), only_a + shared);
        assert_int_equal(nd_bottom_k_estimate(a, b, &got, NULL), ND_OK);
        assert_exact(got.intersection, shared);
        assert_exact(got.set_union, only_a + shared + only_b);
        assert_exact(got.jaccard, shared / (only_a + shared + only_b));
        assert_exact(got.a_in_b, shared / (only_a + shared));
        assert_exact(got.b_in_a, only_b + shared > 0 ? shared / (only_b + shared) : 1);
        nd_bottom_k_free(a);
        nd_bottom_k_free(b);
    }
    make_pair(100, 0, 0, 0, &a, &b);
    assert_int_equal(nd_bottom_k_estimate(a, b, &got, NULL), ND_OK);
    assert_exact(got.jaccard, 1);
    assert_exact(got.a_in_b, 1);
    nd_bottom_k_free(a);
    nd_bottom_k_free(b);
}

/* An empty set and one element beside a large set. */
static void test_small_beside_large(void **state) {
    (void)state;
    nd_bottom_k *a, *b;
    nd_bottom_k_estimates got;
    make_pair(16, 0, 0, 100000, &a, &b);
    assert_int_equal(nd_bottom_k_estimate(a, b, &got, NULL), ND_OK);
    assert_exact(got.a_in_b, 1);
    assert_exact(got.b_in_a, 0);
    assert_exact(got.jaccard, 0);
    nd_bottom_k_free(a);
    nd_bottom_k_free(b);
    make_pair(16, 0, 1, 100000, &a, &b);
    assert_int_equal(nd_bottom_k_estimate(a, b, &got, NULL), ND_OK);
    assert_exact(nd_bottom_k_size(a), 1);
    assert_true(got.a_in_b.value == 0.5 && got.a_in_b.error == 0.5);
    assert_int_equal(nd_bottom_k_estimate(b, b, &got, NULL), ND_OK);
    assert_exact(got.jaccard, 1);
    assert_true(got.intersection.error > 0);
    nd_bottom_k_free(a);
    nd_bottom_k_free(b);
}

/* An estimate over many pairs: its error, and the difference between the square of its error and
 * the square of the stated one. */
typedef struct account {
    double count, sum, squares, stated, difference, difference_squares;
} account;

static void take(account *t, nd_estimate estimate, double truth) {
    double off = estimate.value - truth, difference = off * off - estimate.error * estimate.error;
    t->count++;
    t->sum += off;
    t->squares += off * off;
    t->stated += estimate.error * estimate.error;
    t->difference += difference;
    t->difference_squares += difference * difference;
}

/* A sample of one element or none gives a bound, not an estimate. */
static void take_containment(account *t, nd_estimate estimate, double truth) {
    if (estimate.error < 0.5) take(t, estimate, truth);
}

/* Each is within four standard errors of 0. */
static void check(const account *t, const char *what) {
    double mean = t->sum / t->count, deviation = sqrt(t->squares / t->count),
           stated = sqrt(t->stated / t->count);
    print_message("    %-13s mean off by %9.3g, deviation %9.4g, stated %9.4g\n", what, mean,
                  deviation, stated);
    assert_true(fabs(mean) <= 4 * deviation / sqrt(t->count));
    double difference = t->difference / t->count, spread = sqrt(t->difference_squares / t->count);
    assert_true(fabs(difference) <= 4 * spread / sqrt(t->count));
}

static void test_unbiased(void **state) {
    (void)state;
    static const struct {
        uint32_t k;
        size_t only_a, shared, only_b, pairs;
    } plan[] = {
        {64, 20, 60, 30, 6000},       {64, 300, 400, 300, 6000},      {64, 900, 100, 0, 6000},
        {64, 5000, 40, 5000, 2000},   {8, 200, 300, 100, 6000},       {256, 0, 200, 2000, 3000},
        {256, 1000, 4000, 500, 1500}, {1024, 3000, 20000, 9000, 300},
    };
    for (size_t p = 0; p < sizeof plan / sizeof *plan; p++) {
        account size = {0}, set_union = {0}, intersection = {0}, jaccard = {0}, a_in_b = {0},
                b_in_a = {0};
        double only_a = (double)plan[p].only_a, shared = (double)plan[p].shared,
               only_b = (double)plan[p].only_b;
        print_message("k %u, %g + %g + %g\n", plan[p].k, only_a, shared, only_b);
        for (size_t pair = 0; pair < plan[p].pairs; pair++) {
            nd_bottom_k *a, *b;
            nd_bottom_k_estimates got;
            make_pair(plan[p].k, plan[p].only_a, plan[p].shared, plan[p].only_b, &a, &b);
            assert_int_equal(nd_bottom_k_estimate(a, b, &got, NULL), ND_OK);
            take(&size, nd_bottom_k_size(a), only_a + shared);
            take(&set_union, got.set_union, only_a + shared + only_b);
            take(&intersection, got.intersection, shared);
            take(&jaccard, got.jaccard, shared / (only_a + shared + only_b));
            take_containment(&a_in_b, got.a_in_b, shared / (only_a + shared));
            take_containment(&b_in_a, got.b_in_a, shared / (only_b + shared));
            nd_bottom_k_free(a);
            nd_bottom_k_free(b);
        }
        check(&size, "size");
        check(&set_union, "union");
        check(&intersection, "intersection");
        check(&jaccard, "jaccard");
        check(&a_in_b, "a in b");
        check(&b_in_a, "b in a");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_small_beside_large),
        cmocka_unit_test(test_unbiased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Overlaps of texts with packed sets, compared with plain loops. */
#include "similarity/ascending_set.h"

#include "similarity/packed_set.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 2000 };

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Hashes, which fill buckets evenly; all values in few buckets; values that follow each other; or
 * values of two ends. */
enum { HASHES, CROWDED, DENSE, ENDS, KINDS };

static uint64_t value_of(uint64_t *seed, int kind, size_t count) {
    uint64_t random = random_below(seed, 3 * count / 2 + 1);
    return kind == HASHES    ? nd_mix64(random)
           : kind == CROWDED ? (random & 1) << 33 | random
           : kind == DENSE   ? random
           : random % 2      ? random
                             : ND_SET_MASK - random;
}

/* A text: values of the set and others, in any order, with repeats, and with bits above those of a
 * value. */
static void make_text(uint64_t *seed, int kind, size_t set_size, uint64_t *shingles, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && random_below(seed, 4) == 0;
        uint64_t value = again ? shingles[random_below(seed, i)] : value_of(seed, kind, set_size);
        shingles[i] = (value & ND_SET_MASK) | random_next(seed) << ND_SET_BITS;
    }
}

static size_t distinct(const uint64_t *shingles, size_t count, uint64_t *to) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = shingles[i] % (ND_SET_MASK + 1);
        to[size++] = value ? value : 1;
    }
    qsort(to, size, sizeof *to, ascending);
    size_t kept = 0;
    for (size_t i = 0; i < size; i++)
        if (kept == 0 || to[kept - 1] != to[i]) to[kept++] = to[i];
    return kept;
}

/* A packed set with 8 bytes behind it and nothing else, so that AddressSanitizer reports reads
 * further behind. */
static unsigned char *pack(const uint64_t *values, size_t count, size_t *size) {
    *size = nd_packed_set_size(count);
    unsigned char *packed = malloc(*size + 8);
    assert_non_null(packed);
    memset(packed + *size, 0xb7, 8);
    nd_packed_set_pack(values, count, packed);
    return packed;
}

static void unpack(nd_ascending_set *set, const uint64_t *values, size_t count) {
    size_t size;
    nd_error error;
    bool whole;
    unsigned char *packed = pack(values, count, &size);
    assert_int_equal(nd_ascending_set_unpack(set, packed, size, &whole, &error), ND_OK);
    assert_true(whole);
    assert_int_equal(set->size, count);
    free(packed);
}

static void test_against_loops(void **state) {
    (void)state;
    static uint64_t values[MOST], text[2 * MOST], plain[2 * MOST];
    nd_ascending_set set;
    nd_ascending_set_init(&set, &nd_allocator_default);
    uint64_t seed = 5, long_ones = 0;
    nd_error error;
    for (int round = 0; round < 1200; round++) {
        int kind = round % KINDS;
        size_t most = round % 9 ? 40 : MOST, wanted = random_below(&seed, most);
        for (size_t i = 0; i < wanted; i++) values[i] = value_of(&seed, kind, wanted);
        size_t size = distinct(values, wanted, values);
        unpack(&set, values, size);
        for (int again = 0; again < 3; again++) { /* comparing leaves the set as it was */
            size_t count = random_below(&seed, 2 * most), both = 0;
            make_text(&seed, kind, wanted, text, count);
            size_t of_text = distinct(text, count, plain);
            for (size_t i = 0; i < of_text; i++)
                both += bsearch(&plain[i], values, size, sizeof *values, ascending) != NULL;
            nd_overlap overlap;
            assert_int_equal(nd_ascending_set_compare(&set, text, count, &overlap, &error), ND_OK);
            assert_int_equal(overlap.size_a, size);
            assert_int_equal(overlap.size_b, of_text);
            assert_int_equal(overlap.intersection, both);
            long_ones += kind == CROWDED && both > 100;
        }
    }
    assert_true(long_ones > 20);
    nd_ascending_set_free(&set);
}

/* The values of a bucket that has one more than are compared at once: each is found, and each
 * counts once. */
static void test_long_buckets(void **state) {
    (void)state;
    nd_ascending_set set;
    nd_overlap overlap;
    nd_error error;
    nd_ascending_set_init(&set, &nd_allocator_default);
    for (size_t count = 1; count < 40; count++) {
        uint64_t values[40], text[80];
        for (size_t i = 0; i < count; i++) values[i] = 7 + 2 * i;
        unpack(&set, values, count);
        for (size_t i = 0; i < count; i++) {
            text[0] = text[1] = values[i];
            text[2] = values[i] + 1;
            text[3] = values[i] - 1;
            assert_int_equal(nd_ascending_set_compare(&set, text, 4, &overlap, &error), ND_OK);
            assert_int_equal(overlap.intersection, 1);
            assert_int_equal(overlap.size_b, 3);
        }
        memcpy(text, values, count * sizeof *text);
        memcpy(text + count, values, count * sizeof *text);
        assert_int_equal(nd_ascending_set_compare(&set, text, 2 * count, &overlap, &error), ND_OK);
        assert_int_equal(overlap.intersection, count);
        assert_int_equal(overlap.size_b, count);
    }
    nd_ascending_set_free(&set);
}

static void test_damage(void **state) {
    (void)state;
    const uint64_t values[] = {3, 5, UINT64_C(1) << 30, ND_SET_MASK};
    nd_ascending_set set;
    nd_error error;
    bool whole;
    size_t size;
    nd_ascending_set_init(&set, &nd_allocator_default);
    unsigned char *packed = pack(values, 4, &size);
    assert_int_equal(nd_ascending_set_unpack(&set, packed, size - 1, &whole, &error), ND_OK);
    assert_false(whole);
    for (size_t bit = 0; bit < 8; bit++) { /* of the upper parts */
        packed[size - 1] ^= (unsigned char)(1u << bit);
        assert_int_equal(nd_ascending_set_unpack(&set, packed, size, &whole, &error), ND_OK);
        assert_false(whole);
        packed[size - 1] ^= (unsigned char)(1u << bit);
    }
    assert_int_equal(nd_ascending_set_unpack(&set, packed, size, &whole, &error), ND_OK);
    assert_true(whole);
    free(packed);
    nd_ascending_set_free(&set);
}

/* A small set behind a huge one gives its memory back. */
static void test_memory(void **state) {
    (void)state;
    enum { HUGE_COUNT = 1 << 18 };
    nd_ascending_set set;
    nd_ascending_set_init(&set, &nd_allocator_default);
    uint64_t *values = malloc(HUGE_COUNT * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < HUGE_COUNT; i++) values[i] = 9 * i;
    unpack(&set, values, HUGE_COUNT);
    nd_overlap overlap;
    nd_error error;
    assert_int_equal(nd_ascending_set_compare(&set, values, HUGE_COUNT, &overlap, &error), ND_OK);
    assert_int_equal(overlap.intersection, HUGE_COUNT - 1); /* 0 is no shingle */
    unpack(&set, values, 10);
    assert_true(set.value_capacity < HUGE_COUNT / 8);
    assert_int_equal(nd_ascending_set_compare(&set, values, 10, &overlap, &error), ND_OK);
    assert_int_equal(overlap.intersection, 9);
    assert_true(set.other_capacity < HUGE_COUNT / 8);
    nd_ascending_set_free(&set);
    free(values);
}

static void test_no_memory(void **state) {
    (void)state;
    const uint64_t values[] = {1, 2, 3}, text[] = {3, 4};
    size_t size, failed = 0;
    unsigned char *packed = pack(values, 3, &size);
    for (long left = 0; left < 12; left++) {
        failing_allocator failing = {.left = left};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_ascending_set set;
        nd_overlap overlap = {0};
        nd_error error;
        bool whole;
        nd_ascending_set_init(&set, &allocator);
        nd_status status = nd_ascending_set_unpack(&set, packed, size, &whole, &error);
        if (status == ND_OK) status = nd_ascending_set_compare(&set, text, 2, &overlap, &error);
        if (status == ND_OK) assert_int_equal(overlap.intersection, 1);
        else assert_int_equal(status, ND_ERR_MEMORY);
        failed += status != ND_OK;
        nd_ascending_set_free(&set);
        assert_int_equal(failing.live, 0);
    }
    assert_int_equal(failed, 7);
    free(packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_loops), cmocka_unit_test(test_long_buckets),
        cmocka_unit_test(test_damage),        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

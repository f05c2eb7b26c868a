/* The SimHash kernel of every table against its plain definition, on guarded pages. */
#include "kernel_tables.h"

#include <string.h>

enum { MOST = 4200 };

static void plain_simhash(const uint64_t *features, const int32_t *weights, size_t count,
                          unsigned bits, int64_t *sums) {
    for (size_t j = 0; j < count; j++) {
        uint64_t low = nd_mix64(features[j] + ND_HASH_C0),
                 high = nd_mix64(features[j] + ND_HASH_C1);
        int64_t weight = weights ? weights[j] : 1;
        for (unsigned i = 0; i < bits; i++)
            sums[i] += (i < 64 ? low >> i : high >> (i - 64)) & 1 ? weight : -weight;
    }
}

/* The inverse of nd_mix64: makes features with the mixed hash that a test needs. */
static uint64_t unmix(uint64_t x) {
    x ^= x >> 31 ^ x >> 62;
    x *= UINT64_C(0x319642b2d24d8ec3);
    x ^= x >> 27 ^ x >> 54;
    x *= UINT64_C(0x96de1b173f119089);
    return x ^ x >> 30 ^ x >> 60;
}

typedef enum weighing { COUNTED, SMALL, LARGE, EXTREME } weighing;

static int32_t random_weight(weighing how) {
    int32_t extreme = (int32_t)1 << 30;
    switch (how) {
    case SMALL: return (int32_t)below(20000) - 5000;
    case LARGE: return (int32_t)below(1u << 24) - (1 << 23);
    default: return below(2) ? extreme : below(3) ? -extreme : (int32_t)below(1u << 31) - extreme;
    }
}

static void check(uint64_t *features, const int32_t *weights, size_t count) {
    for (unsigned bits = 16; bits <= 128; bits *= 2) {
        int64_t before[128 + 1], expected[128 + 1], got[128 + 1];
        for (size_t i = 0; i <= 128; i++)
            before[i] = (int64_t)(random64() >> 3) - (INT64_C(1) << 60);
        memcpy(expected, before, sizeof before);
        plain_simhash(features, weights, count, bits, expected);
        for (size_t t = 0; t < table_count; t++) {
            memcpy(got, before, sizeof before);
            tables[t]->simhash(features, weights, count, bits, got);
            assert_memory_equal(got, expected,
                                sizeof got); /* including the bytes behind the sums */
        }
    }
}

static void test_counts(void **state) {
    (void)state;
    static const size_t large[] = {511, 512, 513, 1983, 1984, 1985, 3968, 3969, MOST};
    guarded feature_pages = guarded_make(MOST * 8), weight_pages = guarded_make(MOST * 4);
    for (size_t round = 0; round < 301 + sizeof large / sizeof *large; round++)
        for (weighing how = COUNTED; how <= EXTREME; how++) {
            size_t count = round <= 300 ? round : large[round - 301];
            bool at_end = (round + how) % 3;
            uint64_t *features = guarded_block(feature_pages, count * 8, at_end);
            int32_t *weights = guarded_block(weight_pages, count * 4, at_end);
            for (size_t j = 0; j < count; j++) features[j] = random64();
            for (size_t j = 0; j < count; j++) weights[j] = random_weight(how);
            check(features, how == COUNTED ? NULL : weights, count);
        }
    guarded_free(feature_pages);
    guarded_free(weight_pages);
}

/* All counters reach their limits: features with all bits, one bit or none; all weights at one end
 * of their range. */
static void test_extremes(void **state) {
    (void)state;
    static uint64_t features[MOST];
    static int32_t weights[MOST];
    static const uint64_t patterns[] = {0,
                                        UINT64_MAX,
                                        1,
                                        UINT64_C(1) << 63,
                                        UINT64_C(0xaaaaaaaaaaaaaaaa),
                                        UINT64_C(0xff00ff00ff00ff00)};
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (size_t half = 0; half < 2; half++) {
            assert_int_equal(nd_mix64(unmix(patterns[p])), patterns[p]);
            for (size_t j = 0; j < MOST; j++)
                features[j] = unmix(patterns[p]) - (half ? ND_HASH_C1 : ND_HASH_C0);
            check(features, NULL, MOST);
            for (size_t round = 0; round < 6; round++) {
                static const int32_t ends[] = {1 << 30, -(1 << 30), (1 << 23) - 1,
                                               1 << 23, -(1 << 23), (1 << 23) + 1};
                for (size_t j = 0; j < MOST; j++) weights[j] = ends[round];
                check(features, weights, MOST);
            }
        }
}

int main(void) {
    table_count = nd_kernel_all(tables);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_extremes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

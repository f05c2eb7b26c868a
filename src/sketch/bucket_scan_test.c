/* Pairs and large buckets, compared with all pairs of documents. */
#include "sketch/bucket_scan.h"

#include "base/radix_sort.h"
#include "test.h"

#include <string.h>

enum { MOST = 400 };

typedef struct seen {
    /* How often [later][earlier] was reported as a pair, and as members of a large bucket. */
    uint8_t pair[MOST][MOST], large[MOST][MOST];
} seen;

static nd_status count_pair(void *context, uint32_t later, uint32_t earlier, nd_error *error) {
    (void)error;
    assert_true(earlier < later);
    ((seen *)context)->pair[later][earlier]++;
    return ND_OK;
}

static nd_status count_members(void *context, const uint32_t *members, size_t count,
                               nd_error *error) {
    (void)error;
    assert_true(count > ND_SMALL_BUCKET);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < j; i++) {
            assert_true(members[i] < members[j]);
            ((seen *)context)->large[members[j]][members[i]]++;
        }
    return ND_OK;
}

/* Each document has one key. Two documents that share it are reported once, as a pair or as members
 * of a large bucket, by their ranks or numbers. */
static void test_against_all_pairs(void **state) {
    (void)state;
    static seen got;
    static uint64_t words[MOST], scratch[MOST];
    static uint32_t members[MOST], keys[MOST], ranks[MOST];
    uint64_t seed = 7;
    for (int round = 0; round < 60; round++) {
        memset(&got, 0, sizeof got);
        uint32_t count = (uint32_t)random_below(&seed, MOST),
                 range = (uint32_t)(1 + random_below(&seed, round % 2 ? 200 : 8));
        uint8_t left_out[MOST / 8 + 1] = {0};
        for (uint32_t d = 0; d < count; d++) {
            keys[d] = (uint32_t)random_below(&seed, range) * 0x01000001u;
            words[d] = (uint64_t)keys[d] << 32 | d;
            ranks[d] = d;
            if (random_below(&seed, 5) == 0) left_out[d / 8] |= (uint8_t)(1u << d % 8);
        }
        for (uint32_t d = count; d-- > 1;) {
            uint32_t e = (uint32_t)random_below(&seed, d + 1), t = ranks[d];
            ranks[d] = ranks[e];
            ranks[e] = t;
        }
        bool by_rank = round % 3 == 0;
        nd_radix_sort(words, scratch, count, 32);
        nd_bucket_filter filter = {round % 4 ? left_out : NULL, by_rank ? ranks : NULL, 0};
        nd_bucket_sink sink = {&got, count_pair, count_members};
        assert_int_equal(nd_bucket_scan(words, count, &filter, members, &sink, NULL), ND_OK);
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < a; b++) {
                bool out = filter.left_out &&
                           ((left_out[a / 8] >> a % 8 & 1) || (left_out[b / 8] >> b % 8 & 1));
                uint32_t ra = by_rank ? ranks[a] : a, rb = by_rank ? ranks[b] : b;
                uint32_t later = ra > rb ? ra : rb, earlier = ra > rb ? rb : ra;
                assert_int_equal(got.pair[later][earlier] + got.large[later][earlier],
                                 !out && keys[a] == keys[b]);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_all_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The search among TLSH digests, and its kernels, against nd_tlsh_distance of all pairs. */
#include "kernel/kernel.h"
#include "neardup.h"
#include "sketch/tlsh.h"
#include "test.h"

#include <string.h>

enum { DIGESTS = 400 };

typedef struct found {
    uint32_t distance[DIGESTS]; /* UINT32_MAX: not found */
} found;

/* Digests in families, so that all small distances occur; headers near the ends of their circles.
 */
static void make_digests(nd_tlsh_variant variant, nd_tlsh *digests, uint64_t *seed) {
    bool large = variant == ND_TLSH_256_1 || variant == ND_TLSH_256_3;
    memset(digests, 0, DIGESTS * sizeof *digests);
    for (size_t i = 0; i < DIGESTS; i++) {
        nd_tlsh *d = &digests[i];
        if (i % 8) *d = digests[i - i % 8];
        else
            for (size_t j = 0; j < (large ? 64 : 32); j++) d->body[j] = (uint8_t)random_next(seed);
        d->variant = (uint8_t)variant;
        d->checksum[0] = (uint8_t)random_below(seed, 2);
        if (variant == ND_TLSH_128_3 || variant == ND_TLSH_256_3)
            d->checksum[2] = (uint8_t)random_below(seed, 2);
        d->length_class = (uint8_t)(random_below(seed, 6) - 3);
        d->ratio1 = (uint8_t)(random_below(seed, 6) + 13) % 16;
        d->ratio2 = (uint8_t)random_below(seed, 16);
        for (size_t j = random_below(seed, 20); j > 0; j--)
            d->body[random_below(seed, large ? 64 : 32)] ^= (uint8_t)(1u << random_below(seed, 8));
    }
}

/* nd_tlsh_match_fn */
static bool note(void *context, uint32_t number, uint32_t distance) {
    found *f = context;
    assert_true(number < DIGESTS && f->distance[number] == UINT32_MAX);
    f->distance[number] = distance;
    return true;
}

static size_t check_search(const nd_tlsh_index *index, const nd_tlsh *digests, size_t query,
                           uint32_t most, bool with_length) {
    found f;
    size_t hits = 0;
    memset(&f, 0xff, sizeof f);
    assert_int_equal(
        nd_tlsh_index_search(index, &digests[query], most, with_length, note, &f, NULL), ND_OK);
    for (size_t i = 0; i < DIGESTS; i++) {
        uint32_t distance = nd_tlsh_distance(&digests[query], &digests[i], with_length);
        assert_int_equal(f.distance[i], distance <= most ? distance : UINT32_MAX);
        hits += distance <= most;
    }
    return hits;
}

/* Digests with low numbers alone. */
static void check_search_below(const nd_tlsh_index *index, const nd_tlsh *digests, size_t query,
                               uint32_t below, uint32_t most) {
    found f;
    memset(&f, 0xff, sizeof f);
    assert_true(nd_tlsh_index_search_below(index, &digests[query], below, most, true, note, &f));
    for (size_t i = 0; i < DIGESTS; i++) {
        uint32_t distance = nd_tlsh_distance(&digests[query], &digests[i], true);
        assert_int_equal(f.distance[i], i < below && distance <= most ? distance : UINT32_MAX);
    }
}

typedef struct pairs {
    const nd_tlsh *digests;
    uint32_t most;
    bool with_length, seen[DIGESTS][DIGESTS];
    size_t count;
} pairs;

/* nd_tlsh_pair_fn */
static bool note_pair(void *context, uint32_t a, uint32_t b, uint32_t distance) {
    pairs *p = context;
    assert_true(a < b && b < DIGESTS && !p->seen[a][b] && distance <= p->most);
    assert_int_equal(distance, nd_tlsh_distance(&p->digests[a], &p->digests[b], p->with_length));
    p->seen[a][b] = true;
    p->count++;
    return true;
}

static void check_pairs(const nd_tlsh_index *index, const nd_tlsh *digests, uint32_t most,
                        bool with_length) {
    static pairs p;
    size_t expected = 0;
    memset(&p, 0, sizeof p);
    p.digests = digests;
    p.most = most;
    p.with_length = with_length;
    assert_int_equal(nd_tlsh_index_pairs(index, most, with_length, note_pair, &p, NULL), ND_OK);
    for (size_t a = 0; a < DIGESTS; a++)
        for (size_t b = a + 1; b < DIGESTS; b++)
            expected += nd_tlsh_distance(&digests[a], &digests[b], with_length) <= most;
    assert_int_equal(p.count, expected);
}

static void test_all_pairs(void **state) {
    (void)state;
    static const uint32_t most[] = {0, 1, 5, 12, 30, 60, 100, 250, 5000, UINT32_MAX};
    static nd_tlsh digests[DIGESTS];
    uint64_t seed = 1;
    size_t hits = 0;
    for (int v = ND_TLSH_128_1; v <= ND_TLSH_256_3; v++) {
        nd_tlsh_index *index;
        make_digests((nd_tlsh_variant)v, digests, &seed);
        assert_int_equal(nd_tlsh_index_create(digests, DIGESTS, NULL, &index, NULL), ND_OK);
        for (size_t m = 0; m < sizeof most / sizeof *most; m++)
            for (int with_length = 0; with_length < 2; with_length++) {
                for (size_t q = 0; q < DIGESTS; q += 3)
                    hits += check_search(index, digests, q, most[m], with_length) - 1;
                check_pairs(index, digests, most[m], with_length);
                for (size_t q = 0; q < DIGESTS; q += 7)
                    check_search_below(index, digests, q,
                                       (uint32_t)random_below(&seed, DIGESTS + 2), most[m]);
            }
        nd_tlsh_index_free(index);
    }
    assert_true(hits > 10000);
}

static void test_empty(void **state) {
    (void)state;
    nd_tlsh_index *index;
    nd_tlsh query = {.variant = ND_TLSH_128_1};
    assert_int_equal(nd_tlsh_index_create(NULL, 0, NULL, &index, NULL), ND_OK);
    assert_int_equal(nd_tlsh_index_search(index, &query, 9999, true, note, NULL, NULL), ND_OK);
    assert_int_equal(nd_tlsh_index_pairs(index, 9999, true, note_pair, NULL, NULL), ND_OK);
    nd_tlsh_index_free(index);
}

/* Every table: distances of random bodies, which have all 16 pairs of quarters. */
static void test_kernels(void **state) {
    (void)state;
    const nd_kernel *tables[4];
    size_t count = nd_kernel_all(tables);
    uint64_t seed = 2, bodies[64 * 8], hits[65];
    for (size_t words = 4; words <= 8; words += 4)
        for (size_t round = 0; round < 64; round++) {
            nd_tlsh a = {.variant = words == 4 ? ND_TLSH_128_1 : ND_TLSH_256_1}, b = a;
            for (size_t i = 0; i < 64 * words; i++) bodies[i] = random_next(&seed);
            memcpy(a.body, bodies + round * words, 8 * words);
            for (size_t t = 0; t < count; t++)
                for (size_t n = 0; n <= 64; n += 8) {
                    assert_int_equal(tables[t]->near_tlsh(bodies, words, n, bodies + round * words,
                                                          UINT32_MAX, hits),
                                     n);
                    for (size_t i = 0; i < n; i++) {
                        memcpy(b.body, bodies + i * words, 8 * words);
                        assert_int_equal(hits[i] & UINT32_MAX, i);
                        assert_int_equal(hits[i] >> 32, nd_tlsh_distance(&a, &b, true));
                    }
                }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

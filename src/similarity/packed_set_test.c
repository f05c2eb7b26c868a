/* Packed sets: bytes by the definition, all forms of damage, random bytes. */
#include "similarity/packed_set.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Packs a set by the definition, bit by bit. */
static void plain_set_bit(unsigned char *at, uint64_t bit) {
    at[bit / 8] |= (unsigned char)(1u << (bit % 8));
}

static size_t plain_pack(const uint64_t *values, size_t count, unsigned char *to) {
    size_t at = 0, left = count;
    do to[at++] = (unsigned char)(left % 128 + (left > 127 ? 128 : 0));
    while (left /= 128);
    if (count == 0) return at;
    unsigned low_bits = 0;
    while ((UINT64_C(2) << low_bits) <= (UINT64_C(1) << 40) / count) low_bits++;
    size_t lows = (count * low_bits + 7) / 8,
           uppers = (size_t)((count + (UINT64_C(1) << (40 - low_bits)) + 7) / 8);
    memset(to + at, 0, lows + uppers);
    for (size_t i = 0; i < count; i++) {
        for (unsigned b = 0; b < low_bits; b++)
            if (values[i] >> b & 1) plain_set_bit(to + at, i * low_bits + b);
        plain_set_bit(to + at + lows, (values[i] >> low_bits) + i);
    }
    return at + lows + uppers;
}

/* A copy with 8 random bytes behind it and nothing else, so that AddressSanitizer reports reads
 * further behind. */
static unsigned char *exactly(const unsigned char *packed, size_t size) {
    unsigned char *copy = malloc(size + 8);
    assert_non_null(copy);
    memcpy(copy, packed, size);
    memset(copy + size, 0xb7, 8);
    return copy;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

enum { ANYWHERE, DENSE, DENSE_HIGH, ENDS, CLUSTERED, KINDS };

/* Makes up to `count` distinct values, ascending; returns their number. */
static size_t fill(uint64_t *values, size_t count, int kind, uint64_t *seed) {
    for (size_t i = 0; i < count; i++) {
        uint64_t random = random_next(seed) & ND_SET_MASK;
        values[i] = kind == DENSE        ? i
                    : kind == DENSE_HIGH ? ND_SET_MASK - i
                    : kind == ENDS       ? (i % 2 ? i : ND_SET_MASK - i)
                    : kind == CLUSTERED  ? (random >> 30 << 30) | (random & 0xff)
                                         : random;
    }
    qsort(values, count, sizeof *values, ascending);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[kept - 1] != values[i]) values[kept++] = values[i];
    return kept;
}

static void there_and_back(const uint64_t *values, size_t count) {
    size_t size = nd_packed_set_size(count), counted = 0;
    unsigned char *packed = malloc(size), *wanted = malloc(size);
    uint64_t *got = malloc((count + 1) * sizeof *got);
    assert_true(packed && wanted && got);
    memset(packed, 0xff, size);
    nd_packed_set_pack(values, count, packed);
    assert_int_equal(plain_pack(values, count, wanted), size);
    assert_memory_equal(packed, wanted, size);
    unsigned char *copy = exactly(packed, size);
    assert_true(nd_packed_set_count(copy, size, &counted));
    assert_int_equal(counted, count);
    got[count] = 99;
    assert_true(nd_packed_set_unpack(copy, size, count, got));
    assert_memory_equal(got, values, count * sizeof *got);
    assert_int_equal(got[count], 99);
    assert_false(nd_packed_set_unpack(copy, size, count + 1, got));
    assert_false(nd_packed_set_count(copy, size - 1, &counted));
    assert_false(nd_packed_set_count(copy, size + 1, &counted));
    free(packed);
    free(wanted);
    free(copy);
    free(got);
}

static void test_sizes(void **state) {
    (void)state;
    const size_t counts[] = {0,    1,    2,     3,     4,     5,     7,     8,    9,    15,   16,
                             17,   31,   32,    33,    63,    64,    65,    90,   127,  128,  129,
                             255,  256,  257,   300,   511,   512,   513,   1000, 1023, 1024, 1025,
                             4096, 5,    6,     10,    11,    12,    13,    999,  2047, 2048, 2049,
                             8191, 8192, 16383, 16384, 16385, 65537, 100000};
    uint64_t *values = malloc(100000 * sizeof *values), seed = 1;
    assert_non_null(values);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int kind = 0; kind < KINDS; kind++)
            there_and_back(values, fill(values, counts[c], kind, &seed));
    for (size_t count = 0; count < 300; count++)
        there_and_back(values, fill(values, count, (int)(count % KINDS), &seed));
    free(values);
}

static void test_ends(void **state) {
    (void)state;
    const uint64_t values[] = {0, 1, ND_SET_MASK - 1, ND_SET_MASK};
    for (size_t begin = 0; begin < 4; begin++)
        for (size_t count = 0; begin + count <= 4; count++) there_and_back(values + begin, count);
}

/* Computed by hand. Two values: L = 39, upper parts in 4 bits. Five values: L = 37, upper parts in
 * 13 bits. */
static void test_golden(void **state) {
    (void)state;
    const uint64_t two[] = {UINT64_C(0x0000000001), UINT64_C(0xfedcba9876)};
    const unsigned char two_packed[] = {0x02, 0x01, 0x00, 0x00, 0x00, 0x00,
                                        0x3b, 0x4c, 0x5d, 0x6e, 0x3f, 0x05};
    const uint64_t five[] = {0, 1, UINT64_C(1) << 37, UINT64_C(5) << 37, ND_SET_MASK};
    const unsigned char five_packed[] = {0x05, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
                                         0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                                         0x00, 0xf0, 0xff, 0xff, 0xff, 0xff, 0x01, 0x0b, 0x09};
    unsigned char got[64];
    assert_int_equal(nd_packed_set_size(2), sizeof two_packed);
    nd_packed_set_pack(two, 2, got);
    assert_memory_equal(got, two_packed, sizeof two_packed);
    assert_int_equal(nd_packed_set_size(5), sizeof five_packed);
    nd_packed_set_pack(five, 5, got);
    assert_memory_equal(got, five_packed, sizeof five_packed);
    assert_int_equal(nd_packed_set_size(300), 2 + (300 * 31 + 7) / 8 + (300 + 512 + 7) / 8);
}

/* A set has one form: bytes that unpack are the bytes that the result packs to. */
static void expect_safe(const unsigned char *packed, size_t size) {
    size_t count;
    if (!nd_packed_set_count(packed, size, &count)) return;
    uint64_t *got = malloc((count ? count : 1) * sizeof *got);
    unsigned char *again = malloc(size);
    assert_true(got && again);
    if (nd_packed_set_unpack(packed, size, count, got)) {
        for (size_t i = 0; i < count; i++)
            assert_true(got[i] <= ND_SET_MASK && (i == 0 || got[i - 1] < got[i]));
        nd_packed_set_pack(got, count, again);
        assert_memory_equal(again, packed, size);
    }
    free(got);
    free(again);
}

static void test_damage(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 23, 128, 300};
    uint64_t values[300], seed = 2;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int kind = 0; kind < KINDS; kind++) {
            size_t count = fill(values, counts[c], kind, &seed), size = nd_packed_set_size(count);
            unsigned char packed[2000];
            nd_packed_set_pack(values, count, packed);
            unsigned char *copy = exactly(packed, size);
            for (size_t at = 0; at < size; at++) {
                for (unsigned flip = 1; flip < 256; flip += count < 10 ? 1 : 13) {
                    copy[at] ^= (unsigned char)flip;
                    expect_safe(copy, size);
                    copy[at] ^= (unsigned char)flip;
                }
            }
            free(copy);
        }
}

/* Random bytes, half of them behind the count that fits their number. */
static void test_garbage(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 20000; round++) {
        unsigned char bytes[400];
        size_t count = random_below(&seed, 60),
               size = round % 2 ? nd_packed_set_size(count)
                                : 1 + random_below(&seed, sizeof bytes - 1);
        unsigned sparse =
            round % 3 == 0
                ? 0xff
                : 0x11; /* with few bits set the number of upper parts is right more often */
        for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(random_next(&seed) & sparse);
        if (round % 2) bytes[0] = (unsigned char)count;
        unsigned char *copy = exactly(bytes, size);
        expect_safe(copy, size);
        free(copy);
    }
}

/* Counts that are truncated, too long, or too large. */
static void test_counts(void **state) {
    (void)state;
    const unsigned char cut[] = {0x80, 0x80}, longer[] = {0x80, 0x00},
                        endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    const unsigned char large[] = {0x81, 0x80, 0x80, 0x80, 0x04};
    size_t count;
    assert_false(nd_packed_set_count(cut, 0, &count));
    assert_false(nd_packed_set_count(cut, 1, &count));
    assert_false(nd_packed_set_count(cut, sizeof cut, &count));
    assert_false(nd_packed_set_count(longer, sizeof longer, &count));
    assert_false(nd_packed_set_count(endless, sizeof endless, &count));
    assert_false(nd_packed_set_count(large, sizeof large, &count));
    assert_int_equal(nd_packed_set_size(ND_SET_MOST),
                     5 + ((size_t)ND_SET_MOST * 10 + (size_t)ND_SET_MOST * 2) / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_ends),
        cmocka_unit_test(test_golden),  cmocka_unit_test(test_damage),
        cmocka_unit_test(test_garbage), cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

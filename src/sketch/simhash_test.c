/* SimHash compared with its definition, written a second time, and with fixed vectors (frozen:
 * doc/internals/formats.md); and its promise that a bit differs with probability angle / pi. All
 * random numbers are fixed, so the statistics are the same in every run. */
#include "sketch/simhash.h"

#include "test.h"

#include <math.h>
#include <string.h>

static uint64_t random_state = 3;

static uint64_t random64(void) { return random_next(&random_state); }

static const uint32_t widths[] = {16, 32, 64, 128};

static nd_simhash *make(uint32_t bits) {
    nd_simhash *simhash = NULL;
    nd_error error;
    assert_int_equal(nd_simhash_create(bits, NULL, &simhash, &error), ND_OK);
    return simhash;
}

static void add(nd_simhash *simhash, const uint64_t *features, const double *weights,
                size_t count) {
    assert_int_equal(nd_simhash_add(simhash, features, weights, count, NULL), ND_OK);
}

static nd_fingerprint fingerprint_of(uint32_t bits, const uint64_t *features, const double *weights,
                                     size_t count) {
    nd_simhash *simhash = make(bits);
    add(simhash, features, weights, count);
    nd_fingerprint got = nd_simhash_finish(simhash);
    nd_simhash_free(simhash);
    return got;
}

static void assert_same(nd_fingerprint a, nd_fingerprint b) {
    assert_int_equal(a.low, b.low);
    assert_int_equal(a.high, b.high);
}

static nd_fingerprint lower_bits(nd_fingerprint a, uint32_t bits) {
    if (bits < 128) a.high = 0;
    if (bits < 64) a.low &= (UINT64_C(1) << bits) - 1;
    return a;
}

/* ---- the definition */

static uint64_t plain_mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Weights in whole units are summed as doubles, which is exact below 2^53 units. */
static nd_fingerprint plain_simhash(uint32_t bits, const uint64_t *features, const double *weights,
                                    size_t count) {
    nd_fingerprint got = {0, 0};
    for (uint32_t i = 0; i < bits; i++) {
        double sum = 0;
        for (size_t j = 0; j < count; j++) {
            uint64_t mixed = plain_mix(features[j] + (i < 64 ? UINT64_C(0x6a09e667f3bcc909)
                                                             : UINT64_C(0xbb67ae8584caa73b)));
            double weight = weights ? weights[j] : 1;
            sum += mixed >> i % 64 & 1 ? weight : -weight;
        }
        if (sum > 0) *(i < 64 ? &got.low : &got.high) |= UINT64_C(1) << i % 64;
    }
    return got;
}

static void test_definition(void **state) {
    (void)state;
    for (size_t round = 0; round < 400; round++) {
        uint64_t features[3000];
        double weights[3000];
        size_t count = random64() % (round % 10 ? 70 : 3000);
        double scale = round % 3 == 0 ? 4096 : round % 3 == 1 ? 1 << 18 : 0x1p29;
        for (size_t j = 0; j < count; j++) {
            features[j] = random64();
            weights[j] = rint(((double)(random64() >> 11) * 0x1p-52 - 1) * scale) / 4096;
        }
        for (size_t w = 0; w < 4; w++) {
            assert_same(fingerprint_of(widths[w], features, NULL, count),
                        plain_simhash(widths[w], features, NULL, count));
            assert_same(fingerprint_of(widths[w], features, weights, count),
                        plain_simhash(widths[w], features, weights, count));
        }
    }
}

/* The first feature whose mixed hash ends in these six bits. */
static uint64_t feature_with(unsigned bits) {
    uint64_t feature = 0;
    while ((plain_mix(feature + UINT64_C(0x6a09e667f3bcc909)) & 63) != bits) feature++;
    return feature;
}

/* The textbook example, computed by hand with six bits, the highest first:
 *     100101, weight 4     4  -4  -4   4  -4   4
 *     101011, weight 5     5  -5   5  -5   5   5
 *     sum                  9  -9   1  -1   1   9
 *     bits                 1   0   1   0   1   1 */
static void test_textbook(void **state) {
    (void)state;
    uint64_t features[] = {feature_with(0x25), feature_with(0x2b)};
    static const double weights[] = {4, 5}, alike[] = {1, 1};
    assert_int_equal(fingerprint_of(16, features, weights, 2).low & 63, 0x2b);
    /* With equal weights the sum is 2 -2 0 0 0 2, and zeros give 0. */
    assert_int_equal(fingerprint_of(16, features, alike, 2).low & 63, 0x21);
}

/* Frozen. Each has 128 bits; narrower fingerprints are its lower bits. */
static void assert_golden(const uint64_t *features, const double *weights, size_t count,
                          const char *golden) {
    nd_fingerprint expected;
    assert_int_equal(nd_fingerprint_parse(golden, strlen(golden), 128, &expected, NULL), ND_OK);
    for (size_t w = 0; w < 4; w++)
        assert_same(fingerprint_of(widths[w], features, weights, count),
                    lower_bits(expected, widths[w]));
}

static void test_golden(void **state) {
    (void)state;
    uint64_t features[5000];
    double weights[5000];
    features[0] = 0, weights[0] = -1;
    assert_golden(features, NULL, 0, "00000000000000000000000000000000");
    assert_golden(features, NULL, 1, "86fa59fa943fe6f83564b439cd1e1f16");
    assert_golden(features, weights, 1, "7905a6056bc01907ca9b4bc632e1e0e9");
    features[0] = 1, features[1] = 2;
    assert_golden(features, NULL, 2, "0b0a1a1b24a200581082130000f00f99");
    for (uint64_t j = 0; j < 100; j++) features[j] = j + 1;
    assert_golden(features, NULL, 100, "1de3891116876990959509afdee77461");
    for (uint64_t j = 0; j < 1000; j++) features[j] = j * j, weights[j] = ((int)(j % 17) - 8) / 3.0;
    assert_golden(features, NULL, 1000, "7732a93aca47e0ca5009a5f87374cf51");
    assert_golden(features, weights, 1000, "0b1130dd0235dc9b274e8ab24a3bc5cc");
    for (uint64_t j = 0; j < 10; j++)
        features[j] = nd_mix64(j), weights[j] = (262144 - (int)j * 0.37) * (j % 2 ? -1 : 1);
    assert_golden(features, weights, 10, "de68591b147fe178b570b03ddf051f1e");
    for (uint64_t j = 0; j < 5000; j++) features[j] = nd_mix64(j), weights[j] = j < 2500 ? 1 : 0.1;
    assert_golden(features, weights, 5000, "e94f2e21ba5cc7d22c5a89193b307ff9");
}

/* Weights are rounded to the nearest unit: a feature is added with a weight, and with a slightly
 * smaller negative one. Halves are rounded to the even unit. */
static void test_rounding(void **state) {
    (void)state;
    static const struct {
        double weight, units;
    } cases[] = {
        {0.4999, 0},
        {0.5, 0},
        {0.5001, 1},
        {1.4999, 1},
        {1.5, 2},
        {2.5, 2},
        {2.5001, 3},
        {3.5, 4},
        {1000000.5, 1e6},
        {1e-300, 0},
        {1000001.5, 1000002},
        {0x1p30, 0x1p30},
        {0x1p30 - 0.5, 0x1p30},
    };
    const uint64_t feature = 7;
    nd_fingerprint with = fingerprint_of(64, &feature, NULL, 1), none = {0, 0},
                   without = {~with.low, 0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int sign = -1; sign <= 1; sign += 2)
            for (int more = -1; more <= 1; more++) {
                nd_simhash *simhash = make(64);
                double weight = sign * cases[c].weight / 4096,
                       half = -(sign * cases[c].units + more) / 8192;
                /* One half at a time, to stay in range; the halves of odd units differ by one. */
                double first = floor(half * 4096) / 4096, second = 2 * half - first;
                add(simhash, &feature, &weight, 1);
                add(simhash, &feature, &first, 1);
                add(simhash, &feature, &second, 1);
                assert_same(nd_simhash_finish(simhash), more == 0  ? none
                                                        : more < 0 ? with
                                                                   : without);
                nd_simhash_free(simhash);
            }
}

/* ---- the interface */

/* Features in any order and grouping, with and without weights; a handle can be used again after
 * nd_simhash_finish. */
static void test_grouping(void **state) {
    (void)state;
    enum { COUNT = 4000 };
    static uint64_t features[COUNT];
    static double weights[COUNT], ones[COUNT];
    for (size_t w = 0; w < 4; w++) {
        nd_simhash *simhash = make(widths[w]);
        for (size_t round = 0; round < 20; round++) {
            for (size_t j = 0; j < COUNT; j++) {
                features[j] = random64();
                ones[j] = 1;
                weights[j] = ((double)(random64() >> 11) * 0x1p-52 - 1) * 100;
            }
            add(simhash, features, weights, COUNT);
            add(simhash, features, NULL, COUNT);
            nd_fingerprint expected = nd_simhash_finish(simhash);
            add(simhash, features, ones, COUNT);
            for (size_t j = COUNT; j-- > 1;) {
                size_t other = random64() % (j + 1);
                uint64_t feature = features[j];
                double weight = weights[j];
                features[j] = features[other], weights[j] = weights[other];
                features[other] = feature, weights[other] = weight;
            }
            for (size_t done = 0, part; done < COUNT; done += part) {
                part = random64() % 300;
                if (part > COUNT - done) part = COUNT - done;
                add(simhash, features + done, weights + done, part);
            }
            assert_same(nd_simhash_finish(simhash), expected);
        }
        assert_same(nd_simhash_finish(simhash), (nd_fingerprint){0, 0});
        nd_simhash_free(simhash);
    }
}

/* A sum of 0 gives the bit 0, whatever its terms are. */
static void test_zero(void **state) {
    (void)state;
    uint64_t features[1000];
    double weights[1000];
    for (size_t j = 0; j < 1000; j++) features[j] = j / 2, weights[j] = j % 2 ? 0.37 : -0.37;
    assert_same(fingerprint_of(128, features, weights, 1000), (nd_fingerprint){0, 0});
    for (size_t j = 0; j < 1000; j++) weights[j] = j % 2 ? 0.0 : -0.0;
    assert_same(fingerprint_of(128, features, weights, 1000), (nd_fingerprint){0, 0});
    nd_simhash *simhash = make(128);
    for (size_t j = 0; j < 1000; j++) weights[j] = -1;
    add(simhash, features, weights, 1000);
    add(simhash, features, NULL, 1000);
    assert_same(nd_simhash_finish(simhash), (nd_fingerprint){0, 0});
    nd_simhash_free(simhash);
}

static void assert_rejected(nd_simhash *simhash, const uint64_t *features, const double *weights,
                            size_t count, const char *message) {
    nd_error error;
    assert_int_equal(nd_simhash_add(simhash, features, weights, count, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, message);
}

static void test_rejected(void **state) {
    (void)state;
    nd_error error;
    nd_simhash *simhash = NULL;
    failing_allocator failing = {.left = 0};
    const nd_allocator none = failing_allocator_make(&failing);
    static const uint32_t wrong[] = {0, 1, 8, 24, 48, 63, 65, 96, 256, UINT32_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(nd_simhash_create(wrong[i], NULL, &simhash, NULL), ND_ERR_ARGUMENT);
    assert_int_equal(nd_simhash_create(24, NULL, &simhash, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "bits must be 16, 32, 64 or 128, not 24");
    assert_int_equal(nd_simhash_create(64, &none, &simhash, &error), ND_ERR_MEMORY);
    assert_null(simhash);
    nd_simhash_free(NULL);

    /* A rejected call adds nothing, not even the weights before the wrong one. */
    enum { COUNT = 3000 };
    static uint64_t features[COUNT];
    static double weights[COUNT];
    for (size_t j = 0; j < COUNT; j++) features[j] = random64(), weights[j] = 1;
    simhash = make(64);
    add(simhash, features, NULL, 5);
    weights[2999] = 262144.01;
    assert_rejected(simhash, features, weights, COUNT,
                    "weight 2999 must be from -2^18 to 2^18, not 262144");
    weights[2999] = -1e300;
    assert_rejected(simhash, features, weights, COUNT,
                    "weight 2999 must be from -2^18 to 2^18, not -1e+300");
    weights[2998] = (double)NAN;
    assert_int_equal(nd_simhash_add(simhash, features, weights, COUNT, NULL), ND_ERR_ARGUMENT);
    weights[7] = (double)INFINITY;
    assert_rejected(simhash, features, weights, COUNT,
                    "weight 7 must be from -2^18 to 2^18, not inf");
    assert_rejected(simhash, features, NULL, (size_t)1 << 50,
                    "the magnitudes of all weights must be below 2^50 together");
    assert_rejected(simhash, features, NULL, ((size_t)1 << 50) - 5,
                    "the magnitudes of all weights must be below 2^50 together");
    assert_same(nd_simhash_finish(simhash), fingerprint_of(64, features, NULL, 5));
    nd_simhash_free(simhash);
}

/* ---- fingerprints */

static void test_distance(void **state) {
    (void)state;
    for (size_t round = 0; round < 2000; round++) {
        nd_fingerprint a = {random64(), random64()}, b = {a.low, a.high};
        uint32_t expected = 0;
        if (round % 3) b.low ^= random64() & random64();
        if (round % 2) b.high ^= random64() & random64() & random64();
        for (unsigned i = 0; i < 64; i++)
            expected += (unsigned)((a.low ^ b.low) >> i & 1) +
                        (unsigned)((a.high ^ b.high) >> i & 1);
        assert_int_equal(nd_distance(a, b), expected);
        assert_true(nd_is_within(a, b, expected));
        assert_true(nd_is_within(b, a, 200));
        if (expected) assert_false(nd_is_within(a, b, expected - 1));
    }
    assert_int_equal(nd_distance((nd_fingerprint){0, 0}, (nd_fingerprint){UINT64_MAX, UINT64_MAX}),
                     128);
}

static void test_digits(void **state) {
    (void)state;
    char text[33], upper[33];
    nd_fingerprint got, value = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)};
    nd_fingerprint_format(value, 128, text);
    assert_string_equal(text, "fedcba98765432100123456789abcdef");
    nd_fingerprint_format(value, 64, text);
    assert_string_equal(text, "0123456789abcdef");
    nd_fingerprint_format(value, 16, text);
    assert_string_equal(text, "cdef");
    for (size_t round = 0; round < 1000; round++) {
        uint32_t bits = widths[round % 4];
        value = lower_bits((nd_fingerprint){random64(), random64()}, bits);
        nd_fingerprint_format(value, bits, text);
        assert_int_equal(strlen(text), bits / 4);
        for (size_t i = 0; i <= bits / 4; i++)
            upper[i] = (char)(text[i] >= 'a' ? text[i] - 32 : text[i]);
        assert_int_equal(nd_fingerprint_parse(text, bits / 4, bits, &got, NULL), ND_OK);
        assert_same(got, value);
        assert_int_equal(nd_fingerprint_parse(upper, bits / 4, bits, &got, NULL), ND_OK);
        assert_same(got, value);
    }
}

static void test_digits_rejected(void **state) {
    (void)state;
    nd_error error;
    nd_fingerprint got = {1, 2};
    assert_int_equal(nd_fingerprint_parse("0123", 4, 20, &got, &error), ND_ERR_ARGUMENT);
    for (size_t length = 0; length <= 32; length++)
        for (size_t w = 0; w < 4; w++)
            if (length != widths[w] / 4)
                assert_int_equal(nd_fingerprint_parse("00000000000000000000000000000000", length,
                                                      widths[w], &got, &error),
                                 ND_ERR_INPUT);
    assert_int_equal(nd_fingerprint_parse("01234", 5, 16, &got, &error), ND_ERR_INPUT);
    assert_string_equal(error.message,
                        "a fingerprint of 16 bits has 4 hexadecimal digits, not 5 characters");
    for (unsigned c = 0; c < 256; c++) {
        char text[4] = {'0', '0', (char)c, '0'};
        nd_fingerprint other;
        bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        assert_int_equal(nd_fingerprint_parse(text, 4, 16, digit ? &other : &got, &error),
                         digit ? ND_OK : ND_ERR_INPUT);
    }
    assert_string_equal(error.message,
                        "byte 2 of a fingerprint is 0xff: a hexadecimal digit was expected");
    assert_same(got, (nd_fingerprint){1, 2});
}

/* ---- quality */

static double random_normal(void) {
    double u = ((double)(random64() >> 11) + 0.5) * 0x1p-53,
           v = (double)(random64() >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

static double product(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Pairs of random vectors with an angle between them. Each pair has new features, so that every bit
 * is an independent trial. */
static void test_angles(void **state) {
    (void)state;
    enum { COUNT = 300, PAIRS = 2000, BITS = 128 };
    static const double parts[] = {0.01, 0.05, 0.125, 0.25, 0.5, 0.75, 0.95};
    nd_simhash *simhash = make(BITS);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        uint64_t differ = 0;
        double angle = parts[p] * acos(-1);
        for (size_t pair = 0; pair < PAIRS; pair++) {
            uint64_t features[COUNT];
            double a[COUNT], b[COUNT];
            for (size_t i = 0; i < COUNT; i++)
                features[i] = random64(), a[i] = random_normal() * 100,
                b[i] = random_normal() * 100;
            double along = product(a, b, COUNT) / product(a, a, COUNT);
            for (size_t i = 0; i < COUNT; i++) b[i] -= along * a[i];
            double length = sqrt(product(a, a, COUNT) / product(b, b, COUNT));
            for (size_t i = 0; i < COUNT; i++)
                b[i] = cos(angle) * a[i] + sin(angle) * length * b[i];
            add(simhash, features, a, COUNT);
            nd_fingerprint first = nd_simhash_finish(simhash);
            add(simhash, features, b, COUNT);
            differ += nd_distance(first, nd_simhash_finish(simhash));
        }
        double share = (double)differ / (PAIRS * BITS),
               error = sqrt(parts[p] * (1 - parts[p]) / (PAIRS * BITS));
        print_message("angle %.3f pi: %.5f of the bits differ, standard error %.5f\n", parts[p],
                      share, error);
        assert_true(fabs(share - parts[p]) < 4 * error);
    }
    nd_simhash_free(simhash);
}

/* Every bit is 1 for half of the inputs, and no two bits are correlated. */
static void test_bits_alone(void **state) {
    (void)state;
    enum { ROUNDS = 4000 };
    static uint64_t ones[128], agree[128][128];
    nd_simhash *simhash = make(128);
    for (size_t round = 0; round < ROUNDS; round++) {
        uint64_t features[99]; /* odd: no sum is 0 */
        for (size_t i = 0; i < 99; i++) features[i] = 1000 * round + i;
        add(simhash, features, NULL, 99);
        nd_fingerprint got = nd_simhash_finish(simhash);
        bool bit[128];
        for (size_t i = 0; i < 128; i++)
            ones[i] += bit[i] = (i < 64 ? got.low >> i : got.high >> (i - 64)) & 1;
        for (size_t i = 0; i < 128; i++)
            for (size_t k = 0; k < i; k++) agree[i][k] += bit[i] == bit[k];
    }
    double deviation = sqrt(ROUNDS) / 2;
    for (size_t i = 0; i < 128; i++) {
        assert_true(fabs((double)ones[i] - ROUNDS / 2) < 4.5 * deviation);
        for (size_t k = 0; k < i; k++)
            assert_true(fabs((double)agree[i][k] - ROUNDS / 2) < 5.5 * deviation);
    }
    nd_simhash_free(simhash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition), cmocka_unit_test(test_textbook),
        cmocka_unit_test(test_golden),     cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_grouping),   cmocka_unit_test(test_zero),
        cmocka_unit_test(test_rejected),   cmocka_unit_test(test_distance),
        cmocka_unit_test(test_digits),     cmocka_unit_test(test_digits_rejected),
        cmocka_unit_test(test_angles),     cmocka_unit_test(test_bits_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

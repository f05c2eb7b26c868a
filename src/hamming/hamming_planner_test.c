/* The planner: the designs of the literature, their bytes, and the chosen design. */
#include "hamming/hamming_planner.h"

#include "test.h"

#include <math.h>
#include <string.h>

static nd_hamming_estimate list[ND_HAMMING_ESTIMATES];
static size_t count;

static nd_status try_plan(double n, uint32_t bits, uint32_t k, double memory, nd_error *error) {
    const nd_hamming_plan_options options = {sizeof options, .fingerprints = n, .bits = bits,
                                             .k = k, .memory = memory};
    return nd_hamming_plan(&options, list, &count, error);
}

static void plan(double n, uint32_t bits, uint32_t k, double memory) {
    nd_error error;
    if (try_plan(n, bits, k, memory, &error) != ND_OK) fail_msg("%s", error.message);
}

static const nd_hamming_estimate *named(const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    fail_msg("no design is called %s", name);
    return NULL;
}

static const nd_hamming_estimate *chosen(void) {
    const nd_hamming_estimate *one = NULL;
    for (size_t i = 0; i < count; i++) {
        assert_false(one && list[i].chosen);
        if (list[i].chosen) one = &list[i];
    }
    assert_non_null(one);
    return one;
}

/* Manku, Jain, Das Sarma 2007, section 3: 8 billion fingerprints of 64 bits, k = 3. Of 2^33
 * fingerprints a window of w bits leaves 2^(33 - w) candidates per table. Buckets have 31 bits
 * here, so a longer window leaves no fewer than 4. Of 5 blocks, four have 13 bits and one has 12.
 */
static void test_the_paper(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t tables;
        double candidates; /* of all tables */
    } designs[] = {{"4 windows", 4, 4 * 0x1p17},
                   {"2 of 5 blocks", 10, 6 * 0x1p7 + 4 * 0x1p8},
                   {"1 of 4 blocks twice", 16, 16 * 0x1p5},
                   {"3 of 6 blocks", 20, 20 * 0x1p2}};
    plan(0x1p33, 64, 3, 0);
    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
        const nd_hamming_estimate *e = named(designs[i].name);
        assert_int_equal(e->tables, designs[i].tables);
        assert_int_equal(e->most_errors, 0);
        assert_true(e->looks == e->tables);
        /* D = 33 on paper: bits per key of the heads, directory (2 bits) and samples (0.5) */
        assert_true(fabs(e->bytes / 0x1p33 / e->tables - (64 - 33 + 1 + 1 + 0.5) / 8) < 1e-9);
        assert_true(e->candidates == designs[i].candidates);
    }
    const nd_hamming_estimate *two = named("2 windows");
    assert_int_equal(two->tables, 2);
    assert_int_equal(two->least_errors, 1);
    assert_int_equal(two->most_errors, 1);
    assert_int_equal(named("1 window")->most_errors, 3);
    for (size_t i = 1; i < count; i++)
        assert_true(list[i - 1].microseconds <= list[i].microseconds);
}

static uint32_t most_tables(uint32_t k) { return k <= 3 ? 2 : k <= 5 ? 3 : 4; }
static bool has_few(const nd_hamming_estimate *e, uint32_t k) {
    return !e->extreme &&
           (e->tables <= most_tables(k) || (e->few && e->tables <= 4 && e->bytes <= 32 << 20));
}

/* The chosen design fits, and is the fastest with few tables. If no design fits, it is the
 * smallest.
 */
static void test_choice(void **state) {
    (void)state;
    uint64_t seed = 1;
    size_t unfit = 0;
    for (int round = 0; round < 300; round++) {
        uint32_t bits = UINT32_C(16) << random_below(&seed, 4),
                 k = (uint32_t)random_below(&seed, bits / 4 + 1);
        double n = exp2((double)random_below(&seed, 34)),
               memory = random_below(&seed, 2) ? n * (double)(1 + random_below(&seed, 200)) : 0;
        plan(n, bits, k, memory);
        const nd_hamming_estimate *one = chosen();
        double smallest = INFINITY;
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(list[i].fits, memory == 0 || list[i].bytes <= memory);
            smallest = fmin(smallest, list[i].bytes);
            any = any || list[i].fits;
        }
        unfit += !any;
        assert_true(any ? one->fits && has_few(one, k) : one->bytes == smallest);
        for (size_t i = 0; i < count && any; i++) {
            if (list[i].fits && has_few(&list[i], k))
                assert_true(one->microseconds <= list[i].microseconds);
            if (list[i].fits && !list[i].extreme && list[i].bytes <= 2 * smallest)
                assert_true(one->microseconds <= list[i].microseconds);
        }
    }
    assert_true(unfit > 0);
}

/* 64 bits, the usual width. */
static void test_usual(void **state) {
    (void)state;
    for (double n = 2e6; n <= 1e9; n *= 4) {
        plan(n, 64, 3, 0);
        assert_string_equal(chosen()->name, "2 windows");
        assert_true(chosen()->bytes < 12 * n);
        for (uint32_t k = 6; k <= 8; k += 2) {
            plan(n, 64, k, 0);
            assert_true(chosen()->tables >= 3 && chosen()->tables <= 4);
        }
    }
    plan(1e5, 64, 3, 0);
    assert_string_equal(chosen()->name, "4 windows");
}

/* With few fingerprints or many errors a scan is chosen. */
static void test_scan(void **state) {
    (void)state;
    plan(10000, 64, 8, 0);
    assert_string_equal(chosen()->name, "scan");
    assert_true(chosen()->microseconds < 2);
    plan(1e5, 64, 16, 0);
    assert_string_equal(chosen()->name, "scan");
    assert_true(chosen()->candidates == 1e5);
    plan(100, 64, 3, 0);
    assert_true(named("scan")->microseconds < 1);
}

static void test_rejected(void **state) {
    (void)state;
    nd_error error;
    static const struct {
        double n;
        uint32_t bits, k;
        double memory;
        const char *message;
    } bad[] = {{1e6, 48, 3, 0, "bits must be"},
               {1e6, 64, 17, 0, "k must be 0 to 16"},
               {0, 64, 3, 0, "fingerprints must be"},
               {NAN, 64, 3, 0, "fingerprints must be"},
               {1e6, 64, 3, -1, "memory"},
               {1e16, 64, 3, 0, "fingerprints must be"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(try_plan(bad[i].n, bad[i].bits, bad[i].k, bad[i].memory, &error),
                         ND_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, bad[i].message));
    }
}

/* Fingerprints of `bits` bits within k of one, by Pascal's triangle. */
static double neighbours(uint32_t bits, uint32_t k) {
    uint64_t row[130] = {1}, sum = 0;
    for (uint32_t n = 0; n < bits; n++)
        for (uint32_t i = k; i >= 1; i--) row[i] += row[i - 1];
    for (uint32_t i = 0; i <= k; i++) sum += row[i];
    return (double)sum;
}

/* Bytes of a packed table (formats.md): bits behind the bucket, a bit for each key and bucket in
 * the directory, and half a bit of a bucket for samples. */
static double table_bytes(uint32_t bits, double keys) {
    double buckets = 2;
    uint32_t bucket_bits = 1;
    while (2 * buckets <= keys && bucket_bits + 1 < bits) buckets *= 2, bucket_bits++;
    return (keys * (bits - bucket_bits + 1) + 1.5 * buckets) / 8;
}

/* Manku, Jain, Das Sarma 2007, section 3, count C(64, 3) = 41,664 probes; a search for everything
 * within 3 probes the nearer ones, too. */
static void test_extremes(void **state) {
    (void)state;
    static const struct {
        uint32_t bits, k;
        double looks;
    } known[] = {{64, 3, 1 + 64 + 2016 + 41664},
                 {64, 1, 65},
                 {16, 4, 2517},
                 {32, 4, 41449},
                 {64, 4, 679121},
                 {128, 2, 8257},
                 {128, 4, 11017633},
                 {32, 0, 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(neighbours(known[i].bits, known[i].k) == known[i].looks);
    const double n = 1e9;
    for (uint32_t bits = 16; bits <= 128; bits *= 2)
        for (uint32_t k = 0; k <= 4; k++) {
            double all = neighbours(bits, k), memory = table_bytes(bits, n * all);
            plan(n, bits, k, memory);
            const nd_hamming_estimate *probed = named("neighbours probed"),
                                      *stored = named("neighbours stored");
            assert_true(probed->looks == all && stored->looks == 1);
            assert_int_equal(probed->tables, 1);
            assert_int_equal(stored->tables, 1);
            assert_int_equal(probed->most_errors, k);
            assert_int_equal(stored->most_errors, 0);
            assert_true(probed->bytes == named("scan")->bytes);
            assert_true(fabs(stored->bytes - memory) <= 1e-9 * memory);
            assert_true(probed->extreme && stored->extreme);
            assert_false(probed->chosen || stored->chosen || probed->few || stored->few);
            plan(n, bits, k, memory * .99);
            assert_int_equal(named("neighbours stored")->fits, memory <= 0);
        }
}

/* The largest ones overflow nothing, and extremes are never chosen. One window looks less often
 * than the first extreme. */
static void test_extreme_sizes(void **state) {
    (void)state;
    for (uint32_t bits = 16; bits <= 128; bits *= 2)
        for (uint32_t k = 0; k <= bits / 4; k++)
            for (double n = 1; n <= 1e15; n *= 1e5) {
                size_t extremes = 0;
                plan(n, bits, k, 0);
                assert_false(chosen()->extreme);
                assert_true(count <= ND_HAMMING_ESTIMATES);
                for (size_t i = 0; i < count; i++) {
                    extremes += list[i].extreme;
                    assert_true(list[i].bytes > 0 && isfinite(list[i].bytes));
                    assert_true(isfinite(list[i].looks) && isfinite(list[i].microseconds));
                }
                assert_int_equal(extremes, 2);
                assert_true(named("neighbours probed")->looks >= named("1 window")->looks);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_paper), cmocka_unit_test(test_choice),
        cmocka_unit_test(test_usual),     cmocka_unit_test(test_scan),
        cmocka_unit_test(test_extremes),  cmocka_unit_test(test_extreme_sizes),
        cmocka_unit_test(test_rejected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

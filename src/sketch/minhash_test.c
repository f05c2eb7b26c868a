/* MinHash compared with its formula, written a second time, and with fixed vectors; and the quality
 * of its family: mean, variance, and the agreement of whole bands, beside the exact values. All
 * random numbers are fixed, so the statistics are the same in every run. */
#include "sketch/minhash.h"

#include "base/hash.h"
#include "sketch/minhash_filter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 2;

static uint64_t random64(void) { return nd_mix64(random_state += UINT64_C(0x9e3779b97f4a7c15)); }

static nd_minhash *make(uint32_t perms, uint64_t seed) {
    nd_minhash *minhash = NULL;
    nd_error error;
    assert_int_equal(nd_minhash_create(perms, seed, NULL, &minhash, &error), ND_OK);
    assert_int_equal(nd_minhash_perms(minhash), perms);
    return minhash;
}

/* ---- the formula */

static uint64_t stream(uint64_t seed, uint64_t j) {
    uint64_t x = seed + j * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Parameters of the functions as the comment of minhash.c defines them. */
static void plain_parameters(uint32_t functions, uint64_t seed, uint64_t *key, uint32_t *a) {
    uint32_t p = 1, shuffle[256];
    uint64_t j = 1;
    while (p < functions) p <<= 1;
    *key = stream(seed, j++);
    for (uint32_t i = 0; i < p; i++) shuffle[i] = i;
    for (uint32_t i = p; i-- > 1;) {
        uint32_t other = (uint32_t)(((stream(seed, j++) >> 32) * (i + 1)) >> 32),
                 kept = shuffle[other];
        shuffle[other] = shuffle[i];
        shuffle[i] = kept;
    }
    for (uint32_t i = 0; i < functions; i++)
        a[i] = (uint32_t)(stream(seed, j++) >> 32) / p * p + shuffle[i];
}

static void test_formula(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 5, 16, 31, 64, 100, 127, 128, 129, 256, 1000, 1024};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint32_t perms = sizes[s], functions = (perms + 3) / 4, a[256], expected[1024], got[1024],
                 p = 1;
        uint64_t seed = random64(), key, hashes[100];
        bool seen[256] = {false};
        nd_minhash *minhash = make(perms, seed);
        plain_parameters(functions, seed, &key, a);
        while (p < functions) p *= 2;
        for (uint32_t i = 0; i < functions; i++) {
            assert_false(seen[a[i] % p]);
            seen[a[i] % p] = true;
        }
        for (size_t j = 0; j < 100; j++) hashes[j] = random64();
        for (uint32_t i = 0; i < perms; i++) {
            expected[i] = UINT32_MAX;
            for (size_t j = 0; j < 100; j++) {
                uint64_t m = nd_mix64(hashes[j] ^ key);
                uint32_t v = (uint32_t)(a[i % functions] * (m & UINT32_MAX) + (m >> 32));
                if (i / functions % 2 == 1) v = UINT32_MAX - v;
                if (i / functions >= 2) v = v + (UINT32_C(1) << 31);
                if (v < expected[i]) expected[i] = v;
            }
        }
        nd_minhash_sign(minhash, hashes, 100, got);
        assert_memory_equal(got, expected, perms * sizeof *got);
        nd_minhash_free(minhash);
    }
}

static void test_golden(void **state) {
    (void)state;
    static const uint32_t golden[8] = {16360950, 23956825, 6101277, 266022,
                                       7291957,  3841036,  2301028, 1352150};
    uint64_t hashes[1000];
    uint32_t got[8];
    for (uint64_t j = 0; j < 1000; j++) hashes[j] = j * j;
    nd_minhash *minhash = make(8, 42);
    nd_minhash_sign(minhash, hashes, 1000, got);
    assert_memory_equal(got, golden, sizeof got);
    nd_minhash_free(minhash);
}

/* ---- the interface */

static void test_sets(void **state) {
    (void)state;
    enum { PERMS = 77, SETS = 5 };
    const size_t starts[SETS + 1] = {0, 0, 1, 300, 300, 1000};
    uint64_t hashes[1000], twice[2000];
    uint32_t batch[SETS * PERMS], one[PERMS];
    uint8_t sketch[PERMS];
    nd_minhash *minhash = make(PERMS, 3);
    for (size_t i = 0; i < 1000; i++) hashes[i] = random64();
    nd_minhash_sign_batch(minhash, hashes, starts, SETS, batch);
    for (size_t s = 0; s < SETS; s++) {
        nd_minhash_sign(minhash, hashes + starts[s], starts[s + 1] - starts[s], one);
        assert_memory_equal(one, batch + s * PERMS, sizeof one);
    }
    for (size_t i = 0; i < PERMS; i++) assert_int_equal(batch[i], UINT32_MAX);

    /* Backwards and twice, it is the same set. */
    for (size_t i = 0; i < 1000; i++) twice[i] = twice[1000 + i] = hashes[999 - i];
    nd_minhash_sign(minhash, hashes, 1000, batch);
    nd_minhash_sign(minhash, twice, 2000, one);
    assert_memory_equal(one, batch, sizeof one);

    nd_minhash_sketch(one, PERMS, sketch);
    for (size_t i = 0; i < PERMS; i++) assert_int_equal(sketch[i], one[i] & 255);
    nd_minhash_half_sketch(one, PERMS, sketch);
    for (size_t i = 0; i < PERMS; i++)
        assert_int_equal(sketch[i / 2] >> i % 2 * 4 & 15, one[i] & 15);
    assert_int_equal(sketch[PERMS / 2] >> 4, 0);

    assert_true(nd_minhash_estimate(one, batch, PERMS) == 1);
    for (size_t i = 0; i < 7; i++) one[i * 11] ^= 1;
    assert_true(nd_minhash_estimate(one, batch, PERMS) == 70.0 / 77);
    nd_minhash_free(minhash);
}

/* Half sketches of every size, and of values that differ in each of the low bits, or above them. */
static void test_half_sketches(void **state) {
    (void)state;
    enum { MOST = 300 };
    uint32_t a[MOST], b[MOST];
    uint8_t sketch[2][MOST];
    for (uint32_t perms = 1; perms <= MOST; perms++) {
        size_t equal = 0;
        for (uint32_t i = 0; i < perms; i++) {
            a[i] = (uint32_t)random64();
            b[i] = a[i] ^ (UINT32_C(1) << random64() % 8);
            equal += ((a[i] ^ b[i]) & 15) == 0;
        }
        nd_minhash_half_sketch(a, perms, sketch[0]);
        nd_minhash_half_sketch(b, perms, sketch[1]);
        assert_int_equal(nd_half_sketch_matches(sketch[0], sketch[1], perms), equal);
        assert_int_equal(nd_half_sketch_matches(sketch[0], sketch[0], perms), perms);
    }
}

static void *no_memory(void *context, size_t size) {
    (void)context;
    (void)size;
    return NULL;
}

static void test_rejected(void **state) {
    (void)state;
    nd_error error;
    nd_minhash *minhash = NULL;
    const nd_allocator none = {NULL, no_memory, NULL, NULL};
    assert_int_equal(nd_minhash_create(0, 1, NULL, &minhash, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "perms must be 1 to 1024, not 0");
    assert_int_equal(nd_minhash_create(1025, 1, NULL, &minhash, NULL), ND_ERR_ARGUMENT);
    assert_int_equal(nd_minhash_create(128, 1, &none, &minhash, &error), ND_ERR_MEMORY);
    assert_null(minhash);
    nd_minhash_free(NULL);
}

/* ---- quality */

enum { PERMS = 128, MAX_UNION = 100000 };

/* Signatures of two random sets that have `shared` of `all` elements in common; the other elements
 * go to the two sets in turn. */
static void sign_pair(const nd_minhash *minhash, uint64_t *hashes, size_t shared, size_t all,
                      uint32_t *a, uint32_t *b) {
    for (size_t i = 0; i < all; i++) hashes[i] = random64();
    size_t middle = shared + (all - shared) / 2;
    nd_minhash_sign(minhash, hashes, middle, a);
    /* The second set: its own elements, with the shared ones moved beside them. */
    memmove(hashes + middle - shared, hashes, shared * sizeof *hashes);
    nd_minhash_sign(minhash, hashes + middle - shared, all - middle + shared, b);
}

/* Which values of a function are of one element. The elements of a union have either top bit. The
 * values are, in their order, of the least element, the greatest, the least with the top bit, and
 * the greatest without it. If only one element has a top bit, two values are of it; if none has,
 * they are those of the elements with the other one. */
typedef enum pattern {
    ALL_DIFFER,
    ONE_IS_SET,
    ONE_IS_UNSET,
    ONE_OF_EACH,
    ONE_BIT,
    PATTERNS
} pattern;

static void pattern_probabilities(size_t n, double p[PATTERNS]) {
    double all = pow(2, (double)n), one = (double)n / all;
    memset(p, 0, PATTERNS * sizeof *p);
    p[ONE_BIT] = 2 / all;
    if (n == 2) p[ONE_OF_EACH] = one;
    if (n > 2) p[ONE_IS_SET] = p[ONE_IS_UNSET] = one;
    p[ALL_DIFFER] = 1 - p[ONE_BIT] - p[ONE_OF_EACH] - 2 * p[ONE_IS_SET];
}

/* The agreements of the four values, from those of different elements. */
static void agreements(pattern which, size_t n, const bool of_elements[4], bool agrees[4]) {
    memcpy(agrees, of_elements, 4 * sizeof *agrees);
    if (n == 1) agrees[1] = agrees[0];
    if (which == ONE_BIT) {
        agrees[2] = agrees[0];
        agrees[3] = agrees[1];
    } else if (which != ALL_DIFFER) {
        agrees[2] = which == ONE_IS_UNSET ? of_elements[2] : agrees[1];
        agrees[3] = which == ONE_IS_SET ? of_elements[2] : agrees[0];
    }
}

/* The variance of the number of equal values of a function, to that of four independent
 * permutations: the sum of the covariances over the patterns. */
static double variance_ratio(double n) {
    return n > 1 ? (n - 4 + n * (n + 2) / pow(2, n)) / (n - 1) : 4;
}

/* Mean and variance of the estimate over many pairs, each with a family of its own seed. The
 * functions are independent, so the exact variance is the sum of theirs. */
static void test_unbiased(void **state) {
    (void)state;
    static const struct {
        size_t all, pairs;
    } plan[] = {{1, 500},    {2, 4000},   {20, 4000},    {100, 4000},
                {1000, 600}, {10000, 60}, {MAX_UNION, 8}};
    uint64_t *hashes = malloc(MAX_UNION * sizeof *hashes);
    double worst_ratio = 1, ratio_sum = 0, ratio_count = 0, independent = 0;
    for (size_t s = 0; s < sizeof plan / sizeof *plan; s++)
        for (unsigned percent = 5; percent <= 95; percent += plan[s].all > 1000 ? 45 : 15) {
            size_t all = plan[s].all, shared = (all * percent + 50) / 100;
            double jaccard = (double)shared / (double)all, sum = 0, squares = 0,
                   pairs = (double)plan[s].pairs;
            for (size_t pair = 0; pair < plan[s].pairs; pair++) {
                uint32_t a[PERMS], b[PERMS];
                nd_minhash *minhash = make(PERMS, random64());
                sign_pair(minhash, hashes, shared, all, a, b);
                double error = nd_minhash_estimate(a, b, PERMS) - jaccard;
                sum += error;
                squares += error * error;
                nd_minhash_free(minhash);
            }
            double variance = jaccard * (1 - jaccard) * variance_ratio((double)all) / PERMS;
            assert_true(fabs(sum / pairs) <= 4 * sqrt(variance / pairs) + 1e-12);
            if (variance < 1e-12 || plan[s].pairs < 500) continue;
            double ratio = squares / pairs / variance;
            if (fabs(ratio - 1) > fabs(worst_ratio - 1)) worst_ratio = ratio;
            ratio_sum += ratio;
            independent += squares / pairs / (jaccard * (1 - jaccard) / PERMS);
            ratio_count++;
            assert_true(fabs(ratio - 1) < 4 * sqrt(2 / pairs) + 0.02);
        }
    double ratio = ratio_sum / ratio_count;
    print_message("variance to the exact one: mean %.4f of %g cases, worst %.4f; to that of "
                  "independent permutations: mean %.4f\n",
                  ratio, ratio_count, worst_ratio, independent / ratio_count);
    assert_true(fabs(ratio - 1) < 0.03);
    free(hashes);
}

/* The largest numbers that a pair at the threshold misses at most once in 10^9, from sums of exact
 * fractions. */
static void test_filter(void **state) {
    (void)state;
    static const struct {
        double threshold;
        uint32_t perms;
        size_t required;
    } known[] = {{0, 128, 0},     {.3, 128, 11},   {.5, 128, 31},    {.8, 128, 73},
                 {.95, 128, 103}, {.99, 128, 116}, {1, 128, 128},    {.8, 64, 30},
                 {.8, 256, 163},  {.3, 64, 1},     {.0001, 1024, 0}, {.999, 1024, 1012}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(
            nd_sketch_required_matches(known[i].threshold, known[i].perms, ND_SKETCH_FILTERS),
            known[i].required);
}

/* Adds the distribution of the number of equal values among the first `values` of a function. */
static void one_function(size_t shared, size_t n, size_t values, double p[5]) {
    double patterns[PATTERNS];
    pattern_probabilities(n, patterns);
    for (unsigned bits = 0; bits < 16; bits++) {
        bool of_elements[4], agrees[4];
        double drawn = 1, left = (double)n, left_shared = (double)shared;
        for (size_t k = 0; k < 4; k++) {
            of_elements[k] = bits >> k & 1;
            if (left == 0) {
                if (of_elements[k]) drawn = 0; /* no more elements: counted once */
                continue;
            }
            drawn *= (of_elements[k] ? left_shared : left - left_shared) / left;
            left_shared -= of_elements[k];
            left--;
        }
        if (drawn <= 0) continue;
        for (unsigned which = 0; which < PATTERNS; which++) {
            size_t equal = 0;
            agreements(which, n, of_elements, agrees);
            for (size_t k = 0; k < values; k++) equal += agrees[k];
            p[equal] += drawn * patterns[which];
        }
    }
}

/* The probability that a pair at the threshold fails the filter by its equal minima, computed for
 * every union of at most 64 elements. Larger ones have less than 10^-15 for values of one element.
 */
static void test_filter_of_small_sets(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 10, 64, 128};
    double worst = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t n = 1; n <= 64; n++)
            for (size_t shared = 1; shared <= n; shared++) {
                size_t perms = sizes[i], functions = (perms + 3) / 4,
                       required = nd_sketch_required_matches((double)shared / (double)n,
                                                             (uint32_t)perms, ND_SKETCH_FILTERS);
                double p[PERMS + 5] = {1}, below = 0;
                for (size_t f = 0; f < functions; f++) {
                    double one[5] = {0}, next[PERMS + 5] = {0};
                    one_function(shared, n, (perms - f + functions - 1) / functions, one);
                    for (size_t x = 0; x <= PERMS; x++)
                        for (size_t y = 0; y < 5; y++) next[x + y] += p[x] * one[y];
                    memcpy(p, next, sizeof p);
                }
                for (size_t x = 0; x < required; x++) below += p[x];
                if (below > worst) worst = below;
            }
    print_message("a pair at the threshold fails at most with probability %.3g\n", worst);
    assert_true(worst <= 1e-9);
    assert_true(worst > 1e-11);
}

/* The filter at two standard deviations, and as it is: pairs at the threshold fail no more often
 * than values with equal minima alone would make them. Values that are equal by chance are no help
 * in sets of few elements. */
static void test_half_sketch_filter(void **state) {
    (void)state;
    static const size_t all[] = {5, 20, 100, 1000};
    enum { PAIRS = 3000 };
    uint64_t *hashes = malloc(MAX_UNION * sizeof *hashes);
    for (size_t s = 0; s < sizeof all / sizeof *all; s++)
        for (unsigned percent = 20; percent <= 80; percent += 20) {
            double jaccard = percent / 100.0, n = PERMS, far = 0, lost = 0,
                   least = n * jaccard - 2 * sqrt(n * jaccard * (1 - jaccard));
            size_t required = nd_sketch_required_matches(jaccard, PERMS, ND_SKETCH_FILTERS);
            for (size_t pair = 0; pair < PAIRS; pair++) {
                uint32_t a[PERMS], b[PERMS];
                uint8_t x[PERMS], y[PERMS];
                nd_minhash *minhash = make(PERMS, random64());
                sign_pair(minhash, hashes, all[s] * percent / 100, all[s], a, b);
                nd_minhash_half_sketch(a, PERMS, x);
                nd_minhash_half_sketch(b, PERMS, y);
                size_t equal = nd_half_sketch_matches(x, y, PERMS);
                far += (double)equal < least;
                lost += equal < required;
                nd_minhash_free(minhash);
            }
            assert_true(lost == 0);
            assert_true(far <= .04 * PAIRS); /* .023 of a normal distribution is below */
        }
    free(hashes);
}

static void draw_agreements(size_t shared, size_t n, const double patterns[PATTERNS],
                            bool agrees[4]) {
    double chance = (double)(random64() >> 11) * 0x1p-53;
    unsigned which = 0;
    while (which + 1 < PATTERNS && chance >= patterns[which]) chance -= patterns[which++];
    bool drawn[4] = {false};
    for (size_t k = 0, left = n; k < 4 && left > 0; k++, left--) {
        drawn[k] = random64() % left < shared;
        shared -= drawn[k];
    }
    agreements(which, n, drawn, agrees);
}

/* The probability that at least one band agrees, if the functions are independent. */
static double found_by_draws(size_t shared, size_t all, size_t rows) {
    enum { DRAWS = 200000 };
    size_t found = 0;
    double patterns[PATTERNS];
    pattern_probabilities(all, patterns);
    for (size_t draw = 0; draw < DRAWS; draw++) {
        bool agrees[PERMS], of_one[4], any = false;
        for (size_t i = 0; i < PERMS / 4; i++) {
            draw_agreements(shared, all, patterns, of_one);
            for (size_t k = 0; k < 4; k++) agrees[k * PERMS / 4 + i] = of_one[k];
        }
        for (size_t begin = 0; begin + rows <= PERMS && !any; begin += rows) {
            any = true;
            for (size_t i = begin; i < begin + rows; i++) any &= agrees[i];
        }
        found += any;
    }
    return (double)found / DRAWS;
}

/* A band of r rows agrees with probability J^r, and at least one of b bands with probability
 * 1 - (1 - J^r)^b or more: the plan of bands relies on it. It does not follow from pairwise
 * independence, since the values of an element lie on a line (a_i lo + hi). The standard error of
 * the bands' mean is estimated from the pairs. */
static void test_bands(void **state) {
    (void)state;
    static const size_t unions[] = {3, 4, 10, 100, 500};
    uint64_t *hashes = malloc(500 * sizeof *hashes);
    for (size_t u = 0; u < sizeof unions / sizeof *unions; u++)
        for (unsigned percent = 50; percent <= 90; percent += 20) {
            size_t all = unions[u], shared = all * percent / 100, pairs = all < 500 ? 4000 : 1000;
            double sum[2] = {0, 0}, squares[2] = {0, 0}, found[2] = {0, 0};
            for (size_t pair = 0; pair < pairs; pair++) {
                uint32_t a[PERMS], b[PERMS];
                nd_minhash *minhash = make(PERMS, random64());
                sign_pair(minhash, hashes, shared, all, a, b);
                for (size_t k = 0; k < 2; k++) {
                    size_t rows = 5 + k, bands = PERMS / rows, agree = 0;
                    for (size_t band = 0; band < bands; band++)
                        agree += memcmp(a + band * rows, b + band * rows, rows * sizeof *a) == 0;
                    double share = (double)agree / (double)bands;
                    sum[k] += share;
                    squares[k] += share * share;
                    found[k] += agree > 0;
                }
                nd_minhash_free(minhash);
            }
            for (unsigned k = 0; k < 2; k++) {
                double mean = sum[k] / (double)pairs,
                       deviation = sqrt((squares[k] / (double)pairs - mean * mean) / (double)pairs);
                double expected = pow((double)shared / (double)all, 5 + k);
                print_message("union %zu, J %.2f, %u rows: %.5f of bands agree, J^r %.5f, standard "
                              "error %.5f\n",
                              all, percent / 100.0, 5 + k, mean, expected, deviation);
                assert_true(fabs(mean - expected) < 4 * deviation);
                double any = 1 - pow(1 - expected, PERMS / (5 + k)),
                       drawn = found_by_draws(shared, all, 5 + k), share = found[k] / (double)pairs,
                       error = 4 * sqrt(drawn * (1 - drawn) / (double)pairs) + 1.0 / (double)pairs;
                print_message("    a pair is found %.5f, by draws %.5f, 1 - (1 - J^r)^b %.5f\n",
                              share, drawn, any);
                assert_true(fabs(share - drawn) < error);
                assert_true(share > any - error);
            }
        }
    free(hashes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_unbiased),
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_half_sketches),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_filter_of_small_sets),
        cmocka_unit_test(test_half_sketch_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

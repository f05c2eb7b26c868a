/* Vectors and cosines, compared with plain sums over the words of random texts, in long double. */
#include "similarity/tf_vector.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VOCABULARY = 30, MOST_WORDS = 60 };

typedef struct counted_text {
    unsigned counts[VOCABULARY];
    char text[MOST_WORDS * 5 + 1];
} counted_text;

static void make_text(counted_text *t, uint64_t *seed) {
    size_t words = 1 + random_below(seed, MOST_WORDS);
    *t = (counted_text){.text = ""};
    for (size_t i = 0; i < words; i++) {
        unsigned word = (unsigned)random_below(seed, VOCABULARY);
        t->counts[word]++;
        sprintf(t->text + strlen(t->text), "w%u ", word);
    }
}

/* The weights in the table that read_table reads. */
static double table_weight(unsigned word) { return word % 7 == 0 ? 0 : word * 0.25; }

static nd_weights *read_table(void) {
    char path[] = "/tmp/feature_vector_test-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    for (unsigned w = 0; w < VOCABULARY; w++) fprintf(file, "w%u %f\n", w, table_weight(w));
    fclose(file);
    nd_weights *weights = NULL;
    assert_int_equal(nd_weights_read(path, 1, NULL, &weights, NULL), ND_OK);
    remove(path);
    return weights;
}

static double element(const counted_text *t, nd_weighting weighting, unsigned word) {
    if (weighting == ND_WEIGHTING_NONE) return t->counts[word] > 0;
    return t->counts[word] * (weighting == ND_WEIGHTING_TABLE ? table_weight(word) : 1);
}

static double plain_cosine(const counted_text *a, const counted_text *b, nd_weighting weighting) {
    long double ab = 0, aa = 0, bb = 0;
    for (unsigned w = 0; w < VOCABULARY; w++) {
        double x = element(a, weighting, w), y = element(b, weighting, w);
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return aa > 0 && bb > 0 ? (double)(ab / sqrtl(aa * bb)) : 0;
}

static void make_vector(nd_analyzer *analyzer, nd_text_simhash *simhash, const char *text,
                        nd_tf_vector *out) {
    nd_shingles shingles;
    assert_int_equal(nd_analyze(analyzer, text, strlen(text), &shingles, NULL), ND_OK);
    assert_int_equal(nd_tf_vector_make(simhash, &nd_allocator_default, &shingles, out, NULL),
                     ND_OK);
}

static double cosine(const nd_tf_vector *a, const nd_tf_vector *b) {
    return nd_tf_vector_cosine(a->words, a->count, b->words, b->count);
}

static void test_random(void **state) {
    (void)state;
    static const nd_weighting weightings[] = {ND_WEIGHTING_TF, ND_WEIGHTING_NONE,
                                              ND_WEIGHTING_TABLE};
    nd_analyzer_options options = {sizeof options, .kind = ND_WORDS, .ngram = 1, .seed = 1};
    nd_analyzer *analyzer;
    nd_weights *table = read_table();
    uint64_t seed = 3;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    for (int kind = 0; kind < 3; kind++) {
        nd_simhash_options simhash_options = {sizeof simhash_options, .bits = 64,
                                              .weighting = weightings[kind], .table = table};
        nd_text_simhash *simhash;
        nd_tf_vector a = {0}, b = {0};
        assert_int_equal(nd_text_simhash_create(analyzer, &simhash_options, NULL, &simhash, NULL),
                         ND_OK);
        for (int round = 0; round < 300; round++) {
            counted_text x, y;
            make_text(&x, &seed);
            make_text(&y, &seed);
            make_vector(analyzer, simhash, x.text, &a);
            make_vector(analyzer, simhash, y.text, &b);
            double wanted = plain_cosine(&x, &y, weightings[kind]);
            assert_true(fabs(cosine(&a, &b) - wanted) < 1e-12);
            assert_true(cosine(&a, &b) == cosine(&b, &a));
            assert_true(cosine(&a, &a) == (plain_cosine(&x, &x, weightings[kind]) > 0 ? 1 : 0));
        }
        nd_tf_vector_free(&nd_allocator_default, &a);
        nd_tf_vector_free(&nd_allocator_default, &b);
        nd_text_simhash_free(simhash);
    }
    nd_weights_free(table);
    nd_analyzer_free(analyzer);
}

/* A text without tokens has the feature of its characters alone. */
static void test_without_tokens(void **state) {
    (void)state;
    nd_analyzer *analyzer;
    nd_text_simhash *simhash;
    nd_simhash_options options = {sizeof options, .bits = 64, .weighting = ND_WEIGHTING_TF};
    nd_tf_vector empty = {0}, dots = {0}, word = {0};
    assert_int_equal(nd_analyzer_create(NULL, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_text_simhash_create(analyzer, &options, NULL, &simhash, NULL), ND_OK);
    make_vector(analyzer, simhash, "", &empty);
    make_vector(analyzer, simhash, "...", &dots);
    make_vector(analyzer, simhash, "word", &word);
    assert_int_equal(empty.count, 1);
    assert_true(cosine(&empty, &empty) == 1 && cosine(&dots, &dots) == 1);
    assert_true(cosine(&empty, &dots) == 0 && cosine(&dots, &word) == 0);
    nd_tf_vector_free(&nd_allocator_default, &empty);
    nd_tf_vector_free(&nd_allocator_default, &dots);
    nd_tf_vector_free(&nd_allocator_default, &word);
    nd_text_simhash_free(simhash);
    nd_analyzer_free(analyzer);
}

/* The vector of a text does not have its stop words, even if no word is left. */
static void test_stop_words(void **state) {
    (void)state;
    char path[] = "/tmp/feature_vector_test-XXXXXX";
    nd_analyzer_options words = {sizeof words, .kind = ND_WORDS, .ngram = 1, .seed = 1};
    nd_analyzer *analyzer;
    nd_text_simhash *some, *all;
    nd_stop_words *stop = NULL;
    nd_tf_vector a = {0}, b = {0};
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fputs("the\non\n", file);
    fclose(file);
    assert_int_equal(nd_stop_words_read(path, 1, NULL, NULL, &stop, NULL), ND_OK);
    remove(path);
    nd_simhash_options with = {sizeof with, .bits = 64, .weighting = ND_WEIGHTING_TF, .stop = stop},
                       without = {sizeof without, .bits = 64, .weighting = ND_WEIGHTING_TF};
    assert_int_equal(nd_analyzer_create(&words, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_text_simhash_create(analyzer, &with, NULL, &some, NULL), ND_OK);
    assert_int_equal(nd_text_simhash_create(analyzer, &without, NULL, &all, NULL), ND_OK);
    make_vector(analyzer, some, "the cat sat on the cat", &a);
    make_vector(analyzer, all, "cat sat cat", &b);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.words, b.words, 2 * a.count * sizeof *a.words);
    make_vector(analyzer, some, "on the", &a);
    assert_int_equal(a.count, 0);
    assert_true(cosine(&a, &b) == 0);
    nd_tf_vector_free(&nd_allocator_default, &a);
    nd_tf_vector_free(&nd_allocator_default, &b);
    nd_text_simhash_free(some);
    nd_text_simhash_free(all);
    nd_stop_words_free(stop);
    nd_analyzer_free(analyzer);
}

/* The largest possible elements do not overflow. */
static void test_great(void **state) {
    (void)state;
    uint64_t great = (uint64_t)1 << 59, a[] = {1, 5, great / 2, great / 2},
             b[] = {5, 9, great / 2, great / 2};
    assert_true(nd_tf_vector_cosine(a, 2, a, 2) == 1);
    assert_true(nd_tf_vector_cosine(a, 2, b, 2) == 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_without_tokens),
        cmocka_unit_test(test_great), cmocka_unit_test(test_stop_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

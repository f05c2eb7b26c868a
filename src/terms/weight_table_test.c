/* Valid tables, and the messages about invalid ones. */
#include "terms/weight_table.h"

#include "base/status.h"
#include "german_locale.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 7 };

static char path[64];

static void write_file(const char *text, size_t size) {
    snprintf(path, sizeof path, "/tmp/feature_weights_test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), size);
    close(fd);
}

static nd_weights *read_text(const char *text) {
    nd_weights *weights = NULL;
    nd_error error;
    write_file(text, strlen(text));
    if (nd_weights_read(path, SEED, NULL, &weights, &error) != ND_OK) fail_msg("%s", error.message);
    unlink(path);
    return weights;
}

/* The only shingle of a text. */
static uint64_t feature_of(const char *text) {
    nd_analyzer *analyzer;
    nd_analyzer_options options = {sizeof options, .kind = ND_WORDS, .ngram = 1, .seed = SEED};
    nd_shingles shingles;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_analyze(analyzer, text, strlen(text), &shingles, NULL), ND_OK);
    assert_int_equal(shingles.count, 1);
    uint64_t feature = shingles.hashes[0];
    nd_analyzer_free(analyzer);
    return feature;
}

static void expect_weight(const nd_weights *weights, const char *word, double weight) {
    uint64_t feature = feature_of(word);
    double filled;
    nd_weights_fill(weights, &feature, 1, &filled);
    assert_true(nd_weights_of(weights, feature) == weight);
    assert_true(filled == weight);
}

static nd_weights_info describe(const nd_weights *weights) {
    nd_weights_info info = {.struct_size = sizeof info};
    assert_int_equal(nd_weights_describe(weights, &info, NULL), ND_OK);
    return info;
}

static void expect_info(const nd_weights *weights, uint64_t words, uint64_t left_out,
                        uint64_t documents, double absent) {
    nd_weights_info info = describe(weights);
    assert_int_equal(info.words, words);
    assert_int_equal(info.left_out, left_out);
    assert_int_equal(info.documents, documents);
    assert_int_equal(info.seed, SEED);
    assert_true(info.absent == absent);
}

/* ---- valid tables */

static void test_two_columns(void **state) {
    (void)state;
    nd_weights *weights = read_text("\xef\xbb\xbfthe 0.25\r\nCat\t3\n\n  mat \t 1.5  "
                                    "\r\nCafe\u0301 2\nSTRA\u00dfE\t0\n\u7f8e 13.75");
    expect_weight(weights, "the", .25);
    expect_weight(weights, "THE!", .25);
    expect_weight(weights, "cat", 3);
    expect_weight(weights, "mat", 1.5);
    expect_weight(weights, "caf\u00e9", 2);
    expect_weight(weights, "strasse", 0);
    expect_weight(weights, "\u7f8e", 13.75);
    expect_weight(weights, "dog", 13.75);
    expect_info(weights, 6, 0, 0, 13.75);
    nd_weights_free(weights);
}

static void test_left_out(void **state) {
    (void)state;
    nd_weights *weights = read_text(
        "New York\t20\nC++ 1\netc. 1\n!! 1\nU.S. 1\n\u7f8e\u56fd 11\n51\u533a 2\n\U0001f642 "
        "3\n\u0301a 1\nword 2\nc 5\na_1 6\n");
    expect_info(weights, 3, 7, 0, 20);
    nd_weights_info info = describe(weights);
    assert_int_equal(info.segments, 2);
    expect_weight(weights, "C", 5);
    expect_weight(weights, "word", 2);
    expect_weight(weights, "c", 5);
    expect_weight(weights, "A_1", 6);
    expect_weight(weights, "a", 20);
    nd_weights_free(weights);
}

/* ND_SEGMENT produces terms of several characters. A table that was counted with ND_SEGMENT needs
 * it. */
static void test_segments(void **state) {
    (void)state;
    static const nd_analyzer_options words = {sizeof words, .kind = ND_WORDS, .ngram = 1,
                                              .seed = SEED},
                                     segments = {sizeof segments, .kind = ND_SEGMENT, .ngram = 1,
                                                 .seed = SEED},
                                     characters = {sizeof characters, .kind = ND_CHARS, .ngram = 1,
                                                   .seed = SEED};
    const nd_hash_key key = nd_hash_key_of(SEED);
    nd_error error;
    nd_weights *weights = read_text("\u7f8e\u56fd 11\n51\u533a 2\n\u7f8e 20\n");
    assert_true(nd_weights_of(weights, nd_mix64(nd_hash_token(&key, "\u7f8e\u56fd", 6))) == 11);
    assert_true(nd_weights_of(weights, nd_mix64(nd_hash_token(&key, "51\u533a", 5))) == 2);
    assert_int_equal(nd_weights_check(weights, &words, NULL), ND_OK);
    assert_int_equal(nd_weights_check(weights, &segments, NULL), ND_OK);
    assert_int_equal(nd_weights_check(weights, &characters, NULL), ND_ERR_ARGUMENT);
    nd_weights_free(weights);
    weights = read_text(
        "# documents: 99\n# analyzer: segment\nterm\tdf\tidf\n\u7f8e\u56fd\t49\t0.693147\n");
    nd_weights_info info = describe(weights);
    assert_true(info.segmented);
    assert_int_equal(nd_weights_check(weights, &segments, NULL), ND_OK);
    assert_int_equal(nd_weights_check(weights, &words, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message,
                        "the table was counted with the analyzer segment, and is used with words: "
                        "a table's words must be those of the texts");
    nd_weights_free(weights);
    weights = read_text("# documents: 99\nterm\tdf\tidf\n\u7f8e\t49\t0.693147\n");
    assert_int_equal(nd_weights_check(weights, &segments, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "the table was counted with the analyzer words, and is used "
                                       "with segment: a table's words must be those of the texts");
    nd_weights_free(weights);
}

static void test_counted(void **state) {
    (void)state;
    nd_weights *weights = read_text(
        "# documents: 99\nterm\tdf\tidf\nthe\t99\t0.000000\ncat\t49\t0.693147\n");
    expect_weight(weights, "the", 0);
    expect_weight(weights, "cat", 2839. / 4096);
    expect_weight(weights, "dog", floor(log(100) * 4096 + .5) / 4096);
    expect_info(weights, 2, 0, 99, floor(log(100) * 4096 + .5) / 4096);
    nd_weights_free(weights);
    weights = read_text("# documents: 0\nterm\tdf\tidf\n");
    expect_weight(weights, "dog", 0);
    nd_weights_free(weights);
}

/* A table must be used with the analyzer that it was counted with; a table that does not name one
 * can be used with any. */
static void test_stems(void **state) {
    (void)state;
    nd_weights *stems = read_text(
                   "# documents: 3\n# stem: english\nterm\tdf\tidf\nonli\t1\t0.693147\n"),
               *list = read_text("only 3\n");
    nd_weights *plain = read_text("# documents: 3\nterm\tdf\tidf\nonly\t1\t0.693147\n");
    nd_analyzer_options words = {sizeof words, .kind = ND_WORDS, .ngram = 1, .seed = SEED},
                        english = words;
    nd_error error;
    english.stem = "english";
    expect_weight(stems, "onli", 2839. / 4096);
    assert_string_equal(describe(stems).stem, "english");
    assert_null(describe(plain).stem);
    assert_int_equal(nd_weights_check(stems, &english, NULL), ND_OK);
    assert_int_equal(nd_weights_check(plain, &words, NULL), ND_OK);
    assert_int_equal(nd_weights_check(list, &words, NULL), ND_OK);
    assert_int_equal(nd_weights_check(list, &english, NULL), ND_OK);
    assert_int_equal(nd_weights_check(stems, &words, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "the table was counted with stem english, and is used with "
                                       "no stem: a table's stems must be those of the texts");
    assert_int_equal(nd_weights_check(plain, &english, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "the table was counted with no stem, and is used with stem "
                                       "english: a table's stems must be those of the texts");
    nd_weights_free(stems);
    nd_weights_free(plain);
    nd_weights_free(list);
}

static void test_many(void **state) {
    (void)state;
    enum { MANY = 20000 };
    char *text = malloc(MANY * 20), word[20];
    size_t used = 0;
    for (unsigned i = 0; i < MANY; i++)
        used += (size_t)sprintf(text + used, "w%u\t%u.5\n", i, i % 100);
    nd_weights *weights = read_text(text);
    expect_info(weights, MANY, 0, 0, 99.5);
    for (unsigned i = 0; i < MANY; i += 7) {
        snprintf(word, sizeof word, "w%u", i);
        expect_weight(weights, word, i % 100 + .5);
    }
    expect_weight(weights, "w20000", 99.5);
    nd_weights_free(weights);
    free(text);
}

/* ---- invalid tables */

static void expect_rejected(const char *text, const char *message) {
    nd_weights *weights = NULL;
    nd_error error;
    char expected[300];
    write_file(text, strlen(text));
    assert_int_equal(nd_weights_read(path, SEED, NULL, &weights, &error), ND_ERR_INPUT);
    unlink(path);
    snprintf(expected, sizeof expected, "%s:%s", path, message);
    assert_string_equal(error.message, expected);
    assert_null(weights);
}

static void test_rejected(void **state) {
    (void)state;
    expect_rejected("a 1\nb\n", "2: a word, a tab or a blank, and its weight expected, not 'b'");
    expect_rejected("a 1\n\t2\n", "2: a word, a tab or a blank, and its weight expected, not '2'");
    expect_rejected("a 1\nb -1\n", "2: a weight from 0 to 262144 expected, not '-1'");
    expect_rejected("b nan\n", "1: a weight from 0 to 262144 expected, not 'nan'");
    expect_rejected("b\tinf\n", "1: a weight from 0 to 262144 expected, not 'inf'");
    expect_rejected("b\t262145\n", "1: a weight from 0 to 262144 expected, not '262145'");
    expect_rejected("b\t1,5\n", "1: a weight from 0 to 262144 expected, not '1,5'");
    expect_rejected("a b\t\n", "1: a weight from 0 to 262144 expected, not 'b'");
    expect_rejected("the 1\n\ncat 2\nThe 3\n",
                    "4: 'The' has a weight already, in line 1; case makes no difference");
    expect_rejected("a 1\n\xff 2\n", "2: invalid UTF-8 at byte 0");
    expect_rejected("", " a table of words and weights expected, and there is no line");
    expect_rejected("\n\n", " a table of words and weights expected, and there is no line");
    expect_rejected("# documents: many\n", "1: the number of documents expected, not 'many'");
    expect_rejected("# documents: 9\n", "2: the header 'term<tab>df<tab>idf' expected");
    expect_rejected("# documents: 9\nterm\tdf\n", "2: the header 'term<tab>df<tab>idf' expected");
    expect_rejected("# documents: 9\n# stem: \nterm\tdf\tidf\n",
                    "2: the language of the stems expected, not ''");
    expect_rejected("# documents: 9\n# stem: english\nthe 1\n",
                    "3: the header 'term<tab>df<tab>idf' expected");
    expect_rejected("# documents: 9\n# analyzer: segment\nthe 1\n",
                    "3: the header 'term<tab>df<tab>idf' expected");
    expect_rejected("# documents: 9\n# analyzer: chars\nterm\tdf\tidf\n",
                    "2: the header 'term<tab>df<tab>idf' expected");
    expect_rejected("\u7f8e\u56fd 1\n\u7f8e\u56fd 2\n",
                    "2: '\u7f8e\u56fd' has a weight already, in line 1; case makes no difference");
    expect_rejected("# documents: 9\nterm\tdf\tidf\na 1\n",
                    "3: term, df and idf, with tabs between them, expected, not 'a 1'");
    expect_rejected("# documents: 9\nterm\tdf\tidf\na\t1\n",
                    "3: term, df and idf, with tabs between them, expected, not 'a\\t1'");
    expect_rejected("# documents: 9\nterm\tdf\tidf\na\t1\t2\t3\n",
                    "3: term, df and idf, with tabs between them, expected, not 'a\\t1\\t2\\t3'");
    expect_rejected("# documents: 9\nterm\tdf\tidf\na\t10\t2\n",
                    "3: a df from 1 to the number of documents expected, not '10'");
    expect_rejected("# documents: 9\nterm\tdf\tidf\na\t0\t2\n",
                    "3: a df from 1 to the number of documents expected, not '0'");
    expect_rejected("# documents: 9\nterm\tdf\tidf\na\t1\tx\n",
                    "3: a weight from 0 to 262144 expected, not 'x'");
    expect_rejected(
        "a very long line of which a message does not show \u00e9verything that is in it\n",
        "1: a weight from 0 to 262144 expected, not 'it'");
    expect_rejected("averylonglineofwhichamessagedoesnotshow\u00e9verything\n",
                    "1: a word, a tab or a blank, and its weight expected, not "
                    "'averylonglineofwhichamessagedoesnotshow'");
}

static void test_not_there(void **state) {
    (void)state;
    nd_weights *weights = NULL;
    nd_error error;
    assert_int_equal(nd_weights_read("/nowhere/at/all", SEED, NULL, &weights, &error), ND_ERR_IO);
    assert_string_equal(error.message, "/nowhere/at/all: No such file or directory");
    assert_int_equal(nd_weights_read(NULL, SEED, NULL, &weights, &error), ND_ERR_ARGUMENT);
    nd_weights_free(NULL);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    static const char text[] = "# documents: "
                               "9\nterm\tdf\tidf\none\t1\t1\ntwo\t1\t1\nthr\u00e9e\t1\t1\nfour\t1\t"
                               "1\nfive\t1\t1\nsix\t1\t1\nseven\t1\t1\n";
    write_file(text, strlen(text));
    for (long left = 0;; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_weights *weights = NULL;
        nd_status status = nd_weights_read(path, SEED, &allocator, &weights, NULL);
        nd_weights_free(weights);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 200);
    }
    unlink(path);
}

/* ---- the same everywhere */

static void test_other_locale(void **state) {
    set_german_locale();
    test_two_columns(state);
    test_counted(state);
    test_rejected(state);
    setlocale(LC_ALL, "C");
}

static void test_idf(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        uint64_t documents = random_below(&seed, UINT64_C(1) << random_below(&seed, 40)),
                 df = random_below(&seed, documents + 1);
        double idf = log(((double)documents + 1) / ((double)df + 1));
        assert_true(fabs(nd_idf_units(documents, df) / 4096. - idf) <= .5 / 4096 + 1e-9);
    }
    assert_int_equal(nd_idf_units(0, 0), 0);
    assert_int_equal(nd_idf_units(UINT64_MAX - 1, UINT64_MAX - 1), 0);
    assert_int_equal(nd_idf_units(UINT64_MAX - 1, 0), 181704);
}

/* The hash depends on the weights of the words and of other words, and not on their order. */
static void test_hash(void **state) {
    (void)state;
    static const char *const tables[] = {
        "the 1\ncat 2\n", "CAT\t2.0\nthe 1\n",
        "the 2\ncat 1\n", "the 1\ncat 2\ndog 0\n",
        "the 1\ndog 2\n", "# documents: 3\nterm\tdf\tidf\nthe\t3\t1\ncat\t1\t2\n"};
    uint64_t hashes[6];
    for (size_t i = 0; i < 6; i++) {
        nd_weights *weights = read_text(tables[i]);
        hashes[i] = nd_weights_hash(weights);
        assert_true(hashes[i] != 0);
        nd_weights_free(weights);
    }
    assert_true(hashes[0] == hashes[1]);
    for (size_t i = 2; i < 6; i++)
        for (size_t j = 1; j < i; j++) assert_true(hashes[i] != hashes[j]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_columns),
                                       cmocka_unit_test(test_left_out),
                                       cmocka_unit_test(test_segments),
                                       cmocka_unit_test(test_counted),
                                       cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_rejected),
                                       cmocka_unit_test(test_not_there),
                                       cmocka_unit_test(test_idf),
                                       cmocka_unit_test(test_memory_runs_out),
                                       cmocka_unit_test(test_other_locale),
                                       cmocka_unit_test(test_stems),
                                       cmocka_unit_test(test_hash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fingerprints of texts, compared with the definition step by step, and with golden ones. */
#include "sketch/text_simhash.h"

#include "base/status.h"
#include "terms/weight_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static nd_analyzer *analyzer_of(nd_analyzer_kind kind, uint32_t ngram) {
    nd_analyzer *analyzer = NULL;
    nd_analyzer_options options = {sizeof options, .kind = kind, .ngram = ngram, .seed = 1};
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    return analyzer;
}

static nd_fingerprint print_of(nd_analyzer *analyzer, const nd_simhash_options *options,
                               const char *text) {
    nd_fingerprint out = {1, 1};
    nd_error error;
    if (nd_simhash_text(analyzer, options, text, strlen(text), &out, &error) != ND_OK)
        fail_msg("%s: %s", text, error.message);
    return out;
}

static void expect_hex(nd_fingerprint print, uint32_t bits, const char *hex) {
    char text[33];
    nd_fingerprint_format(print, bits, text);
    assert_string_equal(text, hex);
}

static nd_weights *table_of(const char *text) {
    char path[] = "/tmp/text_simhash_test-XXXXXX";
    nd_weights *weights = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    assert_int_equal(nd_weights_read(path, 1, NULL, &weights, NULL), ND_OK);
    unlink(path);
    return weights;
}

static bool same(nd_fingerprint a, nd_fingerprint b) { return a.low == b.low && a.high == b.high; }

/* ---- the definition, written a second time: sums in 1/4096 of all bits, feature by feature */

typedef struct sums {
    int64_t of[128];
} sums;

static void add_plainly(sums *s, uint64_t feature, double weight) {
    uint64_t mixed[2] = {nd_mix64(feature + ND_HASH_C0), nd_mix64(feature + ND_HASH_C1)};
    int64_t units = (int64_t)(weight * 4096);
    for (unsigned i = 0; i < 128; i++) s->of[i] += mixed[i / 64] >> i % 64 & 1 ? units : -units;
}

static nd_fingerprint finish_plainly(const sums *s, uint32_t bits) {
    uint64_t words[2] = {0, 0};
    for (uint32_t i = 0; i < bits; i++) words[i / 64] |= (uint64_t)(s->of[i] > 0) << i % 64;
    return (nd_fingerprint){words[0], words[1]};
}

/* The analyzer's shingles with the weights of `kind`; table and counts are NULL if it does not use
 * them. */
static nd_fingerprint plainly(nd_analyzer *analyzer, const nd_simhash_options *options,
                              const nd_count_min *counts, const char *text) {
    nd_shingles shingles;
    sums s = {{0}};
    assert_int_equal(nd_analyze(analyzer, text, strlen(text), &shingles, NULL), ND_OK);
    for (size_t i = 0; i < shingles.count; i++) {
        bool seen = false;
        double weight = 1;
        for (size_t j = 0; j < i; j++) seen |= shingles.hashes[j] == shingles.hashes[i];
        if (counts && shingles.tokens) nd_count_min_weigh(counts, shingles.hashes + i, 1, &weight);
        else if (options->table && shingles.tokens)
            weight = nd_weights_of(options->table, shingles.hashes[i]);
        else if (options->weighting == ND_WEIGHTING_NONE && seen) weight = 0;
        add_plainly(&s, shingles.hashes[i], weight);
    }
    return finish_plainly(&s, options->bits);
}

static void random_text(uint64_t *seed, char *text, size_t words) {
    static const char *const others[] = {"Stra\u00dfe", "\u6f22\u5b57", "!", "\U0001f642",
                                         "Cafe\u0301"};
    *text = 0;
    for (size_t i = 0; i < words; i++) {
        if (random_below(seed, 6) == 0) strcat(text, others[random_below(seed, 5)]);
        else
            sprintf(text + strlen(text), "W%u",
                    (unsigned)random_below(seed, 1 + random_below(seed, 60)));
        strcat(text, " ");
    }
}

static void test_against_definition(void **state) {
    (void)state;
    static const struct {
        nd_analyzer_kind kind;
        uint32_t ngram;
    } analyzers[] = {{ND_WORDS, 1}, {ND_WORDS, 3}, {ND_CHARS, 5}, {ND_CHARS, 1}};
    nd_weights *table = table_of(
        "w1 0.5\nw2 2.25\nstrasse 7.125\n\u6f22 1.000244140625\nabsent 3\n");
    uint64_t seed = 4;
    char text[6000];
    for (size_t a = 0; a < 4; a++) {
        nd_analyzer *analyzer = analyzer_of(analyzers[a].kind, analyzers[a].ngram);
        for (int i = 0; i < 300; i++) {
            nd_simhash_options options = {sizeof options, .bits = 16u << i % 4,
                                          .weighting = ND_WEIGHTING_TF};
            random_text(&seed, text, random_below(&seed, i % 20 ? 30 : 700));
            if (i / 4 % 3 == 1) options.weighting = ND_WEIGHTING_NONE;
            if (i / 4 % 3 == 2 && a == 0)
                options = (nd_simhash_options){sizeof(nd_simhash_options), .bits = options.bits,
                                               .weighting = ND_WEIGHTING_TABLE, .table = table};
            assert_true(
                same(print_of(analyzer, &options, text), plainly(analyzer, &options, NULL, text)));
        }
        nd_analyzer_free(analyzer);
    }
    nd_weights_free(table);
}

/* The fingerprint of a text without its stop words, with any weights. A text without words has no
 * stop words. */
static void test_stop_words(void **state) {
    (void)state;
    static const char list[] = "the\nsat\nstrasse\n\u6f22\n";
    static const struct {
        const char *text, *rest;
    } cases[] = {{"The cat sat on the mat", "cat on mat"},
                 {"\u6f22\u5b57 Stra\u00dfe, the way", "\u5b57 way"},
                 {"cat", "cat"},
                 {"?!", "?!"}};
    char path[] = "/tmp/text_simhash_test-XXXXXX";
    nd_stop_words *stop = NULL;
    nd_weights *table = table_of("the 9\ncat 3\non 1.5\nmat 2\n");
    nd_analyzer *analyzer = analyzer_of(ND_WORDS, 1), *shingles = analyzer_of(ND_WORDS, 2);
    int fd = mkstemp(path);
    assert_int_equal(write(fd, list, strlen(list)), strlen(list));
    close(fd);
    assert_int_equal(nd_stop_words_read(path, 1, NULL, NULL, &stop, NULL), ND_OK);
    unlink(path);
    for (size_t i = 0; i < 4 * sizeof cases / sizeof *cases; i++) {
        static const nd_weighting weightings[] = {ND_WEIGHTING_TF, ND_WEIGHTING_NONE,
                                                  ND_WEIGHTING_TABLE, ND_WEIGHTING_TF};
        nd_simhash_options all = {sizeof all, .bits = 64, .weighting = weightings[i % 4],
                                  .table = i % 4 == 2 ? table : NULL},
                           some = all;
        some.stop = stop;
        assert_true(same(print_of(analyzer, &some, cases[i / 4].text),
                         print_of(analyzer, &all, cases[i / 4].rest)));
    }
    nd_simhash_options some = {sizeof some, .bits = 64, .stop = stop},
                       levels = {sizeof levels, .bits = 64, .weighting = ND_WEIGHTING_LEVELS,
                                 .stop = stop};
    nd_fingerprint none = print_of(analyzer, &some, "the the sat"), out;
    assert_true(none.low == 0 && none.high == 0);
    assert_int_equal(nd_simhash_text(shingles, &some, "a", 1, &out, NULL), ND_ERR_ARGUMENT);
    assert_int_equal(nd_simhash_text(analyzer, &levels, "a(1)", 4, &out, NULL), ND_ERR_ARGUMENT);
    nd_analyzer_free(analyzer);
    nd_analyzer_free(shingles);
    nd_weights_free(table);
    nd_stop_words_free(stop);
}

static void test_counted(void **state) {
    (void)state;
    enum { TEXTS = 200 };
    static char texts[TEXTS][800];
    uint64_t seed = 8;
    for (int i = 0; i < TEXTS; i++) random_text(&seed, texts[i], random_below(&seed, 60));
    for (int kind = 0; kind < 3; kind++) {
        nd_analyzer *analyzer = analyzer_of(kind == 2 ? ND_CHARS : ND_WORDS, kind == 1   ? 3
                                                                             : kind == 2 ? 5
                                                                                         : 1);
        nd_count_min *counts = NULL;
        nd_text_simhash *simhash = NULL;
        nd_simhash_options options;
        nd_simhash_options_init(&options, sizeof options);
        assert_int_equal(nd_count_min_create(NULL, &counts, NULL), ND_OK);
        for (int i = 0; i < TEXTS; i++) {
            nd_shingles shingles;
            assert_int_equal(nd_analyze(analyzer, texts[i], strlen(texts[i]), &shingles, NULL),
                             ND_OK);
            nd_count_min_add_document(counts, shingles.hashes,
                                      nd_set_make(shingles.hashes, shingles.count));
        }
        nd_count_min_prepare_weights(counts);
        assert_int_equal(nd_text_simhash_create(analyzer, &options, counts, &simhash, NULL), ND_OK);
        for (int i = 0; i < TEXTS; i++) {
            nd_fingerprint out;
            assert_int_equal(nd_text_simhash_make(simhash, texts[i], strlen(texts[i]), &out, NULL),
                             ND_OK);
            assert_true(same(out, plainly(analyzer, &options, counts, texts[i])));
            nd_shingles shingles;
            nd_fingerprint again;
            assert_int_equal(nd_analyze(analyzer, texts[i], strlen(texts[i]), &shingles, NULL),
                             ND_OK);
            assert_int_equal(nd_text_simhash_of_shingles(simhash, &shingles, &again, NULL), ND_OK);
            assert_true(same(out, again));
        }
        nd_text_simhash_free(simhash);
        nd_count_min_free(counts);
        nd_analyzer_free(analyzer);
    }
}

/* ---- golden fingerprints, from a second implementation of doc/internals/formats.md (in Python) */

static void test_golden(void **state) {
    (void)state;
    nd_analyzer *analyzer = analyzer_of(ND_WORDS, 1);
    nd_fingerprint the = print_of(analyzer, NULL, "the cat sat on the mat"),
                   a = print_of(analyzer, NULL, "the cat sat on a mat"),
                   other = print_of(analyzer, NULL, "we all scream for ice cream");
    expect_hex(the, 64, "c5088e24075a206f");
    expect_hex(a, 64, "c508ce24065a286e");
    expect_hex(other, 64, "080a22c818247c4c");
    assert_int_equal(nd_distance(the, a), 4);
    assert_int_equal(nd_distance(the, other), 33);
    assert_int_equal(nd_distance(a, other), 31);
    nd_analyzer_free(analyzer);
}

static const char chinese[] =
    "美国(4) 51区(5) 雇员(3) 称(1) 内部(2) 有(1) 9架(3) 飞碟(5) 曾(1) 看见(3) 灰色(4) 外星人(5)";

static void test_golden_levels(void **state) {
    (void)state;
    static const struct {
        const char *word;
        double weight;
    } items[] = {{"美国", 4}, {"51区", 5}, {"雇员", 3}, {"称", 1},   {"内部", 2}, {"有", 1},
                 {"9架", 3},  {"飞碟", 5}, {"曾", 1},   {"看见", 3}, {"灰色", 4}, {"外星人", 5}};
    nd_analyzer *analyzer = analyzer_of(ND_WORDS, 1);
    nd_hash_key key = nd_hash_key_of(1);
    nd_simhash_options options = {sizeof options, .bits = 128, .weighting = ND_WEIGHTING_LEVELS};
    nd_fingerprint print = print_of(analyzer, &options, chinese);
    sums s = {{0}};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        add_plainly(&s, nd_mix64(nd_hash_token(&key, items[i].word, strlen(items[i].word))),
                    items[i].weight);
    assert_true(same(print, finish_plainly(&s, 128)));
    expect_hex(print, 128, "244044650ce4dba8097f4369b81eb386");
    nd_analyzer_free(analyzer);
}

/* ---- levels */

static void test_levels(void **state) {
    (void)state;
    nd_analyzer *analyzer = analyzer_of(ND_WORDS, 1);
    nd_simhash_options levels = {sizeof levels, .bits = 64, .weighting = ND_WEIGHTING_LEVELS},
                       tf = {sizeof tf, .bits = 64, .weighting = ND_WEIGHTING_TF};
    /* An item of one token has that token's feature. Order, case, spaces and splitting a weight
     * make no difference. */
    nd_fingerprint cats = print_of(analyzer, &tf, "the cat sat on the mat");
    assert_true(same(cats, print_of(analyzer, &levels, "the(2) cat(1) sat(1) on(1) mat(1)")));
    assert_true(same(
        cats, print_of(analyzer, &levels,
                       "\u3000mat(1.0)\t\nSAT(10e-1)\u00a0\u2003On(1) tHe(1) cat(1) the(1) ")));
    assert_true(same(cats, print_of(analyzer, &levels, "the(1) cat(.5) sat(.5) on(.5) mat(.5)")));
    assert_true(
        same(print_of(analyzer, &tf, "caf\u00e9"), print_of(analyzer, &levels, "CAFE\u0301(3)")));
    /* Parentheses inside a word. */
    assert_false(same(print_of(analyzer, &levels, "f(x)(3)"), print_of(analyzer, &levels, "f(3)")));
    /* No item: as without levels. */
    assert_true(same(print_of(analyzer, &levels, ""), print_of(analyzer, &tf, "")));
    assert_true(same(print_of(analyzer, &levels, " \t"), print_of(analyzer, &tf, " \t")));
    /* More items than are added at a time. */
    char many[12000] = "", words[12000] = "";
    for (int i = 0; i < 1000; i++) {
        sprintf(many + strlen(many), "w%d(1) ", i);
        sprintf(words + strlen(words), "w%d ", i);
    }
    assert_true(same(print_of(analyzer, &levels, many), print_of(analyzer, &tf, words)));
    nd_analyzer_free(analyzer);
}

static void expect_rejected(nd_analyzer *analyzer, const nd_simhash_options *options,
                            const char *text, nd_status status, const char *message) {
    nd_fingerprint out = {7, 8};
    nd_error error;
    assert_int_equal(nd_simhash_text(analyzer, options, text, strlen(text), &out, &error), status);
    assert_string_equal(error.message, message);
    assert_true(out.low == 7 && out.high == 8);
}

static void test_levels_rejected(void **state) {
    (void)state;
    nd_analyzer *analyzer = analyzer_of(ND_WORDS, 1);
    nd_simhash_options levels = {sizeof levels, .bits = 64, .weighting = ND_WEIGHTING_LEVELS};
    expect_rejected(analyzer, &levels, "a(1) b c(2)", ND_ERR_INPUT,
                    "item 2: word(weight) expected, not 'b'");
    expect_rejected(analyzer, &levels, "a(1) (2)", ND_ERR_INPUT,
                    "item 2: word(weight) expected, not '(2)'");
    expect_rejected(analyzer, &levels, "a(1)b", ND_ERR_INPUT,
                    "item 1: word(weight) expected, not 'a(1)b'");
    expect_rejected(analyzer, &levels, "a)", ND_ERR_INPUT,
                    "item 1: word(weight) expected, not 'a)'");
    expect_rejected(analyzer, &levels, "a()", ND_ERR_INPUT,
                    "item 1: a weight from 0 to 262144 in the parentheses expected, not 'a()'");
    expect_rejected(analyzer, &levels, "a(-1)", ND_ERR_INPUT,
                    "item 1: a weight from 0 to 262144 in the parentheses expected, not 'a(-1)'");
    expect_rejected(analyzer, &levels, "a(1e9)", ND_ERR_INPUT,
                    "item 1: a weight from 0 to 262144 in the parentheses expected, not 'a(1e9)'");
    expect_rejected(analyzer, &levels, "美国（4）", ND_ERR_INPUT,
                    "item 1: word(weight) expected, not '美国（4）'");
    expect_rejected(analyzer, &levels, "a(1) \xff(1)", ND_ERR_INPUT, "invalid UTF-8 at byte 5");
    nd_analyzer_free(analyzer);
}

/* Features added before a failure are not in the next fingerprint. */
static void test_after_failure(void **state) {
    (void)state;
    nd_analyzer *analyzer = analyzer_of(ND_WORDS, 1);
    nd_simhash_options levels = {sizeof levels, .bits = 64, .weighting = ND_WEIGHTING_LEVELS};
    nd_text_simhash *simhash = NULL;
    nd_fingerprint out;
    char text[6000] = "";
    for (int i = 0; i < 700; i++) sprintf(text + strlen(text), "w%d(3) ", i);
    strcat(text, "nonsense");
    assert_int_equal(nd_text_simhash_create(analyzer, &levels, NULL, &simhash, NULL), ND_OK);
    assert_int_equal(nd_text_simhash_make(simhash, text, strlen(text), &out, NULL), ND_ERR_INPUT);
    assert_int_equal(nd_text_simhash_make(simhash, "cat(1)", 6, &out, NULL), ND_OK);
    assert_true(same(out, print_of(analyzer, NULL, "cat")));
    nd_text_simhash_free(simhash);
    nd_analyzer_free(analyzer);
}

/* ---- texts without tokens, options */

static void test_without_tokens(void **state) {
    (void)state;
    nd_weights *table = table_of("# documents: 0\nterm\tdf\tidf\n");
    nd_analyzer *analyzer = analyzer_of(ND_WORDS, 1);
    nd_simhash_options options = {sizeof options, .bits = 64, .weighting = ND_WEIGHTING_TABLE,
                                  .table = table};
    /* All weights are 0: no bit is set. But a text without tokens weighs 1. */
    assert_true(print_of(analyzer, &options, "word").low == 0);
    assert_true(print_of(analyzer, &options, "?!").low != 0);
    for (nd_weighting w = ND_WEIGHTING_TF; w <= ND_WEIGHTING_TABLE; w++) {
        options.weighting = w;
        assert_true(same(print_of(analyzer, &options, "\U0001f642"),
                         print_of(analyzer, NULL, "\U0001f642")));
        assert_false(same(print_of(analyzer, &options, "\U0001f642"),
                          print_of(analyzer, NULL, "\U0001f641")));
    }
    nd_analyzer_free(analyzer);
    nd_weights_free(table);
}

static void test_options(void **state) {
    (void)state;
    nd_weights *table = table_of("a 1\n");
    nd_analyzer *words = analyzer_of(ND_WORDS, 1), *shingles = analyzer_of(ND_WORDS, 3),
                *chars = analyzer_of(ND_CHARS, 1), *secret = NULL;
    nd_analyzer_options with_seed = {sizeof with_seed, .kind = ND_WORDS, .ngram = 1, .seed = 2};
    assert_int_equal(nd_analyzer_create(&with_seed, NULL, &secret, NULL), ND_OK);
    nd_simhash_options weighed = {sizeof weighed, .bits = 64, .weighting = ND_WEIGHTING_TABLE,
                                  .table = table},
                       none = {sizeof none, .bits = 64, .weighting = ND_WEIGHTING_TABLE},
                       bits = {sizeof bits, .bits = 60, .weighting = ND_WEIGHTING_TF},
                       counted = {sizeof counted, .bits = 64, .weighting = ND_WEIGHTING_COUNTED},
                       kind = {sizeof kind, .bits = 64, .weighting = (nd_weighting)5};
    expect_rejected(
        shingles, &weighed, "a", ND_ERR_ARGUMENT,
        "the words of a table are single words: they need the analyzer words or segment with "
        "ngram 1, not words with ngram 3");
    expect_rejected(
        chars, &weighed, "a", ND_ERR_ARGUMENT,
        "the words of a table are single words: they need the analyzer words or segment with "
        "ngram 1, not chars with ngram 1");
    expect_rejected(secret, &weighed, "a", ND_ERR_ARGUMENT,
                    "the table was read for seed 1, and the analyzer has 2");
    expect_rejected(words, &none, "a", ND_ERR_ARGUMENT, "ND_WEIGHTING_TABLE needs a table");
    expect_rejected(words, &bits, "a", ND_ERR_ARGUMENT, "bits must be 16, 32, 64 or 128, not 60");
    expect_rejected(words, &kind, "a", ND_ERR_ARGUMENT,
                    "weighting must be ND_WEIGHTING_TF (0) to ND_WEIGHTING_COUNTED (4), not 5");
    expect_rejected(
        words, &counted, "a", ND_ERR_ARGUMENT,
        "ND_WEIGHTING_COUNTED counts the words of all documents: only nd_dedup and nd_pairs "
        "have it");
    expect_rejected(words, NULL, "a\xff", ND_ERR_INPUT, "invalid UTF-8 at byte 1");
    nd_analyzer_free(words);
    nd_analyzer_free(shingles);
    nd_analyzer_free(chars);
    nd_analyzer_free(secret);
    nd_weights_free(table);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    for (long left = 0;; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_analyzer *analyzer = NULL;
        nd_fingerprint out;
        nd_simhash_options levels = {sizeof levels, .bits = 64, .weighting = ND_WEIGHTING_LEVELS};
        nd_status status = nd_analyzer_create(NULL, &allocator, &analyzer, NULL);
        if (status == ND_OK) status = nd_simhash_text(analyzer, NULL, "a text", 6, &out, NULL);
        if (status == ND_OK)
            status = nd_simhash_text(analyzer, &levels, "\u00e9(1)", 5, &out, NULL);
        nd_analyzer_free(analyzer);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 50);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_definition),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_golden_levels),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_levels_rejected),
        cmocka_unit_test(test_after_failure),
        cmocka_unit_test(test_without_tokens),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_stop_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Keywords of random texts, against an oracle that counts, weighs and sorts all terms. */
#include "extract/text_keywords.h"

#include "test.h"
#include "terms/weight_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 3, MOST_TERMS = 400 };

static nd_analyzer *analyzer_with(nd_analyzer_kind kind, uint32_t ngram, const char *stem) {
    nd_analyzer *analyzer = NULL;
    nd_analyzer_options options = {sizeof options, .kind = kind, .ngram = ngram, .seed = SEED,
                                   .stem = stem};
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    return analyzer;
}

static nd_analyzer *analyzer_of(nd_analyzer_kind kind, uint32_t ngram) {
    return analyzer_with(kind, ngram, NULL);
}

static void write_file(char path[64], const char *text) {
    strcpy(path, "/tmp/text_keywords_test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static nd_weights *table_of(const char *text) {
    char path[64];
    nd_weights *weights = NULL;
    write_file(path, text);
    assert_int_equal(nd_weights_read(path, SEED, NULL, &weights, NULL), ND_OK);
    unlink(path);
    return weights;
}

static nd_stop_words *stop_of(const char *text) {
    char path[64];
    nd_stop_words *stop = NULL;
    write_file(path, text);
    assert_int_equal(nd_stop_words_read(path, SEED, NULL, NULL, &stop, NULL), ND_OK);
    unlink(path);
    return stop;
}

/* ---- the definition, written a second time */

typedef struct plain_term {
    char bytes[32];
    uint64_t units;
} plain_term;

typedef struct plain {
    nd_hash_key key;
    const nd_keyword_options *options;
    plain_term terms[MOST_TERMS];
    size_t count;
} plain;

/* nd_token_fn */
static bool count_token(void *context, const nd_token *token) {
    plain *p = context;
    size_t i = 0;
    uint64_t feature = nd_mix64(nd_hash_token(&p->key, token->text, token->length));
    if (p->options->stop && nd_stop_words_has(p->options->stop, feature)) return true;
    while (i < p->count && (strlen(p->terms[i].bytes) != token->length ||
                            memcmp(p->terms[i].bytes, token->text, token->length) != 0))
        i++;
    assert_true(i < MOST_TERMS && token->length < 32);
    if (i == p->count) {
        p->terms[p->count++].units = 0;
        snprintf(p->terms[i].bytes, 32, "%.*s", (int)token->length, token->text);
    }
    p->terms[i].units += p->options->table
                             ? (uint64_t)(nd_weights_of(p->options->table, feature) * 4096)
                             : 4096;
    return true;
}

static int by_weight(const void *a, const void *b) {
    const plain_term *x = a, *y = b;
    if (x->units != y->units) return x->units > y->units ? -1 : 1;
    return strcmp(x->bytes, y->bytes);
}

static size_t find_plainly(plain *p, nd_analyzer *analyzer, const char *text) {
    size_t count = 0;
    p->count = 0;
    p->key = nd_hash_key_of(SEED);
    assert_int_equal(nd_tokenize(analyzer, text, strlen(text), count_token, p, NULL), ND_OK);
    qsort(p->terms, p->count, sizeof *p->terms, by_weight);
    while (count < p->count && count < p->options->top && p->terms[count].units > 0) count++;
    return count;
}

static void random_text(uint64_t *seed, char *text, size_t words) {
    static const char *const others[] = {
        "Stra\u00dfe",        "\u6f22\u5b57",       "caf\u00e9", "?!",  "THE",
        "\u0e01\u0e34\u0e19", "\u0639\u0631\u0628", "Running",   "runs"};
    *text = 0;
    for (size_t i = 0; i < words; i++) {
        if (random_below(seed, 6) == 0) strcat(text, others[random_below(seed, 9)]);
        else
            sprintf(text + strlen(text), "W%u",
                    (unsigned)random_below(seed, 1 + random_below(seed, 200)));
        strcat(text, random_below(seed, 8) ? " " : ", ");
    }
}

static void compare_all(const char *stem) {
    nd_weights *table = table_of(
        "w1 0.5\nw2 2.25\nw3 0\nstrasse 7.125\n\u6f22 1.000244140625\n\u0e01\u0e34 2\nabsent 3\n");
    nd_stop_words *stop = stop_of("w4\nthe\n\u5b57\n");
    nd_analyzer *analyzer = analyzer_with(ND_WORDS, 1, stem);
    uint64_t seed = 4;
    static char text[10000];
    static plain p;
    for (int i = 0; i < 1200; i++) {
        nd_keyword_options options = {sizeof options,
                                      .top = 1 + (uint32_t)random_below(&seed, i % 9 ? 25 : 400),
                                      .stop = !stem && i / 2 % 2 ? stop : NULL};
        const nd_weighed_term *terms;
        nd_text_keywords *keywords;
        size_t count;
        p.options = &options;
        if (i % 2) {
            options.weighting = ND_WEIGHTING_TABLE;
            options.table = table;
        }
        assert_int_equal(nd_text_keywords_create(analyzer, &options, NULL, &keywords, NULL), ND_OK);
        for (int again = 0; again < 3; again++) {
            random_text(&seed, text, random_below(&seed, i % 10 ? 40 : 900));
            size_t expected = find_plainly(&p, analyzer, text);
            assert_int_equal(
                nd_text_keywords_find(keywords, text, strlen(text), &terms, &count, NULL), ND_OK);
            assert_int_equal(count, expected);
            for (size_t t = 0; t < count; t++) {
                assert_int_equal(terms[t].units, p.terms[t].units);
                assert_int_equal(terms[t].length, strlen(p.terms[t].bytes));
                assert_memory_equal(terms[t].bytes, p.terms[t].bytes, terms[t].length);
            }
        }
        nd_text_keywords_free(keywords);
    }
    nd_analyzer_free(analyzer);
    nd_weights_free(table);
    nd_stop_words_free(stop);
}

static void test_against_definition(void **state) {
    (void)state;
    compare_all(NULL);
}

static void test_stems(void **state) {
    (void)state;
    if (!strstr(nd_features(), "libstemmer")) skip();
    compare_all("english");
}

/* ---- one text */

typedef struct collected {
    char text[500];
    size_t count, stop_at;
} collected;

/* nd_keyword_fn */
static bool collect_keyword(void *context, const nd_keyword *keyword) {
    collected *t = context;
    sprintf(t->text + strlen(t->text), "%s%.*s %.6f", t->count ? "; " : "", (int)keyword->length,
            keyword->term, keyword->weight);
    return ++t->count != t->stop_at;
}

static nd_status collect_text(nd_analyzer *analyzer, const nd_keyword_options *options,
                              const char *text, collected *t, nd_error *error) {
    *t = (collected){.stop_at = t->stop_at};
    return nd_keywords_text(analyzer, options, text, strlen(text), collect_keyword, t, error);
}

static void test_texts(void **state) {
    (void)state;
    nd_analyzer *analyzer = analyzer_of(ND_WORDS, 1);
    nd_weights *table = table_of("the 0\ncat 1.5\non 0.25\nsat 3\n");
    nd_keyword_options tf = {sizeof tf, .top = 3, .weighting = ND_WEIGHTING_TF},
                       idf = {sizeof idf, .top = 3, .weighting = ND_WEIGHTING_TABLE,
                              .table = table};
    nd_error error;
    collected t = {.stop_at = 0};
    assert_int_equal(collect_text(analyzer, &tf, "The cat sat on the mat; the CAT.", &t, NULL),
                     ND_OK);
    assert_string_equal(t.text, "the 3.000000; cat 2.000000; mat 1.000000");
    assert_int_equal(collect_text(analyzer, &idf, "The cat sat on the mat; the CAT.", &t, NULL),
                     ND_OK);
    assert_string_equal(t.text, "cat 3.000000; mat 3.000000; sat 3.000000");
    assert_int_equal(collect_text(analyzer, &idf, "the THE on", &t, NULL), ND_OK);
    assert_string_equal(t.text, "on 0.250000");
    static const char *const without[] = {"", "the", "?! \U0001f642"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(collect_text(analyzer, &idf, without[i], &t, NULL), ND_OK);
        assert_int_equal(t.count, 0);
    }
    t.stop_at = 2;
    assert_int_equal(collect_text(analyzer, &tf, "a b c", &t, NULL), ND_ERR_CANCELLED);
    assert_string_equal(t.text, "a 1.000000; b 1.000000");
    assert_int_equal(collect_text(analyzer, &tf, "a\xff", &t, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 1");
    nd_analyzer_free(analyzer);
    nd_weights_free(table);
}

static void expect_rejected(nd_analyzer *analyzer, nd_keyword_options options,
                            const char *message) {
    options.struct_size = sizeof options;
    nd_error error;
    collected t = {.stop_at = 0};
    assert_int_equal(collect_text(analyzer, &options, "a", &t, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, message);
}

static void test_options(void **state) {
    (void)state;
    nd_analyzer *words = analyzer_of(ND_WORDS, 1), *shingles = analyzer_of(ND_WORDS, 2);
    nd_keyword_options usual;
    nd_keyword_options_init(&usual, sizeof usual);
    assert_int_equal(usual.top, 20);
    expect_rejected(
        words, usual,
        "ND_WEIGHTING_COUNTED counts the words of all documents: only nd_keywords has it");
    expect_rejected(words, (nd_keyword_options){.top = 0}, "top must be at least 1");
    expect_rejected(words, (nd_keyword_options){.top = 1, .weighting = ND_WEIGHTING_TABLE},
                    "ND_WEIGHTING_TABLE needs a table");
    expect_rejected(words, (nd_keyword_options){.top = 1, .weighting = ND_WEIGHTING_LEVELS},
                    "weighting of keywords must be ND_WEIGHTING_TF (0), ND_WEIGHTING_TABLE (2) or "
                    "ND_WEIGHTING_COUNTED (4), not 3");
    expect_rejected(
        shingles, (nd_keyword_options){.top = 1},
        "keywords are single words: they need the analyzer words or segment with ngram 1, not "
        "words with ngram 2");
    assert_int_equal(nd_keywords_text(words, NULL, "a", 1, collect_keyword, NULL, NULL),
                     ND_ERR_ARGUMENT);
    nd_analyzer_free(words);
    nd_analyzer_free(shingles);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    for (long left = 0;; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_analyzer_options options = {sizeof options, .kind = ND_WORDS, .ngram = 1, .seed = SEED};
        nd_keyword_options tf = {sizeof tf, .top = 3, .weighting = ND_WEIGHTING_TF};
        nd_analyzer *analyzer = NULL;
        collected t = {.stop_at = 0};
        nd_status status = nd_analyzer_create(&options, &allocator, &analyzer, NULL);
        if (status == ND_OK)
            status = collect_text(analyzer, &tf,
                                  "some words of which Stra\u00dfe is one and \u6f22 another", &t,
                                  NULL);
        nd_analyzer_free(analyzer);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_int_equal(t.count, 0);
        assert_true(left < 200);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_definition),
                                       cmocka_unit_test(test_stems), cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_options),
                                       cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Frequencies compared with a plain list of words. */
#include "terms/document_frequencies.h"

#include "base/alloc.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 3000, SEED = 3 };

typedef struct oracle {
    char words[MOST_WORDS][32];
    uint32_t documents[MOST_WORDS], last[MOST_WORDS], text;
    size_t count;
} oracle;

static const nd_analyzer_options words = {sizeof words, .kind = ND_WORDS, .ngram = 1, .seed = SEED};

static bool count_token(void *context, const nd_token *token) {
    oracle *o = context;
    size_t i = 0;
    while (i < o->count && (strlen(o->words[i]) != token->length ||
                            memcmp(o->words[i], token->text, token->length) != 0))
        i++;
    if (i == o->count) {
        assert_true(i < MOST_WORDS && token->length < sizeof *o->words);
        memcpy(o->words[o->count++], token->text, token->length);
    }
    o->documents[i] += o->last[i] != o->text;
    o->last[i] = o->text;
    return true;
}

static void random_text(uint64_t *seed, char *text) {
    static const char *const others[] = {"Stra\u00dfe", "\u6f22\u5b57", "!",    "\U0001f642",
                                         "Cafe\u0301",  "CAF\u00c9",    "a",    "A",
                                         "aa",          "\u0301",       "Cats", "running"};
    *text = 0;
    for (uint64_t n = random_below(seed, 50); n > 0; n--) {
        if (random_below(seed, 5) == 0) strcat(text, others[random_below(seed, 12)]);
        else
            sprintf(text + strlen(text), "W%u",
                    (unsigned)random_below(seed, 1 + random_below(seed, 2000)));
        strcat(text, " ");
    }
}

static void compare(const nd_document_frequencies *counts, const oracle *o, uint64_t least) {
    nd_term *list = NULL;
    size_t count = 0, expected = 0;
    assert_int_equal(nd_document_frequencies_terms(counts), o->count);
    assert_int_equal(nd_document_frequencies_list(counts, least, NULL, &list, &count, NULL), ND_OK);
    for (size_t i = 0; i < o->count; i++) expected += o->documents[i] >= least;
    assert_int_equal(count, expected);
    for (size_t i = 0; i < count; i++) {
        char word[32] = "";
        memcpy(word, list[i].bytes, list[i].length);
        size_t at = 0;
        while (at < o->count && strcmp(o->words[at], word) != 0) at++;
        assert_true(at < o->count && o->documents[at] == list[i].documents);
        if (i == 0) continue;
        char before[32] = "";
        memcpy(before, list[i - 1].bytes, list[i - 1].length);
        assert_true(list[i - 1].documents > list[i].documents ||
                    (list[i - 1].documents == list[i].documents && strcmp(before, word) < 0));
    }
    nd_release(&nd_allocator_default, list);
}

static void compare_all(const char *stem) {
    enum { TEXTS = 1500, PARTS = 3 };
    static oracle o;
    o = (oracle){.count = 0};
    static char text[4000];
    uint64_t seed = 11;
    nd_analyzer *analyzer;
    nd_document_frequencies *whole, *parts[PARTS];
    nd_analyzer_options options = {sizeof options, .kind = ND_WORDS, .ngram = 1, .seed = SEED,
                                   .stem = stem};
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_document_frequencies_create(&options, NULL, &whole, NULL), ND_OK);
    for (size_t p = 0; p < PARTS; p++)
        assert_int_equal(nd_document_frequencies_create(&options, NULL, &parts[p], NULL), ND_OK);
    for (o.text = 1; o.text <= TEXTS; o.text++) {
        random_text(&seed, text);
        assert_int_equal(nd_tokenize(analyzer, text, strlen(text), count_token, &o, NULL), ND_OK);
        assert_int_equal(nd_document_frequencies_add(whole, text, strlen(text), NULL), ND_OK);
        assert_int_equal(nd_document_frequencies_add(parts[random_below(&seed, PARTS)], text,
                                                     strlen(text), NULL),
                         ND_OK);
    }
    for (uint64_t least = 1; least < 40; least += 6) compare(whole, &o, least);
    for (size_t p = 1; p < PARTS; p++)
        assert_int_equal(nd_document_frequencies_merge(parts[0], parts[p], NULL, NULL), ND_OK);
    compare(parts[0], &o, 1);
    assert_true(nd_document_frequencies_memory(whole) >= o.count * 24);
    for (size_t p = 0; p < PARTS; p++) nd_document_frequencies_free(parts[p]);
    nd_document_frequencies_free(whole);
    nd_analyzer_free(analyzer);
}

static void test_against_list(void **state) {
    (void)state;
    compare_all(NULL);
}

static void test_stems(void **state) {
    (void)state;
    if (!strstr(nd_features(), "libstemmer")) skip();
    compare_all("english");
}

static void test_not_utf8(void **state) {
    (void)state;
    nd_document_frequencies *counts;
    nd_error error;
    assert_int_equal(nd_document_frequencies_create(&words, NULL, &counts, NULL), ND_OK);
    assert_int_equal(nd_document_frequencies_add(counts, "a word \xff", 8, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 7");
    assert_int_equal(nd_document_frequencies_terms(counts), 0);
    assert_int_equal(nd_document_frequencies_add(counts, NULL, 0, &error), ND_OK);
    assert_int_equal(nd_document_frequencies_terms(counts), 0);
    nd_document_frequencies_free(counts);
    nd_document_frequencies_free(NULL);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    static const char text[] = "nine words of which Stra\u00dfe is one and \u6f22 another";
    for (long left = 0;; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_document_frequencies *counts = NULL, *other = NULL;
        nd_term *list = NULL;
        size_t count;
        nd_status status = nd_document_frequencies_create(&words, &allocator, &counts, NULL);
        if (status == ND_OK)
            status = nd_document_frequencies_create(&words, &allocator, &other, NULL);
        if (status == ND_OK)
            status = nd_document_frequencies_add(counts, text, sizeof text - 1, NULL);
        if (status == ND_OK) status = nd_document_frequencies_merge(other, counts, NULL, NULL);
        if (status == ND_OK)
            status = nd_document_frequencies_list(other, 1, NULL, &list, &count, NULL);
        nd_release(&allocator, list);
        nd_document_frequencies_free(counts);
        nd_document_frequencies_free(other);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_list), cmocka_unit_test(test_stems),
        cmocka_unit_test(test_not_utf8), cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

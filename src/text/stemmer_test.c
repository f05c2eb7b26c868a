/* An analyzer with stems against stems that are made word by word, and golden words. */
#include "text/stemmer.h"

#include "text/analyzer.h"
#include "collected_tokens.h"

#include <stdlib.h>
#include <string.h>

enum { SEED = 7, MOST_TOKENS = 3000 };

static nd_status make(const char *stem, uint32_t ngram, const nd_allocator *allocator,
                      nd_analyzer **out, nd_error *error) {
    nd_analyzer_options options = {sizeof options, .kind = ND_WORDS, .ngram = ngram, .seed = SEED,
                                   .stem = stem};
    return nd_analyzer_create(&options, allocator, out, error);
}

static bool can_stem(void) { return strstr(nd_features(), "libstemmer") != NULL; }

/* ---- golden */

static void expect_stems(const char *language, const char *text, const char *expected) {
    nd_analyzer *analyzer;
    nd_error error;
    if (make(language, 1, NULL, &analyzer, &error) != ND_OK) fail_msg("%s", error.message);
    expect_tokens(analyzer, text, expected);
    nd_analyzer_free(analyzer);
}

static void test_golden(void **state) {
    (void)state;
    if (!can_stem()) skip();
    expect_stems("english", "The CATS were running; generously, he runs 42 miles.",
                 "the|cat|were|run|generous|he|run|42|mile");
    expect_stems("german", "H\u00c4USER, Stra\u00dfen", "haus|strass");
    expect_stems("french", "les \u00e9coli\u00e8res continuellement", "le|\u00e9coli|continuel");
    expect_stems("russian", "\u041a\u043d\u0438\u0433\u0438 \u043a\u043d\u0438\u0433\u0430",
                 "\u043a\u043d\u0438\u0433|\u043a\u043d\u0438\u0433");
    expect_stems("english", "\u6f22\u5b57 \u0e01\u0e34\u0e19", "\u6f22|\u5b57|\u0e01\u0e34|\u0e19");
    expect_stems("english", "?! \U0001f642", "");
}

/* ---- against stems word by word */

typedef struct hash_list {
    nd_hash_key key;
    uint64_t hashes[MOST_TOKENS];
    size_t count;
} hash_list;

/* nd_token_fn */
static bool collect(void *context, const nd_token *token) {
    hash_list *list = context;
    assert_true(list->count < MOST_TOKENS);
    list->hashes[list->count++] = nd_mix64(nd_hash_token(&list->key, token->text, token->length));
    return true;
}

static void random_text(uint64_t *seed, char *text) {
    static const char *const words[] = {"Running",
                                        "generous",
                                        "cats",
                                        "\u00c9t\u00e9s",
                                        "\u6f22\u5b57",
                                        "nationally",
                                        "DIED",
                                        "skies",
                                        "agreement",
                                        "Stra\u00dfen",
                                        "e\u0301tudes",
                                        "\u0430\u043d\u0438",
                                        "x",
                                        "\u0e01\u0e34\u0e19",
                                        "argument",
                                        "happinesses"};
    size_t count = random_below(seed, 200);
    *text = 0;
    for (size_t i = 0; i < count; i++) {
        if (random_below(seed, 4) == 0)
            sprintf(text + strlen(text), "%c%ling", (char)('a' + random_below(seed, 26)),
                    (long)random_below(seed, 3000));
        else strcat(text, words[random_below(seed, 16)]);
        strcat(text, random_below(seed, 9) ? " " : ", ");
    }
}

static void test_against_words(void **state) {
    (void)state;
    if (!can_stem()) skip();
    static hash_list stems;
    static char text[8000];
    uint64_t seed = 5;
    nd_analyzer *analyzer;
    assert_int_equal(make("english", 1, NULL, &analyzer, NULL), ND_OK);
    stems.key = nd_hash_key_of(SEED);
    for (int i = 0; i < 2000; i++) {
        nd_shingles shingles;
        random_text(&seed, text);
        stems.count = 0;
        assert_int_equal(nd_tokenize(analyzer, text, strlen(text), collect, &stems, NULL), ND_OK);
        assert_int_equal(nd_analyze(analyzer, text, strlen(text), &shingles, NULL), ND_OK);
        assert_int_equal(shingles.tokens, stems.count);
        assert_memory_equal(shingles.hashes, stems.hashes, stems.count * sizeof *stems.hashes);
    }
    nd_analyzer_free(analyzer);
}

/* Shingles and text hash are made of stems. */
static void test_same_texts(void **state) {
    (void)state;
    if (!can_stem()) skip();
    static const char a[] = "The cats ran generously", b[] = "the cat ran, GENEROUS";
    nd_analyzer *analyzer;
    nd_shingles shingles;
    uint64_t first, hash;
    assert_int_equal(make("english", 3, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_analyze(analyzer, a, sizeof a - 1, &shingles, NULL), ND_OK);
    assert_int_equal(shingles.count, 2);
    first = shingles.hashes[0];
    hash = shingles.text_hash[0];
    assert_int_equal(nd_analyze(analyzer, b, sizeof b - 1, &shingles, NULL), ND_OK);
    assert_true(shingles.hashes[0] == first && shingles.text_hash[0] == hash);
    nd_analyzer_free(analyzer);
}

static void test_long_words(void **state) {
    (void)state;
    if (!can_stem()) skip();
    char text[301];
    for (size_t length = 255; length <= 256; length++) {
        token_line line = {.text = ""};
        nd_analyzer *analyzer;
        memset(text, 'x', length);
        memcpy(text + length - 4, "cats", 5);
        assert_int_equal(make("english", 1, NULL, &analyzer, NULL), ND_OK);
        assert_int_equal(nd_tokenize(analyzer, text, length, token_line_add, &line, NULL), ND_OK);
        assert_int_equal(strlen(line.text), length == 255 ? 254 : 256);
        nd_analyzer_free(analyzer);
    }
}

static void test_stopped(void **state) {
    (void)state;
    if (!can_stem()) skip();
    nd_analyzer *analyzer;
    nd_error error;
    nd_shingles shingles;
    token_line line = {.stop_at = 2};
    assert_int_equal(make("english", 1, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_tokenize(analyzer, "one words two", 13, token_line_add, &line, &error),
                     ND_ERR_CANCELLED);
    assert_string_equal(line.text, "one|word");
    assert_int_equal(nd_analyze(analyzer, "words \xff", 7, &shingles, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 6");
    nd_analyzer_free(analyzer);
}

static void test_rejected(void **state) {
    (void)state;
    nd_analyzer *analyzer = NULL;
    nd_error error;
    if (!can_stem()) {
        assert_int_equal(make("english", 1, NULL, &analyzer, &error), ND_ERR_UNSUPPORTED);
        assert_string_equal(error.message,
                            "this build has no libstemmer: words of 'english' cannot be stemmed");
        return;
    }
    assert_int_equal(make("klingon", 1, NULL, &analyzer, &error), ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "english, "));
    assert_non_null(strstr(error.message, ", not 'klingon'"));
    assert_int_equal(make("", 1, NULL, &analyzer, &error), ND_ERR_ARGUMENT);
    nd_analyzer_options chars = {sizeof chars, .kind = ND_CHARS, .ngram = 1, .stem = "english"};
    assert_int_equal(nd_analyzer_create(&chars, NULL, &analyzer, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "stem is of words: kind must be ND_WORDS (0)");
    assert_null(analyzer);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    if (!can_stem()) skip();
    for (long left = 0;; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_analyzer *analyzer = NULL;
        nd_shingles shingles;
        nd_status status = make("english", 1, &allocator, &analyzer, NULL);
        if (status == ND_OK) status = nd_analyze(analyzer, "running cats", 12, &shingles, NULL);
        nd_analyzer_free(analyzer);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),          cmocka_unit_test(test_against_words),
        cmocka_unit_test(test_same_texts),      cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_stopped),         cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

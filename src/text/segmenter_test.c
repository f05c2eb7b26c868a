/* The analyzer ND_SEGMENT. Golden words by a dictionary and by ICU; for texts of all kinds, hashes,
 * words, offsets and the tokens of ND_WORDS must agree. */
#include "text/analyzer.h"
#include "job_parts.h"
#include "text/segmenter.h"
#include "collected_tokens.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 7, TEXTS = 3000 };

static bool has_icu(void) { return strstr(nd_features(), "icu") != NULL; }

static nd_status make(nd_analyzer_kind kind, const nd_dictionary *dictionary,
                      const nd_allocator *allocator, nd_analyzer **out, nd_error *error) {
    const nd_analyzer_options options = {sizeof options, .kind = kind, .ngram = 1, .seed = SEED,
                                         .dictionary = dictionary};
    return nd_analyzer_create(&options, allocator, out, error);
}

static nd_dictionary *dictionary_of(const char *lines) {
    char path[] = "/tmp/segmenter_testXXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, lines, strlen(lines)) == (ssize_t)strlen(lines));
    close(file);
    nd_dictionary *dictionary = NULL;
    nd_error error = {.message = ""};
    nd_status status = nd_dictionary_read(path, NULL, &dictionary, &error);
    unlink(path);
    if (status != ND_OK) fail_msg("%s", error.message);
    return dictionary;
}

/* ---- golden */

static void expect_words(const nd_dictionary *dictionary, const char *text, const char *expected) {
    nd_analyzer *analyzer;
    nd_error error;
    if (make(ND_SEGMENT, dictionary, NULL, &analyzer, &error) != ND_OK)
        fail_msg("%s", error.message);
    expect_tokens(analyzer, text, expected);
    nd_analyzer_free(analyzer);
}

static const char sentence[] =
    "\u7f8e\u56fd\u201c51\u533a\u201d\u96c7\u5458\u79f0\u5185\u90e8\u67099\u67b6\u98de\u789f\uff0c"
    "\u66fe\u770b\u89c1\u7070\u8272\u5916\u661f\u4eba";
static const char sentence_words[] =
    "51\u533a\n9\u67b6\n\u98de\u789f\n\u66fe\n\u770b\u89c1\n\u7070\u8272\n\u5916\u661f\u4eba\n"
    "\u7f8e\u56fd\n\u96c7\u5458\n\u79f0\n\u5185\u90e8\n\u6709\n";

static void test_textbook_sentence(void **state) {
    (void)state;
    nd_dictionary *dictionary = dictionary_of(sentence_words);
    expect_words(dictionary, sentence,
                 "\u7f8e\u56fd|51\u533a|\u96c7\u5458|\u79f0|\u5185\u90e8|\u6709|9\u67b6|"
                 "\u98de\u789f|\u66fe|\u770b\u89c1|\u7070\u8272|\u5916\u661f\u4eba");
    nd_dictionary_free(dictionary);
}

static void test_paths(void **state) {
    (void)state;
    /* Two frequent words win over one long word: 5 / 16 * 5 / 16 > 1 / 16. A long word wins over
     * two rare ones: 1 / 7 > 1 / 7 * 5 / 7. */
    nd_dictionary *dictionary = dictionary_of(
        "\u751f\u547d 5\n\u8d77\u6e90 5\n\u7814\u7a76 5\n\u751f\u547d\u8d77\u6e90 1\n");
    expect_words(dictionary, "\u751f\u547d\u8d77\u6e90", "\u751f\u547d|\u8d77\u6e90");
    nd_dictionary_free(dictionary);
    dictionary = dictionary_of("\u751f\u547d 1\n\u8d77\u6e90 5\n\u751f\u547d\u8d77\u6e90 1\n");
    expect_words(dictionary, "\u751f\u547d\u8d77\u6e90", "\u751f\u547d\u8d77\u6e90");
    nd_dictionary_free(dictionary);
    /* Paths of equal cost: the longest first word wins. */
    dictionary = dictionary_of("\u7814\u7a76\n\u7814\u7a76\u751f\n\u751f\u547d\n\u547d\n");
    expect_words(dictionary, "\u7814\u7a76\u751f\u547d", "\u7814\u7a76\u751f|\u547d");
    /* A word of frequency 0 is not in the dictionary. */
    nd_dictionary_free(dictionary);
    dictionary = dictionary_of("\u7814\u7a76\n\u7814\u7a76\u751f 0\n\u751f\u547d\n\u547d\n");
    expect_words(dictionary, "\u7814\u7a76\u751f\u547d", "\u7814\u7a76|\u751f\u547d");
    /* Marks and case make no difference. No word begins or ends inside a run of letters. */
    nd_dictionary_free(dictionary);
    dictionary = dictionary_of(
        "\u5361\u62c9OK 3 n\nB\u8d85 3 n\n\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48 1\n");
    expect_words(dictionary, "\u5361\u62c9ok\u3001b\u8d85", "\u5361\u62c9ok|b\u8d85");
    expect_words(dictionary, "ab\u8d85 \u0e17\u0e35\u0e48\u0e19\u0e35\u0e48",
                 "ab|\u8d85|\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48");
    expect_words(dictionary, "\u5361 \u62c9OK", "\u5361|\u62c9|ok");
    nd_dictionary_free(dictionary);
}

static void test_icu(void **state) {
    (void)state;
    if (!has_icu()) skip();
    expect_words(NULL, "\u4e2d\u56fd\u4eba\u6c11\u3002", "\u4e2d\u56fd|\u4eba\u6c11");
    expect_words(NULL, "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22",
                 "\u0e20\u0e32\u0e29\u0e32|\u0e44\u0e17\u0e22");
    expect_words(NULL, "\u79c1\u306f\u5b66\u751f\u3067\u3059",
                 "\u79c1|\u306f|\u5b66\u751f|\u3067\u3059");
    expect_words(NULL, "NASA\u4e2d\u56fdSTRASSE, Stra\u00dfe 42",
                 "nasa|\u4e2d\u56fd|strasse|strasse|42");
    /* A text is folded and normalised before it is cut. */
    expect_words(NULL, "\u30ab\u3099\u30b9\uff0ccafe\u0301", "\u30ac\u30b9|caf\u00e9");
    expect_words(NULL, "\U0001f642 ?!", "");
    /* ICU cuts only characters that the dictionary does not have. */
    nd_dictionary *dictionary = dictionary_of("\u4eba\u6c11\u4ee3\u8868\n");
    expect_words(dictionary, "\u4e2d\u56fd\u4eba\u6c11\u4ee3\u8868",
                 "\u4e2d\u56fd|\u4eba\u6c11\u4ee3\u8868");
    nd_dictionary_free(dictionary);
}

static void test_without_icu(void **state) {
    (void)state;
    if (has_icu()) skip();
    nd_analyzer *analyzer = NULL;
    nd_error error;
    assert_int_equal(make(ND_SEGMENT, NULL, NULL, &analyzer, &error), ND_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "no ICU"));
    assert_non_null(strstr(error.message, "without a dictionary, scripts without spaces cannot be "
                                          "cut into words"));
    nd_dictionary *dictionary = dictionary_of("\u4eba\u6c11\n");
    expect_words(dictionary, "\u4e2d\u56fd\u4eba\u6c11", "\u4e2d|\u56fd|\u4eba\u6c11");
    nd_dictionary_free(dictionary);
}

/* ---- properties */

static void random_text(uint64_t *seed, char *text) {
    static const char *const pieces[] = {"\u4e2d\u56fd",
                                         "\u4eba\u6c11",
                                         "51\u533a",
                                         "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22",
                                         "\u79c1\u306f",
                                         "\u30ab\u3099",
                                         "\u1000\u103c\u102d",
                                         "\u17a2\u17ba",
                                         "\u0e81\u0eb2",
                                         "Stra\u00dfe",
                                         "cafe\u0301",
                                         "\u0301",
                                         " ",
                                         "\u3002",
                                         "\U00020000",
                                         "\ufa0c",
                                         "\U0001f642\u200d",
                                         "a",
                                         "_9"};
    *text = 0;
    for (uint64_t n = random_below(seed, 1 + random_below(seed, 200)); n > 0; n--)
        strcat(text, pieces[random_below(seed, sizeof pieces / sizeof *pieces)]);
}

/* The words of a text are runs of the tokens of ND_WORDS, and together they contain all tokens.
 * Their hashes are the hashes of nd_analyze, and a second scan gives the same words. */
static void check_text(nd_analyzer *words, nd_analyzer *segments, const char *text, size_t length) {
    static token_list tokens, found;
    nd_shingles shingles;
    const nd_hash_key key = nd_hash_key_of(SEED);
    token_list_fill(&tokens, words, text, length);
    for (int time = 0; time < 2; time++) {
        token_list_fill(&found, segments, text, length);
        assert_int_equal(found.used, tokens.used);
        assert_memory_equal(found.bytes, tokens.bytes, tokens.used);
        size_t t = 0;
        for (size_t i = 0; i < found.count; i++) {
            const nd_token *word = &found.tokens[i];
            assert_true(t < tokens.count && word->begin == tokens.tokens[t].begin);
            for (size_t left = word->length; left > 0; left -= tokens.tokens[t++].length)
                assert_true(t < tokens.count && tokens.tokens[t].length <= left);
            assert_int_equal(word->end, tokens.tokens[t - 1].end);
        }
        assert_int_equal(t, tokens.count);
        assert_int_equal(nd_analyze(segments, text, length, &shingles, NULL), ND_OK);
        assert_int_equal(shingles.tokens, found.count);
        for (size_t i = 0; i < found.count; i++)
            assert_true(shingles.hashes[i] == nd_mix64(nd_hash_token(&key, found.tokens[i].text,
                                                                     found.tokens[i].length)));
    }
}

static void test_words_are_runs_of_tokens(void **state) {
    (void)state;
    static char text[8000], *longest;
    uint64_t seed = 5;
    nd_dictionary *dictionary = dictionary_of(
        "\u4e2d\u56fd\u4eba 3\n51\u533a 2\n\u6c1151\u533a\u4e2d 9\n\u56fd 4\n");
    nd_analyzer *words, *segments;
    assert_int_equal(make(ND_WORDS, NULL, NULL, &words, NULL), ND_OK);
    for (int with_dictionary = !has_icu(); with_dictionary < 2; with_dictionary++) {
        assert_int_equal(
            make(ND_SEGMENT, with_dictionary ? dictionary : NULL, NULL, &segments, NULL), ND_OK);
        for (int i = 0; i < TEXTS; i++) {
            random_text(&seed, text);
            check_text(words, segments, text, strlen(text));
        }
        /* Runs longer than ND_DICTIONARY_RUN, which are split inside a word. */
        longest = calloc(1, 50000);
        for (int i = 0; i < 9001; i++) strcat(longest + 3 * i, i % 2 ? "\u56fd" : "\u4e2d");
        check_text(words, segments, longest, strlen(longest));
        free(longest);
        nd_analyzer_free(segments);
    }
    nd_analyzer_free(words);
    nd_dictionary_free(dictionary);
}

static void test_has_unspaced(void **state) {
    (void)state;
    static const char *const with[] = {"\u4e2d",        "a\u3042",        "\u0e01",
                                       "0123456\u1000", "01234567\u17a2", "\U00020000"};
    static const char *const without[] = {
        "",
        "Stra\u00dfe",
        "\u043a\u043d\u0438\u0433\u0430 \u0939\u093f\u0928\u094d\u0926\u0940",
        "\ud55c\uad6d\uc5b4",
        "\u2018\u2026\u2019 \U0001f642",
        "\u3002\u3000"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        assert_true(nd_has_unspaced(with[i], strlen(with[i])));
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_false(nd_has_unspaced(without[i], strlen(without[i])));
}

/* ---- errors */

static void test_stopping_and_bad_text(void **state) {
    (void)state;
    nd_dictionary *dictionary = dictionary_of(sentence_words);
    nd_analyzer *analyzer;
    nd_error error;
    assert_int_equal(make(ND_SEGMENT, dictionary, NULL, &analyzer, NULL), ND_OK);
    for (size_t stop_at = 1; stop_at <= 12; stop_at++) {
        token_line line = {.stop_at = stop_at};
        assert_int_equal(
            nd_tokenize(analyzer, sentence, sizeof sentence - 1, token_line_add, &line, &error),
            ND_ERR_CANCELLED);
        assert_int_equal(line.count, stop_at);
    }
    nd_shingles shingles;
    assert_int_equal(nd_analyze(analyzer, "\u98de\u789f\xff", 7, &shingles, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 6");
    assert_int_equal(nd_analyze(analyzer, "\u98de\u789f\u66fe", 9, &shingles, &error), ND_OK);
    assert_int_equal(shingles.tokens, 2);
    nd_analyzer_free(analyzer);
    nd_dictionary_free(dictionary);
}

static void test_bad_options(void **state) {
    (void)state;
    nd_dictionary *dictionary = dictionary_of(sentence_words);
    nd_analyzer *analyzer;
    nd_error error;
    assert_int_equal(make(ND_WORDS, dictionary, NULL, &analyzer, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "a dictionary is for segments: kind must be ND_SEGMENT (2)");
    assert_int_equal(make((nd_analyzer_kind)3, NULL, NULL, &analyzer, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "kind must be ND_WORDS (0) to ND_SEGMENT (2), not 3");
    nd_analyzer_options options = {sizeof options, .kind = ND_SEGMENT, .ngram = 1,
                                   .stem = "english"};
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "stem is of words: kind must be ND_WORDS (0)");
    nd_dictionary_free(dictionary);
}

/* An index rejects ND_SEGMENT, since it would store the hashes. */
static void test_nothing_is_stored(void **state) {
    (void)state;
    static const char reason[] =
        "the analyzer segment depends on ICU's version and on the dictionary, so nothing is stored "
        "that it has made: kind must be ND_WORDS (0) or ND_CHARS (1)";
    nd_error error;
    nd_analyzer_options segments;
    nd_analyzer_options_init(&segments, sizeof segments);
    segments.kind = ND_SEGMENT;
    nd_index_options index;
    nd_index_options_init(&index, sizeof index);
    index.analyzer = &segments;
    assert_int_equal(nd_index_create("/nonexistent/index", &index, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, reason);
    job_parts job;
    const char *const input = "/nonexistent/input";
    job_parts_init(&job);
    job.analyzer.kind = ND_SEGMENT;
    job.input.inputs = &input;
    job.input.input_count = 1;
    job.index.path = "/nonexistent/index";
    assert_int_equal(nd_dedup(dedup_of(&job), NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, reason);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    nd_dictionary *dictionary = dictionary_of(sentence_words);
    for (long left = 0;; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_analyzer *analyzer = NULL;
        nd_shingles shingles;
        nd_status status = make(ND_SEGMENT, dictionary, &allocator, &analyzer, NULL);
        if (status == ND_OK)
            status = nd_analyze(analyzer, sentence, sizeof sentence - 1, &shingles, NULL);
        nd_analyzer_free(analyzer);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
    }
    nd_dictionary_free(dictionary);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_textbook_sentence),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_icu),
        cmocka_unit_test(test_without_icu),
        cmocka_unit_test(test_words_are_runs_of_tokens),
        cmocka_unit_test(test_has_unspaced),
        cmocka_unit_test(test_stopping_and_bad_text),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_nothing_is_stored),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

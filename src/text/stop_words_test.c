/* Valid lists, and the messages about invalid ones. */
#include "text/stop_words.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 7 };

static nd_status read_text(const char *text, const nd_allocator *allocator, nd_stop_words **out,
                           nd_error *error) {
    char path[] = "/tmp/stop_words_test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    nd_status status = nd_stop_words_read(path, SEED, NULL, allocator, out, error);
    if (status == ND_ERR_INPUT) {
        /* The file's name differs each time. */
        assert_memory_equal(error->message, path, strlen(path));
        memmove(error->message, error->message + strlen(path),
                strlen(error->message + strlen(path)) + 1);
    }
    unlink(path);
    return status;
}

static nd_stop_words *list_of(const char *text) {
    nd_stop_words *stop = NULL;
    nd_error error;
    if (read_text(text, NULL, &stop, &error) != ND_OK) fail_msg("%s", error.message);
    return stop;
}

/* The shingles of single words. */
static size_t features_of(const char *text, uint64_t *features, size_t room) {
    nd_analyzer *analyzer;
    nd_analyzer_options options = {sizeof options, .kind = ND_WORDS, .ngram = 1, .seed = SEED};
    nd_shingles shingles;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_analyze(analyzer, text, strlen(text), &shingles, NULL), ND_OK);
    assert_true(shingles.count <= room);
    memcpy(features, shingles.hashes, shingles.count * sizeof *features);
    nd_analyzer_free(analyzer);
    return shingles.count;
}

static bool has_word(const nd_stop_words *stop, const char *word) {
    uint64_t feature;
    assert_int_equal(features_of(word, &feature, 1), 1);
    return nd_stop_words_has(stop, feature);
}

static void test_lists(void **state) {
    (void)state;
    nd_stop_words *stop = list_of("\xef\xbb\xbfThe\r\n\n  # a comment, of words\n#\n \t of "
                                  "\nTHE\n\u7684\nSTRASSE\ncafe\u0301\n0\nof");
    static const char *const in[] = {"the", "of", "\u7684", "stra\u00dfe", "caf\u00e9", "0"};
    static const char *const out[] = {"a", "comment", "cafe", "\u6c49", "1", "thee"};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) assert_true(has_word(stop, in[i]));
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) assert_false(has_word(stop, out[i]));
    nd_stop_words_free(stop);
    stop = list_of("");
    assert_false(has_word(stop, "the"));
    nd_stop_words_free(stop);
    nd_stop_words_free(NULL);
}

static void test_left_out(void **state) {
    (void)state;
    nd_stop_words *stop = list_of("the\non\n");
    uint64_t all[16], expected[16];
    size_t count = features_of("The cat sat on the mat, the cat", all, 16),
           left = features_of("cat sat mat cat", expected, 16);
    assert_int_equal(nd_stop_words_remove(stop, all, count), left);
    assert_memory_equal(all, expected, left * sizeof *all);
    count = features_of("on on the", all, 16);
    assert_int_equal(nd_stop_words_remove(stop, all, count), 0);
    nd_stop_words_free(stop);
}

/* So many words that the table grows; they are found, and as many other words are not. */
static void test_many(void **state) {
    (void)state;
    enum { MANY = 5000 };
    static char text[MANY * 8];
    size_t used = 0;
    for (int i = 0; i < MANY; i++) used += (size_t)sprintf(text + used, "w%d\n", 2 * i);
    nd_stop_words *stop = list_of(text);
    for (int i = 0; i < 2 * MANY; i++) {
        char word[16];
        sprintf(word, "W%d", i);
        assert_int_equal(has_word(stop, word), i % 2 == 0);
    }
    nd_stop_words_free(stop);
}

static void test_rejected(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"the\n\nNew York\n", ":3: one word expected, not 'New York'"},
        {"c++\n", ":1: one word expected, not 'c++'"},
        {"a\n?!\n", ":2: one word expected, not '?!'"},
        {"\u7f8e\u56fd\u3002\n", ":1: one word expected, not '\u7f8e\u56fd\u3002'"},
        {"the # article\n", ":1: one word expected, not 'the # article'"},
        {"a\nb\xff\n", ":2: invalid UTF-8 at byte 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nd_stop_words *stop = NULL;
        nd_error error;
        assert_int_equal(read_text(cases[i].text, NULL, &stop, &error), ND_ERR_INPUT);
        assert_string_equal(error.message, cases[i].message);
        assert_null(stop);
    }
    nd_stop_words *stop = NULL;
    assert_int_equal(nd_stop_words_read("/nowhere/stop", SEED, NULL, NULL, &stop, NULL), ND_ERR_IO);
    assert_int_equal(nd_stop_words_read(NULL, SEED, NULL, NULL, &stop, NULL), ND_ERR_ARGUMENT);
}

static void test_analyzers(void **state) {
    (void)state;
    nd_stop_words *stop = list_of("the\n");
    static const nd_analyzer_options right = {sizeof right, .kind = ND_WORDS, .ngram = 1,
                                              .seed = SEED};
    nd_analyzer_options wrong = right;
    assert_int_equal(nd_stop_words_check(stop, &right, NULL), ND_OK);
    wrong.ngram = 2;
    assert_int_equal(nd_stop_words_check(stop, &wrong, NULL), ND_ERR_ARGUMENT);
    wrong = right;
    wrong.kind = ND_CHARS;
    assert_int_equal(nd_stop_words_check(stop, &wrong, NULL), ND_ERR_ARGUMENT);
    wrong = right;
    wrong.seed++;
    assert_int_equal(nd_stop_words_check(stop, &wrong, NULL), ND_ERR_ARGUMENT);
    nd_stop_words_free(stop);
    /* A word that only ND_SEGMENT produces. */
    nd_error error;
    nd_analyzer_options segments = right;
    segments.kind = ND_SEGMENT;
    stop = list_of("the\n\n\u6211\u4eec\n\u4f60\u4eec\n");
    const nd_hash_key key = nd_hash_key_of(SEED);
    assert_true(nd_stop_words_has(stop, nd_mix64(nd_hash_token(&key, "\u6211\u4eec", 6))));
    assert_int_equal(nd_stop_words_check(stop, &segments, NULL), ND_OK);
    assert_int_equal(nd_stop_words_check(stop, &right, &error), ND_ERR_ARGUMENT);
    const char *line = strchr(error.message, ':');
    assert_non_null(line);
    assert_memory_equal(error.message, "/tmp/stop_words_test-", strlen("/tmp/stop_words_test-"));
    assert_string_equal(
        line,
        ":3: one word expected, and for the analyzer words these are several: it needs segment");
    nd_stop_words_free(stop);
}

/* A word of the list removes its stem, and itself if it is a stem already. */
static void test_stems(void **state) {
    (void)state;
    char path[] = "/tmp/stop_words_test-XXXXXX";
    nd_stop_words *stop = NULL;
    nd_error error;
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "Having\nonli\n", 12), 12);
    close(fd);
    nd_status status = nd_stop_words_read(path, SEED, "english", NULL, &stop, &error);
    if (strstr(nd_features(), "libstemmer")) {
        nd_analyzer_options plain = {sizeof plain, .kind = ND_WORDS, .ngram = 1, .seed = SEED},
                            stemmed = plain;
        stemmed.stem = "english";
        assert_int_equal(status, ND_OK);
        assert_true(has_word(stop, "have") && has_word(stop, "onli"));
        assert_false(has_word(stop, "only"));
        assert_int_equal(nd_stop_words_check(stop, &stemmed, NULL), ND_OK);
        assert_int_equal(nd_stop_words_check(stop, &plain, &error), ND_ERR_ARGUMENT);
        assert_string_equal(
            error.message,
            "the stop words were read with stem english, and the analyzer has no stem");
        nd_stop_words_free(stop);
        assert_int_equal(nd_stop_words_read(path, SEED, "klingon", NULL, &stop, &error),
                         ND_ERR_ARGUMENT);
    } else {
        assert_int_equal(status, ND_ERR_UNSUPPORTED);
    }
    unlink(path);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    for (long left = 0;; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_stop_words *stop = NULL;
        nd_error error;
        nd_status status = read_text("one\ntwo\nthree\nfour\nfive\n", &allocator, &stop, &error);
        nd_stop_words_free(stop);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 100);
    }
}

/* The hash depends on the words, and not on their order or case. */
static void test_hash(void **state) {
    (void)state;
    static const char *const lists[] = {"the\nof\n", "# x\nOF\nthe\nof\n", "the\n", "the\nof\na\n",
                                        ""};
    uint64_t hashes[5];
    for (size_t i = 0; i < 5; i++) {
        nd_stop_words *stop = list_of(lists[i]);
        hashes[i] = nd_stop_words_hash(stop);
        assert_true(hashes[i] != 0);
        nd_stop_words_free(stop);
    }
    assert_true(hashes[0] == hashes[1]);
    for (size_t i = 2; i < 5; i++)
        for (size_t j = 1; j < i; j++) assert_true(hashes[i] != hashes[j]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),     cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_many),      cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_analyzers), cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_stems),     cmocka_unit_test(test_hash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

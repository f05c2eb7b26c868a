/* The signature of the longest sentences, compared with a plain oracle, and used for its purpose:
 * an article with moved paragraphs, with other texts around it, with a changed sentence. */
#include "test.h"

#include "neardup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct signature {
    uint64_t hashes[MOST];
    uint32_t count;
} signature;

static nd_analyzer *make_analyzer(void) {
    nd_analyzer *analyzer = NULL;
    assert_int_equal(nd_analyzer_create(NULL, NULL, &analyzer, NULL), ND_OK);
    return analyzer;
}

static signature sign(const char *text, uint32_t n) {
    nd_analyzer *analyzer = make_analyzer();
    signature got = {.count = MOST + 1};
    assert_int_equal(
        nd_sentence_signature(analyzer, text, strlen(text), n, got.hashes, &got.count, NULL),
        ND_OK);
    assert_true(got.count <= n);
    nd_analyzer_free(analyzer);
    return got;
}

static uint32_t shared(const signature *a, const signature *b) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++) count += a->hashes[i] == b->hashes[j];
    return count;
}

/* ---- articles */

#define LEAD                                                                                       \
    "The council of the town decided on Tuesday evening, after three hours of debate, to close "   \
    "the old bridge for good. "
#define COST                                                                                       \
    "Repairing its arches would have cost more than eleven million, according to the engineers "   \
    "who had looked at it in spring. "
#define PROTEST                                                                                    \
    "Several shopkeepers from the left bank protested loudly in front of the hall while the "      \
    "votes were counted."
#define SHORT "Nobody was surprised. "
#define MIDDLE "A new one is to be built by the railway within four years. "

static void test_articles(void **state) {
    (void)state;
    signature article = sign(LEAD SHORT "\n\n" COST "\n\n" MIDDLE PROTEST, 3);
    assert_int_equal(article.count, 3);
    static const char *const same[] = {
        MIDDLE PROTEST "\n\n" COST "\n" LEAD SHORT, /* moved */
        "Home | News | Sport\nLog in\n" LEAD SHORT COST MIDDLE PROTEST
        "\nRead more\nAll rights reserved. Share this article with your friends.\n",
        "THE COUNCIL OF THE TOWN decided on Tuesday evening -- after three hours of debate -- to "
        "close the old bridge for good!  " COST PROTEST,
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        signature got = sign(same[i], 3);
        assert_int_equal(shared(&article, &got), 3);
    }
    /* One of the three sentences is changed: the other two stay, and the next longest one is added.
     */
    signature changed = sign(LEAD SHORT COST MIDDLE
                             "Some shopkeepers from the left bank protested loudly.",
                             3),
              next = sign(MIDDLE, 3);
    assert_int_equal(shared(&article, &changed), 2);
    assert_int_equal(shared(&changed, &next), 1);
    assert_int_equal(shared(&article, &next), 0);
    signature other = sign("An unrelated article about the harvest of apples in the valley this "
                           "year. All rights reserved.",
                           3);
    assert_int_equal(shared(&article, &other), 0);
    /* Ends of sentences in other scripts. */
    signature chinese = sign(
        "市议会星期二晚上决定关闭旧桥。没有人感到意外。修理桥拱需要一千一百多万元！", 2);
    signature moved = sign("修理桥拱需要一千一百多万元。市议会星期二晚上决定关闭旧桥！好。", 2);
    assert_int_equal(chinese.count, 2);
    assert_int_equal(shared(&chinese, &moved), 2);
}

/* ---- the oracle */

typedef struct sentence {
    uint64_t hash;
    size_t tokens, position;
} sentence;

typedef struct all_sentences {
    nd_analyzer *analyzer;
    const char *text;
    size_t count;
    sentence list[1000];
} all_sentences;

static bool collect(void *context, size_t begin, size_t end) {
    all_sentences *all = context;
    nd_shingles shingles;
    assert_int_equal(nd_analyze(all->analyzer, all->text + begin, end - begin, &shingles, NULL),
                     ND_OK);
    all->list[all->count] = (sentence){shingles.text_hash[0], shingles.tokens, all->count};
    all->count++;
    return true;
}

static int longest_first(const void *a, const void *b) {
    const sentence *x = a, *y = b;
    if (x->tokens != y->tokens) return x->tokens < y->tokens ? 1 : -1;
    return (x->position > y->position) - (x->position < y->position);
}

static signature plain_signature(const char *text, uint32_t n, size_t least) {
    static all_sentences all;
    signature got = {.count = 0};
    all.analyzer = make_analyzer();
    all.text = text;
    all.count = 0;
    assert_int_equal(nd_sentences(text, strlen(text), collect, &all, NULL), ND_OK);
    qsort(all.list, all.count, sizeof *all.list, longest_first);
    for (size_t i = 0; i < all.count && got.count < n && all.list[i].tokens >= least; i++) {
        bool is_new = true;
        for (uint32_t j = 0; j < got.count; j++)
            is_new = is_new && got.hashes[j] != all.list[i].hash;
        if (is_new) got.hashes[got.count++] = all.list[i].hash;
    }
    nd_analyzer_free(all.analyzer);
    return got;
}

/* Sentences of a few words, so that many are equal, and more have the same length. Some have the
 * fewest bytes that their number of tokens allows. */
static void test_oracle(void **state) {
    (void)state;
    uint64_t random = 8;
    for (unsigned round = 0; round < 2000; round++) {
        char text[6000];
        size_t length = 0, sentences = (size_t)random_below(&random, 30),
               longest = 1 + (size_t)random_below(&random, 14);
        static const char *const pieces[] = {"C ", "d ", "中", "あ中", "Ab ", "efg-"};
        uint64_t kinds = 1 + random_below(&random, sizeof pieces / sizeof *pieces);
        uint32_t n = (uint32_t)(1 + random_below(&random, round % 4 == 0 ? MOST : 5));
        for (size_t i = 0; i < sentences; i++) {
            size_t words = (size_t)random_below(&random, longest + 1);
            for (size_t w = 0; w < words; w++)
                length += (size_t)sprintf(text + length, "%s",
                                          pieces[random_below(&random, kinds)]);
            length += (size_t)sprintf(text + length, "%s", random_below(&random, 3) ? "!\n" : "\n");
        }
        while (round % 2 && length > 0 && strchr(" !\n", text[length - 1])) length--;
        text[length] = 0;
        signature expected = plain_signature(text, n, ND_SENTENCE_LEAST_TOKENS),
                  got = sign(text, n);
        assert_int_equal(got.count, expected.count);
        assert_memory_equal(got.hashes, expected.hashes, expected.count * sizeof *expected.hashes);
    }
}

/* Short sentences are left out because unrelated messages share them. */
static void test_least(void **state) {
    (void)state;
    static const char *const messages[] = {
        "Hello everyone. The meeting about the roof has been moved to Thursday at nine. Thank you "
        "very much!",
        "Hi Anna! Did the parcel with the blue curtains arrive on Monday? See you soon. Best "
        "regards.",
        "Thank you very much! The garden looks wonderful since you cut the hedge behind the shed.",
        "Hello everyone. Please do not park in front of the gate while the painters are here. Best "
        "regards.",
        "We will be late tonight because the train from Ulm has stopped again. See you soon.",
        "Thank you very much! See you soon.",
        "Hello everyone. Best regards.",
        "Is the ladder still in your cellar, or did Tom take it? Thank you very much!",
    };
    enum { COUNT = sizeof messages / sizeof *messages };
    unsigned without = 0, with = 0, empty = 0;
    for (size_t i = 0; i < COUNT; i++) {
        signature a = sign(messages[i], 3), plain_a = plain_signature(messages[i], 3, 1);
        empty += a.count == 0;
        for (size_t j = 0; j < i; j++) {
            signature b = sign(messages[j], 3), plain_b = plain_signature(messages[j], 3, 1);
            with += shared(&a, &b) > 0;
            without += shared(&plain_a, &plain_b) > 0;
        }
    }
    print_message("of %d pairs of unrelated messages %u are candidates by sentences of any length, "
                  "%u by those of %d tokens and more; %u of %d messages have none\n",
                  COUNT * (COUNT - 1) / 2, without, with, ND_SENTENCE_LEAST_TOKENS, empty, COUNT);
    assert_int_equal(with, 0);
    assert_int_equal(without, 12);
    assert_int_equal(empty, 2);
}

static void test_rejected(void **state) {
    (void)state;
    nd_error error;
    signature got = {.count = 77};
    nd_analyzer *analyzer = make_analyzer();
    assert_int_equal(nd_sentence_signature(analyzer, "a", 1, 0, got.hashes, &got.count, &error),
                     ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "n must be 1 to 64, not 0");
    assert_int_equal(nd_sentence_signature(analyzer, "a", 1, 65, got.hashes, &got.count, NULL),
                     ND_ERR_ARGUMENT);
    const char *bad = "One two three four five six. \xff";
    assert_int_equal(
        nd_sentence_signature(analyzer, bad, strlen(bad), 3, got.hashes, &got.count, &error),
        ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 29");
    assert_int_equal(got.count, 77);
    assert_int_equal(nd_sentence_signature(analyzer, NULL, 0, 3, got.hashes, &got.count, &error),
                     ND_OK);
    assert_int_equal(got.count, 0);
    nd_analyzer_free(analyzer);
}

/* The analyzer's failure is returned. */
static void test_no_memory(void **state) {
    (void)state;
    failing_allocator failing = {1, 0};
    nd_allocator allocator = failing_allocator_make(&failing);
    nd_analyzer *analyzer = NULL;
    nd_error error;
    signature got;
    assert_int_equal(nd_analyzer_create(NULL, &allocator, &analyzer, NULL), ND_OK);
    assert_int_equal(
        nd_sentence_signature(analyzer, LEAD, strlen(LEAD), 3, got.hashes, &got.count, &error),
        ND_ERR_MEMORY);
    assert_non_null(strstr(error.message, "token hashes"));
    assert_int_equal(
        nd_sentence_signature(analyzer, LEAD, strlen(LEAD), 3, got.hashes, &got.count, NULL),
        ND_ERR_MEMORY);
    nd_analyzer_free(analyzer);
    assert_int_equal(failing.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_articles),  cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_least),     cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

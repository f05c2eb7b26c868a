/* Differences of texts: as tokens they turn one text into the other, as bytes they are the ones
 * that a reader expects. */
#include "neardup.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nd_analyzer *analyzer_of(nd_analyzer_kind kind) {
    nd_analyzer_options options;
    nd_analyzer *analyzer;
    nd_analyzer_options_init(&options, sizeof options);
    options.kind = kind;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    return analyzer;
}

static nd_difference_list *differences(nd_analyzer *analyzer, const char *a, const char *b) {
    nd_difference_list *list = NULL;
    nd_error error;
    if (nd_differences(analyzer, a, strlen(a), b, strlen(b), &list, &error) != ND_OK)
        fail_msg("%s", error.message);
    return list;
}

/* ---- by hand */

/* Writes the texts with their differences in brackets: "a [old|new] b". */
static void show(const nd_difference_list *list, const char *a, const char *b, char *out) {
    size_t at = 0;
    *out = 0;
    for (size_t i = 0; i < list->count; i++) {
        const nd_difference *d = &list->differences[i];
        out += sprintf(out, "%.*s[%.*s|%.*s]", (int)(d->a_begin - at), a + at,
                       (int)(d->a_end - d->a_begin), a + d->a_begin, (int)(d->b_end - d->b_begin),
                       b + d->b_begin);
        at = d->a_end;
    }
    strcpy(out, a + at);
}

static void check(nd_analyzer_kind kind, const char *a, const char *b, const char *expected) {
    char shown[1000];
    nd_analyzer *analyzer = analyzer_of(kind);
    nd_difference_list *list = differences(analyzer, a, b);
    show(list, a, b, shown);
    assert_string_equal(shown, expected);
    assert_true(list->shortest);
    nd_difference_list_free(list);
    nd_analyzer_free(analyzer);
}

static void test_by_hand(void **state) {
    (void)state;
    check(ND_WORDS, "", "", "");
    check(ND_WORDS, "", "a b", "[|a b]");
    check(ND_WORDS, " a, b.", "", " [a, b|].");
    check(ND_WORDS, "same text", "Same - TEXT!", "same text");
    check(ND_WORDS, "on November 1, 1997 it", "on October 31, 1997 it",
          "on [November 1|October 31], 1997 it");
    check(ND_WORDS, "the cat sat", "the black cat sat", "the[|black] cat sat");
    check(ND_WORDS, "the black cat sat", "the cat sat", "the [black|] cat sat");
    check(ND_WORDS, "one, two", "zero one two three", "[|zero]one, two[|three]");
    check(ND_WORDS, "x a y b z", "x c y d z", "x [a|c] y [b|d] z");
    check(ND_WORDS, "version 1.1 or version 1.2", "version 1.2", "version [1.1 or version|] 1.2");
    check(ND_WORDS, "a 1.2", "a 1.1 b 1.2", "a[|1.1 b] 1.2");
    check(ND_WORDS, "据美国媒体报道，51区雇员", "据美国媒体报道，51区员工",
          "据美国媒体报道，51区[雇|]员[|工]");
    check(ND_WORDS, "มนุษย์ทั้งหลาย", "มนุษย์ทุกหลาย", "มนุษย์[ทั้ง|ทุก]หลาย");
    check(ND_WORDS, "जन्म प्राप्त", "प्राप्त है", "[जन्म|] प्राप्त[|है]");
    check(ND_WORDS, "يولد جميع الناس أحرارا", "يولد كل الناس أحرارا",
          "يولد [جميع|كل] الناس أحرارا");
    check(ND_WORDS, "Die Straße groß", "DIE STRASSE KLEIN", "Die Straße [groß|KLEIN]");
    check(ND_WORDS, "🙂 a 🙃", "🙃 a", "🙂 a 🙃");
    check(ND_CHARS, "colour", "color", "colo[u|]r");
    /* The two tokens of one character change together. */
    check(ND_CHARS, "aßb", "asb", "a[ß|s]b");
    check(ND_CHARS, "aßb", "asxsb", "a[ß|sxs]b");
    check(ND_CHARS, "aﬃb", "axfyb", "a[ﬃ|xfy]b");
    check(ND_CHARS, "axfyb", "aﬃb", "a[xfy|ﬃ]b");
}

static void test_numbers(void **state) {
    (void)state;
    nd_analyzer *analyzer = analyzer_of(ND_WORDS);
    nd_difference_list *list = differences(analyzer, "a b c d", "a x y c d e");
    assert_int_equal(list->count, 2);
    assert_int_equal(list->a_tokens, 4);
    assert_int_equal(list->b_tokens, 6);
    assert_int_equal(list->same_tokens, 3);
    assert_true(list->same == 2 * 3. / 10);
    assert_memory_equal(&list->differences[0], &((nd_difference){2, 3, 2, 5, 1, 2}),
                        sizeof(nd_difference));
    assert_memory_equal(&list->differences[1], &((nd_difference){7, 7, 10, 11, 0, 1}),
                        sizeof(nd_difference));
    nd_difference_list_free(list);
    list = differences(analyzer, "!", "?");
    assert_true(list->count == 0 && list->same == 1 && list->shortest);
    nd_difference_list_free(list);
    nd_difference_list_free(NULL);
    nd_analyzer_free(analyzer);
}

/* ---- at random */

typedef struct token_list {
    char *text; /* NUL-separated */
    size_t length, count;
} token_list;

static bool collect(void *context, const nd_token *token) {
    token_list *list = context;
    list->text = realloc(list->text, list->length + token->length + 1);
    memcpy(list->text + list->length, token->text, token->length);
    list->length += token->length;
    list->text[list->length++] = 0;
    list->count++;
    return true;
}

/* Tokens that begin in bytes [begin, end) of a text. */
typedef struct range_tokens {
    token_list list;
    size_t begin, end;
} range_tokens;

static bool collect_in_range(void *context, const nd_token *token) {
    range_tokens *range = context;
    return token->begin < range->begin || token->begin >= range->end ||
           collect(&range->list, token);
}

static range_tokens tokens_in(nd_analyzer *analyzer, const char *text, size_t begin, size_t end) {
    range_tokens range = {.begin = begin, .end = end};
    assert_int_equal(nd_tokenize(analyzer, text, strlen(text), collect_in_range, &range, NULL),
                     ND_OK);
    return range;
}

static void check_same(nd_analyzer *analyzer, const char *a, size_t a_begin, size_t a_end,
                       const char *b, size_t b_begin, size_t b_end, size_t *tokens) {
    assert_true(a_begin <= a_end && b_begin <= b_end);
    range_tokens x = tokens_in(analyzer, a, a_begin, a_end),
                 y = tokens_in(analyzer, b, b_begin, b_end);
    assert_int_equal(x.list.count, y.list.count);
    assert_int_equal(x.list.length, y.list.length);
    if (x.list.length > 0) assert_memory_equal(x.list.text, y.list.text, x.list.length);
    *tokens += x.list.count;
    free(x.list.text);
    free(y.list.text);
}

static void check_list(nd_analyzer *analyzer, const char *a, const char *b) {
    nd_difference_list *list = differences(analyzer, a, b);
    size_t same = 0, a_at = 0, b_at = 0;
    for (size_t i = 0; i < list->count; i++) {
        const nd_difference *d = &list->differences[i];
        size_t before = same;
        check_same(analyzer, a, a_at, d->a_begin, b, b_at, d->b_begin, &same);
        assert_true(i == 0 || same > before);
        range_tokens x = tokens_in(analyzer, a, d->a_begin, d->a_end),
                     y = tokens_in(analyzer, b, d->b_begin, d->b_end);
        assert_int_equal(x.list.count, d->a_tokens);
        assert_int_equal(y.list.count, d->b_tokens);
        assert_true(d->a_tokens + d->b_tokens > 0);
        free(x.list.text);
        free(y.list.text);
        a_at = d->a_end;
        b_at = d->b_end;
    }
    check_same(analyzer, a, a_at, strlen(a), b, b_at, strlen(b), &same);
    assert_int_equal(same, list->same_tokens);
    nd_difference_list_free(list);
}

static void random_text(uint64_t *seed, char *text, size_t words) {
    static const char *const some[] = {"the",
                                       "Stra\u00dfe",
                                       "of",
                                       "Caf\u00e9",
                                       "cafe\u0301",
                                       "\u6f22\u5b57",
                                       "\u0e01\u0e34\u0e19",
                                       "x_1",
                                       "!",
                                       "\U0001f642",
                                       "\u1112\u1161\u11ab",
                                       "o\ufb03ce",
                                       "office",
                                       "\u00df",
                                       "s",
                                       "\u0645\u064f\u0631",
                                       "\u0915\u094d\u0937",
                                       "\u0301"};
    *text = 0;
    for (size_t i = 0; i < words; i++)
        sprintf(text + strlen(text), "%s%s", some[random_below(seed, 18)],
                random_below(seed, 3) ? " " : "");
}

static void test_random(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int kind = ND_WORDS; kind <= ND_CHARS; kind++) {
        nd_analyzer *analyzer = analyzer_of((nd_analyzer_kind)kind);
        for (unsigned round = test_rounds(2000); round > 0; round--) {
            char a[2000] = "", b[2000] = "", piece[400];
            for (uint64_t n = random_below(&seed, 8); n > 0; n--) {
                random_text(&seed, piece, random_below(&seed, 6));
                if (random_below(&seed, 4)) strcat(a, piece);
                if (random_below(&seed, 4)) strcat(b, piece);
            }
            check_list(analyzer, a, b);
        }
        nd_analyzer_free(analyzer);
    }
}

/* ---- errors */

static void test_errors(void **state) {
    (void)state;
    nd_analyzer *analyzer = analyzer_of(ND_WORDS);
    nd_difference_list *list = NULL;
    nd_error error;
    assert_int_equal(nd_differences(analyzer, "a\xff", 2, "a", 1, &list, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "a: invalid UTF-8 at byte 1");
    assert_int_equal(nd_differences(analyzer, "a", 1, "ab \xff", 4, &list, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "b: invalid UTF-8 at byte 3");
    assert_null(list);
    nd_analyzer_free(analyzer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_random), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* case_fold.h: the folded text is the text that tokens are cut from. */
#include "unicode/case_fold.h"

#include "base/status.h"
#include "test.h"

#include <string.h>

static void expect(const char *text, const char *folded) {
    nd_folded out = {.cluster.allocator = nd_allocator_default};
    assert_int_equal(nd_fold(&out, text, strlen(text), NULL), ND_OK);
    assert_int_equal(out.length, strlen(folded));
    assert_memory_equal(out.bytes, folded, out.length);
    nd_folded_clear(&out);
}

static void test_texts(void **state) {
    (void)state;
    expect("", "");
    expect("Plain ASCII: C++, 100 %", "plain ascii: c++, 100 %");
    expect("Straße", "strasse");
    expect("STRASSE", "strasse");
    expect("Cafe\u0301", "caf\u00e9");
    expect("CAF\u00c9", "caf\u00e9");
    expect("e\u0301", "\u00e9");
    expect("\u0130", "i\u0307");
    expect("\u1e9e\ufb03", "ssffi");
    expect("\u0301a", "\u0301a");
    expect("\u7f8e\u56fd", "\u7f8e\u56fd");
    expect("51\u533a", "51\u533a");
    expect("\U00010400", "\U00010428");
}

typedef struct joined {
    char bytes[200];
    size_t length;
} joined;

static bool join(void *context, const nd_token *token) {
    joined *to = context;
    memcpy(to->bytes + to->length, token->text, token->length);
    to->length += token->length;
    return true;
}

/* Random letters and marks fold to the bytes of their character tokens. */
static void test_against_tokens(void **state) {
    (void)state;
    static const char *const parts[] = {
        "a",      "Z",      "\u00df", "\u0130",       "e\u0301",    "\u0301", "\u0327",
        "\u6f22", "\u1e9b", "\u0323", "\uac00\u11a8", "\U0001d15e", "\u0345", "9"};
    nd_analyzer *analyzer;
    nd_analyzer_options options = {sizeof options, .kind = ND_CHARS, .ngram = 1, .seed = 1};
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    nd_folded out = {.cluster.allocator = nd_allocator_default};
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[100] = "";
        for (uint64_t n = random_below(&seed, 9); n > 0; n--)
            strcat(text, parts[random_below(&seed, sizeof parts / sizeof *parts)]);
        joined tokens = {.length = 0};
        assert_int_equal(nd_tokenize(analyzer, text, strlen(text), join, &tokens, NULL), ND_OK);
        assert_int_equal(nd_fold(&out, text, strlen(text), NULL), ND_OK);
        assert_int_equal(out.length, tokens.length);
        assert_memory_equal(out.bytes, tokens.bytes, out.length);
    }
    nd_folded_clear(&out);
    nd_analyzer_free(analyzer);
}

static void test_failures(void **state) {
    (void)state;
    nd_folded out = {.cluster.allocator = nd_allocator_default};
    nd_error error;
    assert_int_equal(nd_fold(&out, "ab\xff", 3, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 2");
    assert_int_equal(nd_fold(&out, "\u00e9\xc3", 3, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 2");
    nd_folded_clear(&out);
    for (long left = 0;; left++) {
        failing_allocator failing = {left, 0};
        nd_folded starved = {.cluster.allocator = failing_allocator_make(&failing)};
        nd_status status = nd_fold(&starved, "ab\u00e9\u0301", 6, NULL);
        nd_folded_clear(&starved);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_against_tokens),
                                       cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

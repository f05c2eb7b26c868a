/* icu_han_breaks.h against ICU's break iterator: runs of a few ideographs, in which words overlap,
 * and of all ideographs, in which there are no words. */
#include "test.h"
#include "unicode/icu_han_breaks.h"
#include "unicode/icu_word_breaks.h"

#include <string.h>
#include <unicode/ubrk.h>
#include <unicode/uvernum.h>

enum { TEXTS = 20000, MOST = 60 };

static nd_han_breaks *make(void) {
    const nd_allocator allocator = nd_allocator_or_default(NULL);
    nd_han_breaks *ideographs;
    /* The library may have no ICU, or have loaded another one than this test was linked with. */
    if (nd_word_breaks_version() >> 16 != U_ICU_VERSION_MAJOR_NUM) skip();
    nd_error error;
    if (nd_han_breaks_create(&allocator, &ideographs, &error) != ND_OK)
        fail_msg("%s", error.message);
    if (!ideographs) skip();
    return ideographs;
}

static void compare(nd_han_breaks *ideographs, UBreakIterator *icu, const uint16_t *text,
                    size_t count) {
    static bool is_last[ND_HAN_BREAKS_RUN];
    UErrorCode code = U_ZERO_ERROR;
    assert_true(nd_han_breaks_accepts(text, count));
    nd_han_breaks_find(ideographs, text, count, is_last);
    ubrk_setText(icu, text, (int32_t)count, &code);
    assert_true(U_SUCCESS(code));
    int32_t next = ubrk_next(icu);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(is_last[i], next == (int32_t)i + 1);
        if (is_last[i]) next = ubrk_next(icu);
    }
}

static void test_same_as_icu(void **state) {
    (void)state;
    /* Frequent ideographs, among them those of long words and of words that overlap. */
    static const uint16_t frequent[] =
        u"\u7684\u4e00\u662f\u4e0d\u4e86\u5728\u4eba\u6709\u6211\u4ed6\u8fd9\u4e2a\u4eec\u4e2d"
        u"\u6765\u4e0a\u5927\u4e3a\u548c\u56fd"
        u"\u5730\u5230\u4ee5\u8bf4\u65f6\u8981\u5c31\u51fa\u4f1a\u53ef\u4e5f\u4f60\u5bf9\u751f"
        u"\u80fd\u800c\u5b50\u90a3\u5f97\u4e8e"
        u"\u534e\u6c11\u5171\u7814\u7a76\u547d\u7ed3\u5a5a\u5c1a\u672a\u5357\u4eac\u5e02\u957f"
        u"\u6c5f\u6865\u81ea\u7136\u79d1\u5b66";
    enum { FREQUENT = sizeof frequent / sizeof *frequent - 1 };
    static uint16_t text[ND_HAN_BREAKS_RUN];
    uint64_t seed = 11;
    UErrorCode code = U_ZERO_ERROR;
    UBreakIterator *icu = ubrk_open(UBRK_WORD, "", NULL, 0, &code);
    assert_true(U_SUCCESS(code));
    nd_han_breaks *ideographs = make();
    for (int i = 0; i < TEXTS; i++) {
        size_t count = i == 0 ? ND_HAN_BREAKS_RUN : 1 + random_below(&seed, MOST),
               all = random_below(&seed, 3);
        for (size_t k = 0; k < count; k++)
            text[k] = random_below(&seed, 4) < all
                          ? (uint16_t)(0x4e00 + random_below(&seed, 0x9fa6 - 0x4e00))
                          : frequent[random_below(&seed, FREQUENT)];
        compare(ideographs, icu, text, count);
    }
    nd_han_breaks_free(ideographs);
    ubrk_close(icu);
}

static void test_accepted(void **state) {
    (void)state;
    static const uint16_t edges[] = {0x4e00, 0x9fa5}, before[] = {0x4e00, 0x4dff},
                          behind[] = {0x9fa6, 0x4e00}, kana[] = {0x304b};
    static uint16_t many[ND_HAN_BREAKS_RUN + 1];
    for (size_t i = 0; i <= ND_HAN_BREAKS_RUN; i++) many[i] = 0x4e2d;
    assert_true(nd_han_breaks_accepts(edges, 2));
    assert_false(nd_han_breaks_accepts(before, 2));
    assert_false(nd_han_breaks_accepts(behind, 2));
    assert_false(nd_han_breaks_accepts(kana, 1));
    assert_false(nd_han_breaks_accepts(edges, 0));
    assert_true(nd_han_breaks_accepts(many, ND_HAN_BREAKS_RUN));
    assert_false(nd_han_breaks_accepts(many, ND_HAN_BREAKS_RUN + 1));
}

/* Text with other scripts, or with characters above U+FFFF, goes to the iterator. */
static void test_other_characters(void **state) {
    (void)state;
    static const char *const texts[] = {"\u4e2d\u56fd", "\u4e2d\u56fd\u306e\u4eba",
                                        "\U00020000\u4e2d\u56fd"};
    static const size_t ends[][4] = {{3, 6}, {3, 6, 9, 12}, {4, 7, 10}};
    static const size_t counts[] = {2, 4, 3};
    static const bool expected[][4] = {
        {false, true}, {false, true, true, true}, {true, false, true}};
    const nd_allocator allocator = nd_allocator_or_default(NULL);
    nd_word_breaks *breaks;
    bool is_last[4];
    if (nd_word_breaks_version() == 0) skip();
    assert_int_equal(nd_word_breaks_create(&allocator, &breaks, NULL), ND_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(nd_word_breaks_find(breaks, texts[i], ends[i], counts[i], is_last, NULL),
                         ND_OK);
        assert_memory_equal(is_last, expected[i], counts[i] * sizeof *is_last);
    }
    nd_word_breaks_free(breaks);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_icu),
                                       cmocka_unit_test(test_accepted),
                                       cmocka_unit_test(test_other_characters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

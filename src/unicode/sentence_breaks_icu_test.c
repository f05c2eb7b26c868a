/* Sentences against ICU's break iterator: random characters of every class, and random pieces of
 * text in many scripts. ICU's rules for the root locale are the rules of UAX #29. */
#include "test.h"

#include "neardup.h"
#include "unicode/sentence_break_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

enum { MOST = 4000 };

typedef struct ends {
    size_t count, at[MOST];
} ends;

static bool take(void *context, size_t begin, size_t end) {
    ends *e = context;
    (void)begin;
    e->at[e->count++] = end;
    return true;
}

static void compare(UBreakIterator *icu, const char *text, size_t length) {
    static ends got;
    UErrorCode status = U_ZERO_ERROR;
    UText *utext = utext_openUTF8(NULL, text, (int64_t)length, &status);
    ubrk_setUText(icu, utext, &status);
    assert_true(U_SUCCESS(status));
    got.count = 0;
    assert_int_equal(nd_sentences(text, length, take, &got, NULL), ND_OK);
    size_t i = 0;
    for (int32_t end = ubrk_next(icu); end != UBRK_DONE; end = ubrk_next(icu), i++) {
        assert_true(i < got.count);
        assert_int_equal(got.at[i], (size_t)end);
    }
    assert_int_equal(i, got.count);
    utext_close(utext);
}

static UBreakIterator *open_icu(void) {
    UErrorCode status = U_ZERO_ERROR;
    UBreakIterator *icu = ubrk_open(UBRK_SENTENCE, "", NULL, 0, &status);
    assert_true(U_SUCCESS(status));
    return icu;
}

/* The class of every code point, if ICU has the version of the tables. */
static void test_property(void **state) {
    (void)state;
    UVersionInfo version;
    u_getUnicodeVersion(version);
    if (version[0] != 15) skip();
    static const nd_sentence_class classes[] = {
        [U_SB_OTHER] = ND_SENTENCE_OTHER,        [U_SB_ATERM] = ND_SENTENCE_STOP,
        [U_SB_CLOSE] = ND_SENTENCE_CLOSE,        [U_SB_FORMAT] = ND_SENTENCE_EXTEND,
        [U_SB_LOWER] = ND_SENTENCE_LOWER,        [U_SB_NUMERIC] = ND_SENTENCE_NUMERIC,
        [U_SB_OLETTER] = ND_SENTENCE_LETTER,     [U_SB_SEP] = ND_SENTENCE_SEPARATOR,
        [U_SB_SP] = ND_SENTENCE_SPACE,           [U_SB_STERM] = ND_SENTENCE_TERM,
        [U_SB_UPPER] = ND_SENTENCE_UPPER,        [U_SB_CR] = ND_SENTENCE_CR,
        [U_SB_EXTEND] = ND_SENTENCE_EXTEND,      [U_SB_LF] = ND_SENTENCE_LF,
        [U_SB_SCONTINUE] = ND_SENTENCE_CONTINUE,
    };
    for (uint32_t cp = 0; cp <= 0x10ffff; cp++)
        assert_int_equal(nd_sentence_class_of(cp),
                         classes[u_getIntPropertyValue((UChar32)cp, UCHAR_SENTENCE_BREAK)]);
}

/* Random characters, most of them of classes that the rules use. */
static void test_random(void **state) {
    (void)state;
    static const char *const pieces[] = {"a",        "b",
                                         "A",        "B",
                                         "文",       "ש",
                                         "1",        "٣",
                                         ".",        "．",
                                         "․",        "!",
                                         "?",        "。",
                                         "।",        ")",
                                         "\"",       "”",
                                         "(",        ",",
                                         ";",        "、",
                                         ":",        " ",
                                         " ",        "\xc2\xa0",
                                         "\n",       "\r",
                                         "\xc2\x85", "\xe2\x80\xa9",
                                         "\xcc\x81", "\xe2\x81\xa0",
                                         "\xc2\xad", "\xe2\x80\x8d",
                                         "+",        "€",
                                         "\x01",     "👍"};
    uint64_t random = 4;
    UBreakIterator *icu = open_icu();
    for (unsigned round = 0; round < 60000; round++) {
        char text[MOST];
        size_t length = 0, count = (size_t)random_below(&random, 24);
        for (size_t i = 0; i < count; i++) {
            const char *piece = pieces[random_below(&random, sizeof pieces / sizeof *pieces)];
            memcpy(text + length, piece, strlen(piece));
            length += strlen(piece);
        }
        compare(icu, text, length);
    }
    ubrk_close(icu);
}

static void test_scripts(void **state) {
    (void)state;
    static const char *const texts[] = {
        ("The U.S. economy grew by 2.5 p.c. in Q3. \"Really?\" he asked. (Yes.) See e.g. pp. 3-5; "
         "cf. Smith et al. 2004."),
        "Das kostet z. B. 3,50 Euro. „Wirklich?“ fragte er. Am 3. Mai ist Schluss!",
        "Это произошло в 1999 г. в Москве. «Правда?» — спросил он. Да!",
        "今天天气很好。我们去公园吧！你说：“好吗？”他说：好。２．５公里",
        "これは文です。次の文です！「本当？」と彼は言った。",
        "이것은 문장입니다. 다음 문장! 정말? 네.",
        "यह एक वाक्य है। क्या यह दूसरा है? हाँ॥",
        "هذه جملة. هل هذه أخرى؟ نعم، هذه أخرى۔",
        "זה משפט. האם זה עוד אחד? כן!",
        "นี่คือประโยค นี่คืออีกประโยค\nบรรทัดใหม่",
        "នេះជាប្រយោគ។ នេះជាប្រយោគមួយទៀត៕",
        "ဒါက ဝါကျပါ။ နောက်တစ်ခု၊ ဟုတ်ကဲ့။",
        "ይህ ዓረፍተ ነገር ነው። ሌላ፧ አዎ።",
        "Αυτή είναι μια πρόταση. Και άλλη; Ναι!",
        "Սա նախադասություն է։ Եվս մեկը՞։",
        "ეს წინადადებაა. კიდევ ერთი?",
        "བོད་ཡིག་ནི། ཚིག་གྲུབ་གཉིས་པ།",
        "👍🏽👩‍👩‍👧! 🎉 3.14 https://example.org/a.b?c=d. Next",
    };
    uint64_t random = 5;
    UBreakIterator *icu = open_icu();
    for (unsigned round = 0; round < 4000; round++) {
        char text[MOST];
        size_t length = 0, count = round < sizeof texts / sizeof *texts
                                       ? 1
                                       : 1 + (size_t)random_below(&random, 5);
        for (size_t i = 0; i < count; i++) {
            const char *whole = texts[count == 1 && round < sizeof texts / sizeof *texts
                                          ? round
                                          : random_below(&random, sizeof texts / sizeof *texts)];
            size_t most = strlen(whole),
                   piece = count == 1 ? most : (size_t)random_below(&random, most + 1);
            while (piece > 0 && piece < most && ((unsigned char)whole[piece] & 0xc0) == 0x80)
                piece--;
            memcpy(text + length, whole, piece);
            length += piece;
            if (random_below(&random, 3) == 0) text[length++] = ' ';
        }
        compare(icu, text, length);
    }
    ubrk_close(icu);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_property),
                                       cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_scripts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

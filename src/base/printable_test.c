/* printable.h and nd_printable: any bytes become one printable line, and a long line is cut. */
#include "base/printable.h"

#include "base/status.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static void expect_bytes(const char *text, size_t length, const char *printed) {
    char out[200];
    size_t written = nd_printable(text, length, out, sizeof out);
    assert_string_equal(out, printed);
    assert_int_equal(written, strlen(printed));
}

static void expect(const char *text, const char *printed) {
    expect_bytes(text, strlen(text), printed);
}

static void test_characters(void **state) {
    (void)state;
    expect("", "");
    expect("plain, \\n and \"quoted\"", "plain, \\n and \"quoted\"");
    expect("Größe \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80",
           "Größe \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80");
    expect("a\nb\rc\td", "a\\nb\\rc\\td");
    expect("\x1b[31mred\x07\x7f", "\\x1b[31mred\\x07\\x7f");
    expect_bytes("a\0b", 3, "a\\x00b");
    expect("\xc2\x85\xc2\x9b"
           "31m",
           "\\u0085\\u009b31m");
    expect("x\xe2\x80\xa8y\xe2\x80\xa9", "x\\u2028y\\u2029");
    expect("\xe2\x80\xae"
           "cod.exe\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f",
           "\\u202ecod.exe\\u2066\\u061c\\u200f");
    /* Characters next to the escaped ranges. */
    expect("\xc2\xa0\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
           "\xc2\xa0\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa");
}

static void test_invalid_bytes(void **state) {
    (void)state;
    expect("a\xff"
           "b\x80",
           "a\\xffb\\x80");
    expect("\xc0\xaf", "\\xc0\\xaf");                   /* overlong */
    expect("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* a surrogate */
    expect("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond U+10FFFF */
    expect("\xe4\xb8", "\\xe4\\xb8");                   /* cut off */
    expect("\xe4\xb8\xad\xe4", "\xe4\xb8\xad\\xe4");
}

/* Any bytes become valid and printable UTF-8 within the bound, and printing that again does not
 * change it. */
static void test_any_bytes(void **state) {
    (void)state;
    srand(7);
    for (int round = 0; round < 20000; round++) {
        unsigned char text[64];
        char out[200], again[200];
        size_t length = (size_t)rand() % sizeof text, size = 1 + (size_t)rand() % sizeof out;
        static const unsigned char pieces[] = {0xe2, 0x80, 0xa8, 0xae, 0xc2, 0x9b,
                                               0xf0, 0x9f, 0x98, 'a',  0x1b, '\n'};
        for (size_t i = 0; i < length; i++)
            text[i] = rand() % 4 ? pieces[(size_t)rand() % sizeof pieces] : (unsigned char)rand();
        size_t written = nd_printable((const char *)text, length, out, size);
        assert_true(written < size);
        assert_int_equal(written, strlen(out));
        assert_int_equal(nd_utf8_valid_prefix(out, written), written);
        for (size_t i = 0; i < written; i++)
            assert_true((unsigned char)out[i] >= 0x20 && out[i] != 0x7f);
        assert_int_equal(nd_printable(out, written, again, sizeof again), written);
        assert_string_equal(again, out);
    }
}

static void test_cut(void **state) {
    (void)state;
    char out[32];
    static const char text[] = "0123456789abcdefghij0123456789ABCDEFGHIJ";
    assert_int_equal(nd_printable(text, 31, out, sizeof out), 31);
    assert_int_equal(nd_printable(text, 40, out, sizeof out), 31);
    assert_string_equal(out, "0123456789abc ... 789ABCDEFGHIJ");
    nd_printable(text, 40, out, 8);
    assert_string_equal(out, "0123456");
    assert_int_equal(nd_printable(text, 40, out, 1), 0);
    assert_int_equal(nd_printable(text, 40, out, 0), 0);
    /* The cut is between characters, which have three bytes each. */
    char cjk[121];
    for (size_t i = 0; i < 40; i++) memcpy(cjk + 3 * i, "\xe4\xb8\xad", 3);
    assert_int_equal(nd_printable(cjk, 120, out, sizeof out), 12 + 5 + 12);
    assert_int_equal(nd_utf8_valid_prefix(out, 29), 29);
}

/* A path of 4,000 bytes that contains line breaks, and the reason behind it. */
static void test_messages(void **state) {
    (void)state;
    char path[4001];
    nd_error error;
    memset(path, 'd', sizeof path);
    memcpy(path, "/x\n\x1b", 4);
    path[4000] = '\0';
    assert_int_equal(nd_fail(&error, ND_ERR_INPUT, "%s: not of this kind", path), ND_ERR_INPUT);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_memory_equal(error.message, "/x\\n\\x1bddd", 10);
    assert_non_null(strstr(error.message, "ddd: not of this kind"));
    char *longer = malloc(100001);
    assert_non_null(longer);
    memset(longer, 'd', 100000);
    longer[100000] = '\0';
    assert_int_equal(nd_fail_os(&error, 2, "%s", longer), ND_ERR_IO);
    assert_non_null(strstr(error.message, "ddd: No such file or directory"));
    free(longer);
    /* A message that contains itself. */
    nd_fail(&error, ND_ERR_INPUT, "inner");
    nd_fail(&error, ND_ERR_INPUT, "outer: %s", error.message);
    assert_string_equal(error.message, "outer: inner");
}

static void test_shown_length(void **state) {
    (void)state;
    assert_int_equal(nd_shown_length("abc", 3, 5), 3);
    assert_int_equal(nd_shown_length("abcdef", 6, 5), 5);
    assert_int_equal(nd_shown_length("ab\xe4\xb8\xad\xe6\x96\x87", 8, 6), 5);
    assert_int_equal(nd_shown_length("ab\xe4\xb8\xad\xe6\x96\x87", 8, 5), 5);
    assert_int_equal(nd_shown_length("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters), cmocka_unit_test(test_invalid_bytes),
        cmocka_unit_test(test_any_bytes),  cmocka_unit_test(test_cut),
        cmocka_unit_test(test_messages),   cmocka_unit_test(test_shown_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

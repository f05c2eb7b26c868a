/* encoding.h: the C library's iconv is the oracle. */
#include "unicode/encoding.h"

#include "base/icu_library.h"

#include <iconv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { MOST = 1 << 16 };

/* Characters of a script: from, to. */
typedef struct script {
    const char *label, *iconv_name;
    uint32_t from, to;
} script;

static const script scripts[] = {
    {"UTF-16LE", "UTF-16LE", 0x20, 0x2FFFF},   {"utf-16be", "UTF-16BE", 0x20, 0x2FFFF},
    {"utf-32le", "UTF-32LE", 0x20, 0x10FFFF},  {"utf-32be", "UTF-32BE", 0x20, 0x10FFFF},
    {"latin1", "CP1252", 0x20, 0x7E},          {"iso-8859-1", "CP1252", 0xA0, 0xFF},
    {"windows-1252", "CP1252", 0x2018, 0x201E}};
static const script by_icu[] = {{"iso-8859-2", "ISO-8859-2", 0xC1, 0x17E},
                                {"windows-1251", "CP1251", 0x410, 0x44F},
                                {"koi8-r", "KOI8-R", 0x410, 0x44F},
                                {"Shift_JIS", "CP932", 0x3041, 0x30FA},
                                {"euc-jp", "EUC-JP", 0x3041, 0x3093},
                                {"gb2312", "GB18030", 0x4E00, 0x9FA5},
                                {"gbk", "GB18030", 0x3400, 0x4DB5},
                                {"big5", "BIG5", 0x4E00, 0x9FA5},
                                {"euc-kr", "CP949", 0xAC00, 0xD7A3},
                                {"tis-620", "CP874", 0xE01, 0xE3A},
                                {"iso-2022-jp", "ISO-2022-JP", 0x3041, 0x3093}};

static size_t put_utf8(uint32_t c, char *to) {
    if (c < 0x80) return (size_t)(*to = (char)c, 1);
    if (c < 0x800)
        return (size_t)(to[0] = (char)(0xC0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2);
    if (c < 0x10000) {
        to[0] = (char)(0xE0 | c >> 12), to[1] = (char)(0x80 | (c >> 6 & 63));
        return (size_t)(to[2] = (char)(0x80 | (c & 63)), 3);
    }
    to[0] = (char)(0xF0 | c >> 18), to[1] = (char)(0x80 | (c >> 12 & 63));
    return (size_t)(to[2] = (char)(0x80 | (c >> 6 & 63)), to[3] = (char)(0x80 | (c & 63)), 4);
}

/* Makes a text of characters of the script that its encoding has, in UTF-8 and in the encoding. */
static void make_text(const script *s, char *utf8, size_t *utf8_size, char *other,
                      size_t *other_size) {
    iconv_t cd = iconv_open(s->iconv_name, "UTF-8");
    assert_true(cd != (iconv_t)-1);
    uint64_t seed = 7;
    *utf8_size = 0;
    char *to = other, *from = utf8;
    size_t room = MOST, left = 0;
    while (*utf8_size < MOST / 8) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint32_t c = seed >> 60 == 0 ? ' '
                                     : s->from + (uint32_t)((seed >> 33) % (s->to - s->from + 1));
        if (c >= 0xD800 && c < 0xE000) continue;
        from = utf8 + *utf8_size;
        size_t size = left = put_utf8(c, from);
        if (iconv(cd, &from, &left, &to, &room) == 0) *utf8_size += size;
    }
    iconv(cd, NULL, NULL, &to, &room);
    *other_size = MOST - room;
    iconv_close(cd);
    assert_true(*utf8_size > 1000);
}

static void check_script(const script *s) {
    static char utf8[MOST], other[MOST];
    size_t size, other_size, malformed = 1;
    const nd_allocator memory = nd_allocator_or_default(NULL);
    make_text(s, utf8, &size, other, &other_size);
    nd_encoding *encoding = NULL;
    nd_encoded_text text = {0};
    nd_error error;
    if (nd_encoding_open(s->label, strlen(s->label), &memory, &encoding, &error) != ND_OK)
        fail_msg("%s: %s", s->label, error.message);
    assert_true(nd_encoding_has_label(encoding, s->label, strlen(s->label)));
    for (int again = 0; again < 2; again++) {
        assert_int_equal(
            nd_encoding_convert(encoding, other, other_size, &text, &malformed, &error), ND_OK);
        assert_int_equal(text.length, size);
        assert_memory_equal(text.bytes, utf8, size);
        assert_int_equal(malformed, 0);
    }
    free(text.bytes);
    nd_encoding_close(encoding);
}

static void test_own_encodings(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) check_script(&scripts[i]);
}

static void test_encodings_of_icu(void **state) {
    (void)state;
    if (!nd_icu_library()) skip();
    for (size_t i = 0; i < sizeof by_icu / sizeof *by_icu; i++) check_script(&by_icu[i]);
}

static void test_labels(void **state) {
    (void)state;
    const nd_allocator memory = nd_allocator_or_default(NULL);
    const char *utf8[] = {"utf-8", " UTF8\n"}, *unknown[] = {"", "no-such-encoding", "a\0b"};
    nd_encoding *encoding = (nd_encoding *)&memory;
    nd_error error;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(nd_encoding_open(utf8[i], strlen(utf8[i]), &memory, &encoding, &error),
                         ND_OK);
        assert_null(encoding);
    }
    for (size_t i = 0; i < 3; i++)
        assert_int_not_equal(
            nd_encoding_open(unknown[i], strlen(unknown[i]), &memory, &encoding, &error), ND_OK);
    static char long_label[500];
    memset(long_label, 'x', sizeof long_label);
    assert_int_equal(nd_encoding_open(long_label, sizeof long_label, &memory, &encoding, &error),
                     ND_ERR_ARGUMENT);
    assert_int_equal(nd_encoding_open(" Latin1", 7, &memory, &encoding, &error), ND_OK);
    assert_true(nd_encoding_has_label(encoding, "LATIN1 ", 7));
    assert_false(nd_encoding_has_label(encoding, "latin2", 6));
    assert_true(nd_encoding_keeps_ascii(encoding));
    nd_encoding_close(encoding);
    assert_int_equal(nd_encoding_open("utf-16", 6, &memory, &encoding, &error), ND_OK);
    assert_false(nd_encoding_keeps_ascii(encoding));
    nd_encoding_close(encoding);
}

static void expect(const char *label, const char *bytes, size_t size, const char *wanted,
                   size_t wanted_malformed) {
    const nd_allocator memory = nd_allocator_or_default(NULL);
    nd_encoding *encoding = NULL;
    nd_encoded_text text = {0};
    nd_error error;
    size_t malformed = 99;
    assert_int_equal(nd_encoding_open(label, strlen(label), &memory, &encoding, &error), ND_OK);
    assert_int_equal(nd_encoding_convert(encoding, bytes, size, &text, &malformed, &error), ND_OK);
    assert_int_equal(text.length, strlen(wanted));
    if (text.length > 0) assert_memory_equal(text.bytes, wanted, text.length);
    assert_int_equal(malformed, wanted_malformed);
    free(text.bytes);
    nd_encoding_close(encoding);
}

#define REPLACED "\xEF\xBF\xBD"

static void test_malformed(void **state) {
    (void)state;
    expect("utf-16le", "", 0, "", 0);
    expect("utf-16le", "a\0b", 3, "a" REPLACED, 1);
    expect("utf-16le",
           "\x00\xD8"
           "a\0",
           4, REPLACED "a", 1);
    expect("utf-16be", "\xDC\x00\0a\xD8\x01", 6, REPLACED "a" REPLACED, 2);
    expect("utf-32le", "\0\0\x11\0a\0\0\0x", 9, REPLACED "a" REPLACED, 2);
    if (!nd_icu_library()) return;
    expect("shift_jis", "a\x82", 2, "a" REPLACED, 1);
    expect("euc-jp",
           "\xA4\xA2\xFF"
           "b",
           4, "\xE3\x81\x82" REPLACED "b", 1);
}

static void test_marks(void **state) {
    (void)state;
    size_t size;
    assert_string_equal(nd_encoding_of_mark("\xEF\xBB\xBFx", 4, &size), "utf-8");
    assert_int_equal(size, 3);
    assert_string_equal(nd_encoding_of_mark("\xFF\xFEx\0", 4, &size), "utf-16le");
    assert_int_equal(size, 2);
    assert_string_equal(nd_encoding_of_mark("\xFF\xFE\0\0", 4, &size), "utf-32le");
    assert_int_equal(size, 4);
    assert_null(nd_encoding_of_mark("\xFF", 1, &size));
    assert_int_equal(size, 0);
}

static void test_guesses(void **state) {
    (void)state;
#ifndef ND_WITH_UCHARDET
    skip();
#endif
    /* Of a Russian sentence, in KOI8-R. */
    static const char russian[] =
        "\xF7\xD3\xC5 \xD3\xDE\xC1\xD3\xD4\xCC\xC9\xD7\xD9\xC5 \xD3\xC5\xCD\xD8\xC9 "
        "\xD0\xCF\xC8\xCF\xD6\xC9 \xC4\xD2\xD5\xC7 \xCE\xC1 \xC4\xD2\xD5\xC7\xC1, "
        "\xCB\xC1\xD6\xC4\xC1\xD1 \xCE\xC5\xD3\xDE\xC1\xD3\xD4\xCC\xC9\xD7\xC1\xD1 "
        "\xD3\xC5\xCD\xD8\xD1 \xCE\xC5\xD3\xDE\xC1\xD3\xD4\xCC\xC9\xD7\xC1 "
        "\xD0\xCF-\xD3\xD7\xCF\xC5\xCD\xD5.";
    char label[40], small[3];
    const char *found = nd_encoding_guess(russian, sizeof russian - 1, label, sizeof label);
    assert_non_null(found);
    assert_string_equal(found, "KOI8-R");
    assert_null(nd_encoding_guess("plain", 5, label, sizeof label));
    assert_null(nd_encoding_guess(russian, sizeof russian - 1, small, sizeof small));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_encodings), cmocka_unit_test(test_encodings_of_icu),
        cmocka_unit_test(test_labels),        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_marks),         cmocka_unit_test(test_guesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

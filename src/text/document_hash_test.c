/* The hashes of documents against the definition of identity, written a second time: with code
 * points in an array, and by NFC of all of them. */
#include "text/document_hash.h"

#include "base/hash.h"
#include "unicode/normalize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 11;

static size_t below(size_t n) {
    return (size_t)(nd_mix64(random_state += UINT64_C(0x9e3779b97f4a7c15)) % n);
}

static nd_document_hasher *make(nd_equal by) {
    const nd_analyzer_options words = {
        .struct_size = sizeof words, .kind = ND_WORDS, .ngram = 5, .seed = 1};
    nd_document_hasher *hasher = NULL;
    assert_int_equal(nd_document_hasher_create(by, &words, &nd_allocator_default, &hasher, NULL),
                     ND_OK);
    return hasher;
}

static bool same(nd_document_hasher *h, const char *a, size_t a_length, const char *b,
                 size_t b_length) {
    uint64_t x[2], y[2];
    assert_int_equal(nd_document_hash(h, a, a_length, x, NULL), ND_OK);
    assert_int_equal(nd_document_hash(h, b, b_length, y, NULL), ND_OK);
    assert_int_equal(x[0] == y[0], x[1] == y[1]);
    return x[0] == y[0];
}

static bool are_same(nd_equal by, const char *a, const char *b) {
    nd_document_hasher *h = make(by);
    bool result = same(h, a, strlen(a), b, strlen(b));
    nd_document_hasher_free(h);
    return result;
}

static void test_identity(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool bytes, text, tokens;
    } pairs[] = {
        {"", "", true, true, true},
        {"", " ", false, true, false},
        {"", "a", false, false, false},
        {"a b", "a b", true, true, true},
        {"a b", " a\t\r\n b\n", false, true, true},
        {"a b",
         "a\xC2\xA0\xE2\x80\xA8\xE3\x80\x80"
         "b",
         false, true, true},
        {"a b", "ab", false, false, false},
        {"a b", "A b", false, false, true},
        {"a b", "a, b.", false, false, true},
        {"caf\xC3\xA9", "cafe\xCC\x81", false, true, true},
        {"caf\xC3\xA9 x", "cafe\xCC\x81\nx", false, true, true},
        {"\xCC\x81", " \xCC\x81", false, true, false},
        {"q\xCC\xA3\xCC\x87", "q\xCC\x87\xCC\xA3", false, true, true},
        {"\xEA\xB0\x80", "\xE1\x84\x80\xE1\x85\xA1", false, true, true},
        {"!", "?", false, false, false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(are_same(ND_EQUAL_BYTES, pairs[i].a, pairs[i].b), pairs[i].bytes);
        assert_int_equal(are_same(ND_EQUAL_TEXT, pairs[i].a, pairs[i].b), pairs[i].text);
        assert_int_equal(are_same(ND_EQUAL_TOKENS, pairs[i].a, pairs[i].b), pairs[i].tokens);
    }
}

/* Each length, and each byte, matters; so does padding. */
static void test_bytes(void **state) {
    (void)state;
    nd_document_hasher *h = make(ND_EQUAL_BYTES);
    char a[200] = {0}, b[200] = {0};
    for (size_t n = 0; n < sizeof a; n++) {
        for (size_t m = 0; m < sizeof a; m++) assert_int_equal(same(h, a, n, b, m), n == m);
        for (size_t i = 0; i < n; i++) {
            b[i] = 1;
            assert_false(same(h, a, n, b, n));
            b[i] = 0;
        }
    }
    nd_document_hasher_free(h);
}

/* Frozen: an index keeps these hashes. */
static void test_golden(void **state) {
    (void)state;
    static const char text[] = "The library opens at nine on Monday, and closes at six.";
    nd_document_hasher *h = make(ND_EQUAL_BYTES);
    uint64_t hash[2];
    assert_int_equal(nd_document_hash(h, text, sizeof text - 1, hash, NULL), ND_OK);
    assert_int_equal(hash[0], UINT64_C(0xc3b28ab65e1270f0));
    assert_int_equal(hash[1], UINT64_C(0xc42fdaa4d698b88e));
    assert_int_equal(nd_document_hash(h, "", 0, hash, NULL), ND_OK);
    assert_int_equal(hash[0], UINT64_C(0x68d65fca1a3a04b3));
    assert_int_equal(hash[1], UINT64_C(0x9f33abee74a1ec85));
    nd_document_hasher_free(h);
}

/* ---- normalised texts, by their definition */

enum { MOST = 400 };

typedef struct characters {
    uint32_t list[4 * MOST];
    size_t count;
} characters;

static bool is_white(uint32_t cp) {
    static const uint32_t white[] = {0x09,   0x0a,   0x0b,   0x0c,   0x0d,   0x20,   0x85,
                                     0xa0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                     0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
                                     0x2029, 0x202f, 0x205f, 0x3000};
    for (size_t i = 0; i < sizeof white / sizeof *white; i++)
        if (white[i] == cp) return true;
    return false;
}

/* NFC of the whole text, then its words with a space between two of them. */
static void normalized(const char *text, size_t length, characters *out) {
    nd_cluster cluster = {.allocator = nd_allocator_default};
    characters nfc = {.count = 0};
    for (size_t at = 0; at < length;) {
        assert_int_equal(
            nd_cluster_normalize(&cluster, (const unsigned char *)text, length, at, &at, NULL),
            ND_OK);
        for (size_t i = 0; i < cluster.count; i++) nfc.list[nfc.count++] = cluster.chars[i];
    }
    nd_cluster_clear(&cluster);
    out->count = 0;
    for (size_t begin = 0, end; begin < nfc.count; begin = end) {
        for (end = begin; end < nfc.count && !is_white(nfc.list[end]);) end++;
        if (end > begin && out->count > 0) out->list[out->count++] = ' ';
        for (size_t i = begin; i < end; i++) out->list[out->count++] = nfc.list[i];
        end += end == begin;
    }
}

static size_t random_text(char *out) {
    static const uint32_t some[] = {'a',    'b',     ' ',    ' ',    '\n',   0xe9,   0x301,  0x323,
                                    0xa0,   0x3000,  0x4e2d, 0x1100, 0x1161, 0xac00, 0x212b, 0x85,
                                    0x2001, 0x1f600, 0x7f,   0,      'Z',    0x1d15e};
    size_t length = 0;
    for (size_t n = below(below(2) ? 6 : MOST / 4); n > 0; n--) {
        for (size_t words = below(4) ? 0 : below(20); words > 0 && length < MOST; words--)
            out[length++] = words % 7 ? 'w' : ' ';
        unsigned width;
        uint32_t bytes = nd_utf8_pack(some[below(sizeof some / sizeof *some)], &width);
        for (unsigned i = 0; i < width; i++) out[length++] = (char)(bytes >> 8 * i);
    }
    return length;
}

/* Changes white space and normalisation forms, and sometimes more than these. */
static size_t vary(const char *text, size_t length, char *out) {
    size_t size = 0;
    for (size_t i = 0; i < length; i++) {
        bool accent = i + 1 < length && memcmp(text + i, "\xC3\xA9", 2) == 0 && below(2);
        if (below(60) == 0) continue;
        if (text[i] == ' ' || text[i] == '\n')
            size += (size_t)sprintf(out + size, "%s", below(2) ? "\t " : "\n");
        else if (accent) size += (size_t)sprintf(out + size, "e\xCC\x81"), i++;
        else out[size++] = text[i];
    }
    return nd_utf8_valid_prefix(out, size);
}

static void test_text(void **state) {
    (void)state;
    nd_document_hasher *h = make(ND_EQUAL_TEXT);
    size_t equal = 0;
    for (int i = 0; i < 20000; i++) {
        char a[4 * MOST], b[8 * MOST];
        characters x, y;
        size_t a_length = random_text(a);
        size_t b_length = below(4) ? vary(a, a_length, b) : random_text(b);
        normalized(a, a_length, &x);
        normalized(b, b_length, &y);
        bool expected = x.count == y.count && memcmp(x.list, y.list, x.count * sizeof *x.list) == 0;
        equal += expected;
        assert_int_equal(same(h, a, a_length, b, b_length), expected);
    }
    assert_true(equal > 2000 && equal < 18000);
    nd_document_hasher_free(h);
}

static void test_malformed(void **state) {
    (void)state;
    uint64_t hash[2];
    nd_error error;
    nd_document_hasher *h = make(ND_EQUAL_TEXT);
    assert_int_equal(nd_document_hash(h, "abc\xFF", 4, hash, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 3");
    nd_document_hasher_free(h);
}

/* NFC makes a text three times as long at most, and the buffer holds that. */
static void test_expansion(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    static char a[4 * COUNT + 1];
    nd_document_hasher *h = make(ND_EQUAL_TEXT);
    for (size_t i = 0; i < COUNT; i++) memcpy(a + 4 * i, "\xF0\x9D\x85\xA0", 5);
    assert_true(same(h, a, 4 * COUNT, a, 4 * COUNT));
    assert_false(same(h, a, 4 * COUNT, a, 4 * COUNT - 4));
    nd_document_hasher_free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),  cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_golden),    cmocka_unit_test(test_text),
        cmocka_unit_test(test_malformed), cmocka_unit_test(test_expansion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

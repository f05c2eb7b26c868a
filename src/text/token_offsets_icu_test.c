/* Offsets of tokens: in texts of all kinds of characters, well-formed or random, the bytes of each
 * token give that token again. */
#include "neardup.h"

#include "unicode/normalize.h"
#include "collected_tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

enum { MOST_BYTES = 20000, SHORT_TEXTS = 30000, LONG_TEXTS = 20 };

static bool same_text(const nd_token *a, const nd_token *b) {
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static bool is_boundary(const char *text, size_t length, size_t at) {
    return at == length || ((unsigned char)text[at] & 0xc0) != 0x80;
}

static size_t characters(const char *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) count += is_boundary(text, length, i);
    return count;
}

/* Whether ICU's quick check says that a text is in NFC: none of its characters may combine with the
 * one before it. */
static bool is_plain(const char *text, size_t length) {
    static UChar utf16[MOST_BYTES];
    UErrorCode code = U_ZERO_ERROR;
    int32_t count = 0;
    u_strFromUTF8(utf16, MOST_BYTES, &count, text, (int32_t)length, &code);
    bool yes = unorm2_quickCheck(unorm2_getNFCInstance(&code), utf16, count, &code) == UNORM_YES;
    assert_true(U_SUCCESS(code));
    return yes;
}

/* Whether text[begin, end) gives the token; if `alone`, then no other token, and with no bytes
 * left over. */
static bool gives(nd_analyzer *analyzer, const char *text, size_t begin, size_t end,
                  const nd_token *token, bool alone) {
    static token_list parts;
    token_list_fill(&parts, analyzer, text + begin, end - begin);
    if (alone)
        return parts.count == 1 && same_text(&parts.tokens[0], token) &&
               parts.tokens[0].begin == 0 && parts.tokens[0].end == end - begin;
    for (size_t i = 0; i < parts.count; i++)
        if (same_text(&parts.tokens[i], token)) return true;
    return false;
}

static bool is_space(const nd_token *token) { return token->length == 1 && token->text[0] == ' '; }

/* Checks the offsets of each token; `kind` is the analyzer's. Returns the number of tokens
 * whose bytes overlap another token's. */
static size_t check_offsets(nd_analyzer *analyzer, nd_analyzer_kind kind, const char *text,
                            size_t length) {
    static token_list list;
    size_t sharing = 0;
    token_list_fill(&list, analyzer, text, length);
    for (size_t i = 0; i < list.count; i++) {
        const nd_token *token = &list.tokens[i], *before = i > 0 ? token - 1 : NULL,
                       *after = i + 1 < list.count ? token + 1 : NULL;
        size_t begin = token->begin, end = token->end;
        assert_true(begin < end && end <= length);
        assert_true(is_boundary(text, length, begin) && is_boundary(text, length, end));
        bool shares = (before && begin < before->end) || (after && after->begin < end);
        sharing += shares;
        if (before) {
            assert_true(begin >= before->begin && end >= before->end);
            if (begin < before->end) {
                /* Several tokens of one character, or of a cluster that may not be in NFC. */
                bool folds = kind == ND_CHARS && characters(text + begin, before->end - begin) == 1;
                assert_true(folds || !is_plain(text + begin, before->end - begin));
            } else if (kind == ND_CHARS) {
                assert_int_equal(begin, before->end);
            }
        }
        if (kind == ND_CHARS && is_space(token)) {
            assert_true(shares || !gives(analyzer, text, begin, end, token, false));
            continue;
        }
        assert_true(gives(analyzer, text, begin, end, token, !shares));
        /* Without its first or its last character the bytes do not give the token. */
        if (shares || !is_plain(text + begin, end - begin)) continue;
        size_t second = begin + 1, last = end - 1;
        while (!is_boundary(text, length, second)) second++;
        while (!is_boundary(text, length, last)) last--;
        assert_false(gives(analyzer, text, second, end, token, true));
        assert_false(gives(analyzer, text, begin, last, token, true));
    }
    return sharing;
}

/* ---- texts */

typedef struct pool {
    uint32_t chars[8192];
    size_t count;
} pool;

static void fill_pool(pool *p, unsigned bits) {
    for (uint32_t cp = 1; cp < 0x110000; cp++)
        if (cp - 0xd800 >= 0x800 && cp - 0xac00 >= 11172 && (nd_unicode_entry(cp) & bits))
            p->chars[p->count++ % 8192] = cp;
    if (p->count > 8192) p->count = 8192;
    assert_true(p->count > 100);
}

static size_t put_char(char *to, uint32_t cp) {
    unsigned width;
    uint32_t utf8 = nd_utf8_pack(cp, &width);
    for (unsigned i = 0; i < width; i++) to[i] = (char)(utf8 >> 8 * i);
    return width;
}

static size_t random_text(uint64_t *seed, const pool pools[4], char *text, size_t limit) {
    static const char *const pieces[] = {"plain words, and ",
                                         "UPPER ",
                                         "\u1112\u1161\u11ab\u1100\u1173\u11af ",
                                         "q\u0302\u0316\u0302",
                                         "o\ufb03ce ",
                                         "Stra\u00dfe",
                                         "\U0001f468\u200d\U0001f469 ",
                                         "\u0130\u0345",
                                         "\u304b\u3099\u1161",
                                         "<\u0338\u1161",
                                         "\u304b\u0301\u0327\u0345",
                                         "\u0e01\u0e33\u0e17\u0e35\u0e48",
                                         "\u0915\u094d\u0937\u093c ",
                                         "\u0645\u064f\u064b\u0651",
                                         "\u6f22\u5b57\u3002",
                                         "x_1 ",
                                         "...  --\u3000",
                                         "\u0149\u1f82\u0390 ",
                                         "\u1025\u102e",
                                         "\u0dd9\u0dcf\u0dca"};
    size_t length = 0;
    while (length + 40 < limit) {
        uint64_t r = random_next(seed);
        const pool *from = &pools[r >> 8 & 3];
        if (r & 3) {
            length += put_char(text + length, from->chars[(r >> 16) % from->count]);
        } else {
            const char *piece = pieces[(r >> 16) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + length, piece, strlen(piece));
            length += strlen(piece);
        }
    }
    return length;
}

static void test_random_texts(void **state) {
    (void)state;
    static pool pools[4];
    static char text[MOST_BYTES];
    static const unsigned bits[4] = {ND_CHAR_NOT_BOUNDARY, ND_CHAR_FORWARD,
                                     ND_CHAR_FOLDS | ND_CHAR_NO, ND_CHAR_CLASS};
    for (int i = 0; i < 4; i++) fill_pool(&pools[i], bits[i]);
    for (nd_analyzer_kind kind = ND_WORDS; kind <= ND_CHARS; kind++) {
        nd_analyzer *analyzer;
        nd_analyzer_options options = {sizeof options, .kind = kind, .ngram = 5, .seed = 1};
        uint64_t seed = 6;
        size_t sharing = 0;
        assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
        for (unsigned i = 0; i < SHORT_TEXTS; i++)
            sharing += check_offsets(analyzer, kind, text,
                                     random_text(&seed, pools, text, 45 + i % 80));
        for (int i = 0; i < LONG_TEXTS; i++)
            sharing += check_offsets(analyzer, kind, text,
                                     random_text(&seed, pools, text, MOST_BYTES));
        assert_true(sharing > 1000);
        nd_analyzer_free(analyzer);
    }
}

/* ---- by hand */

/* `expected`: TEXT@BEGIN-END, each followed by a space. */
static void expect(nd_analyzer_kind kind, const char *text, const char *expected) {
    static token_list list;
    nd_analyzer *analyzer;
    nd_analyzer_options options = {sizeof options, .kind = kind, .ngram = 5, .seed = 1};
    char got[500];
    size_t used = 0;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    token_list_fill(&list, analyzer, text, strlen(text));
    for (size_t i = 0; i < list.count; i++) {
        const nd_token *t = &list.tokens[i];
        used += (size_t)snprintf(got + used, sizeof got - used, "%.*s@%zu-%zu ", (int)t->length,
                                 t->text, t->begin, t->end);
    }
    assert_string_equal(got, expected);
    nd_analyzer_free(analyzer);
}

static void test_by_hand(void **state) {
    (void)state;
    expect(ND_WORDS, "  An Example, of_words.", "an@2-4 example@5-12 of_words@14-22 ");
    expect(ND_WORDS, "(Stra\u00dfe)o\ufb03ce", "strasse@1-8 office@9-15 ");
    expect(ND_WORDS, "-Cafe\u0301-", "caf\u00e9@1-7 ");
    expect(ND_WORDS, "\u1112\u1161\u11ab x", "\ud55c@0-9 x@10-11 ");
    expect(ND_WORDS, "abc\u6f22\u5b57\u3099d", "abc@0-3 \u6f22@3-6 \u5b57\u3099@6-12 d@12-13 ");
    expect(ND_WORDS, "\U0001f600 \u0301 a", "a@8-9 ");
    expect(ND_WORDS, "ae\u0302\u0316b!", "a\u00ea\u0316b@0-7 ");
    expect(ND_CHARS, " A, b. ", "a@1-2  @2-4 b@4-5 ");
    expect(ND_CHARS, "\u00dfe\u0327\u0301", "s@0-2 s@0-2 \u0229@2-7 \u0301@2-7 ");
    /* One cluster gives two tokens. */
    expect(ND_WORDS, "x\u304b\u3099\u1161y", "x@0-1 \u304c@1-10 \u1161y@1-11 ");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand),
                                       cmocka_unit_test(test_random_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

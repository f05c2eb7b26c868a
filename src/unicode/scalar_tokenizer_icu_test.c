/* The scalar tokenizer and its tables against ICU: each property of each character, and the tokens
 * of random texts by a slow oracle, which normalises all, folds all, then cuts. */
#include "scanned_tokens.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

/* ---- tables */

static bool icu_mark(UChar32 c) {
    return (U_GET_GC_MASK(c) & U_GC_M_MASK) || u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL);
}

static unsigned icu_class(UChar32 c) {
    if (icu_mark(c)) return ND_CHAR_MARK;
    if (!u_hasBinaryProperty(c, UCHAR_ALPHABETIC) &&
        !(U_GET_GC_MASK(c) & (U_GC_ND_MASK | U_GC_PC_MASK)))
        return ND_CHAR_NONE;
    UErrorCode code = U_ZERO_ERROR;
    switch (uscript_getScript(c, &code)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR: return ND_CHAR_UNSPACED;
    default: return ND_CHAR_WORD;
    }
}

static bool icu_space_or_punct(UChar32 c) {
    return u_hasBinaryProperty(c, UCHAR_WHITE_SPACE) || (U_GET_GC_MASK(c) & U_GC_P_MASK);
}

/* Properties of assigned characters change a little between versions, so ICU must have the version
 * of the tables. */
static void need_unicode_15(void) {
    UVersionInfo version;
    u_getUnicodeVersion(version);
    if (version[0] != 15) skip();
}

static void check_fold(UChar32 c, unsigned entry) {
    UChar source[2], folded[8];
    UChar32 want[4];
    int32_t length = 0, count;
    UErrorCode code = U_ZERO_ERROR;
    U16_APPEND_UNSAFE(source, length, c);
    count = u_strFoldCase(folded, 8, source, length, U_FOLD_CASE_DEFAULT, &code);
    u_strToUTF32(want, 4, &length, folded, count, &code);
    assert_true(U_SUCCESS(code));
    uint32_t got[3];
    assert_int_equal(nd_unicode_fold_to((uint32_t)c, entry, got), length);
    for (int32_t i = 0; i < length; i++) assert_int_equal(got[i], want[i]);
    assert_int_equal((entry & ND_CHAR_FOLDS) != 0, length != 1 || want[0] != c);
    assert_int_equal(entry & ND_CHAR_CLASS, icu_class(want[0]));
    assert_int_equal((entry & ND_CHAR_SPACE_OR_PUNCT) != 0, icu_space_or_punct(want[0]));
}

static void test_tables(void **state) {
    (void)state;
    need_unicode_15();
    UErrorCode code = U_ZERO_ERROR;
    const UNormalizer2 *nfc = unorm2_getNFCInstance(&code);
    UChar32 maybe[512];
    size_t maybes = 0;
    for (UChar32 c = 0; c <= 0x10ffff; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        unsigned entry = nd_unicode_entry((uint32_t)c), ccc = u_getCombiningClass(c);
        int32_t check = u_getIntPropertyValue(c, UCHAR_NFC_QUICK_CHECK);
        check_fold(c, entry);
        assert_int_equal(nd_unicode_record_of(entry)->ccc, ccc);
        assert_int_equal((entry & ND_CHAR_NO) != 0, check == UNORM_NO);
        assert_int_equal((entry & ND_CHAR_MAYBE) != 0, check == UNORM_MAYBE);
        assert_int_equal((entry & ND_CHAR_NOT_BOUNDARY) != 0, ccc != 0 || check != UNORM_YES);
        if (check == UNORM_MAYBE) maybe[maybes++] = c;
        assert_true(maybes < 512);
    }
    for (UChar32 c = 0; c <= 0x10ffff; c++) {
        if (!u_isdefined(c)) continue;
        UChar decomposed[8];
        bool lvt = u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE) == U_HST_LVT_SYLLABLE;
        bool forward = !lvt && unorm2_getRawDecomposition(nfc, c, decomposed, 8, &code) >= 0;
        for (size_t i = 0; i < maybes && !forward; i++)
            forward = unorm2_composePair(nfc, c, maybe[i]) >= 0;
        assert_int_equal((nd_unicode_entry((uint32_t)c) & ND_CHAR_FORWARD) != 0, forward);
    }
}

/* ---- tokens of random texts */

static int32_t icu_fold_nfc(const char *text, size_t length, UChar32 *out, int32_t room) {
    UErrorCode code = U_ZERO_ERROR;
    UChar a[2048], b[4096], c[8192];
    int32_t count;
    u_strFromUTF8(a, 2048, &count, text, (int32_t)length, &code);
    count = unorm2_normalize(unorm2_getNFCInstance(&code), a, count, b, 4096, &code);
    count = u_strFoldCase(c, 8192, b, count, U_FOLD_CASE_DEFAULT, &code);
    u_strToUTF32(out, room, &count, c, count, &code);
    assert_true(U_SUCCESS(code));
    return count;
}

static void oracle_words(list *l, const UChar32 *c, int32_t count) {
    char token[8192], one[4];
    size_t used = 0;
    bool unspaced = false;
    for (int32_t i = 0; i < count; i++) {
        unsigned class = icu_class(c[i]);
        bool ends = class == ND_CHAR_NONE || class == ND_CHAR_UNSPACED ||
                    (class == ND_CHAR_WORD && unspaced);
        if (ends && used > 0) {
            list_add_token(l, token, used);
            used = 0;
        }
        if (class == ND_CHAR_UNSPACED || ends) unspaced = class == ND_CHAR_UNSPACED;
        if (class == ND_CHAR_NONE || (class == ND_CHAR_MARK && used == 0)) continue;
        size_t width = put_utf8(one, (uint32_t)c[i]);
        memcpy(token + used, one, width);
        used += width;
    }
    if (used > 0) list_add_token(l, token, used);
}

static void oracle_chars(list *l, const UChar32 *c, int32_t count) {
    bool space = false;
    for (int32_t i = 0; i < count; i++) {
        char one[4];
        if (icu_space_or_punct(c[i])) {
            space = l->tokens > 0;
            continue;
        }
        if (space) list_add_token(l, " ", 1);
        space = false;
        list_add_token(l, one, put_utf8(one, (uint32_t)c[i]));
    }
}

/* Characters grouped by the properties that matter here, from the tables (which another test
 * compares with ICU). */
static size_t interesting(uint32_t *to, size_t room, unsigned bits) {
    size_t count = 0;
    for (uint32_t cp = 0; cp < 0x110000 && count < room; cp++) {
        if (cp - 0xd800 < 0x800 || cp - 0xac00 < 11172 || !u_isdefined((UChar32)cp)) continue;
        if (nd_unicode_entry(cp) & bits) to[count++] = cp;
    }
    return count;
}

static size_t random_text(uint64_t *seed, char *text, uint32_t *const pools[3],
                          const size_t sizes[3]) {
    static const uint32_t few[] = {'a',    'e',    ' ',    '=',    0x301,  0x327,  0x316,  0x345,
                                   0x1100, 0x1161, 0x11a8, 0xac00, 0xac01, 0x4e00, 0x304b, 0x3099,
                                   0x93c,  0x94d,  0x928,  0x9c7,  0x9be,  0xdd9,  0xdcf,  0xdca,
                                   0xe01,  0xe35,  0x200d, 0xe9,   0x1ec7, 0x130,  0xdf,   0x1f600};
    size_t length = 0, count = 1 + random_next(seed) % 14;
    unsigned how = random_next(seed) % 4;
    for (size_t i = 0; i < count; i++) {
        uint64_t r = random_next(seed);
        unsigned pool = r >> 60 & 3;
        uint32_t cp = few[r % (sizeof few / sizeof *few)];
        if (how != 0 && pool < 3) cp = pools[pool][r % sizes[pool]];
        if (how == 3 && pool == 3) cp = 0xac00 + (uint32_t)(r % 11172);
        length += put_utf8(text + length, cp);
    }
    return length;
}

enum { POOL = 8192, RANDOM_TEXTS = 200000 };

static void test_random_texts(void **state) {
    (void)state;
    need_unicode_15();
    static uint32_t marks[POOL], starters[POOL], folding[POOL];
    uint32_t *const pools[3] = {marks, starters, folding};
    const size_t sizes[3] = {
        interesting(marks, POOL, ND_CHAR_NOT_BOUNDARY),
        interesting(starters, POOL, ND_CHAR_FORWARD),
        interesting(folding, POOL, ND_CHAR_FOLDS | ND_CHAR_SPACE_OR_PUNCT | ND_CHAR_NO)};
    assert_true(sizes[0] < POOL && sizes[1] < POOL && sizes[2] < POOL);
    list got = {0}, want = {0};
    uint64_t seed = 2026;
    for (int i = 0; i < RANDOM_TEXTS; i++) {
        char text[256];
        UChar32 c[1024];
        size_t length = random_text(&seed, text, pools, sizes);
        int32_t count = icu_fold_nfc(text, length, c, 1024);
        for (int chars = 0; chars < 2; chars++) {
            list_clear(&got);
            list_clear(&want);
            (chars ? oracle_chars : oracle_words)(&want, c, count);
            tokens_from(&got, chars, text, length, 0);
            assert_same_list(&got, &want, text, length);
        }
    }
    free(got.bytes);
    free(want.bytes);
}

/* ---- invalid UTF-8 */

/* Offset of the first ill-formed sequence, or -1. */
static int32_t icu_first_ill_formed(const uint8_t *text, int32_t length) {
    for (int32_t at = 0; at < length;) {
        int32_t start = at;
        UChar32 c;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion" /* inside ICU's macro */
        U8_NEXT(text, at, length, c);
#pragma GCC diagnostic pop
        if (c < 0) return start;
    }
    return -1;
}

/* Random bytes of all kinds that decoders distinguish: the first ill-formed sequence is at the same
 * offset as in ICU. */
static void test_random_bytes(void **state) {
    (void)state;
    static const unsigned char kinds[] = {'a',  ' ',  0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                          0xc0, 0xc1, 0xc2, 0xcc, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
                                          0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff};
    uint64_t seed = 7;
    unsigned valid = 0;
    for (int i = 0; i < 100000; i++) {
        char text[8];
        size_t length = 1 + random_next(&seed) % 8;
        for (size_t k = 0; k < length; k++)
            text[k] = (char)kinds[random_next(&seed) % sizeof kinds];
        int32_t bad = icu_first_ill_formed((const uint8_t *)text, (int32_t)length);
        list got = {0};
        if (bad >= 0) {
            expect_invalid(text, length, (size_t)bad);
        } else {
            tokens_from(&got, false, text, length, 0);
            valid++;
        }
        free(got.bytes);
    }
    assert_true(valid > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_random_texts),
                                       cmocka_unit_test(test_random_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

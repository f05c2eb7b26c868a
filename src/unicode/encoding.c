#include "unicode/encoding.h"

#include "base/icu_library.h"

#include <stdint.h>
#include <string.h>

typedef enum encoding_kind {
    UTF16LE,
    UTF16BE,
    UTF32LE,
    UTF32BE,
    WINDOWS_1252,
    OF_ICU
} encoding_kind;

enum { LABEL_MOST = 40 };

struct nd_encoding {
    nd_allocator allocator;
    encoding_kind kind;
    bool keeps_ascii;
    UConverter *converter; /* OF_ICU */
    char label[LABEL_MOST];
    size_t label_length;
};

/* ---- labels */

/* The labels whose meaning on the web is another one than in ICU, or for which ICU is not needed.
 * "": UTF-8. */
static const struct meaning {
    const char *label, *name;
} meanings[] = {{"utf-8", ""},
                {"utf8", ""},
                {"unicode-1-1-utf-8", ""},
                {"utf-16", "utf-16le"},
                {"utf16", "utf-16le"},
                {"unicode", "utf-16le"},
                {"ucs-2", "utf-16le"},
                {"csunicode", "utf-16le"},
                {"iso-10646-ucs-2", "utf-16le"},
                {"unicodefeff", "utf-16le"},
                {"unicodefffe", "utf-16be"},
                {"utf-32", "utf-32le"},
                {"ascii", "windows-1252"},
                {"us-ascii", "windows-1252"},
                {"iso-8859-1", "windows-1252"},
                {"iso8859-1", "windows-1252"},
                {"latin1", "windows-1252"},
                {"l1", "windows-1252"},
                {"cp1252", "windows-1252"},
                {"x-cp1252", "windows-1252"},
                {"iso-8859-9", "windows-1254"},
                {"latin5", "windows-1254"},
                {"iso-8859-11", "windows-874"},
                {"tis-620", "windows-874"},
                {"gb2312", "gb18030"},
                {"gb_2312-80", "gb18030"},
                {"gbk", "gb18030"},
                {"x-gbk", "gb18030"},
                {"chinese", "gb18030"},
                {"big5", "big5-hkscs"},
                {"cn-big5", "big5-hkscs"},
                {"x-x-big5", "big5-hkscs"},
                {"euc-kr", "windows-949"},
                {"ks_c_5601-1987", "windows-949"},
                {"ksc5601", "windows-949"},
                {"korean", "windows-949"},
                {"uhc", "windows-949"},
                {"shift_jis", "windows-31j"},
                {"shift-jis", "windows-31j"},
                {"sjis", "windows-31j"},
                {"x-sjis", "windows-31j"},
                {"mac-cyrillic", "x-mac-cyrillic"}};

static const struct own {
    const char *name;
    encoding_kind kind;
} owns[] = {{"utf-16le", UTF16LE},
            {"utf-16be", UTF16BE},
            {"utf-32le", UTF32LE},
            {"utf-32be", UTF32BE},
            {"windows-1252", WINDOWS_1252}};

/* Copies a label without white space around it, in lower case. False: it is too long. */
static bool read_label(const char *label, size_t length, char *out, size_t *out_length) {
    while (length > 0 && (unsigned char)label[0] <= ' ') label++, length--;
    while (length > 0 && (unsigned char)label[length - 1] <= ' ') length--;
    if (length == 0 || length >= LABEL_MOST) return false;
    for (size_t i = 0; i < length; i++)
        out[i] = (char)(label[i] >= 'A' && label[i] <= 'Z' ? label[i] + 32 : label[i]);
    out[length] = '\0';
    *out_length = length;
    return strlen(out) == length;
}

static const char *meaning_of(const char *label) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(meanings[i].label, label) == 0) return meanings[i].name;
    return label;
}

/* ---- opening */

/* Whether each byte below 128 is the character of this number, but the control characters by which
 * some encodings shift, and the two signs that the national forms of some replace. Escapes change
 * the meaning of what follows them. */
static bool keeps_ascii(const nd_icu *icu, UConverter *converter) {
    enum { FIRST = 0x20, END = 0x7F };
    char bytes[END - FIRST + 2];
    UChar units[END];
    const char *at = bytes, *end = bytes + sizeof bytes;
    UChar *target = units;
    UErrorCode code = U_ZERO_ERROR;
    for (size_t i = 0; i < END - FIRST; i++) bytes[i] = (char)(FIRST + i);
    memcpy(bytes + (END - FIRST), "\n\t", 2);
    icu->ucnv_reset(converter);
    icu->ucnv_toUnicode(converter, &target, units + END, &at, end, NULL, true, &code);
    bool same = !U_FAILURE(code) && target == units + sizeof bytes;
    for (size_t i = 0; same && i < sizeof bytes; i++)
        same = units[i] == (unsigned char)bytes[i] || bytes[i] == '\\' || bytes[i] == '~';
    return same;
}

/* Encodings with escapes keep ASCII only as long as there is none. */
static bool has_escapes(const char *name) {
    return strncmp(name, "iso-2022", 8) == 0 || strncmp(name, "csiso2022", 9) == 0 ||
           strncmp(name, "hz", 2) == 0;
}

static nd_status open_of_icu(nd_encoding *e, const char *name, nd_error *error) {
    const nd_icu *icu = nd_icu_library();
    UErrorCode code = U_ZERO_ERROR;
    if (!icu)
        return nd_fail(error, ND_ERR_UNSUPPORTED,
                       "the encoding %s needs ICU, which is not there; without it UTF-8, UTF-16, "
                       "UTF-32 and windows-1252 are read",
                       e->label);
    e->kind = OF_ICU;
    e->converter = icu->ucnv_open(name, &code);
    bool escapes = has_escapes(name);
    e->keeps_ascii = !U_FAILURE(code) && !escapes && keeps_ascii(icu, e->converter);
    if (code == U_MEMORY_ALLOCATION_ERROR) return nd_fail_memory(error, 0, "a converter");
    if (U_FAILURE(code))
        return nd_fail(error, ND_ERR_ARGUMENT, "no encoding %s is known", e->label);
    if (e->keeps_ascii || escapes) return ND_OK;
    icu->ucnv_close(e->converter);
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "the encoding %s is not read: it has other bytes for ASCII", e->label);
}

static nd_status open_kind(nd_encoding *e, const char *name, nd_error *error) {
    for (size_t i = 0; i < sizeof owns / sizeof *owns; i++) {
        if (strcmp(owns[i].name, name) != 0) continue;
        e->kind = owns[i].kind;
        e->keeps_ascii = e->kind == WINDOWS_1252;
        return ND_OK;
    }
    return open_of_icu(e, name, error);
}

nd_status nd_encoding_open(const char *label, size_t length, const nd_allocator *allocator,
                           nd_encoding **out, nd_error *error) {
    nd_encoding e = {.allocator = *allocator};
    *out = NULL;
    if (!read_label(label, length, e.label, &e.label_length))
        return nd_fail(error, ND_ERR_ARGUMENT, "no encoding %.*s is known",
                       (int)(length < LABEL_MOST ? length : LABEL_MOST), label);
    const char *name = meaning_of(e.label);
    if (*name == '\0') return ND_OK;
    ND_TRY(open_kind(&e, name, error));
    *out = nd_allocate(allocator, 1, sizeof e);
    if (*out) **out = e;
    else if (e.converter) nd_icu_library()->ucnv_close(e.converter);
    return *out ? ND_OK : nd_fail_memory(error, sizeof e, "a converter");
}

void nd_encoding_close(nd_encoding *encoding) {
    if (!encoding) return;
    const nd_allocator allocator = encoding->allocator;
    if (encoding->converter) nd_icu_library()->ucnv_close(encoding->converter);
    nd_release(&allocator, encoding);
}

bool nd_encoding_has_label(const nd_encoding *encoding, const char *label, size_t length) {
    char read[LABEL_MOST];
    size_t read_length = 0;
    return read_label(label, length, read, &read_length) && read_length == encoding->label_length &&
           memcmp(read, encoding->label, read_length) == 0;
}

bool nd_encoding_keeps_ascii(const nd_encoding *encoding) { return encoding->keeps_ascii; }

bool nd_encoding_is_wide(const nd_encoding *encoding) {
    return encoding->kind != WINDOWS_1252 && encoding->kind != OF_ICU;
}

/* ---- converting */

/* Makes room for `more` bytes behind the converted ones. */
static nd_status make_room(const nd_encoding *e, nd_encoded_text *out, size_t more,
                           nd_error *error) {
    return nd_reserve(&e->allocator, &out->bytes, &out->capacity, out->length + more)
               ? ND_OK
               : nd_fail_memory(error, out->length + more, "a converted text");
}

/* Appends a character; a surrogate, or what is behind the last character, becomes U+FFFD. */
static void put(nd_encoded_text *out, uint32_t c, size_t *malformed) {
    if ((c >= 0xD800 && c < 0xE000) || c > 0x10FFFF) {
        c = 0xFFFD;
        ++*malformed;
    }
    char *to = out->bytes + out->length;
    if (c < 0x80) {
        to[0] = (char)c;
        out->length += 1;
    } else if (c < 0x800) {
        to[0] = (char)(0xC0 | c >> 6);
        to[1] = (char)(0x80 | (c & 63));
        out->length += 2;
    } else if (c < 0x10000) {
        to[0] = (char)(0xE0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 63));
        to[2] = (char)(0x80 | (c & 63));
        out->length += 3;
    } else {
        to[0] = (char)(0xF0 | c >> 18);
        to[1] = (char)(0x80 | (c >> 12 & 63));
        to[2] = (char)(0x80 | (c >> 6 & 63));
        to[3] = (char)(0x80 | (c & 63));
        out->length += 4;
    }
}

/* Appends a unit of UTF-16. *high: the high surrogate before it; 0: there is none. */
static void put_unit(nd_encoded_text *out, uint32_t unit, uint32_t *high, size_t *malformed) {
    bool low = unit >= 0xDC00 && unit < 0xE000;
    if (*high && low) {
        put(out, 0x10000 + ((*high - 0xD800) << 10) + (unit - 0xDC00), malformed);
        *high = 0;
        return;
    }
    if (*high) put(out, *high, malformed);
    *high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
    if (!*high) put(out, unit, malformed);
}

/* UTF-16: three bytes for each unit at most. */
static nd_status convert_utf16(const nd_encoding *e, const unsigned char *bytes, size_t length,
                               nd_encoded_text *out, size_t *malformed, nd_error *error) {
    bool little = e->kind == UTF16LE;
    uint32_t high = 0;
    ND_TRY(make_room(e, out, length / 2 * 3 + 6, error));
    for (size_t i = 0; i + 1 < length; i += 2)
        put_unit(out, (uint32_t)bytes[i + !little] | (uint32_t)bytes[i + little] << 8, &high,
                 malformed);
    if (high) put(out, high, malformed);
    if (length % 2 != 0) put(out, UINT32_MAX, malformed);
    return ND_OK;
}

static nd_status convert_utf32(const nd_encoding *e, const unsigned char *bytes, size_t length,
                               nd_encoded_text *out, size_t *malformed, nd_error *error) {
    ND_TRY(make_room(e, out, length + 3, error));
    for (size_t i = 0; i + 3 < length; i += 4) {
        uint32_t c = 0;
        for (size_t j = 0; j < 4; j++)
            c |= (uint32_t)bytes[i + j] << 8 * (e->kind == UTF32LE ? j : 3 - j);
        put(out, c, malformed);
    }
    if (length % 4 != 0) put(out, UINT32_MAX, malformed);
    return ND_OK;
}

/* Latin-1, with other characters for the bytes 128 to 159. As on the web, the five that it leaves
 * free stand for themselves. */
static nd_status convert_windows_1252(const nd_encoding *e, const unsigned char *bytes,
                                      size_t length, nd_encoded_text *out, size_t *malformed,
                                      nd_error *error) {
    static const uint16_t upper[32] = {
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};
    ND_TRY(make_room(e, out, 3 * length, error));
    for (size_t i = 0; i < length; i++)
        put(out, bytes[i] >= 0x80 && bytes[i] < 0xA0 ? upper[bytes[i] - 0x80] : bytes[i],
            malformed);
    return ND_OK;
}

/* ICU gives U+FFFD for what is malformed, or U+001A for a single byte in some encodings. */
static nd_status convert_by_icu(nd_encoding *e, const char *bytes, size_t length,
                                nd_encoded_text *out, size_t *malformed, nd_error *error) {
    enum { UNITS = 2048, SUBSTITUTE = 0x1A };
    const nd_icu *icu = nd_icu_library();
    bool has_substitute = memchr(bytes, SUBSTITUTE, length) != NULL;
    UChar units[UNITS];
    uint32_t high = 0;
    const char *at = bytes, *end = bytes + length;
    UErrorCode code;
    icu->ucnv_reset(e->converter);
    do {
        UChar *target = units;
        code = U_ZERO_ERROR;
        icu->ucnv_toUnicode(e->converter, &target, units + UNITS, &at, end, NULL, true, &code);
        if (U_FAILURE(code) && code != U_BUFFER_OVERFLOW_ERROR)
            return nd_fail(error, ND_ERR_INPUT, "ICU cannot convert %s: %s", e->label,
                           icu->u_errorName(code));
        size_t count = (size_t)(target - units);
        ND_TRY(make_room(e, out, 3 * count + 6, error));
        for (size_t i = 0; i < count; i++) {
            bool bad = units[i] == 0xFFFD || (units[i] == SUBSTITUTE && !has_substitute);
            *malformed += bad;
            put_unit(out, bad ? 0xFFFD : units[i], &high, malformed);
        }
    } while (code == U_BUFFER_OVERFLOW_ERROR);
    if (high) put(out, high, malformed);
    return ND_OK;
}

nd_status nd_encoding_convert(nd_encoding *e, const char *bytes, size_t length,
                              nd_encoded_text *out, size_t *malformed, nd_error *error) {
    const unsigned char *at = (const unsigned char *)bytes;
    *malformed = 0;
    out->length = 0;
    switch (e->kind) {
    case UTF16LE:
    case UTF16BE: return convert_utf16(e, at, length, out, malformed, error);
    case UTF32LE:
    case UTF32BE: return convert_utf32(e, at, length, out, malformed, error);
    case WINDOWS_1252: return convert_windows_1252(e, at, length, out, malformed, error);
    case OF_ICU: break;
    }
    return convert_by_icu(e, bytes, length, out, malformed, error);
}

/* ---- byte order marks */

const char *nd_encoding_of_mark(const char *bytes, size_t length, size_t *size) {
    /* The mark of UTF-32 begins with that of UTF-16. */
    static const struct {
        const char *mark, *label;
        size_t size;
    } marks[] = {{"\xEF\xBB\xBF", "utf-8", 3},
                 {"\xFF\xFE\0\0", "utf-32le", 4},
                 {"\0\0\xFE\xFF", "utf-32be", 4},
                 {"\xFF\xFE", "utf-16le", 2},
                 {"\xFE\xFF", "utf-16be", 2}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        *size = marks[i].size;
        if (length >= *size && memcmp(bytes, marks[i].mark, *size) == 0) return marks[i].label;
    }
    *size = 0;
    return NULL;
}

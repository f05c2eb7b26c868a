#include "unicode/icu_word_breaks.h"

#include "base/alloc.h"
#include "base/icu_library.h"
#include "base/status.h"
#include "unicode/icu_han_breaks.h"
#include "unicode/normalize.h"

#include <string.h>

struct nd_word_breaks {
    nd_allocator allocator;
    const nd_icu *icu;
    UBreakIterator *iterator;
    nd_han_breaks *ideographs; /* NULL: the iterator cuts all */
    uint16_t *units;           /* the text in UTF-16 */
    size_t capacity;
};

uint32_t nd_word_breaks_version(void) {
    const nd_icu *icu = nd_icu_library();
    UVersionInfo version = {0};
    if (icu) icu->u_getVersion(version);
    return (uint32_t)version[0] << 16 | version[1];
}

static nd_status fail_without_icu(nd_error *error) {
#ifdef ND_LOAD_ICU
    return nd_fail(error, ND_ERR_UNSUPPORTED,
                   "this system has no ICU (libicuuc.so.60 or later): without a dictionary, "
                   "scripts without spaces cannot be cut into words. Install ICU (Debian 12: "
                   "libicu72; Fedora: libicu), or give a dictionary");
#else
    return nd_fail(error, ND_ERR_UNSUPPORTED,
                   "this build has no ICU: without a dictionary, scripts without spaces cannot be "
                   "cut into words");
#endif
}

static nd_status fail_icu(const nd_icu *icu, nd_error *error, UErrorCode code) {
    if (code == U_MEMORY_ALLOCATION_ERROR) return nd_fail_memory(error, 1, "ICU's words");
    return nd_fail(error, ND_ERR_UNSUPPORTED, "ICU cannot cut text into words: %s",
                   icu->u_errorName(code));
}

/* Writes valid UTF-8 as UTF-16. Returns the number of units, at most one per byte. */
static int32_t put_units(uint16_t *units, const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text, *end = p + length;
    int32_t count = 0;
    for (uint32_t cp = 0; p < end;) {
        p += nd_utf8_decode(p, end, &cp);
        if (cp >= 0x10000) {
            units[count++] = (uint16_t)(0xd7c0 + (cp >> 10));
            cp = 0xdc00 + (cp & 0x3ff);
        }
        units[count++] = (uint16_t)cp;
    }
    return count;
}

/* The number of UTF-16 units of text[begin, end). */
static int32_t units_of(const char *text, size_t begin, size_t end) {
    int32_t count = 0;
    for (size_t i = begin; i < end; i++) {
        unsigned char c = (unsigned char)text[i];
        count += ((c & 0xc0) != 0x80) + (c >= 0xf0);
    }
    return count;
}

nd_status nd_word_breaks_find(nd_word_breaks *b, const char *text, const size_t *ends, size_t count,
                              bool *is_last, nd_error *error) {
    UErrorCode code = U_ZERO_ERROR;
    size_t length = ends[count - 1], begin = 0;
    if (!nd_reserve(&b->allocator, &b->units, &b->capacity, length))
        return nd_fail_memory(error, length * sizeof *b->units, "ICU's words");
    int32_t unit_count = put_units(b->units, text, length);
    if (b->ideographs && count == (size_t)unit_count && nd_han_breaks_accepts(b->units, count)) {
        nd_han_breaks_find(b->ideographs, b->units, count, is_last);
        return ND_OK;
    }
    b->icu->ubrk_setText(b->iterator, b->units, unit_count, &code);
    if (U_FAILURE(code)) return fail_icu(b->icu, error, code);
    int32_t next = b->icu->ubrk_next(b->iterator), at = 0;
    for (size_t i = 0; i < count; begin = ends[i], i++) {
        at += units_of(text, begin, ends[i]);
        /* A break between a character and its marks does not count. */
        while (next != UBRK_DONE && next < at) next = b->icu->ubrk_next(b->iterator);
        is_last[i] = next == at || i + 1 == count;
    }
    return ND_OK;
}

void nd_word_breaks_free(nd_word_breaks *breaks) {
    if (!breaks) return;
    nd_allocator allocator = breaks->allocator;
    if (breaks->iterator) breaks->icu->ubrk_close(breaks->iterator);
    nd_han_breaks_free(breaks->ideographs);
    nd_release(&allocator, breaks->units);
    nd_release(&allocator, breaks);
}

/* A text that another version of ICU might cut differently from nd_han_breaks_find: it has words
 * that overlap, and ideographs that are not words. */
static const char sample[] = "\u7814\u7a76\u751f\u547d\u8d77\u6e90\u4e0e\u7ed3\u5a5a\u7684\u548c"
                             "\u5c1a\u672a\u7ed3\u5a5a\u7684"
                             "\u5357\u4eac\u5e02\u957f\u6c5f\u5927\u6865\u548c\u4e2d\u534e\u4eba"
                             "\u6c11\u5171\u548c\u56fd\u6210\u7acb\u4e86"
                             "\u767c\u5c55\u4e2d\u570b\u5bb6\u6587\u5316\u8f9f\u9f98\u7232\u4e86"
                             "\u4f7f\u7528\u8005\u65b9\u4fbf";
enum { SAMPLE_COUNT = (sizeof sample - 1) / 3 };

/* Lets icu_han_breaks cut ideographs, if it cuts the sample exactly like the iterator. */
static nd_status open_ideographs(nd_word_breaks *b, nd_error *error) {
    nd_han_breaks *ideographs;
    size_t ends[SAMPLE_COUNT];
    bool by_icu[SAMPLE_COUNT], is_last[SAMPLE_COUNT];
    for (size_t i = 0; i < SAMPLE_COUNT; i++) ends[i] = 3 * (i + 1);
    ND_TRY(nd_word_breaks_find(b, sample, ends, SAMPLE_COUNT, by_icu, error));
    ND_TRY(nd_han_breaks_create(&b->allocator, &ideographs, error));
    if (!ideographs) return ND_OK;
    nd_han_breaks_find(ideographs, b->units, SAMPLE_COUNT, is_last);
    if (memcmp(is_last, by_icu, sizeof is_last) == 0) b->ideographs = ideographs;
    else nd_han_breaks_free(ideographs);
    return ND_OK;
}

nd_status nd_word_breaks_create(const nd_allocator *allocator, nd_word_breaks **out,
                                nd_error *error) {
    UErrorCode code = U_ZERO_ERROR;
    const nd_icu *icu = nd_icu_library();
    if (!icu) return fail_without_icu(error);
    nd_word_breaks *breaks = nd_allocate_zero(allocator, 1, sizeof *breaks);
    if (!breaks) return nd_fail_memory(error, sizeof *breaks, "ICU's words");
    breaks->allocator = *allocator;
    breaks->icu = icu;
    /* The language "" is none, whatever the environment says. */
    breaks->iterator = icu->ubrk_open(UBRK_WORD, "", NULL, 0, &code);
    nd_status status = U_FAILURE(code) ? fail_icu(icu, error, code)
                                       : open_ideographs(breaks, error);
    if (status != ND_OK) {
        nd_word_breaks_free(breaks);
        return status;
    }
    *out = breaks;
    return ND_OK;
}

#include "html/html_entities.h"

#include <stdbool.h>
#include <string.h>

#include "html/html_entity_data.h"
#include "unicode/normalize.h"

enum { LONGEST_LEGACY = 6 }; /* bytes of a name that needs no ';' */

static bool is_digit(char c) { return (unsigned)c - '0' < 10; }
static bool is_letter(char c) { return ((unsigned)(unsigned char)c | 0x20) - 'a' < 26; }

/* ---- numbers */

/* The character of a number. 0x80 to 0x9f mean the characters of Windows-1252, as far as it has
 * any. */
static uint32_t character_of(uint32_t number) {
    static const uint16_t windows[32] = {
        0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8d,   0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};
    if (number - 0x80 < 32) return windows[number - 0x80];
    return number == 0 || number > 0x10ffff || number - 0xd800 < 0x800 ? 0xfffd : number;
}

/* The value of a digit; `base`: it is none. */
static uint32_t digit_of(char c, uint32_t base) {
    if (is_digit(c)) return (uint32_t)(c - '0');
    uint32_t letter = ((uint32_t)(unsigned char)c | 0x20) - 'a';
    return base == 16 && letter < 6 ? letter + 10 : base;
}

static size_t decode_number(const char *at, const char *end, char *out, size_t *written) {
    const char *digit = at + 2;
    bool hexadecimal = digit < end && (*digit | 0x20) == 'x';
    uint32_t base = hexadecimal ? 16 : 10, number = 0;
    const char *first = digit += hexadecimal;
    for (; digit < end && digit_of(*digit, base) < base; digit++)
        if (number <= 0x10ffff) number = number * base + digit_of(*digit, base);
    if (digit == first) return 0;
    unsigned width;
    uint32_t packed = nd_utf8_pack(character_of(number), &width);
    for (unsigned i = 0; i < width; i++) out[i] = (char)(packed >> 8 * i);
    *written = width;
    return (size_t)(digit - at) + (digit < end && *digit == ';');
}

/* ---- names */

static size_t begin_of(size_t i) {
    return nd_html_entity_name_begins[i] & (size_t)(ND_HTML_ENTITY_LEGACY - 1);
}

/* Compares a name with the i-th of the table: < 0, 0, > 0. */
static int compare(const char *name, size_t length, size_t i) {
    size_t begin = begin_of(i), other = begin_of(i + 1) - begin;
    int order = memcmp(name, nd_html_entity_names + begin, length < other ? length : other);
    return order ? order : length < other ? -1 : length > other;
}

/* The number of a name in the table; ND_HTML_ENTITIES: it is not there. */
static size_t find_name(const char *name, size_t length) {
    size_t low = 0, high = ND_HTML_ENTITIES;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(name, length, middle);
        if (order == 0) return middle;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return ND_HTML_ENTITIES;
}

static size_t decode_name(const char *at, const char *end, char *out, size_t *written) {
    size_t length = 0, left = (size_t)(end - at - 1), found = ND_HTML_ENTITIES;
    while (length < left && length <= ND_HTML_ENTITY_LONGEST &&
           (is_letter(at[1 + length]) || is_digit(at[1 + length])))
        length++;
    bool closed = length < left && at[1 + length] == ';';
    if (closed) found = find_name(at + 1, length);
    /* Without ';' the longest beginning that is a name of old, such as "&copy" of "&copyright". */
    if (found == ND_HTML_ENTITIES && length > LONGEST_LEGACY) length = LONGEST_LEGACY;
    for (; found == ND_HTML_ENTITIES && length > 0; length -= found == ND_HTML_ENTITIES) {
        closed = false;
        found = find_name(at + 1, length);
        if (found < ND_HTML_ENTITIES &&
            !(nd_html_entity_name_begins[found] & ND_HTML_ENTITY_LEGACY))
            found = ND_HTML_ENTITIES;
    }
    if (found == ND_HTML_ENTITIES) return 0;
    size_t begin = nd_html_entity_text_begins[found];
    *written = nd_html_entity_text_begins[found + 1] - begin;
    memcpy(out, nd_html_entity_texts + begin, *written);
    return 1 + length + closed;
}

size_t nd_html_decode(const char *at, const char *end, char out[ND_HTML_REFERENCE_MOST],
                      size_t *written) {
    if (end - at < 2) return 0;
    return at[1] == '#' ? decode_number(at, end, out, written) : decode_name(at, end, out, written);
}

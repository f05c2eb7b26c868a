#include "corpus/json_strings.h"

#include "unicode/utf8_repair.h"

#include <stdint.h>
#include <string.h>

typedef unsigned char byte;

static int hex_digit(byte c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the code unit of the escape \uXXXX at p; -1: no such escape. */
static int escaped_unit(const byte *p, size_t n) {
    if (n < 6 || p[0] != '\\' || p[1] != 'u') return -1;
    int unit = 0;
    for (int i = 2; i < 6; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* Returns the length of the escape at p; *lone: it is the escape of a lone surrogate. An escaped
 * backslash is two bytes long, so that the bytes behind it are not read as an escape. */
static size_t escape_length(const byte *p, size_t n, bool *lone) {
    *lone = false;
    int unit = escaped_unit(p, n);
    if (unit < 0) return n > 1 && p[1] == '\\' ? 2 : 1;
    if (unit < 0xd800 || unit > 0xdfff) return 6;
    if (unit < 0xdc00) {
        int next = escaped_unit(p + 6, n - 6);
        if (next >= 0xdc00 && next <= 0xdfff) return 12;
    }
    *lone = true;
    return 6;
}

/* Whether one of eight bytes is a backslash or not ASCII. It may be true for other bytes, which
 * costs time and nothing else. */
static bool needs_scan(const byte *p) {
    uint64_t x;
    memcpy(&x, p, 8);
    uint64_t backslash = x ^ UINT64_C(0x5c5c5c5c5c5c5c5c);
    return ((x | ((backslash - UINT64_C(0x0101010101010101)) & ~backslash)) &
            UINT64_C(0x8080808080808080)) != 0;
}

nd_text_fault nd_json_text_fault(const char *line, size_t length, size_t *at, size_t *size) {
    const byte *p = (const byte *)line;
    size_t i = *at;
    while (i < length) {
        if (length - i >= 8 && !needs_scan(p + i)) {
            i += 8;
        } else if (p[i] == '\\') {
            bool lone;
            size_t bytes = escape_length(p + i, length - i, &lone);
            if (lone) {
                *at = i;
                *size = bytes;
                return ND_TEXT_LONE_SURROGATE;
            }
            i += bytes;
        } else if (p[i] < 0x80) {
            i++;
        } else {
            bool valid;
            size_t bytes = nd_utf8_take(p + i, length - i, &valid);
            if (!valid) {
                *at = i;
                *size = bytes;
                return ND_TEXT_INVALID_UTF8;
            }
            i += bytes;
        }
    }
    *at = length;
    *size = 0;
    return ND_TEXT_FINE;
}

static const char *replacement(nd_text_fault fault) {
    return fault == ND_TEXT_INVALID_UTF8 ? "\xef\xbf\xbd" : "\\ufffd";
}

size_t nd_json_repaired_size(const char *line, size_t length) {
    size_t total = length, at = 0, size;
    nd_text_fault fault;
    while ((fault = nd_json_text_fault(line, length, &at, &size)) != ND_TEXT_FINE) {
        /* A subpart has one to three bytes and becomes three; an escape keeps its six. */
        if (__builtin_add_overflow(total, strlen(replacement(fault)) - size, &total))
            return SIZE_MAX;
        at += size;
    }
    return total;
}

void nd_json_write_repaired(const char *line, size_t length, char *out) {
    size_t done = 0, at = 0, size;
    nd_text_fault fault;
    do {
        fault = nd_json_text_fault(line, length, &at, &size);
        memcpy(out, line + done, at - done);
        out += at - done;
        if (fault != ND_TEXT_FINE) {
            size_t bytes = strlen(replacement(fault));
            memcpy(out, replacement(fault), bytes);
            out += bytes;
        }
        at += size;
        done = at;
    } while (fault != ND_TEXT_FINE);
}

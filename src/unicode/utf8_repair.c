#include "unicode/utf8_repair.h"

#include <string.h>

size_t nd_utf8_take(const unsigned char *p, size_t left, bool *valid) {
    /* The range of the second byte depends on the first, which excludes overlong forms, surrogates
     * and code points above U+10FFFF. Later bytes are 80..BF. */
    size_t length = p[0] < 0x80                  ? 1
                    : p[0] < 0xC2 || p[0] > 0xF4 ? 0
                    : p[0] < 0xE0                ? 2
                    : p[0] < 0xF0                ? 3
                                                 : 4,
           have = 1;
    unsigned char low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    while (have < length && have < left && p[have] >= low && p[have] <= high) {
        low = 0x80;
        high = 0xBF;
        have++;
    }
    *valid = have == length;
    return have;
}

size_t nd_utf8_repair(const char *text, size_t length, char *out) {
    const unsigned char *p = (const unsigned char *)text;
    size_t written = 0;
    for (size_t i = 0; i < length;) {
        bool valid;
        size_t taken = nd_utf8_take(p + i, length - i, &valid), put = valid ? taken : 3;
        if (out) memcpy(out + written, valid ? (const void *)(p + i) : "\xEF\xBF\xBD", put);
        written += put;
        i += taken;
    }
    return written;
}

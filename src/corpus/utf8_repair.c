#include "corpus/utf8_repair.h"

#include <stdint.h>
#include <string.h>

/* Length of the well-formed sequence at p (1 to 4), or minus the length of the maximal ill-formed subpart (at least 1). Table 3-7 of the Unicode Standard: the
 * second byte's range depends on the first, the others are 80..BF. */
static int sequence(const unsigned char *p, size_t left) {
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4) return -1;
    int length = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    unsigned char low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    for (int i = 1; i < length; i++) {
        if ((size_t)i >= left || p[i] < low || p[i] > high) return -i;
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

size_t nd_utf8_repair(const char *text, size_t length, char *out) {
    const unsigned char *p = (const unsigned char *)text;
    size_t written = 0;
    for (size_t i = 0; i < length;) {
        int n = sequence(p + i, length - i);
        const void *from = n > 0 ? (const void *)(p + i) : (const void *)"\xEF\xBF\xBD";
        size_t put = n > 0 ? (size_t)n : 3;
        if (out) memcpy(out + written, from, put);
        written += put;
        i += (size_t)(n > 0 ? n : -n);
    }
    return written;
}

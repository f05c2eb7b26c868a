/* Escapes what a terminal would not merely print: controls, characters that change the direction of
 * a line, and bytes that are not UTF-8. A line that is longer than the buffer loses its middle. */
#include "base/printable.h"

#include "neardup.h"

#include <string.h>

/* The longest escape is six bytes, the longest character four. */
enum { PRINTED_MOST = 6 };

/* How one character, or one invalid byte, is printed. */
typedef struct printed {
    size_t taken;  /* bytes of the text, at least 1 */
    size_t length; /* of `bytes` */
    char bytes[PRINTED_MOST];
} printed;

static void print_as(printed *p, const char *prefix, uint32_t value, unsigned digits) {
    p->length = strlen(prefix);
    memcpy(p->bytes, prefix, p->length);
    while (digits-- > 0) p->bytes[p->length++] = "0123456789abcdef"[value >> 4 * digits & 15];
}

/* Decodes the first character of a text. Returns its length in bytes; 0: not UTF-8 (RFC 3629). */
static size_t decode(const unsigned char *text, size_t length, uint32_t *out) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text[0];
    size_t size = first < 0x80   ? 1
                  : first < 0xc2 ? 0
                  : first < 0xe0 ? 2
                  : first < 0xf0 ? 3
                  : first < 0xf5 ? 4
                                 : 0;
    if (size == 0 || size > length) return 0;
    uint32_t value = size == 1 ? first : first & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        value = value << 6 | (text[i] & 0x3f);
    }
    *out = value;
    bool valid = value >= least[size] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
    return valid ? size : 0;
}

/* C1 controls, line and paragraph separators, and characters with the property Bidi_Control, which
 * can make a line look like another one. */
static bool is_unprintable(uint32_t c) {
    return (c >= 0x80 && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static printed print_next(const unsigned char *text, size_t length) {
    printed p = {.taken = 1};
    uint32_t c = 0;
    size_t size = decode(text, length, &c);
    if (size == 0) {
        print_as(&p, "\\x", text[0], 2);
        return p;
    }
    p.taken = size;
    if (c == '\n') print_as(&p, "\\n", 0, 0);
    else if (c == '\r') print_as(&p, "\\r", 0, 0);
    else if (c == '\t') print_as(&p, "\\t", 0, 0);
    else if (c < 0x20 || c == 0x7f) print_as(&p, "\\x", c, 2);
    else if (is_unprintable(c)) print_as(&p, "\\u", c, 4);
    else {
        p.length = size;
        memcpy(p.bytes, text, size);
    }
    return p;
}

size_t nd_printable(const char *text, size_t length, char *out, size_t size) {
    static const char gap[] = " ... ";
    const unsigned char *bytes = (const unsigned char *)text;
    size_t whole = 0, at = 0, used = 0;
    if (size == 0) return 0;
    for (size_t i = 0; i < length;) {
        printed p = print_next(bytes + i, length - i);
        i += p.taken;
        whole += p.length;
    }
    /* Bytes [0, head) and [tail, whole) of the printed line fit, with the gap between them. */
    size_t head = whole, tail = whole, gap_length = 0;
    if (whole >= size) {
        gap_length = size > 2 * sizeof gap ? sizeof gap - 1 : 0;
        size_t room = size - 1 - gap_length;
        head = gap_length > 0 ? room - room / 2 : room;
        tail = whole - (room - head);
    }
    for (size_t i = 0; i < length;) {
        printed p = print_next(bytes + i, length - i);
        i += p.taken;
        if (at + p.length <= head || at >= tail) {
            memcpy(out + used, p.bytes, p.length);
            used += p.length;
        } else {
            memcpy(out + used, gap, gap_length);
            used += gap_length;
            head = gap_length = 0;
        }
        at += p.length;
    }
    out[used] = '\0';
    return used;
}

int nd_shown_length(const char *text, size_t length, size_t most) {
    if (length <= most) return (int)length;
    /* A character has at most three bytes after its first. */
    size_t end = most;
    while (end > 0 && most - end < 3 && ((unsigned char)text[end] & 0xc0) == 0x80) end--;
    bool inside = ((unsigned char)text[end] & 0xc0) == 0x80;
    return (int)(inside ? most : end);
}

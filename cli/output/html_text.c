#include "output/html_text.h"

#include <string.h>

/* The bytes of a character that a page must not have, or 0. They are: control characters but tab,
 * newline and carriage return; U+0080 to U+009F; U+202A to U+202E and U+2066 to U+2069. */
static size_t forbidden(const unsigned char *c, size_t length) {
    if (c[0] < ' ') return c[0] != '\t' && c[0] != '\n' && c[0] != '\r';
    if (c[0] == 0x7f) return 1;
    if (length > 1 && c[0] == 0xc2 && c[1] < 0xa0) return 2;
    if (length < 3 || c[0] != 0xe2) return 0;
    bool embeds = c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae,
         isolates = c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9;
    return embeds || isolates ? 3 : 0;
}

static const char *entity(char c) {
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
}

void put_html(FILE *out, const char *text, size_t length) {
    for (size_t i = 0, bytes; i < length; i += bytes) {
        const char *name = entity(text[i]);
        bytes = forbidden((const unsigned char *)text + i, length - i);
        if (bytes > 0) fputs("\xef\xbf\xbd", out);
        else if (name) fputs(name, out);
        else putc(text[i], out);
        if (bytes == 0) bytes = 1;
    }
}

void put_html_piece(FILE *out, const char *text, piece where) {
    put_html(out, text + where.begin, where.end - where.begin);
}

void put_html_string(FILE *out, const char *text) { put_html(out, text, strlen(text)); }

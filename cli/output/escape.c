#include "output/escape.h"

#include "neardup.h"

#include <string.h>

/* Characters, and the letters that stand for them behind a backslash. */
static const char plain[] = "\t\n\r\\", letters[] = "tnr\\";

/* The character at the same index in the other list; 0: none. */
static char partner(char c, const char *from, const char *to) {
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : 0;
}

void print_table_text(FILE *out, const char *text, size_t length) {
    size_t begin = 0; /* of the bytes that are not written yet */
    for (size_t i = 0; i < length; i++) {
        bool is_control = (unsigned char)text[i] < ' ';
        char letter = is_control || text[i] == '\\' ? partner(text[i], plain, letters) : 0;
        if (!letter) continue;
        fwrite(text + begin, 1, i - begin, out);
        putc('\\', out);
        putc(letter, out);
        begin = i + 1;
    }
    fwrite(text + begin, 1, length - begin, out);
}

size_t table_text_read(const char *text, size_t length, char *out) {
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        char meant = text[i] == '\\' && i + 1 < length ? partner(text[i + 1], letters, plain) : 0;
        out[used++] = meant ? meant : text[i];
        i += meant != 0;
    }
    return used;
}

void print_json_text(FILE *out, const char *text, size_t length) {
    static const char controls[] = "\b\f\n\r\t", names[] = "bfnrt";
    size_t valid = nd_utf8_valid_prefix(text, length);
    putc('"', out);
    for (size_t i = 0; i < length; i++) {
        char name = partner(text[i], controls, names);
        if (i == valid) {
            fputs("\\ufffd", out);
            valid = i + 1 + nd_utf8_valid_prefix(text + i + 1, length - i - 1);
        } else if (name || text[i] == '"' || text[i] == '\\') {
            putc('\\', out);
            putc(name ? name : text[i], out);
        } else if ((unsigned char)text[i] < ' ') {
            fprintf(out, "\\u%04x", (unsigned)text[i]);
        } else {
            putc(text[i], out);
        }
    }
    putc('"', out);
}

void print_shown_text(FILE *out, const char *text, size_t length) {
    enum { PIECE = 100, LONGEST_ESCAPE = 6 };
    char shown[LONGEST_ESCAPE * PIECE + 1];
    while (length > 0) {
        size_t end = length < PIECE ? length : PIECE;
        /* Whole characters: at most three bytes follow the first. */
        for (int i = 0; i < 3 && end < length && ((unsigned char)text[end] & 0xc0) == 0x80; i++)
            end--;
        fwrite(shown, 1, nd_printable(text, end, shown, sizeof shown), out);
        text += end;
        length -= end;
    }
}

#include "manual/prose.h"

#include <stdio.h>
#include <string.h>

bool paragraph_next(const char **cursor, paragraph *out) {
    while (**cursor == '\n') ++*cursor;
    if (!**cursor) return false;
    const char *end = strstr(*cursor, "\n\n");
    out->text = *cursor;
    out->length = end ? (size_t)(end - *cursor) : strlen(*cursor);
    out->literal = **cursor == ' ';
    *cursor += out->length;
    return true;
}

/* Columns of UTF-8 text: the number of its characters. */
static size_t columns(const char *text, size_t length) {
    size_t n = 0;
    for (size_t i = 0; i < length; i++) n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

void prose_fill(const char *text, size_t length, size_t column, size_t indent) {
    bool first = true;
    for (size_t at = 0; at < length;) {
        size_t word = at;
        while (word < length && text[word] != ' ' && text[word] != '\n') word++;
        size_t width = columns(text + at, word - at);
        if (!first && column + 1 + width > PROSE_WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        if (width) {
            printf("%s%.*s", first ? "" : " ", (int)(word - at), text + at);
            column += width + !first;
            first = false;
        }
        at = word + 1;
    }
    putchar('\n');
}

void prose_print(const char *text, size_t indent) {
    paragraph part;
    for (const char *cursor = text; paragraph_next(&cursor, &part);) {
        if (cursor != text + part.length) putchar('\n');
        printf("%*s", (int)indent, "");
        if (!part.literal) {
            prose_fill(part.text, part.length, indent, indent);
            continue;
        }
        for (size_t i = 0; i < part.length; i++) {
            putchar(part.text[i]);
            if (part.text[i] == '\n') printf("%*s", (int)indent, "");
        }
        putchar('\n');
    }
}

/* Longer texts. Paragraphs are separated by empty lines. A paragraph that begins with a blank is
 * shown unchanged, line by line. */
#ifndef CLI_PROSE_H
#define CLI_PROSE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct paragraph {
    const char *text;
    size_t length;
    bool literal;
} paragraph;

/* The next paragraph; false at the end. */
bool paragraph_next(const char **cursor, paragraph *out);

enum { PROSE_WIDTH = 80 };

/* Prints words, filled into lines of up to PROSE_WIDTH columns. The first line continues at column
 * `column`, the others are indented by `indent`. A newline ends the last one. */
void prose_fill(const char *text, size_t length, size_t column, size_t indent);

/* Prints a whole text, indented, with empty lines between paragraphs. */
void prose_print(const char *text, size_t indent);

#endif

/* Longer texts: paragraphs separated by empty lines; one that begins with a blank is shown as it
 * is, line by line. */
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

/* Prints words filled into lines of up to PROSE_WIDTH columns. The first line goes on at column
 * `column`, the others are indented by `indent`; the last one is ended. */
void prose_fill(const char *text, size_t length, size_t column, size_t indent);

/* Prints a whole text, paragraphs apart, indented. */
void prose_print(const char *text, size_t indent);

#endif

/* Ids and texts in output: escaped for programs that read tables and JSON, and for people, whose
 * terminal must not obey them. */
#ifndef CLI_ESCAPE_H
#define CLI_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* Writes a field of a table: a tab as \t, a newline as \n, a carriage return as \r, a backslash as
 * \\. */
void print_table_text(FILE *out, const char *text, size_t length);
/* The inverse of print_table_text, into `out`, which has room for `length` bytes. A backslash
 * before any other character stands for itself. Returns the new length. */
size_t table_text_read(const char *text, size_t length, char *out);
/* Writes a JSON string with its quotes. Each byte that is not UTF-8 becomes U+FFFD. */
void print_json_text(FILE *out, const char *text, size_t length);
/* Writes the whole text for people, on one line, with the escapes of nd_printable. */
void print_shown_text(FILE *out, const char *text, size_t length);

#endif

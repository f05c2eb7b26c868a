/* Ids and texts as they are written and read: for programs, and for people, whose terminal must not
 * obey them. */
#ifndef CLI_ESCAPE_H
#define CLI_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* As in tables: a tab is written \t, a newline \n, a carriage return \r, a backslash \\. */
void print_table_text(FILE *out, const char *text, size_t length);
/* Takes that back, into `out`, which has room for `length`; a backslash before any other character
 * is itself. Returns the length. */
size_t table_text_read(const char *text, size_t length, char *out);
/* As a string of JSON, with its quotes; what is not UTF-8 is written as U+FFFD, a byte at a time.
 */
void print_json_text(FILE *out, const char *text, size_t length);
/* For people: on one line, all of it, as nd_printable has it. */
void print_shown_text(FILE *out, const char *text, size_t length);

#endif

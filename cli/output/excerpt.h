/* Pieces of texts on one line of a terminal. */
#ifndef CLI_EXCERPT_H
#define CLI_EXCERPT_H

#include "output/pair.h"

#include <stdio.h>

/* Prints a piece: each run of white space and control characters becomes one blank. */
void print_line(FILE *out, const char *text, piece where);
/* The same, but of a long piece only the beginning and the end. */
void print_excerpt(FILE *out, const char *text, piece where);
/* The same, but only the first `characters`. */
void print_beginning(FILE *out, const char *text, piece where, size_t characters);

/* The parts of a piece that an excerpt of `characters` at each side shows. A short piece is whole
 * in *head, and *tail is empty. */
void excerpt_parts(const char *text, piece where, size_t characters, piece *head, piece *tail);

/* The piece without white space and control characters at its ends. */
piece trimmed_piece(const char *text, piece where);

/* The offset of the first byte at or before `at` where a character begins. */
size_t character_begin(const char *text, size_t at);

#endif

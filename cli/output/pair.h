/* Two texts and what neardup compare has to say of them: for people, for programs, as a page. */
#ifndef CLI_PAIR_H
#define CLI_PAIR_H

#include "command.h"

#include <stdio.h>

typedef struct pair_text {
    const char *title; /* the file, or the id */
    char *bytes;       /* UTF-8; owned */
    size_t length;
} pair_text;

typedef struct pair {
    pair_text texts[2];
    nd_compare_options options;
    nd_comparison *told;
} pair;

/* A file ("-": standard input), or, with --in, a document of it. False: told, and nothing is owned.
 */
bool pair_read(const settings *given, char **names, pair *p);
void pair_free(pair *p);

/* Which piece of text `side` (0 or 1) a passage is. */
typedef struct piece {
    size_t begin, end;
} piece;
piece passage_piece(const nd_passage *passage, int side);

/* Aligned lines. */
void pair_print(FILE *out, const pair *p);
/* One line: {"version":"0.1.0","command":"compare",...}. */
void pair_print_json(FILE *out, const pair *p);
/* A page of HTML that needs no other file. False: out of memory. */
bool pair_print_page(FILE *out, const pair *p);

/* The steps from a text to its sketch, as a table. One function for each kind of sketch. False:
 * told. */
bool explain_simhash(FILE *out, const pair *p, uint32_t bits);
bool explain_pair_minhash(FILE *out, const pair *p);

#endif

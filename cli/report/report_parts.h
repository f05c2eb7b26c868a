/* The parts that the pages of all kinds of runs have: their head, tables, numbers and costs. */
#ifndef CLI_REPORT_PARTS_H
#define CLI_REPORT_PARTS_H

#include "report/report_source.h"

#include <stdio.h>

typedef const char *const *arguments;

/* ---- numbers. Each returns `text`. */

double share_of(uint64_t part, uint64_t whole);
const char *percent(uint64_t part, uint64_t whole, char text[static 32]);
const char *exact(double value, char text[static 32]);

/* ---- words */

const char *words_of(const report_source *s, report_word word);
void put_paragraph(FILE *out, const report_source *s, report_word word, arguments given);
/* Makes the words, which have the limit as {0}, of the line in a chart. Returns `text`. */
const char *limit_words(const report_source *s, report_word word, double limit,
                        char text[static 64]);

/* ---- sections and tables */

void section_begin(FILE *out, const report_source *s, const char *id, report_word title);
void section_end(FILE *out);

/* Begins a table with its columns, each with its class; NULL ends them. */
typedef struct column {
    report_word name;
    const char *class; /* NULL: the end; "": none */
} column;

void table_begin(FILE *out, const report_source *s, const char *attributes, const column *columns);
void table_end(FILE *out);
/* A cell with a number; `key`: its name in the summary as JSON, or NULL. */
void put_number(FILE *out, const char *key, uint64_t number);
/* A row: a number with its name. */
void put_count(FILE *out, const report_source *s, report_word name, const char *key,
               uint64_t number);
/* A row: a name that is not ours, all of its documents, and a part of them with its share. */
void put_part_of_class(FILE *out, const char *name, uint64_t documents, uint64_t part);

/* Numbers below a chart. */
void details_begin(FILE *out, const report_source *s);
void details_end(FILE *out);

/* The chart of sizes by powers of two, with its numbers. `picture` has the count as {0}. */
typedef struct size_words {
    report_word picture, size, count;
} size_words;

void put_sizes(FILE *out, const report_source *s, const size_words *words,
               const uint64_t counts[ND_GROUP_STEPS]);

/* ---- time and memory */

void put_seconds(FILE *out, const report_source *s, report_word name, const char *key,
                 double seconds);
/* Speed and memory, in sentences. */
void put_speed(FILE *out, const report_source *s);

/* ---- the page */

/* Writes the beginning of the page, up to its header. `style`: rules of this page alone. */
void put_head(FILE *out, const report_source *s, const char *style);
/* The command line and the version. False: out of memory. */
bool put_command(FILE *out, const report_source *s);
/* Links to the sections, and the end of the header. */
typedef struct section {
    const char *id; /* NULL: the end of a list */
    report_word title;
} section;

void put_navigation(FILE *out, const report_source *s, const section *sections);

/* Writes a whole page. False: out of memory. */
typedef bool put_page_fn(FILE *out, const report_source *s);

/* Writes the page into the file by nd_write_file. */
nd_status page_write(const char *path, const report_source *s, put_page_fn *put, nd_error *error);

#endif

/* A table that a run wrote: a header, and rows of fields between tabs (doc/internals/formats.md,
 * "Tables"). It is read row by row, so it may be larger than the memory. */
#ifndef CLI_RUN_TABLE_H
#define CLI_RUN_TABLE_H

#include "neardup.h"

#include <stdio.h>

/* A field as the table has it, escaped; valid until the next row is read. */
typedef struct table_field {
    const char *text;
    size_t length;
} table_field;

/* Fields behind these are left out: no table has so many. */
enum { TABLE_FIELDS = 16 };

typedef struct run_table {
    const char *title; /* in messages */
    FILE *file;
    off_t begin; /* of the first row, once the table is kept */
    char *line;
    size_t room;
    table_field fields[TABLE_FIELDS]; /* of the row that was read last; at first of the header */
    size_t count;
    uint64_t row; /* its number, from 1; 0: the header */
} run_table;

/* Opens a table ("-": standard input) and reads its header. After a failure nothing is owned. */
nd_status run_table_open(run_table *t, const char *path, nd_error *error);
void run_table_close(run_table *t);

/* Reads the next row. *more false: there is none. ND_ERR_CANCELLED: a signal has come. */
nd_status run_table_next(run_table *t, bool *more, nd_error *error);

/* The index of a column by its name in the header, which was read last. TABLE_FIELDS: it has none.
 */
size_t run_table_column(const run_table *t, const char *name);
/* The index of the column of similarities or distances. *measure: its name, "jaccard",
 * "containment", "cosine" or "distance", static. */
size_t run_table_measure(const run_table *t, const char **measure);

/* Has a table that will be read twice: what cannot be read again, such as a pipe, is copied to a
 * temporary file. Call it before the first row. */
nd_status run_table_keep(run_table *t, nd_error *error);
/* Goes back to the first row. REQUIRES: run_table_keep. */
nd_status run_table_rewind(run_table *t, nd_error *error);

/* Sets the error: the title and a message. Returns the status. */
__attribute__((format(printf, 4, 5))) nd_status
run_table_fail(const run_table *t, nd_error *error, nd_status status, const char *format, ...);
/* The row that was read last is none of this table. */
nd_status run_table_bad_row(const run_table *t, nd_error *error);
nd_status run_table_no_memory(const run_table *t, nd_error *error);

bool table_field_is(const table_field *f, const char *word);
/* Reads a number from 0 to 2^53, up to which a double is exact. */
bool table_field_number(const table_field *f, double *out);
/* Reads a value of a measure: a similarity of at most 1, or a distance of fingerprints (at most 32)
 * or TLSH digests, at most TABLE_DISTANCE. */
enum { TABLE_DISTANCE = 300 };
bool table_field_value(const table_field *f, const char *measure, double *out);

#endif

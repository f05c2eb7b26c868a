/* What nd_tune measured, for people and for programs. */
#ifndef CLI_TUNE_TABLE_H
#define CLI_TUNE_TABLE_H

#include "neardup.h"

#include <stdio.h>

/* A run of nd_tune. */
typedef struct tune_run {
    const char *settings; /* flags that this run has and the first has not; "": the first run */
    nd_tune_result result;
} tune_run;

/* Prints the table of the first run, and the shares of the others beside it. */
void tune_table_print(FILE *out, const tune_run *runs, size_t count);
/* Prints one object. */
void tune_table_json(FILE *out, const tune_run *runs, size_t count);

#endif

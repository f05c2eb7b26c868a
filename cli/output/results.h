/* The results of a command: on standard output, or in a file (-o).
 *
 * On standard output they appear while they are found. A file appears as a whole when the command
 * has succeeded: until then the results are in a file without a name. One thread at a time
 * writes. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "neardup.h"

#include <stdio.h>

typedef struct results {
    FILE *out;          /* where to print; only between open and close */
    const char *header; /* first line of a table, with its newline; NULL: none */
    const char *path;   /* of the file; NULL: standard output */
    bool begun;
    int failure; /* errno of `out` */
} results;

/* `path` NULL or "-": standard output. `header` NULL: none. ND_ERR_IO: no temporary file; then
 * there is nothing to close. */
nd_status results_open(results *r, const char *path, const char *header, nd_error *error);
/* Before a result: prints the header before the first one. A command that fails before its first
 * result has written nothing. */
void results_begin(results *r);
/* After a result. False: stop, since `out` has failed or a signal has come. */
bool results_go_on(results *r);
/* Call it once, after the command has ended with `status`. Prints the header if there were no
 * results, and writes the file if the status is ND_OK. Returns the status, or the failure of `out`
 * or of the file. */
nd_status results_close(results *r, nd_status status, nd_error *error);

#endif

/*
 * A small reader of JSON Lines for the benchmarks: independent of the library, so that what
 * measures it does not rest on it.
 */
#ifndef BENCH_JSON_LINES_H
#define BENCH_JSON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file opened for reading; .gz and .zst (by the name's end) come through the commands gzip and
 * zstd. */
typedef struct input_file {
    FILE *stream;
    bool piped;
} input_file;

/* False: a message is on stderr. */
bool input_open(input_file *file, const char *path);
/* The output of a shell command. */
bool input_open_command(input_file *file, const char *command);
/* `read_to_end`: a failure of the command is then one of the input; else it may have died of the
 * closed pipe. */
bool input_close(input_file *file, bool read_to_end);

/* The string (unescaped, UTF-8) or the number (as written) of a field at the top level of one JSON
 * object. `out` needs room for `length` bytes. False: no such field, of another type, or not JSON
 * so far as it was looked at. Time O(length). */
bool json_field(const char *line, size_t length, const char *name, char *out, size_t *out_length);

#endif

/* A small reader of JSON Lines for the benchmarks. It does not use the library, because the
 * benchmarks measure the library. */
#ifndef BENCH_JSON_LINES_H
#define BENCH_JSON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file opened for reading. Files whose names end with .gz or .zst are read through the commands
 * gzip and zstd. */
typedef struct input_file {
    FILE *stream;
    bool piped;
} input_file;

/* False: a message has been written to stderr. */
bool input_open(input_file *file, const char *path);
/* Opens the output of a shell command. */
bool input_open_command(input_file *file, const char *command);
/* `read_to_end`: a failure of the command is a failure of the input. Otherwise the command may have
 * died because the pipe was closed. */
bool input_close(input_file *file, bool read_to_end);

/* Finds the string (unescaped, UTF-8) or the number (as written) of a field at the top level of one
 * JSON object. `out` needs room for `length` bytes. False: there is no such field, it has another
 * type, or the bytes that were examined are not JSON. Time O(length). */
bool json_field(const char *line, size_t length, const char *name, char *out, size_t *out_length);

#endif

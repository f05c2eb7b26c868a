/* Reads the lines of a stream one by one, with their numbers. */
#ifndef ND_IO_LINE_IN_H
#define ND_IO_LINE_IN_H

#include "io/stream_in.h"

typedef struct nd_line_in {
    nd_allocator allocator;
    nd_stream_in *stream; /* not owned */
    char *buffer;
    size_t begin, end, capacity; /* buffer[begin .. end): read from the stream, not yet returned */
    size_t scanned;              /* bytes from `begin` on that hold no line end */
    bool ended;
    uint64_t number; /* of the line returned last, from 1 */
} nd_line_in;

/* The stream stays the caller's, and must outlive the reader. nd_line_in_close frees the buffer. */
void nd_line_in_open(nd_line_in *lines, nd_stream_in *stream, const nd_allocator *allocator);
void nd_line_in_close(nd_line_in *lines);

/* The most bytes of a line. The bound keeps a file without line ends from filling the memory. */
enum { ND_LINE_MOST = 1 << 20 };

/* Returns the next line without its end, valid until the next call; *line NULL: there is none. A
 * line ends with a newline, or carriage return and newline; the last line may have neither. A byte
 * order mark before the first line is skipped. ND_ERR_INPUT: a line has more than ND_LINE_MOST
 * bytes; the message gives its number. */
nd_status nd_line_in_next(nd_line_in *lines, const char **line, size_t *length, nd_error *error);

#endif

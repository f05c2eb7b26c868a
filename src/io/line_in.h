/* The lines of a stream, one by one, with their numbers. */
#ifndef ND_IO_LINE_IN_H
#define ND_IO_LINE_IN_H

#include "io/stream_in.h"

typedef struct nd_line_in {
    nd_allocator allocator;
    nd_stream_in *stream; /* not owned */
    char *buffer;
    size_t begin, end, capacity; /* buffer[begin .. end) is read and not yet given */
    size_t looked;               /* bytes behind `begin` without a line end */
    bool ended;
    uint64_t number; /* of the line given last, from 1 */
} nd_line_in;

/* The stream stays the caller's. nd_line_in_close gives the memory back. */
void nd_line_in_open(nd_line_in *lines, nd_stream_in *stream, const nd_allocator *allocator);
void nd_line_in_close(nd_line_in *lines);

/* Bytes of a line, at most: so that a file without line ends takes no memory. */
enum { ND_LINE_MOST = 1 << 20 };

/* ND_ERR_INPUT: a line of more than ND_LINE_MOST bytes, with its number. The next line, without its
 * end (a newline, or carriage return and newline; the last line may have none), valid until the
 * next call. *line NULL: there is none. A byte order mark before the first line is left out. */
nd_status nd_line_in_next(nd_line_in *lines, const char **line, size_t *length, nd_error *error);

#endif

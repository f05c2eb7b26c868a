/* The lines of a small file that a command reads itself, one by one. While they have to be waited
 * for a signal ends the waiting. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a line, at most. */
enum { LINE_MOST = 1 << 20 };

typedef struct lines {
    const char *name; /* for messages */
    int fd;
    char *buffer;
    size_t begin, end; /* read and not yet given */
    uint64_t number;   /* of the line given last, from 1 */
    bool ended;
} lines;

/* "-" is standard input. False: told. */
bool lines_open(lines *in, const char *path);
void lines_close(lines *in);

/* The next line, without its end, with room for one byte behind it, valid until the next call;
 * NULL: there is none. False: it cannot be read, and told, or a signal came. */
bool lines_next(lines *in, char **line, size_t *length);

#endif

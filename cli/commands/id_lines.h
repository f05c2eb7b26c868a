/* The lines of a file of ids, one by one. A signal ends the wait for more of them. */
#ifndef CLI_ID_LINES_H
#define CLI_ID_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most bytes of a line. */
enum { LINE_MOST = 1 << 20 };

typedef struct lines {
    const char *name; /* for messages */
    int fd;
    char *buffer;
    size_t begin, end; /* in `buffer`: bytes that were read and not yet returned */
    uint64_t number;   /* of the last line returned, from 1 */
    bool ended;
} lines;

/* "-" is standard input. False: reported. */
bool lines_open(lines *in, const char *path);
void lines_close(lines *in);

/* The next line without its end, with room for one byte behind it, valid until the next call; NULL:
 * there is none. False: it cannot be read, and that is reported, or a signal came. */
bool lines_next(lines *in, char **line, size_t *length);

#endif

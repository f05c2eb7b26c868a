#include "commands/id_lines.h"

#include "output/complain.h"
#include "output/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ROOM: a line, its end, and a byte behind it. */
enum { ROOM = LINE_MOST + 3, PATIENCE = 200 /* milliseconds between two looks for a signal */ };

bool lines_open(lines *in, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    *in = (lines){
        .name = standard ? "standard input" : path, .fd = STDIN_FILENO, .buffer = malloc(ROOM)};
    if (!standard) /* Without O_NONBLOCK the open of a pipe waits for a writer. */
        in->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (in->fd >= 0 && in->buffer) return true;
    complain("%s: %s", in->name, strerror(errno));
    lines_close(in);
    return false;
}

void lines_close(lines *in) {
    if (in->fd > STDIN_FILENO) close(in->fd);
    free(in->buffer);
    in->buffer = NULL;
}

/* Reads more bytes behind those in the buffer. */
static bool read_more(lines *in) {
    memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
    in->end -= in->begin;
    in->begin = 0;
    while (!interrupt_pending()) {
        struct pollfd readable = {.fd = in->fd, .events = POLLIN};
        int ready = poll(&readable, 1, PATIENCE);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t got = read(in->fd, in->buffer + in->end, ROOM - 1 - in->end);
        if (got >= 0) {
            in->ended = got == 0;
            in->end += (size_t)got;
            return true;
        }
        if (errno == EINTR || errno == EAGAIN) continue;
        complain("%s: %s", in->name, strerror(errno));
        return false;
    }
    return false;
}

bool lines_next(lines *in, char **line, size_t *length) {
    char *newline = NULL;
    for (size_t looked = 0, held;; looked = held) {
        held = in->end - in->begin;
        newline = memchr(in->buffer + in->begin + looked, '\n', held - looked);
        if (newline || in->ended || held == ROOM - 1) break;
        if (!read_more(in)) return false;
    }
    *line = NULL;
    if (in->begin == in->end) return true;
    *line = in->buffer + in->begin;
    *length = (size_t)((newline ? newline : in->buffer + in->end) - *line);
    in->begin += *length + (newline != NULL);
    in->number++;
    if (newline && *length > 0 && newline[-1] == '\r') --*length;
    if (*length <= LINE_MOST) return true;
    complain("%s:%llu: a line of more than %d bytes", in->name, (unsigned long long)in->number,
             LINE_MOST);
    return false;
}

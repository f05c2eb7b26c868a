#include "io/line_in.h"

#include "base/limits.h"

#include <string.h>

enum { FIRST_CAPACITY = ND_LIMIT(1 << 16, 16) };

void nd_line_in_open(nd_line_in *lines, nd_stream_in *stream, const nd_allocator *allocator) {
    *lines = (nd_line_in){.allocator = *allocator, .stream = stream};
}

void nd_line_in_close(nd_line_in *lines) {
    nd_release(&lines->allocator, lines->buffer);
    lines->buffer = NULL;
}

/* Reads more bytes behind the unreturned ones. */
static nd_status read_more(nd_line_in *lines, nd_error *error) {
    size_t held = lines->end - lines->begin, got;
    if (lines->begin > 0) memmove(lines->buffer, lines->buffer + lines->begin, held);
    lines->begin = 0;
    lines->end = held;
    size_t need = held < FIRST_CAPACITY ? FIRST_CAPACITY : held + 1;
    if (!nd_reserve(&lines->allocator, &lines->buffer, &lines->capacity, need))
        return nd_fail_memory(error, need, "a line");
    size_t room = lines->capacity - held;
    ND_TRY(nd_stream_in_read(lines->stream, lines->buffer + held, room, &got, error));
    lines->end += got;
    lines->ended = got < room;
    return ND_OK;
}

nd_status nd_line_in_next(nd_line_in *lines, const char **line, size_t *length, nd_error *error) {
    const char *newline = NULL;
    for (;;) {
        size_t held = lines->end - lines->begin;
        if (held > lines->scanned)
            newline = memchr(lines->buffer + lines->begin + lines->scanned, '\n',
                             held - lines->scanned);
        if (newline || lines->ended || held > ND_LINE_MOST) break;
        lines->scanned = held;
        ND_TRY(read_more(lines, error));
    }
    lines->scanned = 0;
    *line = NULL;
    if (lines->begin == lines->end) return ND_OK;
    char *start = lines->buffer + lines->begin;
    size_t size = newline ? (size_t)(newline - start) : lines->end - lines->begin;
    if (size > ND_LINE_MOST)
        return nd_fail(error, ND_ERR_INPUT, "%s:%llu: a line of more than %d bytes",
                       nd_stream_in_name(lines->stream), (unsigned long long)lines->number + 1,
                       ND_LINE_MOST);
    lines->begin += size + (newline != NULL);
    if (newline && size > 0 && start[size - 1] == '\r') size--;
    if (lines->number++ == 0 && size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) {
        start += 3;
        size -= 3;
    }
    *line = start;
    *length = size;
    return ND_OK;
}

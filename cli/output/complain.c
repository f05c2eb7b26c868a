#include "output/complain.h"

#include "neardup.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a line. A longer message loses its middle, and beyond ROOM its end. */
enum { LINE = 4096, ROOM = 4 * LINE };

static void put_line(FILE *out, const char *prefix, const char *format, va_list arguments) {
    char text[ROOM], line[LINE];
    if (vsnprintf(text, sizeof text, format, arguments) < 0) return;
    nd_printable(text, strlen(text), line, sizeof line);
    flockfile(out);
    fputs(prefix, out);
    fputs(line, out);
    fputc('\n', out);
    funlockfile(out);
}

void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_line(stderr, "neardup: ", format, arguments);
    va_end(arguments);
}

void announce(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_line(stdout, "", format, arguments);
    va_end(arguments);
}

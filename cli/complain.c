#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    flockfile(stderr);
    fputs("neardup: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(arguments);
}

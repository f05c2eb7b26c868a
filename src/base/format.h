/* Text made of values, the same whatever locale and floating-point environment the host program has
 * set: in the C locale, rounded to nearest. No other file of the library calls printf's family or
 * strerror. */
#ifndef ND_BASE_FORMAT_H
#define ND_BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As snprintf and vsnprintf: `size` bytes at most with the NUL, and returns how many bytes the
 * whole text has. */
size_t nd_format(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
size_t nd_format_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* The system's text for an errno value, in English. */
void nd_format_reason(int os_error, char *out, size_t size);

/* What a person may read: a formatted text that nd_printable has made one printable line, cut in
 * its middle where it is longer than `size` bytes with the NUL. */
void nd_message(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void nd_message_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Bytes of a text before it is made printable: two of the system's longest paths, and words around
 * them. It lies on the stack, and a thread with a stack of 128 KiB must do for every call. */
enum { ND_MESSAGE_ROOM = 10 << 10 };

#endif

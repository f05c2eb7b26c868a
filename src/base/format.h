/* Formats values as text and reads numbers, always in the C locale and rounded to nearest, so that
 * the text does not depend on the locale and the floating-point environment of the host program. No
 * other file of the library calls the printf family, strerror or strtod. */
#ifndef ND_BASE_FORMAT_H
#define ND_BASE_FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Like snprintf and vsnprintf: writes at most `size` bytes with the NUL, and returns the length of
 * the whole text. */
size_t nd_format(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
size_t nd_format_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* The system's text for an errno value, in English. */
void nd_format_reason(int os_error, char *out, size_t size);

/* Formats a text for people: nd_printable makes it one printable line of at most `size` bytes with
 * the NUL, and cuts a longer one in its middle. */
void nd_message(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void nd_message_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Reads the whole text as a double: an optional minus sign, digits, with or without a point and an
 * exponent. False: it is something else, has more than 100 bytes, or is beyond the range of a
 * double. */
bool nd_number_read(const char *text, size_t length, double *out);
/* Bytes of a message before it is made printable: enough for two of the system's longest paths and
 * words around them. The buffer lies on the stack, and every call must fit a thread's stack of
 * 128 KiB. */
enum { ND_MESSAGE_ROOM = 10 << 10 };

#endif

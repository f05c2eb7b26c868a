#include "base/format.h"

#include "base/floats.h"
#include "neardup.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the C locale on this thread until the block is left. The C library has that locale ready, so
 * nothing is allocated. */
typedef struct c_locale {
    locale_t locale, before;
} c_locale;

static c_locale c_locale_begin(void) {
    c_locale c = {.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    c.before = uselocale(c.locale);
    return c;
}

static void c_locale_end(c_locale *c) {
    uselocale(c->before);
    if (c->locale) freelocale(c->locale);
}

#define C_LOCALE                                                                                   \
    __attribute__((cleanup(c_locale_end), unused)) c_locale c_locale_ = c_locale_begin()

size_t nd_format_list(char *out, size_t size, const char *format, va_list arguments) {
    C_LOCALE;
    ND_DEFAULT_FLOATS;
    int length = vsnprintf(out, size, format, arguments);
    if (length < 0 && size > 0) out[0] = '\0';
    return length < 0 ? 0 : (size_t)length;
}

size_t nd_format(char *out, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t length = nd_format_list(out, size, format, arguments);
    va_end(arguments);
    return length;
}

/* POSIX's strerror_r returns an int and fills the buffer; glibc's variant returns the text. */
__attribute__((unused)) static const char *posix_reason(int result, const char *buffer) {
    (void)result;
    return buffer;
}

__attribute__((unused)) static const char *gnu_reason(const char *result, const char *buffer) {
    (void)buffer;
    return result;
}

void nd_format_reason(int os_error, char *out, size_t size) {
    C_LOCALE;
    char buffer[200] = "unknown error";
#define REASON_OF _Generic(strerror_r(0, buffer, 0), int : posix_reason, char * : gnu_reason)
    const char *reason = REASON_OF(strerror_r(os_error, buffer, sizeof buffer), buffer);
#undef REASON_OF
    snprintf(out, size, "%s", reason);
}

void nd_message_list(char *out, size_t size, const char *format, va_list arguments) {
    char text[ND_MESSAGE_ROOM];
    size_t length = nd_format_list(text, sizeof text, format, arguments);
    nd_printable(text, length < sizeof text ? length : sizeof text - 1, out, size);
}

void nd_message(char *out, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    nd_message_list(out, size, format, arguments);
    va_end(arguments);
}

bool nd_number_read(const char *text, size_t length, double *out) {
    char number[101], *end;
    size_t digits = length > 0 && text[0] == '-';
    if (length >= sizeof number || digits == length) return false;
    if (text[digits] < '0' || text[digits] > '9') return false; /* such as inf, or a plus sign */
    if (memchr(text, 'x', length) || memchr(text, 'X', length)) return false; /* hexadecimal */
    memcpy(number, text, length);
    number[length] = '\0';
    C_LOCALE;
    ND_DEFAULT_FLOATS;
    double value = strtod(number, &end);
    if (end != number + length || isinf(value)) return false;
    *out = value;
    return true;
}

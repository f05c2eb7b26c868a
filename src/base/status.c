#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t format_into(nd_error *error, nd_status status, const char *format, va_list arguments) {
    error->status = status;
    int length = vsnprintf(error->message, sizeof error->message, format, arguments);
    if (length < 0) length = 0;
    size_t used = (size_t)length < sizeof error->message ? (size_t)length : sizeof error->message - 1;
    return used;
}

nd_status nd_fail(nd_error *error, nd_status status, const char *format, ...) {
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    format_into(error, status, format, arguments);
    va_end(arguments);
    return status;
}

/* strerror_r answers with an int by POSIX, and fills the buffer; with the text itself in glibc's variant. */
__attribute__((unused)) static const char *posix_reason(int answer, const char *buffer) {
    (void)answer;
    return buffer;
}

__attribute__((unused)) static const char *gnu_reason(const char *answer, const char *buffer) {
    (void)buffer;
    return answer;
}

nd_status nd_fail_os(nd_error *error, int os_error, const char *format, ...) {
    nd_status status = os_error == ENOMEM ? ND_ERR_MEMORY : ND_ERR_IO;
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    size_t used = format_into(error, status, format, arguments);
    va_end(arguments);
    char buffer[200] = "unknown error";
    const char *reason = _Generic(strerror_r(0, buffer, 0), int: posix_reason, char *: gnu_reason)(strerror_r(os_error, buffer, sizeof buffer), buffer);
    snprintf(error->message + used, sizeof error->message - used, ": %s", reason);
    return status;
}

nd_status nd_fail_memory(nd_error *error, size_t size, const char *what) {
    return nd_fail(error, ND_ERR_MEMORY, "out of memory: %zu bytes for %s", size, what);
}

nd_status nd_fail_as(nd_error *error, const nd_error *failure) {
    if (error) *error = *failure;
    return failure->status;
}

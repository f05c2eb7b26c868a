#include "base/status.h"

#include "base/format.h"

#include <errno.h>
#include <string.h>

nd_status nd_fail(nd_error *error, nd_status status, const char *format, ...) {
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    nd_message_list(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

nd_status nd_fail_os(nd_error *error, int os_error, const char *format, ...) {
    nd_status status = os_error == ENOMEM ? ND_ERR_MEMORY : ND_ERR_IO;
    if (!error) return status;
    enum { REASON = 200 };
    char text[ND_MESSAGE_ROOM];
    size_t room = sizeof text - REASON;
    va_list arguments;
    va_start(arguments, format);
    size_t length = nd_format_list(text, room, format, arguments);
    va_end(arguments);
    if (length >= room) length = room - 1;
    memcpy(text + length, ": ", 2);
    nd_format_reason(os_error, text + length + 2, REASON - 2);
    error->status = status;
    nd_printable(text, strlen(text), error->message, sizeof error->message);
    return status;
}

nd_status nd_fail_memory(nd_error *error, size_t size, const char *what) {
    return nd_fail(error, ND_ERR_MEMORY, "out of memory: %zu bytes for %s", size, what);
}

nd_status nd_fail_as(nd_error *error, const nd_error *failure) {
    if (error) *error = *failure;
    return failure->status;
}

#include "base/warning.h"

#include "base/format.h"

#include <stdarg.h>

void nd_warn(const nd_warnings *warnings, const char *format, ...) {
    nd_error warning;
    va_list arguments;
    if (!warnings->fn) return;
    va_start(arguments, format);
    nd_message_list(warning.message, sizeof warning.message, format, arguments);
    va_end(arguments);
    warnings->fn(warnings->context, warning.message);
}

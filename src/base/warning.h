/* Warnings: what does not stop a run, one printable line each, for the caller's function. */
#ifndef ND_BASE_WARNING_H
#define ND_BASE_WARNING_H

#include "base/status.h"

typedef struct nd_warnings {
    nd_warning_fn *fn; /* NULL: warnings are dropped */
    void *context;
} nd_warnings;

/* One thread at a time. */
void nd_warn(const nd_warnings *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

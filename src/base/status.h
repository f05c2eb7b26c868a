/* Errors: fill the caller's nd_error, and return at the first failure. */
#ifndef ND_BASE_STATUS_H
#define ND_BASE_STATUS_H

#include "neardup.h"

/* Fills *error, unless it is NULL, with a formatted message, made one printable line (nd_message).
 * Returns `status`, so that a failure takes one statement:
 *     return nd_fail(error, ND_ERR_ARGUMENT, "ngram must be 1 to 64, not %u", n); */
nd_status nd_fail(nd_error *error, nd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: appends ": " and the text of `os_error`, an errno value.
 * Returns ND_ERR_IO, or ND_ERR_MEMORY for ENOMEM. */
nd_status nd_fail_os(nd_error *error, int os_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "out of memory: N bytes for WHAT". */
nd_status nd_fail_memory(nd_error *error, size_t size, const char *what);

/* Copies a failure that was kept aside, and returns its status. A caller's nd_error must not be
 * written while another attempt may still succeed. */
nd_status nd_fail_as(nd_error *error, const nd_error *failure);

/* Returns from the calling function if `call` fails. */
#define ND_TRY(call)                                                                               \
    do {                                                                                           \
        nd_status nd_try_status_ = (call);                                                         \
        if (nd_try_status_ != ND_OK) return nd_try_status_;                                        \
    } while (0)

#endif

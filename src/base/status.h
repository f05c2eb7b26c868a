/* Errors: filling the caller's nd_error, and returning at the first failure. */
#ifndef ND_BASE_STATUS_H
#define ND_BASE_STATUS_H

#include "neardup.h"

/* Fills *error (NULL: nothing) with a formatted message, one printable line (nd_message), and
 * returns `status`, so that a failure is one line: return nd_fail(error, ND_ERR_ARGUMENT, "ngram
 * must be 1 to 64, not %u", n); */
nd_status nd_fail(nd_error *error, nd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: appends ": " and the text of `os_error` (an errno value).
 * Status ND_ERR_IO, or ND_ERR_MEMORY for ENOMEM. */
nd_status nd_fail_os(nd_error *error, int os_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "out of memory: N bytes for WHAT". */
nd_status nd_fail_memory(nd_error *error, size_t size, const char *what);

/* A failure that was kept until it was known whether it is one: a caller's nd_error must not be
 * touched where there is another try. */
nd_status nd_fail_as(nd_error *error, const nd_error *failure);
/* How many bytes of a foreign text a message shows, for the precision of "%.*s": whole characters,
 * at most `most` bytes. Longer texts would push the rest of the message out of its buffer. */
int nd_shown_length(const char *text, size_t length, size_t most);

/* `most` of an id; of a term or a number. */
enum { ND_SHOWN_ID = 200, ND_SHOWN_TERM = 40 };

/* Returns from the calling function when `call` fails. */
#define ND_TRY(call)                                                                               \
    do {                                                                                           \
        nd_status nd_try_status_ = (call);                                                         \
        if (nd_try_status_ != ND_OK) return nd_try_status_;                                        \
    } while (0)

#endif

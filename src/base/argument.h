/* What callers of the library hand in, checked at its door: ND_ERR_ARGUMENT names the parameter and
 * what it may be. */
#ifndef ND_BASE_ARGUMENT_H
#define ND_BASE_ARGUMENT_H

#include "base/status.h"

/* A pointer that must be given. */
nd_status nd_need(const void *pointer, const char *name, nd_error *error);

/* The name of a file or a directory, `path`: neither NULL nor empty. */
nd_status nd_need_path(const char *path, nd_error *error);

/* Bytes or an array, which may be NULL only where it is empty. */
nd_status nd_need_array(const void *array, size_t count, const char *name, nd_error *error);

/* A constant of an enum whose constants are 0 to `last`. nd_check_constant is for the macro, which
 * knows their names. */
nd_status nd_check_constant(int value, int last, const char *name, const char *first_name,
                            const char *last_name, nd_error *error);
#define ND_CHECK_ENUM(value, name, first, last, error)                                             \
    ND_TRY(nd_check_constant((int)(value), (last), (name), #first, #last, (error)))

#endif

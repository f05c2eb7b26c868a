/* Checks of the arguments of public functions. Each returns ND_ERR_ARGUMENT with a message that
 * names the parameter and its valid values. */
#ifndef ND_BASE_ARGUMENT_H
#define ND_BASE_ARGUMENT_H

#include "base/status.h"

/* A pointer must not be NULL. */
nd_status nd_need(const void *pointer, const char *name, nd_error *error);

/* The parameter `path`, a file or a directory, must be neither NULL nor empty. */
nd_status nd_need_path(const char *path, nd_error *error);

/* Bytes or an array may be NULL only if they are empty. */
nd_status nd_need_array(const void *array, size_t count, const char *name, nd_error *error);

/* `value` must be a constant of an enum whose constants are 0 to `last`. Use the macro: it gives
 * nd_check_constant the names of the first and the last constant. */
nd_status nd_check_constant(int value, int last, const char *name, const char *first_name,
                            const char *last_name, nd_error *error);
#define ND_CHECK_ENUM(value, name, first, last, error)                                             \
    ND_TRY(nd_check_constant((int)(value), (last), (name), #first, #last, (error)))

#endif

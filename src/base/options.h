/* Structures of the public interface that may grow: options that the caller gives, and results that
 * the caller wants (neardup.h, "Options" and "Growth"). Both begin with `size_t struct_size`, the
 * size that the caller knows. */
#ifndef ND_BASE_OPTIONS_H
#define ND_BASE_OPTIONS_H

#include "base/status.h"

/* nd_X_options_init: writes the defaults to the first `struct_size` bytes of *out, and 0 behind
 * the members that the library knows. A `struct_size` that has no room for itself writes nothing.
 */
void nd_options_init(void *out, size_t struct_size, const void *defaults, size_t size);

/* Copies the members that the caller gave over the defaults in *out. `given` NULL: *out stays as it
 * is. `size`: of the structure as the library knows it; `least`: its size in version 0.1.
 * ND_ERR_ARGUMENT, with the name of the structure: struct_size is below `least` or above 64 KiB, or
 * a member that the library does not know is not 0. */
nd_status nd_options_read(const void *given, void *out, size_t size, size_t least, const char *name,
                          nd_error *error);

/* For a structure that has not grown since version 0.1. */
#define ND_READ_OPTIONS(given, out, name, error)                                                   \
    nd_options_read((given), (out), sizeof *(out), sizeof *(out), (name), (error))

/* ND_ERR_ARGUMENT: struct_size of a structure for results is out of range, as with nd_options_read.
 * `out` NULL: ND_OK, the results are not wanted. */
nd_status nd_results_check(const void *out, size_t least, const char *name, nd_error *error);

/* Writes results to *out (NULL: not wanted), as far as its struct_size, which stays. REQUIRES:
 * nd_results_check. */
void nd_results_write(void *out, const void *results, size_t size);

#endif

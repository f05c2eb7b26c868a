/* Whether two names are of one file, so that an output never replaces an input or another output.
 */
#ifndef CLI_FILE_NAMES_H
#define CLI_FILE_NAMES_H

#include <stdbool.h>

/* Also where neither exists yet: then the directory and the last part of the name decide. "-" and
 * devices are no files. */
bool is_same_file(const char *a, const char *b);

/* A directory that exists. "-" is none. */
bool is_directory(const char *path);

/* Whether a file can be made under this name, as far as its directory tells. False: reported.
 * Called before a long run whose result would have no place. `flag`: the name of the flag that gave
 * it. */
bool output_has_place(const char *flag, const char *path);

#endif

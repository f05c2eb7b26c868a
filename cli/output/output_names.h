/* Whether two names are of one file, so that an output never replaces an input or another output.
 */
#ifndef CLI_OUTPUT_NAMES_H
#define CLI_OUTPUT_NAMES_H

#include <stdbool.h>

/* Also where neither exists yet: then the directory and the last part of the name decide. "-" and
 * devices are no files. */
bool is_same_file(const char *a, const char *b);

/* Whether a file that exists, or is going to be made, lies in an existing directory or below it. */
bool is_inside(const char *path, const char *directory);

/* A directory that exists. "-" is none. */
bool is_directory(const char *path);

/* Whether nd_write_file will be able to write under this name, as far as the name and its directory
 * tell. Otherwise a long run would lose its results at the end. `flag`: the name of the flag that
 * gave the name. False: reported. */
bool output_has_place(const char *flag, const char *path);

#endif

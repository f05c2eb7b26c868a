/* Files without a name, which are gone when the program ends, however it ends. */
#ifndef CLI_TEMPORARY_FILE_H
#define CLI_TEMPORARY_FILE_H

#include "neardup.h"

#include <stdio.h>

/* Opens such a file for reading and writing. The directory of `path` has the space that a file
 * there will need; where it cannot have such files (/dev, some network file systems), and where
 * `path` is NULL, the system's temporary directory holds it. NULL: the error is set. */
FILE *temporary_file_open(const char *path, nd_error *error);

#endif

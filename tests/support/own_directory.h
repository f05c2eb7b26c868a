/* Directories of a test's own, below the directory that the test was started in, which CTest sets
 * (tests/CMakeLists.txt). */
#ifndef ND_TESTS_OWN_DIRECTORY_H
#define ND_TESTS_OWN_DIRECTORY_H

#include "test.h"

/* For the files that a test makes there. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Group fixtures for cmocka_run_group_tests: make a directory and go there; go back and remove it.
 * Leaving fails if a test has left a file behind. */
int enter_own_directory(void **state);
int leave_own_directory(void **state);

/* Makes a directory; `path` ends with XXXXXX, which is replaced (mkdtemp). */
void make_directory(char *path);
/* Removes a directory with all that is in it; does nothing if there is none. */
void remove_directory(const char *path);

#endif

/* A directory of a test program's own, beside which it was started: it runs in there, and takes it
 * away when it is empty. For cmocka_run_group_tests. */
#ifndef ND_TESTS_OWN_DIRECTORY_H
#define ND_TESTS_OWN_DIRECTORY_H

#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char own_directory[] = "neardup-test-XXXXXX";

static int enter_own_directory(void **state) {
    (void)state;
    return mkdtemp(own_directory) && chdir(own_directory) == 0 ? 0 : -1;
}

static int leave_own_directory(void **state) {
    (void)state;
    return chdir("..") == 0 && rmdir(own_directory) == 0 ? 0 : -1;
}

/* A directory of nothing but files, if it is there. */
static inline void remove_directory(const char *path) {
    DIR *d = opendir(path);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        char name[600];
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        unlink(name);
    }
    closedir(d);
    assert_int_equal(rmdir(path), 0);
}

#endif

/* Temporary directories of a test: see own_directory.h. */
#include "own_directory.h"

#include <dirent.h>
#include <string.h>

static char own[] = "neardup-test-XXXXXX", *before;

int enter_own_directory(void **state) {
    (void)state;
    strcpy(own + sizeof own - 7, "XXXXXX"); /* a program may run several groups */
    before = getcwd(NULL, 0);
    return before && mkdtemp(own) ? chdir(own) : -1;
}

int leave_own_directory(void **state) {
    (void)state;
    int failed = chdir(before) != 0 || rmdir(own) != 0;
    free(before);
    return failed ? -1 : 0;
}

void make_directory(char *path) { assert_non_null(mkdtemp(path)); }

void remove_directory(const char *path) {
    DIR *d = opendir(path);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        char name[600];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (e->d_type == DT_DIR) remove_directory(name);
        else unlink(name);
    }
    closedir(d);
    assert_int_equal(rmdir(path), 0);
}

#include "output/output_names.h"

#include "output/complain.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directory of a name, and its last part. False: the name is too long. */
static bool split(const char *path, char directory[static PATH_MAX], const char **last) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= PATH_MAX) return false;
    memcpy(directory, path, length);
    memcpy(directory + length, length ? "" : ".", length ? 1 : 2);
    *last = path + length;
    return true;
}

static bool is_one(const struct stat *x, const struct stat *y) {
    return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    char directory_a[PATH_MAX], directory_b[PATH_MAX];
    const char *last_a, *last_b;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
    bool has_a = stat(a, &x) == 0, has_b = stat(b, &y) == 0;
    if (has_a != has_b) return false;
    if (has_a) return S_ISREG(x.st_mode) && is_one(&x, &y);
    return split(a, directory_a, &last_a) && split(b, directory_b, &last_b) &&
           strcmp(last_a, last_b) == 0 && stat(directory_a, &x) == 0 &&
           stat(directory_b, &y) == 0 && is_one(&x, &y);
}

bool is_inside(const char *path, const char *directory) {
    char folder[PATH_MAX], inner[PATH_MAX], outer[PATH_MAX];
    const char *last;
    if (strcmp(path, "-") == 0 || !is_directory(directory) || !split(path, folder, &last) ||
        !realpath(folder, inner) || !realpath(directory, outer))
        return false;
    size_t length = strlen(outer);
    return strncmp(inner, outer, length) == 0 &&
           (inner[length] == '/' || inner[length] == '\0' || length == 1);
}

bool is_directory(const char *path) {
    struct stat s;
    return strcmp(path, "-") != 0 && stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Whether a name ends like that of a compressed file that nd_write_file refuses. Names that are
 * missing here are refused later, by nd_write_file itself. */
static bool is_foreign_compression(const char *last) {
    static const char *const endings[] = {".bz2", ".xz", ".lzma", ".lz4", ".zstd",
                                          ".br",  ".7z", ".zip",  ".tgz", ".z"};
    const char *dot = strrchr(last, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot, endings[i]) == 0) return true;
    return false;
}

bool output_has_place(const char *flag, const char *path) {
    char directory[PATH_MAX];
    const char *last;
    struct stat s;
    if (strcmp(path, "-") == 0 || !split(path, directory, &last)) return true;
    if (is_directory(path)) {
        complain("--%s %s: %s", flag, path, strerror(EISDIR));
    } else if (is_foreign_compression(last)) {
        complain("--%s %s: this compression is not written; use a name in .gz or .zst", flag, path);
    } else if (stat(path, &s) != 0 && access(directory, W_OK) != 0) {
        complain("--%s %s: %s", flag, path, strerror(errno));
    } else {
        return true;
    }
    return false;
}

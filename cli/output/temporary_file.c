#include "output/temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(nd_error *error, const char *name, int reason) {
    error->status = ND_ERR_IO;
    snprintf(error->message, sizeof error->message, "%s: %s", name, strerror(reason));
}

/* -1: there is none. */
static int open_beside(const char *path) {
    char name[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 1;
    snprintf(name, sizeof name, "%.*s", length, slash ? path : ".");
    return open(name, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* -1: reported in *error. */
static int open_in_temporary_directory(nd_error *error) {
    char name[PATH_MAX];
    const char *directory = getenv("TMPDIR");
    if (!directory || !*directory) directory = "/tmp";
    snprintf(name, sizeof name, "%s/neardup-XXXXXX", directory);
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name);
    else fail(error, directory, errno);
    return fd;
}

FILE *temporary_file_open(const char *path, nd_error *error) {
    int fd = path ? open_beside(path) : -1;
    if (fd < 0) fd = open_in_temporary_directory(error);
    if (fd < 0) return NULL;
    FILE *file = fdopen(fd, "w+");
    if (file) return file;
    close(fd);
    fail(error, path ? path : "a temporary file", ENOMEM);
    return NULL;
}

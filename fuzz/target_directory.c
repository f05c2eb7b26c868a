/* The directory of a target's process: see target_directory.h. */
#include "target_directory.h"

#include "target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[300];
static int directory_fd;

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at) {
    (void)s, (void)type;
    return at->level > 0 ? remove(path) : 0;
}

void target_directory_clear(void) {
    if (nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
        target_fail("%s: %s", directory, strerror(errno));
}

static void remove_directory(void) {
    target_directory_clear();
    rmdir(directory);
}

const char *target_directory_make(void) {
    const char *temporary = getenv("TMPDIR"), *memory = "/dev/shm";
    if (access(memory, W_OK | X_OK) == 0) temporary = memory;
    snprintf(directory, sizeof directory, "%s/neardup-fuzz-XXXXXX",
             temporary && *temporary ? temporary : ".");
    if (!mkdtemp(directory)) target_fail("%s: %s", directory, strerror(errno));
    directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory_fd < 0) target_fail("%s: %s", directory, strerror(errno));
    atexit(remove_directory);
    return directory;
}

void target_directory_put(const char *name, const void *bytes, size_t size) {
    int fd = openat(directory_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        target_fail("%s/%s: %s", directory, name, strerror(errno));
    close(fd);
}

/* False: it is a directory. */
static bool load_file(small_file *f, const char *name) {
    struct stat s;
    snprintf(f->name, sizeof f->name, "%.39s", name);
    int fd = openat(directory_fd, f->name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0) target_fail("%s: %s", name, strerror(errno));
    bool regular = S_ISREG(s.st_mode);
    f->size = regular ? (size_t)s.st_size : 0;
    f->bytes = regular ? malloc(f->size + 1) : NULL;
    if (regular && (!f->bytes || pread(fd, f->bytes, f->size, 0) != (ssize_t)f->size))
        target_fail("%s: cannot be read", name);
    close(fd);
    return regular;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const small_file *)a)->name, ((const small_file *)b)->name);
}

size_t target_directory_load(small_file *files, size_t room) {
    size_t count = 0;
    DIR *d = opendir(directory);
    if (!d) target_fail("%s: %s", directory, strerror(errno));
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        if (count == room) target_fail("%s: too many files", directory);
        count += load_file(&files[count], e->d_name);
    }
    closedir(d);
    qsort(files, count, sizeof *files, by_name);
    return count;
}

#include "io/output_target.h"

#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Links that are followed: as many as Linux follows. */
enum { MOST_LINKS = 40 };

/* The open descriptor that a path stands for; -1: none. */
static int descriptor_of(const char *path) {
    static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(directories[i]);
        char *end;
        if (strncmp(path, directories[i], length) != 0 || path[length] < '0' || path[length] > '9')
            continue;
        long number = strtol(path + length, &end, 10);
        if (*end == '\0' && number <= INT_MAX) return (int)number;
    }
    return -1;
}

static nd_status find_descriptor(const char *name, int number, nd_output_target *out,
                                 nd_error *error) {
    const char *title = strcmp(name, "-") == 0 ? "standard output" : name;
    int flags = fcntl(number, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
        return nd_fail_os(error, EBADF, "%s: not open for writing", title);
    out->descriptor = flags < 0 ? -1 : nd_duplicate(number);
    if (out->descriptor < 0 || fstat(out->descriptor, &out->is) != 0)
        return nd_fail_os(error, errno, "%s: cannot write there", title);
    out->exists = true;
    return ND_OK;
}

/* Replaces the link out->path by the path that it leads to. */
static nd_status follow(const char *name, const nd_allocator *allocator, nd_output_target *out,
                        nd_error *error) {
    char to[PATH_MAX];
    ssize_t length = readlink(out->path, to, sizeof to - 1);
    if (length < 0) return nd_fail_os(error, errno, "%s: cannot write there", name);
    to[length] = '\0';
    char *directory = to[0] == '/' ? NULL : nd_path_directory(allocator, out->path);
    char *path = to[0] == '/' ? nd_string_join(allocator, to, "", "")
                 : directory  ? nd_string_join(allocator, directory, "/", to)
                              : NULL;
    nd_release(allocator, directory);
    if (!path) return nd_fail_memory(error, (size_t)length, "a path");
    nd_release(allocator, out->path);
    out->path = path;
    return ND_OK;
}

/* Whether a directory is that of an index or a stream: it has a lock and a state, which has a
 * number. An output there could replace a part of it. */
static bool holds_state(const char *directory) {
    DIR *names = opendir(directory);
    bool lock = false, state = false;
    for (const struct dirent *found; names && (found = readdir(names));) {
        const char *name = found->d_name;
        bool manifest = strncmp(name, "manifest-", 9) == 0 || strncmp(name, "clusters-", 9) == 0;
        state = state || (manifest && name[9] >= '0' && name[9] <= '9');
        lock = lock || strcmp(name, "lock") == 0;
    }
    if (names) closedir(names);
    return lock && state;
}

/* Checks now, because a job of hours would otherwise fail only at its end. */
static nd_status check_writable(const char *name, const nd_allocator *allocator,
                                nd_output_target *out, nd_error *error) {
    char *directory = nd_path_directory(allocator, out->path);
    if (!directory) return nd_fail_memory(error, strlen(out->path), "a path");
    out->replaced = !out->exists || S_ISREG(out->is.st_mode);
    int failure = 0;
    if (out->exists && faccessat(AT_FDCWD, out->path, W_OK, AT_EACCESS) != 0) failure = errno;
    if (failure == 0 && out->replaced &&
        faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) != 0)
        failure = errno;
    if (failure == 0 && !out->exists && stat(directory, &out->is) != 0) failure = errno;
    bool state = failure == 0 && out->replaced && holds_state(directory);
    nd_release(allocator, directory);
    if (state)
        return nd_fail(error, ND_ERR_IO,
                       "%s: cannot write there: the directory is that of an index or a stream",
                       name);
    return failure ? nd_fail_os(error, failure, "%s: cannot write there", name) : ND_OK;
}

static nd_status find(const char *name, const nd_allocator *allocator, nd_output_target *out,
                      nd_error *error) {
    out->path = nd_string_join(allocator, name, "", "");
    if (!out->path) return nd_fail_memory(error, strlen(name), "a path");
    for (int links = 0;; links++) {
        int number = descriptor_of(out->path);
        if (number >= 0) {
            nd_release(allocator, out->path);
            out->path = NULL;
            return find_descriptor(name, number, out, error);
        }
        out->exists = lstat(out->path, &out->is) == 0;
        bool as_directory = out->path[strlen(out->path) - 1] == '/';
        if (!out->exists && as_directory)
            return nd_fail_os(error, EISDIR, "%s: cannot write there", name);
        if (!out->exists && errno != ENOENT)
            return nd_fail_os(error, errno, "%s: cannot write there", name);
        if (!out->exists || !S_ISLNK(out->is.st_mode))
            return check_writable(name, allocator, out, error);
        if (links == MOST_LINKS) return nd_fail_os(error, ELOOP, "%s: cannot write there", name);
        ND_TRY(follow(name, allocator, out, error));
    }
}

nd_status nd_output_target_find(const char *name, const nd_allocator *allocator,
                                nd_output_target *out, nd_error *error) {
    *out = (nd_output_target){.descriptor = -1};
    nd_status status = find(name, allocator, out, error);
    if (status != ND_OK) nd_output_target_free(out, allocator);
    return status;
}

void nd_output_target_free(nd_output_target *target, const nd_allocator *allocator) {
    nd_release(allocator, target->path);
    if (target->descriptor > 0) close(target->descriptor);
    *target = (nd_output_target){.descriptor = -1};
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool nd_output_targets_collide(const nd_output_target *a, const nd_output_target *b) {
    if (a->is.st_dev != b->is.st_dev || a->is.st_ino != b->is.st_ino || a->exists != b->exists)
        return false;
    return a->exists ? !S_ISCHR(a->is.st_mode)
                     : strcmp(last_part(a->path), last_part(b->path)) == 0;
}

bool nd_output_target_is(const nd_output_target *target, uint64_t device, uint64_t inode) {
    return target->exists && (uint64_t)target->is.st_dev == device &&
           (uint64_t)target->is.st_ino == inode;
}

#include "io/output_tree.h"

#include "base/format.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct nd_output_tree {
    nd_allocator allocator;
    char *path;
    char *temporary; /* NULL: published */
};

/* A directory with nothing in it, or nothing at all, can be replaced by a rename. */
static nd_status check_free(const char *path, nd_error *error) {
    DIR *directory = opendir(path);
    if (!directory) {
        if (errno == ENOENT) return ND_OK;
        return nd_fail_os(error, errno, "%s: cannot write there", path);
    }
    size_t entries = 0;
    while (readdir(directory)) entries++;
    closedir(directory);
    if (entries > 2) return nd_fail(error, ND_ERR_IO, "%s: exists and is not empty", path);
    return ND_OK;
}

static nd_status make_temporary(nd_output_tree *tree, nd_error *error) {
    char *directory = nd_path_directory(&tree->allocator, tree->path);
    if (!directory) return nd_fail_memory(error, strlen(tree->path), "a path");
    int made = -1;
    for (unsigned attempt = 0; made != 0; attempt++) {
        char name[64];
        nd_format(name, sizeof name, "/.neardup-output-%ld-%u", (long)getpid(), attempt);
        nd_release(&tree->allocator, tree->temporary);
        tree->temporary = nd_string_join(&tree->allocator, directory, name, "");
        if (!tree->temporary) break;
        made = mkdir(tree->temporary, 0777);
        if (made != 0 && errno != EEXIST) break;
    }
    int failure = errno;
    nd_release(&tree->allocator, directory);
    if (!tree->temporary) return nd_fail_memory(error, strlen(tree->path), "a path");
    if (made == 0) return ND_OK;
    nd_release(&tree->allocator, tree->temporary);
    tree->temporary = NULL;
    return nd_fail_os(error, failure, "%s: cannot write there", tree->path);
}

nd_status nd_output_tree_open(const char *path, const nd_allocator *allocator, nd_output_tree **out, nd_error *error) {
    ND_TRY(check_free(path, error));
    nd_output_tree *tree = nd_allocate_zero(allocator, 1, sizeof *tree);
    if (!tree) return nd_fail_memory(error, sizeof *tree, path);
    tree->allocator = *allocator;
    tree->path = nd_string_join(allocator, path, "", "");
    nd_status status = tree->path ? make_temporary(tree, error) : nd_fail_memory(error, strlen(path), "a path");
    if (status != ND_OK) {
        nd_output_tree_free(tree);
        return status;
    }
    *out = tree;
    return ND_OK;
}

/* Makes every directory on the way to the file. `path` is changed and put back. */
static nd_status make_directories(char *path, size_t from, nd_error *error) {
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int made = mkdir(path, 0777);
        int failure = errno;
        if (made != 0 && failure != EEXIST) nd_fail_os(error, failure, "%s: cannot make this directory", path);
        *slash = '/';
        if (made != 0 && failure != EEXIST) return ND_ERR_IO;
    }
    return ND_OK;
}

enum { COPY_SIZE = 1 << 17 };

static nd_status copy_bytes(int in, int out, const char *from, const char *to, uint64_t *bytes, nd_error *error) {
    char buffer[COPY_SIZE];
    uint64_t offset = 0;
    for (;;) {
        ssize_t n = read(in, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return nd_fail_os(error, errno, "%s: cannot read", from);
        if (n == 0) break;
        ND_TRY(nd_file_write_at(out, buffer, (size_t)n, offset, to, error));
        offset += (uint64_t)n;
    }
    *bytes += offset;
    return ND_OK;
}

static nd_status copy_file(const char *from, const char *to, uint64_t *bytes, nd_error *error) {
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) return nd_fail_os(error, errno, "%s: cannot open it again", from);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out < 0) {
        int failure = errno;
        close(in);
        return nd_fail_os(error, failure, "%s: cannot write there", to);
    }
    nd_status status = copy_bytes(in, out, from, to, bytes, error);
    struct stat s;
    if (status == ND_OK && fstat(in, &s) == 0) {
        struct timespec times[2] = {s.st_atim, s.st_mtim};
        if (fchmod(out, s.st_mode & 0777) != 0 || futimens(out, times) != 0)
            status = nd_fail_os(error, errno, "%s: cannot set its mode and time", to);
    }
    close(in);
    if (close(out) != 0 && status == ND_OK) status = nd_fail_os(error, errno, "%s: cannot write", to);
    return status;
}

nd_status nd_output_tree_copy(nd_output_tree *tree, const char *from, const char *relative, uint64_t *bytes, nd_error *error) {
    char *to = nd_string_join(&tree->allocator, tree->temporary, "/", relative);
    if (!to) return nd_fail_memory(error, strlen(relative), "a path");
    nd_status status = make_directories(to, strlen(tree->temporary) + 1, error);
    if (status == ND_OK) status = copy_file(from, to, bytes, error);
    nd_release(&tree->allocator, to);
    return status;
}

/* One sync of the whole file system costs less than one a file. */
nd_status nd_output_tree_sync(nd_output_tree *tree, nd_error *error) {
    int fd = open(tree->temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failure = fd < 0 || syncfs(fd) != 0 ? errno : 0;
    if (fd >= 0) close(fd);
    return failure ? nd_fail_os(error, failure, "%s: cannot sync", tree->path) : ND_OK;
}

nd_status nd_output_tree_publish(nd_output_tree *tree, nd_error *error) {
    if (rename(tree->temporary, tree->path) != 0)
        return nd_fail_os(error, errno, "%s: cannot rename its temporary directory to this name", tree->path);
    nd_release(&tree->allocator, tree->temporary);
    tree->temporary = NULL;
    return nd_sync_directory_of(tree->path, &tree->allocator, error);
}

static int remove_entry(const char *path, const struct stat *s, int flag, struct FTW *where) {
    (void)s;
    (void)flag;
    (void)where;
    return remove(path);
}

void nd_output_tree_free(nd_output_tree *tree) {
    if (!tree) return;
    if (tree->temporary) nftw(tree->temporary, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    nd_allocator allocator = tree->allocator;
    nd_release(&allocator, tree->temporary);
    nd_release(&allocator, tree->path);
    nd_release(&allocator, tree);
}

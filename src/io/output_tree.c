#include "io/output_tree.h"

#include "io/file.h"
#include "io/output_slot.h"
#include "io/stream_out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct nd_output_tree {
    nd_allocator allocator;
    char *name; /* as given, for messages */
    nd_output_target target;
    nd_output_slot slot;
    bool named; /* and not accepted */
};

/* A rename can replace an empty directory, or create a missing one. */
static nd_status check_free(const nd_output_tree *tree, nd_error *error) {
    if (tree->target.path && !tree->target.exists) return ND_OK;
    DIR *directory = tree->target.path ? opendir(tree->target.path) : NULL;
    if (!directory)
        return nd_fail_os(error, tree->target.path ? errno : ENOTDIR, "%s: cannot write there",
                          tree->name);
    size_t entries = 0;
    while (readdir(directory)) entries++;
    closedir(directory);
    return entries > 2 ? nd_fail(error, ND_ERR_IO, "%s: exists and is not empty", tree->name)
                       : ND_OK;
}

/* A copy of the name without slashes at its end: "a/b/" and "a/b" are one directory. */
static char *without_slashes(const nd_allocator *allocator, const char *name) {
    char *path = nd_string_join(allocator, name, "", "");
    size_t length = path ? strlen(path) : 0;
    while (length > 1 && path[length - 1] == '/') path[--length] = '\0';
    return path;
}

static nd_status open_tree(nd_output_tree *tree, nd_error *error) {
    const char *slash = strrchr(tree->name, '/'), *last = slash ? slash + 1 : tree->name;
    if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: a new directory takes the place of this one, so it needs a name",
                       tree->name);
    ND_TRY(nd_output_target_find(tree->name, &tree->allocator, &tree->target, error));
    ND_TRY(check_free(tree, error));
    mode_t mode = tree->target.exists ? tree->target.is.st_mode & 0777 : 0777;
    return nd_output_slot_take(tree->target.path, tree->name, ND_OUTPUT_SLOT_DIRECTORY, mode,
                               &tree->allocator, &tree->slot, error);
}

nd_status nd_output_tree_open(const char *name, const nd_allocator *allocator, nd_output_tree **out,
                              nd_error *error) {
    nd_output_tree *tree = nd_allocate_zero(allocator, 1, sizeof *tree);
    if (!tree) return nd_fail_memory(error, sizeof *tree, name);
    tree->allocator = *allocator;
    tree->slot.fd = tree->target.descriptor = -1;
    tree->name = without_slashes(allocator, name);
    nd_status status = tree->name ? open_tree(tree, error)
                                  : nd_fail_memory(error, strlen(name), "a path");
    if (status != ND_OK) {
        nd_output_tree_free(tree);
        return status;
    }
    *out = tree;
    return ND_OK;
}

const nd_output_target *nd_output_tree_target(const nd_output_tree *tree) { return &tree->target; }

/* Makes every directory on the way to the file. Changes `path` and restores it. */
static nd_status make_directories(char *path, size_t from, nd_error *error) {
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int made = mkdir(path, 0777);
        int failure = errno;
        if (made != 0 && failure != EEXIST)
            nd_fail_os(error, failure, "%s: cannot make this directory", path);
        *slash = '/';
        if (made != 0 && failure != EEXIST) return ND_ERR_IO;
    }
    return ND_OK;
}

enum { COPY_SIZE = 1 << 14 }; /* on the stack */

static nd_status copy_bytes(int in, int out, const char *from, const char *to, uint64_t *bytes,
                            nd_error *error) {
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
    int in = nd_open(from, O_RDONLY | O_NONBLOCK, 0); /* the file may have become a pipe by now */
    if (in < 0) return nd_fail_os(error, errno, "%s: cannot open it again", from);
    int out = nd_open(to, O_WRONLY | O_CREAT | O_EXCL, 0666);
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
    if (close(out) != 0 && status == ND_OK)
        status = nd_fail_os(error, errno, "%s: cannot write", to);
    return status;
}

nd_status nd_output_tree_copy(nd_output_tree *tree, const char *from, const char *relative,
                              uint64_t *bytes, nd_error *error) {
    char *to = nd_string_join(&tree->allocator, tree->slot.path, "/", relative);
    if (!to) return nd_fail_memory(error, strlen(relative), "a path");
    nd_status status = make_directories(to, strlen(tree->slot.path) + 1, error);
    if (status == ND_OK) status = copy_file(from, to, bytes, error);
    nd_release(&tree->allocator, to);
    return status;
}

/* ---- files that are written here */

struct nd_output_part {
    nd_allocator allocator;
    char *path;
    char *title; /* its name in messages */
    int fd;      /* -1: closed */
    nd_stream_out *stream;
};

/* Opens the file, which is in a directory with a name of so many bytes. */
static nd_status open_part(nd_output_part *part, size_t directory, nd_error *error) {
    const char *title = part->title;
    ND_TRY(make_directories(part->path, directory, error));
    part->fd = nd_open(part->path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (part->fd < 0) return nd_fail_os(error, errno, "%s: cannot write there", title);
    return nd_stream_out_open_fd(part->fd, title, nd_compression_of_name(title), &part->allocator,
                                 &part->stream, error);
}

nd_status nd_output_part_create(nd_output_tree *tree, const char *relative, nd_output_part **out,
                                nd_error *error) {
    const nd_allocator *a = &tree->allocator;
    nd_output_part *part = nd_allocate_zero(a, 1, sizeof *part);
    if (!part) return nd_fail_memory(error, sizeof *part, relative);
    *part = (nd_output_part){.allocator = *a, .fd = -1};
    part->path = nd_string_join(a, tree->slot.path, "/", relative);
    part->title = nd_string_join(a, tree->name, "/", relative);
    nd_status status = part->path && part->title
                           ? open_part(part, strlen(tree->slot.path) + 1, error)
                           : nd_fail_memory(error, strlen(relative), "a path");
    if (status == ND_OK) *out = part;
    else nd_output_part_free(part);
    return status;
}

const char *nd_output_part_path(const nd_output_part *part) { return part->path; }

const char *nd_output_part_title(const nd_output_part *part) { return part->title; }

nd_status nd_output_part_write(nd_output_part *part, const void *bytes, size_t size,
                               nd_error *error) {
    return nd_stream_out_write(part->stream, bytes, size, error);
}

nd_status nd_output_part_end_member(nd_output_part *part, nd_error *error) {
    return nd_stream_out_end_member(part->stream, error);
}

nd_status nd_output_part_finish(nd_output_part *part, uint64_t *bytes, nd_error *error) {
    struct stat s;
    ND_TRY(nd_stream_out_finish(part->stream, error));
    if (fstat(part->fd, &s) != 0)
        return nd_fail_os(error, errno, "%s: cannot find its size", part->title);
    *bytes += (uint64_t)s.st_size;
    int closed = close(part->fd);
    part->fd = -1;
    return closed == 0 ? ND_OK : nd_fail_os(error, errno, "%s: cannot write", part->title);
}

void nd_output_part_free(nd_output_part *part) {
    if (!part) return;
    nd_allocator allocator = part->allocator;
    nd_stream_out_free(part->stream);
    nd_file_close(part->fd);
    nd_release(&allocator, part->path);
    nd_release(&allocator, part->title);
    nd_release(&allocator, part);
}

/* ---- the name */

/* One sync of the whole file system costs less than one a file. */
nd_status nd_output_tree_sync(nd_output_tree *tree, nd_error *error) {
    return syncfs(tree->slot.fd) == 0 ? ND_OK
                                      : nd_fail_os(error, errno, "%s: cannot sync", tree->name);
}

nd_status nd_output_tree_name(nd_output_tree *tree, nd_error *error) {
    if (rename(tree->slot.path, tree->target.path) != 0)
        return nd_fail_os(error, errno, "%s: cannot rename its temporary directory to this name",
                          tree->name);
    tree->named = true;
    return ND_OK;
}

nd_status nd_output_tree_sync_name(nd_output_tree *tree, nd_error *error) {
    return nd_sync_directory_of(tree->target.path, &tree->allocator, error);
}

void nd_output_tree_roll_back(nd_output_tree *tree) {
    if (tree->named && rename(tree->target.path, tree->slot.path) == 0 && tree->target.exists)
        (void)mkdir(tree->target.path, tree->target.is.st_mode & 0777);
    tree->named = false;
}

void nd_output_tree_accept(nd_output_tree *tree) {
    nd_output_slot_forget(&tree->slot, &tree->allocator);
    tree->named = false;
}

void nd_output_tree_free(nd_output_tree *tree) {
    if (!tree) return;
    nd_allocator allocator = tree->allocator;
    nd_output_tree_roll_back(tree);
    nd_output_slot_remove(&tree->slot, ND_OUTPUT_SLOT_DIRECTORY, &allocator);
    nd_output_target_free(&tree->target, &allocator);
    nd_release(&allocator, tree->name);
    nd_release(&allocator, tree);
}

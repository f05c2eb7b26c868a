/* A depth-first walk with the open directories on a stack of its own, so that depth costs heap and nothing else. A level holds the sorted names of
 * its directory; a directory is compared as its name with '/' behind, which makes the order of the whole walk the bytewise order of the paths
 * ("a.txt" before "a/b").
 *
 * Every step is relative to the descriptor of the directory at hand, so paths may be longer than the system takes in one call, and renaming a
 * directory above the tree does no harm. Only the deepest 64 levels keep their descriptor; going up beyond that, the parent is opened as ".." of its
 * child, and must be the directory that it was (device and inode), or the walk fails: somebody moved the child.
 *
 * After a directory or file that cannot be read, the walk can go on behind it. */
#include "corpus/tree_walk.h"

#include "io/file.h"
#include "io/output_slot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef ND_TINY_LIMITS
enum { open_levels = 2 };
#else
enum { open_levels = 64 };
#endif

typedef struct entry {
    const char *name;
    bool directory;
} entry;

typedef struct level {
    int fd; /* -1: closed, to be opened again by name when the walk comes back to it */
    dev_t device;
    ino_t inode;
    char *names; /* one after another, each with its NUL */
    entry *entries;
    size_t count, next;
    size_t path_length; /* of the directory's own relative path, with '/' unless it is the root */
} level;

struct nd_tree_walk {
    nd_allocator allocator;
    char *root;
    level *levels;
    size_t depth, level_capacity;
    char *path;
    size_t path_capacity;
};

/* "ROOT/PATH: cannot read: REASON" */
static nd_status failed(const nd_tree_walk *walk, const char *path, int os_error, nd_error *error) {
    return nd_fail_os(error, os_error, "%s%s%s: cannot read", walk->root, path[0] ? "/" : "", path);
}

/* ---------------------------------------------------------------- one directory */

static int by_path(const void *a, const void *b) {
    const entry *x = a, *y = b;
    const unsigned char *p = (const unsigned char *)x->name, *q = (const unsigned char *)y->name;
    while (*p == *q && *p) {
        p++;
        q++;
    }
    int c = *p ? *p : x->directory ? '/' : 0, d = *q ? *q : y->directory ? '/' : 0;
    return c - d;
}

/* Whether a name is one to walk to; *directory tells which kind. False: a device, a dangling link, gone meanwhile, ... `os_error` is set when that
 * cannot be told. */
static bool wanted(int fd, const struct dirent *found, bool *directory, int *os_error) {
    *directory = found->d_type == DT_DIR;
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) return false;
    if (strncmp(found->d_name, ND_OUTPUT_SLOT_PREFIX, sizeof ND_OUTPUT_SLOT_PREFIX - 1) == 0) return false; /* an output that is being made */
    if (found->d_type == DT_DIR || found->d_type == DT_REG) return true;
    if (found->d_type != DT_UNKNOWN && found->d_type != DT_LNK) return false;
    struct stat is;
    int result = fstatat(fd, found->d_name, &is, AT_SYMLINK_NOFOLLOW);
    if (result == 0 && S_ISLNK(is.st_mode)) {
        if (fstatat(fd, found->d_name, &is, 0) != 0) {
            *os_error = errno == ENOENT || errno == ELOOP || errno == ENOTDIR ? 0 : errno;
            return false;
        }
        return S_ISREG(is.st_mode);
    }
    if (result != 0) *os_error = errno == ENOENT ? 0 : errno;
    *directory = result == 0 && S_ISDIR(is.st_mode);
    return result == 0 && (*directory || S_ISREG(is.st_mode));
}

typedef struct listing {
    char *names;
    size_t used, name_capacity;
    bool *directories;
    size_t count, capacity;
} listing;

static bool add_name(const nd_allocator *allocator, listing *list, const char *name, bool directory) {
    size_t size = strlen(name) + 1;
    if (!nd_reserve(allocator, &list->names, &list->name_capacity, list->used + size)) return false;
    if (!nd_reserve(allocator, &list->directories, &list->capacity, list->count + 1)) return false;
    memcpy(list->names + list->used, name, size);
    list->used += size;
    list->directories[list->count++] = directory;
    return true;
}

static nd_status read_names(nd_tree_walk *walk, DIR *stream, listing *list, nd_error *error) {
    for (;;) {
        errno = 0;
        const struct dirent *found = readdir(stream);
        if (!found) return errno ? failed(walk, walk->path, errno, error) : ND_OK;
        bool directory;
        int os_error = 0;
        if (wanted(dirfd(stream), found, &directory, &os_error)) {
            if (!add_name(&walk->allocator, list, found->d_name, directory)) return nd_fail_memory(error, list->used, "the names of a directory");
        } else if (os_error != 0) {
            return nd_fail_os(error, os_error, "%s/%s%s: cannot read", walk->root, walk->path, found->d_name);
        }
    }
}

/* The level's entries out of the list, which gives its names away. */
static nd_status sort_names(nd_tree_walk *walk, listing *list, level *into, nd_error *error) {
    into->entries = nd_allocate(&walk->allocator, list->count, sizeof(entry));
    if (!into->entries) return nd_fail_memory(error, list->count * sizeof(entry), "the names of a directory");
    const char *name = list->names;
    for (size_t i = 0; i < list->count; i++) {
        into->entries[i] = (entry){name, list->directories[i]};
        name += strlen(name) + 1;
    }
    if (list->count > 1) qsort(into->entries, list->count, sizeof(entry), by_path);
    into->count = list->count;
    into->names = list->names;
    list->names = NULL;
    return ND_OK;
}

static nd_status fill_level(nd_tree_walk *walk, level *into, nd_error *error) {
    struct stat is;
    if (fstat(into->fd, &is) != 0) return failed(walk, walk->path, errno, error);
    into->device = is.st_dev;
    into->inode = is.st_ino;
    /* The stream of names ends with a descriptor of its own; the level's stays. */
    int copy = nd_duplicate(into->fd);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (!stream) {
        int os_error = errno;
        if (copy >= 0) close(copy);
        return failed(walk, walk->path, os_error, error);
    }
    listing list = {0};
    nd_status status = read_names(walk, stream, &list, error);
    closedir(stream);
    if (status == ND_OK) status = sort_names(walk, &list, into, error);
    nd_release(&walk->allocator, list.names);
    nd_release(&walk->allocator, list.directories);
    return status;
}

/* ---------------------------------------------------------------- the stack */

static void drop_level(nd_tree_walk *walk) {
    level *top = &walk->levels[--walk->depth];
    if (top->fd >= 0) close(top->fd);
    nd_release(&walk->allocator, top->names);
    nd_release(&walk->allocator, top->entries);
}

/* Opens the directory `name` of the one at hand; walk->path is its path, path_length long. */
static nd_status push_level(nd_tree_walk *walk, int parent, const char *name, int flags, size_t path_length, nd_error *error) {
    if (!nd_reserve(&walk->allocator, &walk->levels, &walk->level_capacity, walk->depth + 1))
        return nd_fail_memory(error, walk->depth * sizeof(level), "the levels of a directory tree");
    int fd = nd_open_at(parent, name, O_RDONLY | O_DIRECTORY | flags, 0);
    if (fd < 0) return failed(walk, walk->path, errno, error);
    walk->levels[walk->depth++] = (level){.fd = fd, .path_length = path_length};
    if (walk->depth > open_levels) {
        level *far = &walk->levels[walk->depth - 1 - open_levels];
        if (far->fd >= 0) close(far->fd);
        far->fd = -1;
    }
    return fill_level(walk, &walk->levels[walk->depth - 1], error);
}

/* Opens the directory above the one at hand again. */
static nd_status reopen_parent(nd_tree_walk *walk, const level *child, level *parent, nd_error *error) {
    struct stat is;
    walk->path[parent->path_length] = '\0';
    parent->fd = nd_open_at(child->fd, "..", O_RDONLY | O_DIRECTORY, 0);
    if (parent->fd < 0 || fstat(parent->fd, &is) != 0) return failed(walk, walk->path, errno, error);
    if (is.st_dev == parent->device && is.st_ino == parent->inode) return ND_OK;
    return nd_fail(error, ND_ERR_IO, "%s/%s: a directory in it was moved meanwhile", walk->root, walk->path);
}

static nd_status pop_level(nd_tree_walk *walk, nd_error *error) {
    level *top = &walk->levels[walk->depth - 1];
    if (walk->depth > 1 && top[-1].fd < 0) {
        nd_status status = reopen_parent(walk, top, top - 1, error);
        if (status != ND_OK) {
            while (walk->depth > 0) drop_level(walk); /* there is no way on from here */
            return status;
        }
    }
    drop_level(walk);
    return ND_OK;
}

nd_status nd_tree_walk_open(const char *root, const nd_allocator *allocator, nd_tree_walk **out, nd_error *error) {
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_tree_walk *walk = nd_allocate_zero(&memory, 1, sizeof *walk);
    if (!walk) return nd_fail_memory(error, sizeof *walk, "a directory walk");
    walk->allocator = memory;
    size_t size = strlen(root) + 1;
    nd_status status = ND_OK;
    walk->root = nd_allocate(&memory, size, 1);
    if (!walk->root || !nd_reserve(&memory, &walk->path, &walk->path_capacity, 256)) status = nd_fail_memory(error, size + 256, "a path");
    if (status == ND_OK) {
        memcpy(walk->root, root, size);
        walk->path[0] = '\0';
        status = push_level(walk, AT_FDCWD, root, 0, 0, error);
    }
    if (status != ND_OK) {
        nd_tree_walk_close(walk);
        return status;
    }
    /* For messages and only from here on: "tree/" and "tree" name their files alike. */
    for (size--; size > 1 && walk->root[size - 1] == '/'; size--) walk->root[size - 1] = '\0';
    *out = walk;
    return ND_OK;
}

void nd_tree_walk_close(nd_tree_walk *walk) {
    if (!walk) return;
    nd_allocator memory = walk->allocator;
    while (walk->depth > 0) drop_level(walk);
    nd_release(&memory, walk->levels);
    nd_release(&memory, walk->path);
    nd_release(&memory, walk->root);
    nd_release(&memory, walk);
}

nd_status nd_tree_walk_next(nd_tree_walk *walk, const char **path, uint64_t *size, nd_error *error) {
    while (walk->depth > 0) {
        level *top = &walk->levels[walk->depth - 1];
        if (top->next == top->count) {
            ND_TRY(pop_level(walk, error));
            continue;
        }
        const entry *next = &top->entries[top->next++];
        size_t name_length = strlen(next->name), length = top->path_length + name_length;
        if (!nd_reserve(&walk->allocator, &walk->path, &walk->path_capacity, length + 2)) return nd_fail_memory(error, length + 2, "a path");
        memcpy(walk->path + top->path_length, next->name, name_length + 1);
        if (next->directory) {
            memcpy(walk->path + length, "/", 2);
            ND_TRY(push_level(walk, top->fd, next->name, O_NOFOLLOW, length + 1, error));
            continue;
        }
        struct stat is;
        if (fstatat(top->fd, next->name, &is, 0) != 0) return failed(walk, walk->path, errno, error);
        *path = walk->path;
        *size = (uint64_t)is.st_size;
        return ND_OK;
    }
    *path = NULL;
    return ND_OK;
}

/* A depth-first walk, with a stack on the heap instead of recursion, so that a deep tree needs no
 * deep call stack. A level of the stack holds the sorted names of its directory. A directory is
 * compared as its name with '/' behind it. So the walk visits files in the bytewise order of their
 * paths ("a.txt" before "a/b").
 *
 * Every step is relative to the descriptor of the current directory. So a path may be longer than
 * the system accepts in one call, and renaming a directory above the tree does no harm. Only the
 * deepest 64 levels keep their descriptors. A higher level is opened again as ".." of its child. It
 * must then have the same device and inode as before; otherwise the child was moved, and the walk
 * fails.
 *
 * If a directory or file cannot be read, the walk can go on behind it. */
#include "corpus/directory_walk.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/merge_sort.h"
#include "io/file.h"
#include "io/output_slot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    open_levels = ND_LIMIT(64, 2),
    first_slots = ND_LIMIT(1024, 2),
};

typedef struct entry {
    const char *name;
    bool directory;
} entry;

typedef struct level {
    int fd; /* -1: closed; reopen_parent opens it when the walk comes back to it */
    dev_t device;
    ino_t inode;
    char *names; /* one after another, each with its NUL */
    entry *entries;
    size_t count, next;
    size_t path_length; /* of the directory's relative path and its '/'; 0: the root */
} level;

struct nd_directory_walk {
    nd_allocator allocator;
    nd_directory_walk_options options;
    uint64_t links; /* left out so far */
    /* If links are followed: the set of the files visited so far, as hashes of device and inode in
     * an open-addressing table; 0: a free slot; at most half full. */
    uint64_t *visited;
    size_t visited_count, visited_slots;
    char *root;
    level *levels;
    size_t depth, level_capacity;
    char *path;
    size_t path_capacity;
};

/* "ROOT/PATH: cannot read: REASON" */
static nd_status failed(const nd_directory_walk *walk, const char *path, int os_error,
                        nd_error *error) {
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

/* Whether a hidden name is the directory itself, the one above, or an output that is being written.
 */
static bool is_ours(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
           strncmp(name, ND_OUTPUT_SLOT_PREFIX, strlen(ND_OUTPUT_SLOT_PREFIX)) == 0;
}

/* Whether a name is that of a directory, a regular file, or a link to one. A name whose type cannot
 * be found out passes as a file; nd_directory_walk_next reports it. */
static bool find_kind(int fd, const struct dirent *found, bool *directory, bool *link) {
    struct stat is;
    unsigned char type = found->d_type;
    if (type == DT_UNKNOWN)
        type = fstatat(fd, found->d_name, &is, AT_SYMLINK_NOFOLLOW) == 0
                   ? (unsigned char)IFTODT(is.st_mode)
                   : DT_REG;
    *directory = type == DT_DIR;
    *link = type == DT_LNK;
    return type == DT_DIR || type == DT_REG ||
           (*link && fstatat(fd, found->d_name, &is, 0) == 0 && S_ISREG(is.st_mode));
}

typedef struct listing {
    char *names;
    size_t used, name_capacity;
    bool *directories;
    size_t count, capacity;
} listing;

/* Whether a path is left out because a part of it is hidden, which no glob names. */
static bool is_left_out(const nd_directory_walk_options *o, const char *path, bool directory) {
    bool hidden = path[0] == '.' || strstr(path, "/.");
    return hidden && !o->hidden && !nd_globs_name(o->pattern, '.', path, directory) &&
           !nd_globs_name(o->globs, '.', path, directory);
}

/* Whether the walk goes to a name in the directory walk->path. */
static nd_status check_name(nd_directory_walk *walk, const char *name, bool directory,
                            bool *accepted, nd_error *error) {
    const nd_directory_walk_options *o = &walk->options;
    size_t length = strlen(walk->path), size = strlen(name) + 1;
    *accepted = !is_ours(name) && (name[0] != '.' || o->hidden);
    if (is_ours(name) || (!o->pattern && !o->globs)) return ND_OK;
    if (!nd_reserve(&walk->allocator, &walk->path, &walk->path_capacity, length + size))
        return nd_fail_memory(error, length + size, "a path");
    memcpy(walk->path + length, name, size);
    *accepted = nd_globs_accept(o->pattern, walk->path, directory) &&
                nd_globs_accept(o->globs, walk->path, directory) &&
                !is_left_out(o, walk->path, directory);
    walk->path[length] = '\0';
    return ND_OK;
}

static bool add_name(const nd_allocator *allocator, listing *list, const char *name,
                     bool directory) {
    size_t size = strlen(name) + 1;
    if (!nd_reserve(allocator, &list->names, &list->name_capacity, list->used + size)) return false;
    if (!nd_reserve(allocator, &list->directories, &list->capacity, list->count + 1)) return false;
    memcpy(list->names + list->used, name, size);
    list->used += size;
    list->directories[list->count++] = directory;
    return true;
}

static nd_status read_names(nd_directory_walk *walk, DIR *stream, listing *list, nd_error *error) {
    enum { NAMES = 1024 };
    for (size_t i = 0;; i++) {
        if (i % NAMES == 0) ND_TRY(nd_progress_poll(walk->options.progress, error));
        errno = 0;
        const struct dirent *found = readdir(stream);
        if (!found) return errno ? failed(walk, walk->path, errno, error) : ND_OK;
        bool directory, link, accepted = false;
        if (find_kind(dirfd(stream), found, &directory, &link))
            ND_TRY(check_name(walk, found->d_name, directory, &accepted, error));
        if (accepted && link && !walk->options.follow_links) {
            walk->links++;
            continue;
        }
        if (accepted && !add_name(&walk->allocator, list, found->d_name, directory))
            return nd_fail_memory(error, list->used, "the names of a directory");
    }
}

/* Makes the level's entries from the list. The level takes over the list's `names`. */
static nd_status sort_names(nd_directory_walk *walk, listing *list, level *into, nd_error *error) {
    into->entries = nd_allocate(&walk->allocator, list->count, sizeof(entry));
    if (!into->entries)
        return nd_fail_memory(error, list->count * sizeof(entry), "the names of a directory");
    const char *name = list->names;
    for (size_t i = 0; i < list->count; i++) {
        into->entries[i] = (entry){name, list->directories[i]};
        name += strlen(name) + 1;
    }
    ND_TRY(nd_merge_sort(into->entries, list->count, sizeof(entry), by_path, &walk->allocator,
                         walk->options.progress, error));
    into->count = list->count;
    into->names = list->names;
    list->names = NULL;
    return ND_OK;
}

static nd_status fill_level(nd_directory_walk *walk, level *into, nd_error *error) {
    struct stat is;
    if (fstat(into->fd, &is) != 0) return failed(walk, walk->path, errno, error);
    into->device = is.st_dev;
    into->inode = is.st_ino;
    /* closedir closes its descriptor, so it gets a copy. */
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

static void drop_level(nd_directory_walk *walk) {
    level *top = &walk->levels[--walk->depth];
    if (top->fd >= 0) close(top->fd);
    nd_release(&walk->allocator, top->names);
    nd_release(&walk->allocator, top->entries);
}

/* Opens the directory `name` in the directory `parent`. walk->path is its path, of path_length
 * bytes. */
static nd_status push_level(nd_directory_walk *walk, int parent, const char *name, int flags,
                            size_t path_length, nd_error *error) {
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

/* Opens the directory above `child` again. */
static nd_status reopen_parent(nd_directory_walk *walk, const level *child, level *parent,
                               nd_error *error) {
    struct stat is;
    walk->path[parent->path_length] = '\0';
    parent->fd = nd_open_at(child->fd, "..", O_RDONLY | O_DIRECTORY, 0);
    if (parent->fd < 0 || fstat(parent->fd, &is) != 0)
        return failed(walk, walk->path, errno, error);
    if (is.st_dev == parent->device && is.st_ino == parent->inode) return ND_OK;
    return nd_fail(error, ND_ERR_IO, "%s/%s: a directory in it was moved meanwhile", walk->root,
                   walk->path);
}

static nd_status pop_level(nd_directory_walk *walk, nd_error *error) {
    level *top = &walk->levels[walk->depth - 1];
    if (walk->depth > 1 && top[-1].fd < 0) {
        nd_status status = reopen_parent(walk, top, top - 1, error);
        if (status != ND_OK) {
            while (walk->depth > 0) drop_level(walk); /* the walk cannot go on from here */
            return status;
        }
    }
    drop_level(walk);
    return ND_OK;
}

/* ---------------------------------------------------------------- visited files */

static uint64_t *find_visited(const nd_directory_walk *walk, uint64_t file) {
    size_t at = (size_t)file & (walk->visited_slots - 1);
    while (walk->visited[at] != 0 && walk->visited[at] != file)
        at = (at + 1) & (walk->visited_slots - 1);
    return &walk->visited[at];
}

static nd_status grow_visited(nd_directory_walk *walk, nd_error *error) {
    uint64_t *old = walk->visited;
    size_t old_slots = walk->visited_slots, slots = old_slots ? 2 * old_slots : first_slots;
    uint64_t *grown = nd_allocate_zero(&walk->allocator, slots, sizeof *grown);
    if (!grown) return nd_fail_memory(error, slots * sizeof *grown, "the files that links lead to");
    walk->visited = grown;
    walk->visited_slots = slots;
    for (size_t i = 0; i < old_slots; i++)
        if (old[i] != 0) *find_visited(walk, old[i]) = old[i];
    nd_release(&walk->allocator, old);
    return ND_OK;
}

/* Adds a file to the visited ones. *again: it was visited before, by another name. Among n files,
 * two share a hash, so that one is missed, with probability n^2 / 2^65. */
static nd_status add_visited(nd_directory_walk *walk, const struct stat *is, bool *again,
                             nd_error *error) {
    uint64_t file = nd_mix64(nd_mix64((uint64_t)is->st_dev ^ ND_HASH_C0) + (uint64_t)is->st_ino);
    if (file == 0) file = 1;
    if (walk->visited_count >= walk->visited_slots / 2) ND_TRY(grow_visited(walk, error));
    uint64_t *slot = find_visited(walk, file);
    *again = *slot == file;
    walk->visited_count += !*again;
    *slot = file;
    return ND_OK;
}

/* ---------------------------------------------------------------- the walk */

nd_status nd_directory_walk_open(const char *root, const nd_directory_walk_options *options,
                                 const nd_allocator *allocator, nd_directory_walk **out,
                                 nd_error *error) {
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_directory_walk *walk = nd_allocate_zero(&memory, 1, sizeof *walk);
    if (!walk) return nd_fail_memory(error, sizeof *walk, "a directory walk");
    walk->allocator = memory;
    if (options) walk->options = *options;
    size_t size = strlen(root) + 1;
    nd_status status = ND_OK;
    walk->root = nd_allocate(&memory, size, 1);
    if (!walk->root || !nd_reserve(&memory, &walk->path, &walk->path_capacity, 256))
        status = nd_fail_memory(error, size + 256, "a path");
    if (status == ND_OK) {
        memcpy(walk->root, root, size);
        walk->path[0] = '\0';
        status = push_level(walk, AT_FDCWD, root, 0, 0, error);
    }
    if (status != ND_OK) {
        nd_directory_walk_close(walk);
        return status;
    }
    /* From here on `root` is used in messages only: "tree/" and "tree" give the same ones. */
    for (size--; size > 1 && walk->root[size - 1] == '/'; size--) walk->root[size - 1] = '\0';
    *out = walk;
    return ND_OK;
}

void nd_directory_walk_close(nd_directory_walk *walk) {
    if (!walk) return;
    nd_allocator memory = walk->allocator;
    while (walk->depth > 0) drop_level(walk);
    nd_release(&memory, walk->visited);
    nd_release(&memory, walk->levels);
    nd_release(&memory, walk->path);
    nd_release(&memory, walk->root);
    nd_release(&memory, walk);
}

nd_status nd_directory_walk_next(nd_directory_walk *walk, const char **path, uint64_t *size,
                                 nd_error *error) {
    while (walk->depth > 0) {
        level *top = &walk->levels[walk->depth - 1];
        if (top->next == top->count) {
            ND_TRY(pop_level(walk, error));
            continue;
        }
        const entry *next = &top->entries[top->next++];
        size_t name_length = strlen(next->name), length = top->path_length + name_length;
        if (!nd_reserve(&walk->allocator, &walk->path, &walk->path_capacity, length + 2))
            return nd_fail_memory(error, length + 2, "a path");
        memcpy(walk->path + top->path_length, next->name, name_length + 1);
        if (next->directory) {
            memcpy(walk->path + length, "/", 2);
            ND_TRY(push_level(walk, top->fd, next->name, O_NOFOLLOW, length + 1, error));
            continue;
        }
        struct stat is;
        bool again = false;
        if (fstatat(top->fd, next->name, &is,
                    walk->options.follow_links ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
            return failed(walk, walk->path, errno, error);
        if (!S_ISREG(is.st_mode))
            return nd_fail(error, ND_ERR_INPUT, "%s/%s: not a regular file any more", walk->root,
                           walk->path);
        if (walk->options.follow_links) ND_TRY(add_visited(walk, &is, &again, error));
        if (again) continue;
        *path = walk->path;
        *size = (uint64_t)is.st_size;
        return ND_OK;
    }
    *path = NULL;
    return ND_OK;
}

bool nd_directory_walk_is_over(const nd_directory_walk *walk) { return walk->depth == 0; }

uint64_t nd_directory_walk_links(const nd_directory_walk *walk) { return walk->links; }

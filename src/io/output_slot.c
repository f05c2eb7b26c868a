#include "io/output_slot.h"

#include "base/format.h"
#include "base/hash.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most runs that write one output at the same time; and the most attempts to get a slot while
 * other runs remove it. */
enum { MOST_SLOTS = 1000, MOST_TRIES = 10000 };

static uint64_t hash_name(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const nd_hash_key key = nd_hash_key_of(0);
    return nd_hash_token(&key, name, strlen(name));
}

static char *slot_path(const char *path, unsigned number, const nd_allocator *allocator) {
    char name[64], *directory = nd_path_directory(allocator, path), *made = NULL;
    nd_format(name, sizeof name, "/" ND_OUTPUT_SLOT_PREFIX "%016" PRIx64 "-%u", hash_name(path),
              number);
    if (directory) made = nd_string_join(allocator, directory, name, "");
    nd_release(allocator, directory);
    return made;
}

/* ---- leftovers of dead runs */

static int remove_entry(const char *path, const struct stat *s, int flag, struct FTW *where) {
    (void)s;
    (void)flag;
    (void)where;
    return remove(path);
}

static bool remove_slot(const char *path, nd_output_slot_kind kind) {
    return (kind == ND_OUTPUT_SLOT_FILE
                ? unlink(path)
                : nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT)) == 0;
}

/* Whether the path still names the open file. */
static bool is_named(const char *path, int fd) {
    struct stat named, open;
    return lstat(path, &named) == 0 && fstat(fd, &open) == 0 && named.st_dev == open.st_dev &&
           named.st_ino == open.st_ino;
}

static bool is_ours(int fd, nd_output_slot_kind kind) {
    struct stat s;
    return fstat(fd, &s) == 0 && s.st_uid == geteuid() &&
           (kind == ND_OUTPUT_SLOT_FILE ? S_ISREG(s.st_mode) : S_ISDIR(s.st_mode));
}

/* Removes a slot if no process writes to it any more. False: one does, or the slot belongs to
 * another user. */
static bool remove_dead(const char *path, nd_output_slot_kind kind) {
    int fd = nd_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0) return errno == ENOENT;
    bool dead = is_ours(fd, kind) && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(path, fd);
    bool removed = dead && remove_slot(path, kind);
    close(fd);
    return removed;
}

/* ---- a slot of one's own */

static int make(const char *path, nd_output_slot_kind kind, mode_t mode) {
    if (kind == ND_OUTPUT_SLOT_FILE) return nd_open(path, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (mkdir(path, mode) != 0) return -1;
    int fd = nd_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), failure = errno;
    if (fd < 0) rmdir(path);
    errno = failure;
    return fd;
}

/* Takes the lock of a new slot. False: another run found it before it was locked, and removes it.
 * On a system without file locks no run removes anything, and this succeeds. */
static bool hold(const nd_output_slot *slot) {
    bool held = flock(slot->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    return held && is_named(slot->path, slot->fd);
}

nd_status nd_output_slot_take(const char *path, const char *name, nd_output_slot_kind kind,
                              mode_t mode, const nd_allocator *allocator, nd_output_slot *out,
                              nd_error *error) {
    unsigned number = 0;
    int failure = EBUSY;
    for (unsigned tries = 0; number < MOST_SLOTS && tries < MOST_TRIES; tries++) {
        nd_output_slot slot = {.path = slot_path(path, number, allocator)};
        if (!slot.path) return nd_fail_memory(error, strlen(path), "a path");
        slot.fd = make(slot.path, kind, mode);
        failure = slot.fd < 0 ? errno : 0;
        if (failure == 0 && hold(&slot)) {
            *out = slot;
            return ND_OK;
        }
        if (slot.fd >= 0) close(slot.fd);
        if (failure == EEXIST && !remove_dead(slot.path, kind)) number++;
        nd_release(allocator, slot.path);
        if (failure != 0 && failure != EEXIST) break;
    }
    return nd_fail_os(error, failure, "%s: cannot write there", name);
}

void nd_output_slot_close(nd_output_slot *slot) {
    if (slot->fd >= 0) close(slot->fd);
    slot->fd = -1;
}

void nd_output_slot_forget(nd_output_slot *slot, const nd_allocator *allocator) {
    nd_release(allocator, slot->path);
    slot->path = NULL;
}

void nd_output_slot_remove(nd_output_slot *slot, nd_output_slot_kind kind,
                           const nd_allocator *allocator) {
    if (slot->path) remove_slot(slot->path, kind);
    nd_output_slot_close(slot);
    nd_output_slot_forget(slot, allocator);
}

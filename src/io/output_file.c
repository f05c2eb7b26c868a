#include "io/output_file.h"

#include "base/machine.h"
#include "io/file.h"
#include "io/output_slot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct nd_output_file {
    nd_allocator allocator;
    char *name; /* as given, for messages */
    nd_output_target target;
    nd_output_slot slot; /* if the target is replaced */
    /* The file has its name and is not accepted. The slot's path is now that of the old file, NULL
     * if there was none. */
    bool named;
    int fd;        /* that the stream writes to: the slot's, the target's, or `device` */
    int device;    /* opened to be written in place; -1: none */
    int direct_fd; /* the same file, bypassing the page cache; -1: unsupported, or given up */
    _Atomic uint64_t placed; /* bytes written at offsets; those of the stream come behind them */
    nd_stream_out *stream;
};

const char *nd_output_file_title(const nd_output_file *file) {
    return strcmp(file->name, "-") == 0 ? "standard output" : file->name;
}

/* Makes a new file in a slot. It gets the access rights of the file that it replaces together with
 * its name. Until then only the owner can read it: nobody reads the new file early who may not read
 * the old one. */
static nd_status open_slot(nd_output_file *file, nd_error *error) {
    mode_t mode = file->target.exists ? 0600 : 0666;
    ND_TRY(nd_output_slot_take(file->target.path, nd_output_file_title(file), ND_OUTPUT_SLOT_FILE,
                               mode, &file->allocator, &file->slot, error));
    file->fd = file->slot.fd;
    if (nd_compression_of_name(file->name) == ND_COMPRESSION_NONE)
        file->direct_fd = nd_open(file->slot.path, O_WRONLY | O_DIRECT | O_NOFOLLOW, 0);
    return ND_OK;
}

/* Opens a device, or a pipe; waits for the reader of a pipe. */
static nd_status open_in_place(nd_output_file *file, nd_progress *progress, nd_error *error) {
    bool pipe = S_ISFIFO(file->target.is.st_mode);
    for (;;) {
        file->device = nd_open(file->target.path, O_WRONLY | O_NOCTTY | (pipe ? O_NONBLOCK : 0), 0);
        if (file->device >= 0 || !pipe || errno != ENXIO) return ND_OK;
        ND_TRY(nd_progress_poll(progress, error));
        (void)poll(NULL, 0, ND_PROGRESS_PATIENCE);
    }
}

static nd_status open_descriptor(nd_output_file *file, nd_progress *progress, nd_error *error) {
    ND_TRY(nd_output_target_find(file->name, &file->allocator, &file->target, error));
    if (file->target.replaced) return open_slot(file, error);
    if (file->target.path) ND_TRY(open_in_place(file, progress, error));
    file->fd = file->target.path ? file->device : file->target.descriptor;
    return file->fd < 0
               ? nd_fail_os(error, errno, "%s: cannot open for writing", nd_output_file_title(file))
               : ND_OK;
}

nd_status nd_output_file_open(const char *name, nd_progress *progress,
                              const nd_allocator *allocator, nd_output_file **out,
                              nd_error *error) {
    nd_output_file *file = nd_allocate_zero(allocator, 1, sizeof *file);
    if (!file) return nd_fail_memory(error, sizeof *file, name);
    file->allocator = *allocator;
    file->fd = file->device = file->direct_fd = file->slot.fd = file->target.descriptor = -1;
    file->name = nd_string_join(allocator, name, "", "");
    nd_status status = file->name ? open_descriptor(file, progress, error)
                                  : nd_fail_memory(error, strlen(name), "a path");
    if (status == ND_OK)
        status = nd_stream_out_open_fd(file->fd, nd_output_file_title(file),
                                       nd_compression_of_name(name), allocator, &file->stream,
                                       error);
    if (status != ND_OK) {
        nd_output_file_free(file);
        return status;
    }
    nd_stream_out_set_progress(file->stream, progress);
    *out = file;
    return ND_OK;
}

void *nd_output_pieces_allocate(const nd_allocator *allocator, size_t bytes, char **pieces) {
    size_t alignment = bytes < ND_LARGE_PAGE ? ND_DIRECT_ALIGNMENT : ND_LARGE_PAGE;
    char *memory = nd_allocate_large(allocator, bytes + alignment, 1);
    if (memory) *pieces = memory + (alignment - (uintptr_t)memory % alignment);
    return memory;
}

const char *nd_output_file_path(const nd_output_file *file) { return file->slot.path; }

const nd_output_target *nd_output_file_target(const nd_output_file *file) { return &file->target; }

/* Gives up direct writes: the stream goes on behind the bytes written so far. */
static nd_status leave_direct(nd_output_file *file, nd_error *error) {
    nd_file_close(file->direct_fd);
    file->direct_fd = -1;
    return lseek(file->fd, (off_t)file->placed, SEEK_SET) < 0
               ? nd_fail_os(error, errno, "%s: cannot write", file->name)
               : ND_OK;
}

/* A failure here decides nothing: a file system may accept the flag and reject the write. The same
 * bytes are then written through the page cache, which reports what is wrong. */
static bool write_direct(const nd_output_file *file, const void *bytes, size_t size,
                         uint64_t offset) {
    nd_error ignored;
    bool aligned = ((uintptr_t)bytes | size | offset) % ND_DIRECT_ALIGNMENT == 0;
    return file->direct_fd >= 0 && aligned &&
           nd_file_write_at(file->direct_fd, bytes, size, offset, file->name, &ignored) == ND_OK;
}

nd_status nd_output_file_write(nd_output_file *file, const void *bytes, size_t size,
                               nd_error *error) {
    if (write_direct(file, bytes, size, file->placed)) {
        file->placed += size;
        return ND_OK;
    }
    if (file->direct_fd >= 0) ND_TRY(leave_direct(file, error));
    return nd_stream_out_write(file->stream, bytes, size, error);
}

bool nd_output_file_is_seekable(const nd_output_file *file) {
    return file->target.replaced && !nd_output_file_is_compressed(file);
}

nd_status nd_output_file_write_at(nd_output_file *file, const void *bytes, size_t size,
                                  uint64_t offset, nd_error *error) {
    if (!write_direct(file, bytes, size, offset))
        ND_TRY(nd_file_write_at(file->fd, bytes, size, offset, nd_output_file_title(file), error));
    file->placed += size;
    return ND_OK;
}

bool nd_output_file_is_compressed(const nd_output_file *file) {
    return nd_stream_out_compression(file->stream) != ND_COMPRESSION_NONE;
}

nd_status nd_output_file_end_member(nd_output_file *file, nd_error *error) {
    return nd_stream_out_end_member(file->stream, error);
}

nd_status nd_output_file_finish(nd_output_file *file, nd_error *error) {
    return nd_stream_out_finish(file->stream, error);
}

nd_status nd_output_file_sync(nd_output_file *file, nd_error *error) {
    return file->target.replaced ? nd_file_sync(file->slot.fd, nd_output_file_title(file), error)
                                 : ND_OK;
}

/* ---- the name */

/* Takes over the access rights and the owner of the file that is replaced, except the set-user-id
 * and set-group-id bits. Only root may give a file to another user. If the group cannot be set,
 * group members get no rights. */
static nd_status take_rights(const nd_output_file *file, nd_error *error) {
    const struct stat *was = &file->target.is;
    mode_t mode = was->st_mode & 0777;
    if (fchown(file->slot.fd, was->st_uid, was->st_gid) != 0 &&
        fchown(file->slot.fd, (uid_t)-1, was->st_gid) != 0)
        mode &= ~(mode_t)070;
    return fchmod(file->slot.fd, mode) == 0
               ? ND_OK
               : nd_fail_os(error, errno, "%s: cannot set its mode", nd_output_file_title(file));
}

/* For file systems that cannot exchange two names: gives the old file another name first. */
static int replace(nd_output_file *file) {
    const char *path = file->target.path;
    char *old = nd_string_join(&file->allocator, file->slot.path, ".old", "");
    if (!old) {
        errno = ENOMEM;
        return -1;
    }
    (void)unlink(old); /* left by a run that died here */
    bool moved = link(path, old) != 0;
    int result = moved ? rename(path, old) : 0;
    if (result == 0) result = rename(file->slot.path, path);
    int failure = errno;
    if (result != 0 && moved) (void)rename(old, path);
    else if (result != 0) unlink(old);
    if (result == 0) nd_output_slot_forget(&file->slot, &file->allocator);
    if (result == 0) file->slot.path = old;
    else nd_release(&file->allocator, old);
    errno = failure;
    return result;
}

/* Exchanges the names of the new file and the old one. Without an old one, the new file is renamed.
 */
static int exchange(nd_output_file *file) {
    const char *path = file->target.path;
    struct stat s;
    if (renameat2(AT_FDCWD, file->slot.path, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
        if (lstat(file->slot.path, &s) != 0 || !S_ISDIR(s.st_mode)) return 0;
        /* A directory has got this name since the output was opened: it is not ours. */
        (void)renameat2(AT_FDCWD, file->slot.path, AT_FDCWD, path, RENAME_EXCHANGE);
        errno = EISDIR;
        return -1;
    }
    if (lstat(path, &s) == 0) return replace(file);
    if (errno != ENOENT || rename(file->slot.path, path) != 0) return -1;
    nd_output_slot_forget(&file->slot, &file->allocator);
    return 0;
}

nd_status nd_output_file_name(nd_output_file *file, nd_error *error) {
    if (!file->target.replaced) return ND_OK;
    if (file->target.exists) ND_TRY(take_rights(file, error));
    if (exchange(file) != 0)
        return nd_fail_os(error, errno, "%s: cannot rename its temporary file to this name",
                          nd_output_file_title(file));
    file->named = true;
    return ND_OK;
}

nd_status nd_output_file_sync_name(nd_output_file *file, nd_error *error) {
    return file->target.replaced ? nd_sync_directory_of(file->target.path, &file->allocator, error)
                                 : ND_OK;
}

/* Whether the name still belongs to our file: another run may have written the same output since.
 */
static bool has_its_name(const nd_output_file *file) {
    struct stat named, ours;
    return lstat(file->target.path, &named) == 0 && fstat(file->slot.fd, &ours) == 0 &&
           named.st_dev == ours.st_dev && named.st_ino == ours.st_ino;
}

void nd_output_file_roll_back(nd_output_file *file) {
    if (!file->named) return;
    if (has_its_name(file)) {
        if (file->slot.path) (void)rename(file->slot.path, file->target.path);
        else (void)unlink(file->target.path);
        nd_output_slot_forget(&file->slot, &file->allocator);
    }
    file->named = false;
    nd_error ignored;
    nd_status status = nd_output_file_sync_name(file, &ignored);
    (void)status; /* the caller reports the failure that made it take the name back */
}

void nd_output_file_accept(nd_output_file *file) {
    if (file->named) nd_output_slot_remove(&file->slot, ND_OUTPUT_SLOT_FILE, &file->allocator);
    file->named = false;
}

uint64_t nd_output_file_size(const nd_output_file *file) {
    struct stat s;
    uint64_t size = file->placed + nd_stream_out_position(file->stream);
    bool by_another = size == 0 && file->target.replaced && fstat(file->fd, &s) == 0;
    return by_another ? (uint64_t)s.st_size : size;
}

void nd_output_file_free(nd_output_file *file) {
    if (!file) return;
    nd_allocator allocator = file->allocator;
    nd_stream_out_free(file->stream);
    nd_file_close(file->direct_fd);
    nd_file_close(file->device);
    nd_output_file_roll_back(file);
    nd_output_slot_remove(&file->slot, ND_OUTPUT_SLOT_FILE, &allocator);
    nd_output_target_free(&file->target, &allocator);
    nd_release(&allocator, file->name);
    nd_release(&allocator, file);
}

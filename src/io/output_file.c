#include "io/output_file.h"

#include "base/format.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct nd_output_file {
    nd_allocator allocator;
    char *path;
    char *temporary; /* NULL: written in place (standard output, a device), or published */
    int fd;
    int direct_fd;   /* the same file past the page cache; -1: not to be had, or left */
    uint64_t direct; /* bytes written there, before those of the stream */
    nd_stream_out *stream;
};

/* A regular file, or none yet: those are replaced. Anything else (a pipe, /dev/null) is written to. */
static bool is_replaceable(const char *path) {
    struct stat s;
    return stat(path, &s) != 0 || S_ISREG(s.st_mode);
}

/* Creates a new file beside `path` with the rights that `path` has, or, where it does not exist, those that the process gives new files. */
static nd_status open_temporary(nd_output_file *file, nd_error *error) {
    const nd_allocator *allocator = &file->allocator;
    char *directory = nd_path_directory(allocator, file->path);
    if (!directory) return nd_fail_memory(error, strlen(file->path), "a path");
    for (unsigned attempt = 0; file->fd < 0; attempt++) {
        char name[64];
        nd_format(name, sizeof name, "/.neardup-output-%ld-%u", (long)getpid(), attempt);
        nd_release(allocator, file->temporary);
        file->temporary = nd_string_join(allocator, directory, name, "");
        if (!file->temporary) break;
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->fd < 0 && errno != EEXIST) break;
    }
    int failure = errno;
    nd_release(allocator, directory);
    if (!file->temporary) return nd_fail_memory(error, strlen(file->path), "a path");
    if (file->fd < 0) {
        nd_release(allocator, file->temporary);
        file->temporary = NULL;
        return nd_fail_os(error, failure, "%s: cannot write there", file->path);
    }
    struct stat s;
    if (stat(file->path, &s) == 0 && fchmod(file->fd, s.st_mode & 07777) != 0) return nd_fail_os(error, errno, "%s: cannot set its mode", file->path);
    return ND_OK;
}

static nd_status open_descriptor(nd_output_file *file, nd_error *error) {
    if (strcmp(file->path, "-") == 0) {
        file->fd = STDOUT_FILENO;
        return ND_OK;
    }
    if (is_replaceable(file->path)) {
        ND_TRY(open_temporary(file, error));
        if (nd_compression_of_name(file->path) == ND_COMPRESSION_NONE) file->direct_fd = open(file->temporary, O_WRONLY | O_DIRECT | O_CLOEXEC);
        return ND_OK;
    }
    file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
    return file->fd < 0 ? nd_fail_os(error, errno, "%s: cannot open for writing", file->path) : ND_OK;
}

nd_status nd_output_file_open(const char *path, const nd_allocator *allocator, nd_output_file **out, nd_error *error) {
    nd_output_file *file = nd_allocate_zero(allocator, 1, sizeof *file);
    if (!file) return nd_fail_memory(error, sizeof *file, path);
    file->allocator = *allocator;
    file->fd = file->direct_fd = -1;
    file->path = nd_string_join(allocator, path, "", "");
    nd_status status = file->path ? open_descriptor(file, error) : nd_fail_memory(error, strlen(path), "a path");
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    if (status == ND_OK) status = nd_stream_out_open_fd(file->fd, name, nd_compression_of_name(path), allocator, &file->stream, error);
    if (status != ND_OK) {
        nd_output_file_free(file);
        return status;
    }
    *out = file;
    return ND_OK;
}

/* The stream takes over behind what was written directly. */
static nd_status leave_direct(nd_output_file *file, nd_error *error) {
    close(file->direct_fd);
    file->direct_fd = -1;
    return lseek(file->fd, (off_t)file->direct, SEEK_SET) < 0 ? nd_fail_os(error, errno, "%s: cannot write", file->path) : ND_OK;
}

nd_status nd_output_file_write(nd_output_file *file, const void *bytes, size_t size, nd_error *error) {
    if (file->direct_fd >= 0) {
        /* Its failure is no verdict: a file system may take the flag and refuse the write. The other way tells what is wrong. */
        nd_error refused;
        bool aligned = ((uintptr_t)bytes | size) % ND_DIRECT_ALIGNMENT == 0;
        if (aligned && nd_file_write_at(file->direct_fd, bytes, size, file->direct, file->path, &refused) == ND_OK) {
            file->direct += size;
            return ND_OK;
        }
        ND_TRY(leave_direct(file, error));
    }
    return nd_stream_out_write(file->stream, bytes, size, error);
}

nd_status nd_output_file_finish(nd_output_file *file, nd_error *error) { return nd_stream_out_finish(file->stream, error); }

nd_status nd_output_file_sync(nd_output_file *file, nd_error *error) {
    if (file->temporary && fsync(file->fd) != 0) return nd_fail_os(error, errno, "%s: cannot sync", file->path);
    return ND_OK;
}

nd_status nd_output_file_publish(nd_output_file *file, nd_error *error) {
    if (!file->temporary) return ND_OK;
    if (rename(file->temporary, file->path) != 0) return nd_fail_os(error, errno, "%s: cannot rename its temporary file to this name", file->path);
    nd_release(&file->allocator, file->temporary);
    file->temporary = NULL;
    return nd_sync_directory_of(file->path, &file->allocator, error);
}

uint64_t nd_output_file_size(const nd_output_file *file) { return file->direct + nd_stream_out_position(file->stream); }

void nd_output_file_free(nd_output_file *file) {
    if (!file) return;
    nd_stream_out_free(file->stream);
    if (file->direct_fd >= 0) close(file->direct_fd);
    if (file->fd > STDERR_FILENO) close(file->fd);
    if (file->temporary) unlink(file->temporary);
    nd_allocator allocator = file->allocator;
    nd_release(&allocator, file->temporary);
    nd_release(&allocator, file->path);
    nd_release(&allocator, file);
}

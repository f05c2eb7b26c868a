#include "io/file.h"

#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Moves a descriptor above the standard ones. */
static int above_standard(int fd) {
    if (fd < 0 || fd > STDERR_FILENO) return fd;
    int above = nd_duplicate(fd), failure = errno;
    close(fd);
    errno = failure;
    return above;
}

int nd_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); }

int nd_open(const char *path, int flags, mode_t mode) {
    int fd;
    do fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return above_standard(fd);
}

int nd_open_at(int directory, const char *path, int flags, mode_t mode) {
    int fd;
    do fd = openat(directory, path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return above_standard(fd);
}

nd_status nd_file_read_at(int fd, void *buffer, size_t size, uint64_t offset, const char *name,
                          nd_error *error) {
    char *p = buffer;
    while (size > 0) {
        ssize_t n = pread(fd, p, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return nd_fail_os(error, errno, "%s: cannot read at byte %llu", name,
                              (unsigned long long)offset);
        if (n == 0)
            return nd_fail(error, ND_ERR_IO, "%s: changed while it was read: it ends at byte %llu",
                           name, (unsigned long long)offset);
        p += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return ND_OK;
}

nd_status nd_file_write_at(int fd, const void *bytes, size_t size, uint64_t offset,
                           const char *name, nd_error *error) {
    const char *p = bytes;
    while (size > 0) {
        ssize_t n = pwrite(fd, p, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return nd_fail_os(error, errno, "%s: cannot write", name);
        p += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return ND_OK;
}

nd_status nd_file_create(const char *path, int *fd, nd_error *error) {
    *fd = nd_open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
    return *fd < 0 ? nd_fail_os(error, errno, "%s: cannot make it", path) : ND_OK;
}

nd_status nd_file_open(const char *path, nd_open_mode mode, int *fd, nd_error *error) {
    *fd = nd_open(path, (mode == ND_OPEN_READ ? O_RDONLY : O_RDWR) | O_NONBLOCK, 0);
    return *fd < 0 ? nd_fail_os(error, errno, "%s: cannot open", path) : ND_OK;
}

nd_status nd_file_size(int fd, uint64_t *size, const char *name, nd_error *error) {
    struct stat s;
    if (fstat(fd, &s) != 0) return nd_fail_os(error, errno, "%s: cannot tell its size", name);
    if (!S_ISREG(s.st_mode)) return nd_fail(error, ND_ERR_CORRUPT, "%s: not a regular file", name);
    *size = (uint64_t)s.st_size;
    return ND_OK;
}

nd_status nd_file_resize(int fd, uint64_t size, const char *name, nd_error *error) {
    int result;
    do result = ftruncate(fd, (off_t)size);
    while (result != 0 && errno == EINTR);
    return result == 0 ? ND_OK
                       : nd_fail_os(error, errno, "%s: cannot make it %llu bytes long", name,
                                    (unsigned long long)size);
}

void nd_file_bypass_cache(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0) (void)fcntl(fd, F_SETFL, flags | O_DIRECT);
}

void nd_file_use_cache(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0) (void)fcntl(fd, F_SETFL, flags & ~O_DIRECT);
}

void nd_file_write_back(int fd, uint64_t offset, size_t size) {
#ifdef SYNC_FILE_RANGE_WRITE
    (void)sync_file_range(fd, (off64_t)offset, (off64_t)size, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd, (void)offset, (void)size;
#endif
}

nd_status nd_file_sync(int fd, const char *name, nd_error *error) {
    return fsync(fd) == 0 ? ND_OK : nd_fail_os(error, errno, "%s: cannot sync", name);
}

nd_status nd_file_map(int fd, uint64_t size, const char *name, const unsigned char **bytes,
                      nd_error *error) {
    void *mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) return nd_fail_os(error, errno, "%s: cannot map", name);
    *bytes = mapped;
    return ND_OK;
}

void nd_file_use_large_pages(const unsigned char *bytes, uint64_t size) {
    nd_use_large_pages((void *)(uintptr_t)bytes, (size_t)size);
}

void nd_file_expect_random(const unsigned char *bytes, uint64_t size) {
    uint64_t skipped = (uintptr_t)bytes % ND_FILE_BLOCK;
    madvise((void *)((uintptr_t)bytes - skipped), (size_t)(size + skipped), MADV_RANDOM);
}

void nd_file_unmap(const unsigned char *bytes, uint64_t size) {
    munmap((void *)(uintptr_t)bytes, size);
}

void nd_file_close(int fd) {
    if (fd >= 0) close(fd);
}

nd_status nd_file_remove(const char *path, nd_error *error) {
    return unlink(path) == 0 || errno == ENOENT
               ? ND_OK
               : nd_fail_os(error, errno, "%s: cannot remove", path);
}

nd_status nd_directory_create(const char *path, bool *made, const nd_allocator *allocator,
                              nd_error *error) {
    *made = mkdir(path, 0777) == 0;
    if (!*made && errno != EEXIST)
        return nd_fail_os(error, errno, "%s: cannot make this directory", path);
    /* Even if it exists already: the process that made it may have died before this sync. */
    return nd_sync_directory_of(path, allocator, error);
}

bool nd_name_is_free(const char *path) {
    struct stat s;
    return lstat(path, &s) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

nd_status nd_file_name_finally(const char *from, const char *to, const nd_allocator *allocator,
                               nd_error *error) {
    if (!nd_name_is_free(to)) return nd_fail_os(error, EEXIST, "%s: cannot make it", to);
    if (rename(from, to) != 0)
        return nd_fail_os(error, errno, "%s: cannot rename it to %s", from, to);
    nd_status status = nd_sync_directory_of(to, allocator, error);
    if (status != ND_OK) nd_file_remove(to, NULL);
    return status;
}

/* For file systems without O_TMPFILE: the file has a name for a moment. */
static int open_and_unlink(const char *directory) {
    char path[ND_PATH_SIZE];
    if (!nd_path_join(path, directory, ".neardup-XXXXXX")) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = above_standard(mkostemp(path, O_CLOEXEC));
    int failure = errno;
    if (fd >= 0) unlink(path);
    errno = failure;
    return fd;
}

const char *nd_temporary_directory(void) {
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

nd_status nd_file_nameless(const char *directory, int *fd, nd_error *error) {
    int opened = nd_open(directory, O_TMPFILE | O_RDWR, 0600);
    if (opened < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT))
        opened = open_and_unlink(directory);
    if (opened < 0)
        return nd_fail_os(error, errno, "%s: cannot make a temporary file there", directory);
    *fd = opened;
    return ND_OK;
}

char *nd_string_join(const nd_allocator *allocator, const char *a, const char *b, const char *c) {
    size_t la = strlen(a), lb = strlen(b), lc = strlen(c);
    char *joined = nd_allocate(allocator, la + lb + lc + 1, 1);
    if (!joined) return NULL;
    memcpy(joined, a, la);
    memcpy(joined + la, b, lb);
    memcpy(joined + la + lb, c, lc + 1);
    return joined;
}

bool nd_path_join(char path[ND_PATH_SIZE], const char *directory, const char *name) {
    size_t a = strlen(directory), b = strlen(name);
    if (a + b + 2 > ND_PATH_SIZE) return false;
    memcpy(path, directory, a);
    path[a] = '/';
    memcpy(path + a + 1, name, b + 1);
    return true;
}

char *nd_path_directory(const nd_allocator *allocator, const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    while (length > 0 && path[length - 1] != '/') length--;
    while (length > 1 && path[length - 1] == '/') length--;
    if (length == 0) return nd_string_join(allocator, ".", "", "");
    char *directory = nd_allocate(allocator, length + 1, 1);
    if (!directory) return NULL;
    memcpy(directory, path, length);
    directory[length] = '\0';
    return directory;
}

nd_status nd_sync_directory_of(const char *path, const nd_allocator *allocator, nd_error *error) {
    char *directory = nd_path_directory(allocator, path);
    if (!directory) return nd_fail_memory(error, strlen(path), "a path");
    int fd = nd_open(directory, O_RDONLY | O_DIRECTORY, 0);
    /* Some file systems cannot sync a directory (EINVAL): the rename is then as durable as they
     * make it. */
    int failure = fd < 0 ? errno : fsync(fd) != 0 && errno != EINVAL ? errno : 0;
    if (fd >= 0) close(fd);
    nd_release(allocator, directory);
    return failure ? nd_fail_os(error, failure, "%s: cannot sync its directory", path) : ND_OK;
}

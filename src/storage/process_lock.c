#include "storage/process_lock.h"

#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the path still names the open file. The process that held the lock before may have
 * removed it. */
static bool is_at(const char *path, int fd) {
    struct stat opened, there;
    return fstat(fd, &opened) == 0 && stat(path, &there) == 0 && opened.st_dev == there.st_dev &&
           opened.st_ino == there.st_ino;
}

static int lock_open_file(int fd) {
    int result;
    do result = flock(fd, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

nd_status nd_process_lock_acquire(const char *path, nd_process_lock *lock, nd_error *error) {
    enum { MOST_ATTEMPTS = 100 };
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        int fd = nd_open(path, O_RDWR | O_CREAT, 0666);
        if (fd < 0) return nd_fail_os(error, errno, "%s: cannot open", path);
        int failure = lock_open_file(fd);
        if (failure == 0 && is_at(path, fd)) {
            *lock = (nd_process_lock){fd, getpid()};
            return ND_OK;
        }
        close(fd);
        if (failure == EWOULDBLOCK) break;
        if (failure != 0) return nd_fail_os(error, failure, "%s: cannot lock", path);
    }
    return nd_fail(error, ND_ERR_BUSY, "%s: locked by another process", path);
}

bool nd_process_lock_is_own(const nd_process_lock *lock) {
    return lock->fd >= 0 && lock->process == getpid();
}

nd_status nd_process_lock_check(const nd_process_lock *lock, const char *name, nd_error *error) {
    if (lock->fd < 0 || lock->process == getpid()) return ND_OK;
    return nd_fail(
        error, ND_ERR_ARGUMENT,
        "%s: opened for writing by process %ld: process %ld, a child of it, cannot change it", name,
        (long)lock->process, (long)getpid());
}

void nd_process_lock_release(nd_process_lock *lock) {
    if (nd_process_lock_is_own(lock)) (void)flock(lock->fd, LOCK_UN);
    nd_file_close(lock->fd);
    *lock = ND_PROCESS_LOCK_NONE;
}

void nd_process_lock_remove(nd_process_lock *lock, const char *path) {
    if (nd_process_lock_is_own(lock)) nd_file_remove(path, NULL);
    nd_process_lock_release(lock);
}

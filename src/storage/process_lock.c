#include "storage/process_lock.h"

#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A byte that is 1 in the process that made it, and 0 in its children: the kernel empties its page
 * there. Each change of a store asks whether the lock is its process's own, and getpid is a system
 * call: it took 1 % of the time of a stream with MinHash. NULL: the kernel cannot empty pages. */
static const volatile unsigned char *not_a_child;
static pthread_once_t made = PTHREAD_ONCE_INIT;

/* An emulator may accept any advice and ignore it. It accepts -1, too, which is none. */
static bool is_emptied_in_children(unsigned char *page, size_t size) {
#ifdef MADV_WIPEONFORK
    return madvise(page, size, -1) != 0 && madvise(page, size, MADV_WIPEONFORK) == 0;
#else
    (void)page, (void)size;
    return false;
#endif
}

static void make_not_a_child(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    int access = PROT_READ | PROT_WRITE;
    unsigned char *page = mmap(NULL, size, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (!is_emptied_in_children(page, size)) {
        munmap(page, size);
        return;
    }
    *page = 1;
    not_a_child = page;
}

/* Whether this process has acquired the lock. The byte is made before the first lock is acquired,
 * so where it is 1, all locks are the process's own. */
static bool is_mine(const nd_process_lock *lock) {
    return (not_a_child && *not_a_child) || lock->process == getpid();
}

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
    pthread_once(&made, make_not_a_child);
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

bool nd_process_lock_is_own(const nd_process_lock *lock) { return lock->fd >= 0 && is_mine(lock); }

nd_status nd_process_lock_check(const nd_process_lock *lock, const char *name, nd_error *error) {
    if (lock->fd < 0 || is_mine(lock)) return ND_OK;
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

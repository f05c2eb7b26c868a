/* System calls that fail and are recorded: see system.h. */
#include "durability/system.h"

#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* glibc has other names for these calls if offsets have 64 bits. */
#ifdef __GLIBC__
#define REAL(name) __real_##name##64
#else
#define REAL(name) __real_##name
#endif

int REAL(open)(const char *path, int flags, ...);
ssize_t REAL(pread)(int fd, void *bytes, size_t size, off_t offset);
ssize_t REAL(pwrite)(int fd, const void *bytes, size_t size, off_t offset);
int REAL(ftruncate)(int fd, off_t size);
void *REAL(mmap)(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int REAL(stat)(const char *path, struct stat *out);
int REAL(fstat)(int fd, struct stat *out);
int __real_fsync(int fd);
int __real_close(int fd);
int __real_unlink(const char *path);
int __real_rename(const char *from, const char *to);
int __real_renameat2(int from_directory, const char *from, int to_directory, const char *to,
                     unsigned flags);
int __real_rmdir(const char *path);
int __real_link(const char *from, const char *to);
ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_mkdir(const char *path, mode_t mode);
int __real_flock(int fd, int operation);
int __real_munmap(void *at, size_t size);
DIR *__real_opendir(const char *path);

enum { FILES = 1024, NAMES = 256, NOBODY = 0, PARENT = -1, DIRECTORY = -2, OTHER = -3 };

typedef struct name {
    char name[32];
    int file; /* file number + 1; 0: free */
    bool directory;
} name;

static struct {
    pthread_mutex_t lock;
    unsigned calls, failed;
    long nth, left;
    int failure;
    long seen, counts[SYSTEM_KINDS];
    long open_files, maps;
    bool sync_truly, full;
    int owner[FILES]; /* for each descriptor: NOBODY, PARENT, DIRECTORY, OTHER, or file number + 1
                       */
    name names[NAMES];
    system_recording *recording;
} s = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- faults */

void system_fail(unsigned calls, long nth, long times, int failure) {
    pthread_mutex_lock(&s.lock);
    s.calls = calls;
    s.nth = nth;
    s.left = times;
    s.failure = failure;
    s.seen = 0;
    s.failed = 0;
    s.full = false;
    memset(s.counts, 0, sizeof s.counts);
    pthread_mutex_unlock(&s.lock);
}

void system_heal(void) { system_fail(0, 0, 0, 0); }

unsigned system_failed(void) { return s.failed; }
long system_open_files(void) { return s.open_files; }
long system_maps(void) { return s.maps; }
void system_sync_truly(bool truly) { s.sync_truly = truly; }

long system_count(unsigned calls) {
    long count = 0;
    for (int k = 0; k < SYSTEM_KINDS; k++) count += calls >> k & 1 ? s.counts[k] : 0;
    return count;
}

typedef enum verdict { PASS, HALF, FAIL } verdict;

static verdict fail_with(unsigned kind, int failure) {
    if (!s.failed) s.failed = kind;
    errno = failure;
    return FAIL;
}

static verdict judge_dead(unsigned kind, bool room) {
    const unsigned changing = SYSTEM_WRITE | SYSTEM_RESIZE | SYSTEM_SYNC | SYSTEM_REMOVE |
                              SYSTEM_RENAME;
    if (!(kind & changing) && !room) return PASS;
    if (s.seen < s.nth) {
        s.seen++;
        return PASS;
    }
    bool half = kind == SYSTEM_WRITE && !s.failed;
    fail_with(kind, EIO);
    return half ? HALF : FAIL;
}

/* The lock is held. `room`: the call needs space on the disk. */
static verdict judge(unsigned kind, bool room) {
    s.counts[__builtin_ctz(kind)]++;
    if (s.failure == SYSTEM_DEAD) return judge_dead(kind, room);
    if (s.full && room) return fail_with(kind, ENOSPC);
    if (!(s.calls & kind) || (s.failure == SYSTEM_FULL && !room)) return PASS;
    if (s.seen++ < s.nth || s.left <= 0) return PASS;
    s.left--;
    if (s.failure == SYSTEM_SHORT) {
        s.failed = kind;
        return HALF;
    }
    if (s.failure != SYSTEM_FULL) return fail_with(kind, s.failure);
    s.full = true;
    if (kind != SYSTEM_WRITE) return fail_with(kind, ENOSPC);
    s.failed = kind;
    return HALF;
}

/* ---- recording */

static system_event *record(system_event_kind kind) {
    system_recording *r = s.recording;
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 256;
        r->events = realloc(r->events, r->capacity * sizeof *r->events);
        assert_non_null(r->events);
    }
    r->events[r->count] = (system_event){.kind = kind};
    return &r->events[r->count++];
}

/* Returns the name in the recorded directory; NULL: the path is elsewhere. */
static const char *name_in(const char *path) {
    size_t length = s.recording ? strlen(s.recording->directory) : 0;
    if (length == 0 || strncmp(path, s.recording->directory, length) != 0 || path[length] != '/')
        return NULL;
    assert_true(strlen(path + length + 1) < sizeof s.names[0].name);
    return path + length + 1;
}

static name *find(const char *wanted) {
    for (int i = 0; i < NAMES; i++)
        if (s.names[i].file && strcmp(s.names[i].name, wanted) == 0) return &s.names[i];
    return NULL;
}

static int add_name(const char *wanted, bool directory) {
    int i = 0;
    while (s.names[i].file) assert_true(++i < NAMES);
    snprintf(s.names[i].name, sizeof s.names[i].name, "%s", wanted);
    s.names[i].file = (int)++s.recording->files;
    s.names[i].directory = directory;
    system_event *e = record(directory ? EVENT_DIRECTORY : EVENT_CREATE);
    e->file = (unsigned)s.names[i].file - 1;
    snprintf(e->name, sizeof e->name, "%s", wanted);
    return s.names[i].file;
}

/* Returns the recorded subdirectory that a descriptor belongs to; NULL: none. */
static const name *directory_of(int fd) {
    for (int i = 0; i < NAMES && s.recording && s.owner[fd] > 0; i++)
        if (s.names[i].directory && s.names[i].file == s.owner[fd]) return &s.names[i];
    return NULL;
}

static system_event *record_file(system_event_kind kind, int fd) {
    if (!s.recording || s.owner[fd] <= 0 || directory_of(fd)) return NULL;
    system_event *e = record(kind);
    e->file = (unsigned)s.owner[fd] - 1;
    return e;
}

static void record_write(int fd, const void *bytes, size_t size, off_t offset) {
    system_event *e = record_file(EVENT_WRITE, fd);
    if (!e || size == 0) return;
    e->offset = (uint64_t)offset;
    e->size = size;
    e->bytes = malloc(size);
    assert_non_null(e->bytes);
    memcpy(e->bytes, bytes, size);
}

static void record_there(const char *wanted) {
    static unsigned char bytes[1 << 16];
    char path[200];
    snprintf(path, sizeof path, "%s/%.31s", s.recording->directory, wanted);
    int fd = REAL(open)(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    s.owner[fd] = add_name(wanted, false);
    off_t at = 0;
    for (ssize_t n; (n = REAL(pread)(fd, bytes, sizeof bytes, at)) > 0; at += n) {
        bool zeros = bytes[0] == 0 && memcmp(bytes, bytes + 1, (size_t)n - 1) == 0;
        if (!zeros) record_write(fd, bytes, (size_t)n, at);
    }
    record_file(EVENT_RESIZE, fd)->size = (uint64_t)at;
    record_file(EVENT_SYNC, fd);
    s.owner[fd] = NOBODY;
    __real_close(fd);
}

/* Records the files of a directory ("", or a subdirectory with a slash behind it), and its
 * subdirectories. */
static void record_all(const char *within) {
    char path[200], found[300];
    snprintf(path, sizeof path, "%s/%s", s.recording->directory, within);
    DIR *d = __real_opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        snprintf(found, sizeof found, "%s%s", within, e->d_name);
        if (e->d_type != DT_DIR) {
            record_there(found);
            continue;
        }
        add_name(found, true);
        strcat(found, "/");
        record_all(found);
    }
    closedir(d);
    snprintf(record(EVENT_SYNC_NAMES)->name, sizeof s.names[0].name, "%.*s",
             within[0] ? (int)strlen(within) - 1 : 0, within);
}

void system_record(const char *directory, system_recording *out) {
    pthread_mutex_lock(&s.lock);
    assert_null(s.recording);
    *out = (system_recording){0};
    snprintf(out->directory, sizeof out->directory, "%s", directory);
    s.recording = out;
    memset(s.names, 0, sizeof s.names);
    DIR *d = __real_opendir(directory);
    if (d) {
        record(EVENT_DIRECTORY);
        record_all("");
        record(EVENT_SYNC_PARENT);
        closedir(d);
    }
    out->begin = out->count;
    pthread_mutex_unlock(&s.lock);
}

void system_note(uint64_t offset, uint64_t size) {
    pthread_mutex_lock(&s.lock);
    if (s.recording) {
        system_event *e = record(EVENT_NOTE);
        e->offset = offset;
        e->size = size;
    }
    pthread_mutex_unlock(&s.lock);
}

void system_record_end(void) {
    pthread_mutex_lock(&s.lock);
    s.recording = NULL;
    for (int fd = 0; fd < FILES; fd++)
        if (s.owner[fd] != NOBODY) s.owner[fd] = OTHER;
    pthread_mutex_unlock(&s.lock);
}

void system_recording_free(system_recording *r) {
    for (size_t i = 0; i < r->count; i++) free(r->events[i].bytes);
    free(r->events);
    *r = (system_recording){0};
}

/* ---- the calls */

#define WRAP(result, name, ...)                                                                    \
    result __wrap_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__)

/* Releases the lock and returns the result. */
static int leave(int result) {
    int failure = errno;
    pthread_mutex_unlock(&s.lock);
    errno = failure;
    return result;
}

static verdict enter(unsigned kind, bool room) {
    pthread_mutex_lock(&s.lock);
    return judge(kind, room);
}

static int owner_of(const char *path, int flags, bool there) {
    if (!s.recording || (flags & O_TMPFILE) == O_TMPFILE) return OTHER;
    const char *wanted = name_in(path);
    if ((flags & O_DIRECTORY) && !wanted)
        return strcmp(path, s.recording->directory) == 0 ? DIRECTORY
               : strcmp(path, ".") == 0                  ? PARENT
                                                         : OTHER;
    if (!wanted) return OTHER;
    name *known = find(wanted);
    assert_true(there == (known != NULL));
    return known ? known->file : add_name(wanted, false);
}

static int open_any(const char *path, int flags, mode_t mode) {
    struct stat there;
    if (enter(SYSTEM_OPEN, (flags & O_CREAT) != 0) == FAIL) return leave(-1);
    bool existed = s.recording && REAL(stat)(path, &there) == 0;
    int fd = REAL(open)(path, flags, mode);
    if (fd < 0) return leave(fd);
    assert_true(fd < FILES);
    s.owner[fd] = owner_of(path, flags, existed);
    s.open_files++;
    return leave(fd);
}

static mode_t mode_of(int flags, va_list arguments) {
    return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(arguments, mode_t) : 0;
}

WRAP(int, open, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_any(path, flags, mode);
}

WRAP(int, open64, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_any(path, flags, mode);
}

WRAP(int, close, int fd) {
    pthread_mutex_lock(&s.lock);
    if (fd >= 0 && fd < FILES && s.owner[fd] != NOBODY) {
        s.owner[fd] = NOBODY;
        s.open_files--;
    }
    return leave(__real_close(fd));
}

WRAP(ssize_t, pread64, int fd, void *bytes, size_t size, off_t offset) {
    verdict v = enter(SYSTEM_READ, false);
    leave(0);
    if (v == FAIL) return -1;
    return REAL(pread)(fd, bytes, v == HALF && size > 1 ? size / 2 : size, offset);
}

WRAP(ssize_t, pread, int fd, void *bytes, size_t size, off_t offset) {
    return __wrap_pread64(fd, bytes, size, offset);
}

WRAP(ssize_t, pwrite64, int fd, const void *bytes, size_t size, off_t offset) {
    verdict v = enter(SYSTEM_WRITE, true);
    if (v == FAIL) return leave(-1);
    ssize_t n = REAL(pwrite)(fd, bytes, v == HALF && size > 1 ? size / 2 : size, offset);
    if (n > 0) record_write(fd, bytes, (size_t)n, offset);
    leave(0);
    return n;
}

WRAP(ssize_t, pwrite, int fd, const void *bytes, size_t size, off_t offset) {
    return __wrap_pwrite64(fd, bytes, size, offset);
}

WRAP(int, ftruncate64, int fd, off_t size) {
    struct stat now;
    bool grows = REAL(fstat)(fd, &now) == 0 && now.st_size < size;
    if (enter(SYSTEM_RESIZE, grows) == FAIL) return leave(-1);
    int result = REAL(ftruncate)(fd, size);
    system_event *e = result == 0 ? record_file(EVENT_RESIZE, fd) : NULL;
    if (e) e->size = (uint64_t)size;
    return leave(result);
}

WRAP(int, ftruncate, int fd, off_t size) { return __wrap_ftruncate64(fd, size); }

WRAP(int, fsync, int fd) {
    if (enter(SYSTEM_SYNC, false) == FAIL) {
        int failure = errno;
        if (s.failure != SYSTEM_DEAD) record_file(EVENT_SYNC_FAILED, fd);
        errno = failure;
        return leave(-1);
    }
    int result = s.sync_truly ? __real_fsync(fd) : 0;
    record_file(EVENT_SYNC, fd);
    if (s.recording && s.owner[fd] == DIRECTORY) record(EVENT_SYNC_NAMES);
    if (s.recording && s.owner[fd] == PARENT) record(EVENT_SYNC_PARENT);
    const name *directory = directory_of(fd);
    if (directory) strcpy(record(EVENT_SYNC_NAMES)->name, directory->name);
    return leave(result);
}

WRAP(int, unlink, const char *path) {
    if (enter(SYSTEM_REMOVE, false) == FAIL) return leave(-1);
    int result = __real_unlink(path), failure = errno;
    const char *gone = result == 0 ? name_in(path) : NULL;
    if (gone) {
        name *n = find(gone);
        assert_non_null(n);
        system_event *e = record(EVENT_REMOVE);
        snprintf(e->name, sizeof e->name, "%s", gone);
        n->file = 0;
    }
    errno = failure;
    return leave(result);
}

/* Removes a recorded subdirectory. Only a death makes this fail: the cleaning up after a failure
 * does not fail itself. */
WRAP(int, rmdir, const char *path) {
    pthread_mutex_lock(&s.lock);
    if (s.failure == SYSTEM_DEAD && judge(SYSTEM_REMOVE, false) == FAIL) return leave(-1);
    int result = __real_rmdir(path), failure = errno;
    const char *gone = result == 0 ? name_in(path) : NULL;
    name *n = gone ? find(gone) : NULL;
    if (n) {
        snprintf(record(EVENT_REMOVE)->name, sizeof n->name, "%s", gone);
        n->file = 0;
    }
    errno = failure;
    return leave(result);
}

WRAP(int, rename, const char *from, const char *to) {
    if (enter(SYSTEM_RENAME, false) == FAIL) return leave(-1);
    int result = __real_rename(from, to), failure = errno;
    const char *old = result == 0 ? name_in(from) : NULL;
    if (old) {
        name *n = find(old), *replaced = find(name_in(to));
        system_event *e = record(EVENT_RENAME);
        snprintf(e->name, sizeof e->name, "%s", old);
        snprintf(e->to, sizeof e->to, "%s", name_in(to));
        if (replaced) replaced->file = 0;
        snprintf(n->name, sizeof n->name, "%s", e->to);
    }
    errno = failure;
    return leave(result);
}

/* For outputs; they are not recorded. */
WRAP(int, renameat2, int from_directory, const char *from, int to_directory, const char *to,
     unsigned flags) {
    if (enter(SYSTEM_RENAME, false) == FAIL) return leave(-1);
    assert_null(name_in(from));
    return leave(__real_renameat2(from_directory, from, to_directory, to, flags));
}

WRAP(int, link, const char *from, const char *to) {
    if (enter(SYSTEM_RENAME, true) == FAIL) return leave(-1);
    assert_null(name_in(from));
    return leave(__real_link(from, to));
}

WRAP(ssize_t, write, int fd, const void *bytes, size_t size) {
    verdict v = enter(SYSTEM_WRITE, true);
    leave(0);
    return v == FAIL ? -1 : __real_write(fd, bytes, v == HALF && size > 1 ? size / 2 : size);
}

WRAP(int, mkdir, const char *path, mode_t mode) {
    if (enter(SYSTEM_MAKE_DIRECTORY, true) == FAIL) return leave(-1);
    int result = __real_mkdir(path, mode), failure = errno;
    if (result == 0 && s.recording && strcmp(path, s.recording->directory) == 0)
        record(EVENT_DIRECTORY);
    if (result == 0 && name_in(path)) add_name(name_in(path), true);
    errno = failure;
    return leave(result);
}

WRAP(int, flock, int fd, int operation) {
    verdict v = enter(SYSTEM_LOCK, false);
    leave(0);
    return v == FAIL ? -1 : __real_flock(fd, operation);
}

WRAP(void *, mmap64, void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    if (enter(SYSTEM_MAP, false) == FAIL) {
        leave(0);
        return MAP_FAILED;
    }
    void *result = REAL(mmap)(at, size, protection, flags, fd, offset);
    s.maps += result != MAP_FAILED;
    leave(0);
    return result;
}

WRAP(void *, mmap, void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    return __wrap_mmap64(at, size, protection, flags, fd, offset);
}

WRAP(int, munmap, void *at, size_t size) {
    pthread_mutex_lock(&s.lock);
    s.maps--;
    return leave(__real_munmap(at, size));
}

WRAP(int, stat64, const char *path, struct stat *out) {
    verdict v = enter(SYSTEM_STAT, false);
    leave(0);
    return v == FAIL ? -1 : REAL(stat)(path, out);
}

WRAP(int, stat, const char *path, struct stat *out) { return __wrap_stat64(path, out); }

WRAP(int, fstat64, int fd, struct stat *out) {
    verdict v = enter(SYSTEM_STAT, false);
    leave(0);
    return v == FAIL ? -1 : REAL(fstat)(fd, out);
}

WRAP(int, fstat, int fd, struct stat *out) { return __wrap_fstat64(fd, out); }

WRAP(int, sync_file_range, int fd, off64_t offset, off64_t size, unsigned flags) {
    (void)fd, (void)offset, (void)size, (void)flags;
    return 0;
}

WRAP(int, nanosleep, const struct timespec *time, struct timespec *rest) {
    (void)time, (void)rest;
    return 0;
}

WRAP(DIR *, opendir, const char *path) {
    verdict v = enter(SYSTEM_LIST, false);
    leave(0);
    return v == FAIL ? NULL : __real_opendir(path);
}

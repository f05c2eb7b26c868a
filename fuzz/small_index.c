#include "small_index.h"

#include "small_content.h"

#include "store/manifest.h"
#include "target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- what the library asks of the system: nothing here is to outlive the process, and no other writes */

int __wrap_fsync(int fd);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

int __wrap_fsync(int fd) {
    (void)fd;
    return 0;
}

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left) {
    (void)wanted, (void)left;
    return 0;
}

/* ---- its directory */

static char place[300];
static int place_fd;
static small_file files[16]; /* by name */
static size_t file_count;
static nd_manifest state;

static void remove_files(void) {
    DIR *d = opendir(place);
    if (!d) target_fail("%s: %s", place, strerror(errno));
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') unlinkat(place_fd, e->d_name, 0);
    closedir(d);
}

static void remove_place(void) {
    remove_files();
    rmdir(place);
}

static void make_place(void) {
    const char *temporary = getenv("TMPDIR"), *memory = "/dev/shm";
    if (access(memory, W_OK | X_OK) == 0) temporary = memory;
    snprintf(place, sizeof place, "%s/neardup-fuzz-XXXXXX", temporary && *temporary ? temporary : ".");
    if (!mkdtemp(place)) target_fail("%s: %s", place, strerror(errno));
    place_fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place_fd < 0) target_fail("%s: %s", place, strerror(errno));
    atexit(remove_place);
}

static void load_file(small_file *f, const char *name) {
    struct stat s;
    snprintf(f->name, sizeof f->name, "%.39s", name);
    int fd = openat(place_fd, f->name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0) target_fail("%s: %s", name, strerror(errno));
    f->size = (size_t)s.st_size;
    f->bytes = malloc(f->size + 1);
    if (!f->bytes || pread(fd, f->bytes, f->size, 0) != (ssize_t)f->size) target_fail("%s: cannot be read", name);
    close(fd);
}

static int by_name(const void *a, const void *b) { return strcmp(((const small_file *)a)->name, ((const small_file *)b)->name); }

static void load_files(void) {
    DIR *d = opendir(place);
    if (!d) target_fail("%s: %s", place, strerror(errno));
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        if (file_count == sizeof files / sizeof *files) target_fail("%s: too many files", place);
        load_file(&files[file_count++], e->d_name);
    }
    closedir(d);
    qsort(files, file_count, sizeof *files, by_name);
}

void small_index_put(const char *name, const void *bytes, size_t size) {
    int fd = openat(place_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) target_fail("%s/%s: %s", place, name, strerror(errno));
    close(fd);
}

void small_index_lay(const small_file *changed, const void *bytes, size_t size) {
    remove_files();
    for (size_t f = 0; f < file_count; f++)
        if (&files[f] != changed) small_index_put(files[f].name, files[f].bytes, files[f].size);
    if (bytes) small_index_put(changed->name, bytes, size);
}

const small_file *small_index_segment(size_t segment) {
    for (size_t f = 0; f < file_count; f++)
        if (strncmp(files[f].name, "segment-", 8) == 0 && small_index_number(&files[f]) == state.segments[segment].file) return &files[f];
    target_fail("%s: there is no segment %zu", place, segment);
}

const small_file *small_index_file(const char *prefix) {
    for (size_t f = 0; f < file_count; f++)
        if (strncmp(files[f].name, prefix, strlen(prefix)) == 0) return &files[f];
    target_fail("%s: there is no file %s", place, prefix);
}

uint64_t small_index_number(const small_file *file) { return strtoull(strrchr(file->name, '-') + 1, NULL, 10); }

void small_index_lay_sealed(const small_file *changed, const void *bytes, size_t size, const nd_seal *seal) {
    nd_error error;
    nd_manifest told;
    small_index_lay(changed, bytes, size);
    if (nd_manifest_copy(&state, &told, &error) != ND_OK) target_fail("%s", error.message);
    uint64_t number = small_index_number(changed);
    if (told.removed == number) told.removed_seal = *seal;
    for (size_t i = 0; i < told.segment_count; i++)
        if (told.segments[i].file == number) told.segments[i].seal = *seal;
    if (nd_manifest_write(place, &told, &error) != ND_OK) target_fail("%s", error.message);
    nd_manifest_free(&told);
}

/* ---- its use */

/* What nd_index_check has called whole fails in nothing. */
static bool whole;

bool small_fine(nd_status status, const nd_error *error) {
    if (status == ND_OK) return true;
    if (error->status != status) target_fail("status %d, and %d in the error: %s", (int)status, (int)error->status, error->message);
    if (strlen(error->message) < 5 || strchr(error->message, '\n')) target_fail("status %d with the message \"%s\"", (int)status, error->message);
    if (whole) target_fail("an index that was found whole fails: status %d: %s", (int)status, error->message);
    return false;
}

void small_check(nd_index *x) {
    nd_error error;
    whole = small_fine(nd_index_check(x, &error), &error);
}

bool small_is_whole(void) { return whole; }

void small_index_use(void) {
    whole = false;
    small_content_use(place);
}

/* ---- its making */

void small_index_make(void) {
    nd_error error;
    bool repair;
    whole = true;
    make_place();
    small_content_make(place);
    nd_manifest_init(&state, &nd_allocator_default);
    small_fine(nd_manifest_read(place, &nd_allocator_default, &state, &repair, &error), &error);
    load_files();
    if (state.segment_count != 2 || state.segments[0].documents != small_content_first())
        target_fail("%s: not the small index that is wanted", place);
}

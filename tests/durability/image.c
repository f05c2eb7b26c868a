/* Keeps the files of a directory and writes them again: see image.h. */
#include "durability/image.h"

#include "own_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_name(const void *a, const void *b) {
    return strcmp(((const image_file *)a)->name, ((const image_file *)b)->name);
}

static void load_file(image_file *f, const char *directory) {
    struct stat s;
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, f->name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &s) == 0);
    f->size = (size_t)s.st_size;
    f->bytes = malloc(f->size + 1);
    assert_non_null(f->bytes);
    assert_int_equal(pread(fd, f->bytes, f->size, 0), f->size);
    close(fd);
}

/* `within`: "", or a subdirectory with a slash behind it. */
static void load_all(image *i, const char *directory, const char *within) {
    char name[300];
    snprintf(name, sizeof name, "%s/%s", directory, within);
    DIR *d = opendir(name);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s%s%s", within, e->d_name, e->d_type == DT_DIR ? "/" : "");
        if (e->d_type == DT_DIR) {
            load_all(i, directory, name);
            continue;
        }
        assert_true(i->count < sizeof i->files / sizeof *i->files);
        image_file *f = &i->files[i->count++];
        snprintf(f->name, sizeof f->name, "%.39s", name);
        load_file(f, directory);
    }
    closedir(d);
}

void image_load(image *i, const char *directory) {
    i->count = 0;
    load_all(i, directory, "");
    qsort(i->files, i->count, sizeof *i->files, by_name);
}

void image_free(image *i) {
    for (size_t f = 0; f < i->count; f++) free(i->files[f].bytes);
    i->count = 0;
}

static bool is_zeros(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

void image_store_file(const image_file *f, const char *directory) {
    enum { PIECE = 4096 };
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, f->name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)f->size), 0);
    for (size_t at = 0; at < f->size; at += PIECE) {
        size_t n = f->size - at < PIECE ? f->size - at : PIECE;
        if (!is_zeros(f->bytes + at, n))
            assert_int_equal(pwrite(fd, f->bytes + at, n, (off_t)at), n);
    }
    close(fd);
}

void image_store(const image *i, const char *directory) {
    remove_directory(directory);
    assert_int_equal(mkdir(directory, 0777), 0);
    for (size_t f = 0; f < i->count; f++) {
        char path[200];
        const char *slash = strchr(i->files[f].name, '/');
        if (slash) {
            snprintf(path, sizeof path, "%s/%.*s", directory, (int)(slash - i->files[f].name),
                     i->files[f].name);
            assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
        }
        image_store_file(&i->files[f], directory);
    }
}

int image_enter(void **state) {
#ifdef __GLIBC__
    /* A test opens an index thousands of times. The process keeps large blocks, instead of mapping
     * and clearing them each time. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
    return enter_own_directory(state);
}

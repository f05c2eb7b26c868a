/* A model of the disk after a crash: see disk.h. */
#include "durability/disk.h"

#include "durability/image.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTOR = 512, VERSIONS = 6 };

/* Its contents since the last durable one, which is the first; none: zeros. */
typedef struct sector {
    unsigned char *versions[VERSIONS];
    unsigned count;
    bool dirty; /* the next sync drops all versions but the last */
} sector;

typedef struct file {
    sector *sectors;
    size_t sector_count;
    uint64_t sizes[VERSIONS];
    unsigned size_count;
} file;

typedef struct entry {
    char name[32], to[32];
    unsigned file;
    system_event_kind kind;
} entry;

enum { FILES = 4000, ENTRIES = 400 };

struct disk {
    file files[FILES];
    size_t file_count;
    entry names[ENTRIES]; /* the durable names */
    size_t name_count;
    entry changes[ENTRIES]; /* changes of names since then */
    size_t change_count;
    bool there, there_durable;
};

disk *disk_create(void) {
    disk *d = calloc(1, sizeof *d);
    assert_non_null(d);
    return d;
}

static void forget_versions(sector *at, unsigned count) {
    for (unsigned v = 0; v < count; v++) free(at->versions[v]);
    memmove(at->versions, at->versions + count, (at->count - count) * sizeof *at->versions);
    at->count -= count;
}

void disk_free(disk *d) {
    for (size_t f = 0; f < d->file_count; f++) {
        for (size_t i = 0; i < d->files[f].sector_count; i++)
            forget_versions(&d->files[f].sectors[i], d->files[f].sectors[i].count);
        free(d->files[f].sectors);
    }
    free(d);
}

/* ---- files */

static unsigned char *make_version(const sector *of) {
    unsigned char *bytes = calloc(1, SECTOR);
    assert_non_null(bytes);
    if (of && of->count > 0) memcpy(bytes, of->versions[of->count - 1], SECTOR);
    return bytes;
}

/* Adds a version: a copy of the last one. */
static unsigned char *change_sector(file *f, uint64_t index) {
    if (index >= f->sector_count) {
        size_t count = (size_t)index + 64;
        f->sectors = realloc(f->sectors, count * sizeof *f->sectors);
        assert_non_null(f->sectors);
        memset(f->sectors + f->sector_count, 0, (count - f->sector_count) * sizeof *f->sectors);
        f->sector_count = count;
    }
    sector *at = &f->sectors[index];
    if (at->count == 0) at->versions[at->count++] = make_version(NULL);
    if (at->count == VERSIONS) { /* a middle version is dropped */
        free(at->versions[1]);
        memmove(at->versions + 1, at->versions + 2, (VERSIONS - 2) * sizeof *at->versions);
        at->count--;
    }
    unsigned char *bytes = make_version(at);
    at->versions[at->count++] = bytes;
    at->dirty = true;
    return bytes;
}

static uint64_t size_of(const file *f) { return f->sizes[f->size_count - 1]; }

static void change_size(file *f, uint64_t size) {
    if (size == size_of(f)) return;
    if (f->size_count == VERSIONS) {
        memmove(f->sizes + 1, f->sizes + 2, (VERSIONS - 2) * sizeof *f->sizes);
        f->size_count--;
    }
    f->sizes[f->size_count++] = size;
}

static void write_file(file *f, uint64_t offset, const unsigned char *bytes, size_t size) {
    if (offset + size > size_of(f)) change_size(f, offset + size);
    while (size > 0) {
        size_t within = (size_t)(offset % SECTOR),
               n = size < SECTOR - within ? size : SECTOR - within;
        memcpy(change_sector(f, offset / SECTOR) + within, bytes, n);
        bytes += n;
        offset += n;
        size -= n;
    }
}

/* Bytes that are cut off are zeros if the file grows again. */
static void resize_file(file *f, uint64_t size) {
    for (uint64_t i = size / SECTOR; size < size_of(f) && i < f->sector_count; i++) {
        size_t within = i == size / SECTOR ? (size_t)(size % SECTOR) : 0;
        if (f->sectors[i].count > 0) memset(change_sector(f, i) + within, 0, SECTOR - within);
    }
    change_size(f, size);
}

static void sync_file(file *f, bool failed) {
    for (size_t i = 0; i < f->sector_count; i++) {
        sector *at = &f->sectors[i];
        if (at->dirty && !failed) forget_versions(at, at->count - 1);
        at->dirty = false;
    }
    if (failed) return;
    f->sizes[0] = size_of(f);
    f->size_count = 1;
}

/* ---- names */

static entry *find(entry *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].name, name) == 0) return &names[i];
    return NULL;
}

static void change_names(entry *names, size_t *count, const entry *change) {
    entry *old = find(names, *count, change->kind == EVENT_RENAME ? change->to : change->name);
    bool made = change->kind == EVENT_CREATE || change->kind == EVENT_DIRECTORY;
    if (old && !made) *old = names[--*count];
    if (change->kind == EVENT_RENAME) {
        entry *renamed = find(names, *count, change->name);
        assert_non_null(renamed);
        strcpy(renamed->name, change->to);
    }
    if (!made) return;
    assert_null(old);
    assert_true(*count < ENTRIES);
    names[(*count)++] = *change;
}

static void add_change(disk *d, const system_event *e) {
    assert_true(d->change_count < ENTRIES);
    entry *change = &d->changes[d->change_count++];
    *change = (entry){.file = e->file, .kind = e->kind};
    strcpy(change->name, e->name);
    strcpy(change->to, e->to);
    if (e->kind != EVENT_CREATE && e->kind != EVENT_DIRECTORY) return;
    assert_true(e->file == d->file_count && d->file_count < FILES);
    d->files[d->file_count++] = (file){.size_count = 1};
}

static bool is_in(const char *name, const char *directory) {
    size_t length = strlen(directory);
    return length == 0 ? !strchr(name, '/')
                       : strncmp(name, directory, length) == 0 && name[length] == '/';
}

static void sync_names(disk *d, const char *directory) {
    size_t left = 0;
    for (size_t i = 0; i < d->change_count; i++) {
        if (is_in(d->changes[i].name, directory))
            change_names(d->names, &d->name_count, &d->changes[i]);
        else d->changes[left++] = d->changes[i];
    }
    d->change_count = left;
}

void disk_apply(disk *d, const system_event *e) {
    file *f = &d->files[e->file];
    switch (e->kind) {
    case EVENT_DIRECTORY:
        if (e->name[0]) add_change(d, e);
        else d->there = true;
        break;
    case EVENT_CREATE:
    case EVENT_REMOVE:
    case EVENT_RENAME: add_change(d, e); break;
    case EVENT_WRITE: write_file(f, e->offset, e->bytes, (size_t)e->size); break;
    case EVENT_RESIZE: resize_file(f, e->size); break;
    case EVENT_SYNC: sync_file(f, false); break;
    case EVENT_SYNC_FAILED: sync_file(f, true); break;
    case EVENT_SYNC_NAMES: sync_names(d, e->name); break;
    case EVENT_SYNC_PARENT: d->there_durable = d->there; break;
    case EVENT_NOTE: break;
    }
}

/* ---- a crash */

/* Chooses one of `count` versions, the oldest first; `lean` of 4: how often it is the newest. */
static unsigned choose(unsigned count, disk_choice choice, unsigned lean, uint64_t *seed) {
    if (choice == DISK_NEWEST) return count - 1;
    if (choice != DISK_ANY) return 0;
    return random_below(seed, 4) < lean ? count - 1 : (unsigned)random_below(seed, count);
}

static void make_file(const file *f, const char *path, disk_choice choice, unsigned lean,
                      uint64_t *seed) {
    size_t size = (size_t)f->sizes[choose(f->size_count, choice, lean, seed)], end = 0;
    unsigned char *bytes = calloc(f->sector_count + 1, SECTOR);
    assert_non_null(bytes);
    for (size_t i = 0; i < f->sector_count && i * SECTOR < size; i++) {
        const sector *at = &f->sectors[i];
        if (at->count == 0) continue;
        memcpy(bytes + i * SECTOR, at->versions[choose(at->count, choice, lean, seed)], SECTOR);
        end = (i + 1) * SECTOR < size ? (i + 1) * SECTOR : size;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, end, 0), end);
    if (size > end) assert_int_equal(ftruncate(fd, (off_t)size), 0);
    close(fd);
    free(bytes);
}

void disk_crash(const disk *d, disk_choice choice, uint64_t *seed, const char *to) {
    entry names[ENTRIES];
    size_t count = d->name_count;
    unsigned lean = (unsigned)random_below(seed, 5);
    remove_directory(to);
    bool there = choice == DISK_NEWEST || choice == DISK_NAMES ? d->there : d->there_durable;
    if (choice == DISK_ANY && d->there && random_below(seed, 2)) there = true;
    if (!there) return;
    assert_int_equal(mkdir(to, 0777), 0);
    memcpy(names, d->names, count * sizeof *names);
    unsigned changes = choose((unsigned)d->change_count + 1,
                              choice == DISK_NAMES ? DISK_NEWEST : choice, lean, seed);
    for (unsigned i = 0; i < changes; i++) change_names(names, &count, &d->changes[i]);
    for (size_t i = 0; i < count; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%.31s", to, names[i].name);
        if (names[i].kind == EVENT_DIRECTORY) assert_int_equal(mkdir(path, 0777), 0);
    }
    for (size_t i = 0; i < count; i++) {
        char path[200], directory[32] = "";
        const char *slash = strchr(names[i].name, '/');
        if (slash)
            snprintf(directory, sizeof directory, "%.*s", (int)(slash - names[i].name),
                     names[i].name);
        snprintf(path, sizeof path, "%s/%.31s", to, names[i].name);
        bool lost = slash && !find(names, count, directory);
        if (names[i].kind != EVENT_DIRECTORY && !lost)
            make_file(&d->files[names[i].file], path, choice, lean, seed);
    }
}

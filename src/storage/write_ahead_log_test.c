/* The write-ahead log against a model of the disk after a crash, and against frozen bytes. */
#include "storage/write_ahead_log.h"

#include "own_directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NUMBER = 77, SECTOR = 512, HEAD = 512 };

/* Each state of the disk is a file of at least ND_WAL_STEP bytes, which takes time. */
enum { CRASH_ROUNDS = ND_LIMIT(15, 80) };

/* ---- the oracle: all appended records */

typedef struct entry {
    uint16_t type;
    bool last;
    size_t size;
    unsigned char *payload;
} entry;

static entry entries[4000];
static size_t entry_count, group_count;

static void forget_from(size_t groups) {
    while (entry_count > 0 && (group_count > groups || !entries[entry_count - 1].last)) {
        free(entries[--entry_count].payload);
        group_count -= entries[entry_count].last;
    }
}

static size_t random_size(uint64_t *seed) {
    switch (random_below(seed, 6)) {
    case 0: return random_below(seed, 4);
    case 1: return random_below(seed, 40);
    case 2: return 470 + random_below(seed, 50);
    case 3: return 500 + random_below(seed, 30) + 511 * random_below(seed, 3);
    case 4: return random_below(seed, 600);
    default: return random_below(seed, 2500);
    }
}

/* Payloads that look like bytes never written (zeros, zeros at the end), or like other records (the
 * file's own bytes). */
static void fill_payload(entry *e, uint64_t *seed) {
    e->payload = malloc(e->size + 1);
    assert_non_null(e->payload);
    for (size_t i = 0; i < e->size; i++) e->payload[i] = (unsigned char)random_next(seed);
    size_t kind = random_below(seed, 5), zeros = kind == 0   ? e->size
                                                 : kind == 1 ? random_below(seed, e->size + 1)
                                                             : 0;
    memset(e->payload + (e->size - zeros), 0, zeros);
    FILE *f = kind == 2 ? fopen("log", "r") : NULL;
    if (!f) return;
    assert_int_equal(fseek(f, (long)(HEAD + 16 * random_below(seed, 20)), SEEK_SET), 0);
    size_t n = fread(e->payload, 1, e->size, f);
    assert_true(n <= e->size);
    fclose(f);
}

static void append_entry(nd_wal *log, uint16_t type, size_t size, bool last, uint64_t *seed) {
    nd_error error;
    entry *e = &entries[entry_count];
    assert_true(entry_count < sizeof entries / sizeof *entries);
    *e = (entry){.type = type, .last = last, .size = size};
    fill_payload(e, seed);
    assert_int_equal(nd_wal_append(log, e->type, e->payload, e->size, &error), ND_OK);
    entry_count++;
    group_count += last;
}

static void append_random(nd_wal *log, uint64_t *seed) {
    for (size_t left = 1 + random_below(seed, 4); left > 0; left--) {
        uint16_t type = (uint16_t)(1 + random_below(seed, 0x7fff));
        append_entry(log, type, random_size(seed), left == 1, seed);
    }
}

typedef struct given {
    size_t entries, groups;
} given;

static nd_status compare(void *context, uint16_t type, const unsigned char *payload, size_t size,
                         nd_error *error) {
    (void)error;
    given *g = context;
    assert_true(g->entries < entry_count);
    const entry *e = &entries[g->entries++];
    assert_int_equal(type, e->type);
    assert_int_equal(size, e->size);
    if (size > 0) assert_memory_equal(payload, e->payload, size);
    g->groups += e->last;
    return ND_OK;
}

typedef struct outcome {
    nd_status status;
    size_t groups;
    nd_wal_tail tail;
    nd_error error;
} outcome;

/* Reads a log. The records must equal the appended ones, in whole groups. */
static outcome read_log(const char *path) {
    outcome o = {0};
    given g = {0};
    o.status = nd_wal_read(path, NUMBER, compare, &g, &nd_allocator_default, &o.tail, &o.error);
    assert_true(g.entries == 0 || entries[g.entries - 1].last);
    o.groups = g.groups;
    return o;
}

static outcome expect_groups(const char *path, size_t least, size_t most) {
    outcome o = read_log(path);
    if (o.status != ND_OK) fail_msg("%s", o.error.message);
    if (o.groups < least || o.groups > most)
        fail_msg("%zu groups, not %zu to %zu", o.groups, least, most);
    return o;
}

static nd_wal *create(void) {
    nd_wal *log;
    nd_error error;
    forget_from(0);
    assert_int_equal(nd_wal_create("log", NUMBER, &nd_allocator_default, &log, &error), ND_OK);
    return log;
}

static nd_status commit(nd_wal *log, bool sync, nd_error *error) {
    return sync ? nd_wal_commit_and_sync(log, error) : nd_wal_commit(log, error);
}

/* The ways in which a group ends. After the last two it is durable. */
typedef enum way { COMMIT, SEAL, SEAL_AND_SYNC, COMMIT_AND_SYNC, WAYS } way;

static nd_status end_group(nd_wal *log, way w, nd_error *error) {
    if (w == COMMIT || w == COMMIT_AND_SYNC) return commit(log, w == COMMIT_AND_SYNC, error);
    nd_status status = nd_wal_seal(log, error);
    return status == ND_OK && w == SEAL_AND_SYNC ? nd_wal_sync(log, error) : status;
}

static nd_wal *reopen(const outcome *o) {
    nd_wal *log = NULL;
    nd_error error;
    if (nd_wal_open("log", NUMBER, o->tail, &nd_allocator_default, &log, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_int_equal(nd_wal_size(log), o->tail.end);
    return log;
}

/* ---- a model of the disk after a crash
 *
 * This test replaces the system calls with which the library writes. Writes go to the file, which
 * stands for the system's memory; a sync makes them durable. Until then each sector on the disk may
 * have any of the contents that it had since the last sync, and the file any of its sizes. Each
 * write is applied in two steps, so that a sector may also hold a part of one write. */

typedef struct version {
    uint64_t sector;
    unsigned char bytes[SECTOR];
} version;

static struct {
    bool watched;    /* the model is updated, and crashes are tried */
    bool short_once; /* writes may be cut short */
    long fails_in;   /* calls that still succeed; < 0: all */
    uint64_t seed;
    unsigned char *durable, *cache;
    size_t durable_size, cache_size, room;
    version *versions; /* since the last sync */
    size_t version_count, version_room;
    size_t sizes[8], size_count;
    size_t acknowledged; /* groups that a crash must keep; it may keep up to group_count */
    unsigned char *crashed;
    size_t crashed_size;
    bool has_next; /* `next` is one of the tried states; the next life may begin with it */
    unsigned char *next;
    size_t next_size, next_least, next_most;
    size_t tried, with_tear, with_loss;
} world = {.fails_in = -1};

static void put_file(const char *path, const unsigned char *bytes, size_t size) {
    static const unsigned char zeros[SECTOR];
    size_t used = size;
    while (used >= SECTOR && memcmp(bytes + used - SECTOR, zeros, SECTOR) == 0) used -= SECTOR;
    unlink(path); /* some file systems write a file at once if it replaces another */
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, used, f), used);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(truncate(path, (off_t)size), 0);
}

static size_t get_file(const char *path, unsigned char *bytes, size_t room) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t size = fread(bytes, 1, room, f);
    fclose(f);
    return size;
}

/* Puts a possible state of the disk into world.crashed. */
static void make_crash(void) {
    uint64_t *seed = &world.seed;
    static const unsigned chances[] = {100, 0, 50, 90, 10, 97};
    unsigned chance = chances[random_below(seed, 6)]; /* percent of the versions on disk */
    memset(world.crashed, 0, world.room);
    memcpy(world.crashed, world.durable, world.durable_size);
    for (size_t v = 0; v < world.version_count; v++)
        if (random_below(seed, 100) < chance)
            memcpy(world.crashed + world.versions[v].sector * SECTOR, world.versions[v].bytes,
                   SECTOR);
    size_t of = random_below(seed, world.size_count + 1);
    world.crashed_size = of == 0 ? world.durable_size : world.sizes[of - 1];
}

static void try_crash(void) {
    for (unsigned i = 0; i < 2; i++) {
        make_crash();
        put_file("crash", world.crashed, world.crashed_size);
        outcome o = expect_groups("crash", world.acknowledged, group_count);
        world.tried++;
        world.with_tear += o.tail.torn;
        world.with_loss += o.groups < group_count;
        if (world.has_next && random_below(&world.seed, 8) > 0) continue;
        world.has_next = true;
        memcpy(world.next, world.crashed, world.crashed_size);
        world.next_size = world.crashed_size;
        world.next_least = world.acknowledged;
        world.next_most = group_count;
    }
}

static void keep_versions(size_t begin, size_t end) {
    for (size_t sector = begin / SECTOR; sector * SECTOR < end; sector++) {
        if (world.version_count == world.version_room) {
            world.version_room = world.version_room * 2 + 64;
            world.versions = realloc(world.versions, world.version_room * sizeof *world.versions);
            assert_non_null(world.versions);
        }
        version *v = &world.versions[world.version_count++];
        v->sector = sector;
        memcpy(v->bytes, world.cache + sector * SECTOR, SECTOR);
    }
}

static bool is_log(int fd) {
    struct stat s;
    return world.watched && fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

static bool fails(void) { return world.fails_in >= 0 && world.fails_in-- == 0; }

/* The system's own call, which the replaced one hides. */
static ssize_t really_write(int fd, const void *bytes, size_t size, off_t offset) {
    return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

static void write_model(size_t at, const void *bytes, size_t size) {
    assert_true(at + size <= world.durable_size); /* the file is extended and synced before */
    memcpy(world.cache + at, bytes, size);
    keep_versions(at, at + size);
    try_crash();
}

/* A failing write may have written a part. */
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    bool failing = fails();
    if (failing) size = random_below(&world.seed, size);
    else if (world.short_once && random_below(&world.seed, 2))
        size = 1 + random_below(&world.seed, size);
    if (is_log(fd)) {
        write_model((size_t)offset, bytes, random_below(&world.seed, size + 1));
        write_model((size_t)offset, bytes, size);
    }
    ssize_t written = size > 0 ? really_write(fd, bytes, size, offset) : 0;
    errno = ENOSPC;
    return failing ? -1 : written;
}

int ftruncate(int fd, off_t size) {
    if (fails()) {
        errno = ENOSPC;
        return -1;
    }
    if (is_log(fd)) {
        assert_true((size_t)size <= world.room && world.size_count < 8);
        world.cache_size = world.sizes[world.size_count++] = (size_t)size;
        try_crash();
    }
    return (int)syscall(SYS_ftruncate, fd, size);
}

/* Makes the versions since the last sync durable. Sectors without a version stay as they are on the
 * disk, whatever the system's memory holds. */
static void make_durable(void) {
    for (size_t v = 0; v < world.version_count; v++)
        memcpy(world.durable + world.versions[v].sector * SECTOR, world.versions[v].bytes, SECTOR);
    world.durable_size = world.cache_size;
    world.version_count = world.size_count = 0;
}

/* A failing sync has written some of the versions. The others are lost: the next sync does not
 * write them, because the system takes them for written. */
int fsync(int fd) {
    bool failing = fails();
    if (is_log(fd)) {
        if (!failing) try_crash();
        if (failing) make_crash();
        if (failing) memcpy(world.durable, world.crashed, world.room);
        if (failing) world.version_count = 0;
        make_durable();
        try_crash();
    }
    errno = EIO;
    return failing ? -1 : 0;
}

/* Waiting before a retry takes no time. */
int nanosleep(const struct timespec *wanted, struct timespec *left) {
    (void)wanted, (void)left;
    return 0;
}

/* Starts the model with the file as it is, all of it durable. */
static void watch(void) {
    memset(world.cache, 0, world.room);
    world.cache_size = world.durable_size = get_file("log", world.cache, world.room);
    memcpy(world.durable, world.cache, world.room);
    world.version_count = world.size_count = 0;
    world.watched = true;
}

static int set_up_world(void **state) {
    (void)state;
    world.room = 64 * 1024 + 2 * (size_t)ND_WAL_STEP;
    world.durable = calloc(world.room, 1);
    world.cache = calloc(world.room, 1);
    world.crashed = calloc(world.room, 1);
    world.next = calloc(world.room, 1);
    return world.durable && world.cache && world.crashed && world.next ? 0 : -1;
}

static int end_world(void **state) {
    (void)state;
    forget_from(0);
    free(world.durable);
    free(world.cache);
    free(world.crashed);
    free(world.next);
    free(world.versions);
    memset(&world, 0, sizeof world);
    world.fails_in = -1;
    unlink("log");
    unlink("crash");
    return 0;
}

/* Writes some groups, some of them synced, and some of them while the next one is begun. False: a
 * call failed, as the model made it do. */
static bool live(nd_wal *log, uint64_t *seed) {
    nd_error error;
    for (size_t groups = 1 + random_below(seed, 5); groups > 0; groups--) {
        way w = (way)random_below(seed, WAYS);
        append_random(log, seed);
        if (end_group(log, w, &error) == ND_OK) {
            if (w >= SEAL_AND_SYNC) world.acknowledged = group_count;
            continue;
        }
        nd_error again;
        assert_true(world.fails_in < 0 && error.status == ND_ERR_IO);
        assert_int_equal(nd_wal_commit_and_sync(log, &again), ND_ERR_IO);
        assert_int_equal(nd_wal_seal(log, &again), ND_ERR_IO);
        if (w == SEAL_AND_SYNC) return false; /* the failure may be the sync's alone */
        assert_string_equal(again.message, error.message);
        assert_int_equal(nd_wal_append(log, 1, "x", 1, &again), ND_ERR_IO);
        assert_string_equal(again.message, error.message);
        return false;
    }
    nd_error ignored;
    nd_status status = nd_wal_commit(log, &ignored); /* without a group: writes a sealed one */
    assert_true(status == ND_OK || world.fails_in < 0);
    return status == ND_OK;
}

/* Opens the log again, from any state of the file. All records read are acknowledged from then on.
 */
static nd_wal *recover(void) {
    outcome o = expect_groups("log", world.acknowledged, group_count);
    forget_from(o.groups);
    world.has_next = false;
    nd_wal *log = reopen(&o);
    world.acknowledged = group_count;
    return log;
}

/* The machine stops at a moment since the last recovery began, and starts again. */
static void crash(void) {
    if (!world.has_next) return;
    world.watched = false;
    world.acknowledged = world.next_least;
    forget_from(world.next_most);
    put_file("log", world.next, world.next_size);
    watch();
}

/* Lives of a log that end in a crash, with a failed call, or well. Each life goes on with the file
 * of the one before. */
static void test_crashes(void **state) {
    (void)state;
    for (uint64_t round = 0; round < CRASH_ROUNDS; round++) {
        uint64_t seed = round;
        world.seed = ~round;
        world.watched = false;
        world.short_once = round % 2;
        unlink("log");
        nd_wal *log = create();
        world.acknowledged = 0;
        world.has_next = false;
        watch();
        for (int lives = 0; lives < 8 && nd_wal_size(log) < 60000; lives++) {
            unsigned fate = (unsigned)random_below(&seed, 4);
            world.fails_in = fate == 0 ? (long)random_below(&seed, 8) : -1;
            live(log, &seed);
            world.fails_in = -1;
            nd_wal_close(log);
            if (random_below(&seed, 2)) crash();
            log = recover();
        }
        nd_wal_close(log);
        expect_groups("log", group_count, group_count);
    }
    assert_true(world.tried > 1000 && world.with_tear > 100 && world.with_loss > 100);
}

/* ---- damage */

static void clean_log(uint64_t seed, size_t groups) {
    nd_error error;
    nd_wal *log = create();
    for (size_t g = 0; g < groups; g++) {
        append_random(log, &seed);
        assert_int_equal(commit(log, g % 4 != 2, &error), ND_OK);
    }
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    nd_wal_close(log);
    expect_groups("log", group_count, group_count);
}

/* Reading gives all acknowledged groups, or an error with the file and the byte of the damage. */
static bool expect_whole_or_named(const char *path) {
    outcome o = read_log(path);
    if (o.status == ND_OK) {
        assert_int_equal(o.groups, group_count);
        return true;
    }
    assert_int_equal(o.status, ND_ERR_CORRUPT);
    assert_int_equal(strncmp(o.error.message, path, strlen(path)), 0);
    assert_int_equal(strncmp(o.error.message + strlen(path), ": ", 2), 0);
    assert_non_null(strstr(o.error.message, " at byte "));
    return false;
}

static void change_byte(const char *path, long offset, unsigned char byte) {
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, offset, SEEK_SET), 0);
    assert_int_equal(fputc(byte, f), byte);
    assert_int_equal(fclose(f), 0);
}

static void test_flipped_bytes(void **state) {
    (void)state;
    for (uint64_t round = 0; round < test_rounds(3); round++) {
        clean_log(100 + round, 5);
        uint64_t seed = round;
        size_t size = get_file("log", world.cache, world.room),
               end = (size_t)read_log("log").tail.end, named = 0;
        for (size_t at = 0; at < size;
             at += at < end + 100 ? 1 : 1 + random_below(&seed, size / 16)) {
            unsigned char was = world.cache[at];
            const unsigned char others[] = {0, 0xff,
                                            (unsigned char)(was ^ (1 + random_below(&seed, 255))),
                                            (unsigned char)(was ^ 1)};
            for (size_t i = 0; i < sizeof others; i++) {
                if (others[i] == was) continue;
                change_byte("log", (long)at, others[i]);
                named += !expect_whole_or_named("log");
            }
            change_byte("log", (long)at, was);
        }
        assert_true(named > end);
        expect_groups("log", group_count, group_count);
        unlink("log");
    }
}

static void test_cut_off(void **state) {
    (void)state;
    clean_log(200, 6);
    size_t size = get_file("log", world.cache, world.room), end = (size_t)read_log("log").tail.end;
    for (size_t cut = 0; cut <= size;
         cut += cut < end + 100 || cut + 100 > size ? 1 : 1 + size / 1000) {
        put_file("crash", world.cache, cut);
        bool whole = expect_whole_or_named("crash");
        assert_int_equal(whole, cut >= end + 16 && cut % ND_WAL_STEP == 0);
    }
    unlink("log");
}

/* A lost sector is torn if no mark proves that it was durable; otherwise it is damaged. */
static void test_lost_sectors(void **state) {
    (void)state;
    nd_error error;
    uint64_t seed = 300;
    nd_wal *log = create();
    size_t last_begin = 0, seen = 0;
    for (size_t g = 0; g < 12; g++) {
        last_begin = (size_t)nd_wal_size(log);
        append_random(log, &seed);
        assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    }
    size_t end = (size_t)nd_wal_size(log), size = get_file("log", world.cache, world.room);
    nd_wal_close(log);
    for (size_t sector = 1; sector * SECTOR < end; sector++) {
        memcpy(world.crashed, world.cache, size);
        memset(world.crashed + sector * SECTOR, 0, SECTOR);
        put_file("crash", world.crashed, size);
        outcome o = read_log("crash");
        if (o.status == ND_OK && o.groups == group_count)
            continue; /* it held only zeros and their witness */
        if ((sector + 1) * SECTOR <= last_begin) assert_int_equal(o.status, ND_ERR_CORRUPT);
        else if (sector * SECTOR >= last_begin)
            assert_true(o.status == ND_OK && o.tail.torn && o.groups == group_count - 1);
        seen++;
    }
    assert_true(seen > end / SECTOR / 2);
    unlink("log");
    unlink("crash");
}

/* ---- errors */

static nd_status read_to(const char *path, uint64_t number, nd_error *error) {
    given g = {0};
    nd_wal_tail tail;
    return nd_wal_read(path, number, compare, &g, &nd_allocator_default, &tail, error);
}

static void test_errors(void **state) {
    (void)state;
    nd_error error;
    nd_wal *log = create(), *other = NULL;
    assert_int_equal(nd_wal_create("log", NUMBER, &nd_allocator_default, &other, &error),
                     ND_ERR_IO);
    assert_string_equal(error.message, "log: cannot make it: File exists");
    assert_int_equal(nd_wal_create("none/log", NUMBER, &nd_allocator_default, &other, &error),
                     ND_ERR_IO);
    assert_int_equal(nd_wal_append(log, 0, "", 0, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_wal_append(log, 0x8000, "", 0, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "the type of a log record must be 1 to 32767, not 32768");
    assert_int_equal(nd_wal_append(log, 1, "", (size_t)ND_WAL_MAX_RECORD + 1, &error),
                     ND_ERR_ARGUMENT);
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    assert_int_equal(nd_wal_size(log), HEAD);
    nd_wal_close(log);
    nd_wal_close(NULL);
    assert_int_equal(read_to("none", NUMBER, &error), ND_ERR_IO);
    assert_string_equal(error.message, "none: cannot open: No such file or directory");
    assert_int_equal(read_to("log", NUMBER + 1, &error), ND_ERR_CORRUPT);
    assert_string_equal(error.message, "log: another log: number 77 at byte 16");
    assert_int_equal(nd_wal_open("log", NUMBER + 1, (nd_wal_tail){.end = HEAD},
                                 &nd_allocator_default, &other, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(nd_wal_open("none", NUMBER, (nd_wal_tail){.end = HEAD}, &nd_allocator_default,
                                 &other, &error),
                     ND_ERR_IO);
    assert_int_equal(nd_wal_open("log", NUMBER, (nd_wal_tail){.end = ND_WAL_STEP},
                                 &nd_allocator_default, &other, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(read_to(".", NUMBER, &error), ND_ERR_CORRUPT);
    put_file("crash", (const unsigned char *)"", 0);
    assert_int_equal(read_to("crash", NUMBER, &error), ND_ERR_CORRUPT);
    assert_string_equal(error.message, "crash: cut off at byte 0");
    unlink("log");
    unlink("crash");
}

static nd_status stop(void *context, uint16_t type, const unsigned char *payload, size_t size,
                      nd_error *error) {
    (void)payload;
    *(size_t *)context += size;
    return nd_fail(error, ND_ERR_CORRUPT, "a record of type %u", type);
}

/* A failure of the receiver is not mistaken for damage of the file, which would be read again. */
static void test_receiver_fails(void **state) {
    (void)state;
    nd_error error;
    nd_wal *log = create();
    assert_int_equal(nd_wal_append(log, 5, "abc", 3, &error), ND_OK);
    assert_int_equal(nd_wal_commit(log, &error), ND_OK);
    nd_wal_close(log);
    size_t seen = 0;
    nd_wal_tail tail;
    assert_int_equal(nd_wal_read("log", NUMBER, stop, &seen, &nd_allocator_default, &tail, &error),
                     ND_ERR_CORRUPT);
    assert_string_equal(error.message, "a record of type 5");
    assert_int_equal(seen, 3);
    unlink("log");
}

/* Each call of a life fails once: the failure is reported, no acknowledged group is lost, and the
 * next life goes on. */
static void test_failing_calls(void **state) {
    (void)state;
    bool failed = true;
    for (long n = 0; failed; n++) {
        uint64_t seed = 400;
        nd_error error;
        nd_wal *log = NULL;
        forget_from(0);
        world.acknowledged = 0;
        world.fails_in = n;
        nd_status status = nd_wal_create("log", NUMBER, &nd_allocator_default, &log, &error);
        if (status == ND_OK) {
            for (bool well = true; well && group_count < 12;) well = live(log, &seed);
            nd_wal_close(log);
        } else {
            assert_int_equal(status, ND_ERR_IO);
            assert_int_not_equal(access("log", F_OK), 0);
        }
        failed = world.fails_in < 0;
        world.fails_in = -1;
        if (status != ND_OK) continue;
        log = recover();
        live(log, &seed);
        nd_wal_close(log);
        expect_groups("log", group_count, group_count);
        unlink("log");
    }
}

/* The same during recovery. */
static void test_failing_recovery(void **state) {
    (void)state;
    nd_error error;
    bool failed = true;
    uint64_t seed = 501;
    clean_log(500, 3);
    outcome clean = read_log("log");
    nd_wal *log = reopen(&clean);
    append_entry(log, 1, 3000, true, &seed);
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    nd_wal_close(log);
    size_t size = get_file("log", world.cache, world.room);
    memset(world.cache + clean.tail.end + 1000, 0, SECTOR);
    for (long n = 0; failed; n++) {
        put_file("log", world.cache, size);
        outcome o = read_log("log");
        assert_true(o.status == ND_OK && o.tail.torn && o.tail.end == clean.tail.end);
        world.fails_in = n;
        nd_status status = nd_wal_open("log", NUMBER, o.tail, &nd_allocator_default, &log, &error);
        failed = world.fails_in < 0;
        world.fails_in = -1;
        assert_int_equal(status, failed ? ND_ERR_IO : ND_OK);
        if (!failed) nd_wal_close(log);
        assert_int_equal(expect_groups("log", o.groups, o.groups).tail.end, o.tail.end);
    }
    assert_false(read_log("log").tail.torn);
    unlink("log");
}

static void test_failing_memory(void **state) {
    (void)state;
    nd_status status = ND_ERR_MEMORY;
    for (long n = 0; status != ND_OK; n++) {
        failing_allocator memory = {.left = n};
        nd_allocator allocator = failing_allocator_make(&memory);
        nd_error error;
        nd_wal *log = NULL;
        given g = {0};
        uint64_t seed = 600;
        nd_wal_tail tail = {0};
        unlink("log");
        clean_log(seed, 3);
        status = nd_wal_read("log", NUMBER, compare, &g, &allocator, &tail, &error);
        if (status == ND_OK) status = nd_wal_open("log", NUMBER, tail, &allocator, &log, &error);
        for (size_t i = 0; i < 4 && status == ND_OK; i++)
            status = nd_wal_append(log, 1, entries[i].payload, entries[i].size, &error);
        if (status == ND_OK) status = nd_wal_commit_and_sync(log, &error);
        nd_wal_close(log);
        if (status == ND_OK) {
            unlink("log");
            status = nd_wal_create("log", NUMBER, &allocator, &log, &error);
            if (status == ND_OK) nd_wal_close(log);
        }
        assert_true(status == ND_OK || status == ND_ERR_MEMORY);
        assert_int_equal(memory.live, 0);
    }
    unlink("log");
}

/* A record that finds no memory leaves its group unchanged. */
static void test_append_again(void **state) {
    (void)state;
    failing_allocator memory = {.left = FAILING_ALLOCATOR_NEVER};
    nd_allocator allocator = failing_allocator_make(&memory);
    nd_error error;
    nd_wal *log;
    uint64_t seed = 650;
    forget_from(0);
    assert_int_equal(nd_wal_create("log", NUMBER, &allocator, &log, &error), ND_OK);
    for (size_t i = 0; i < 3; i++) {
        append_entry(log, 9, 1000, i == 2, &seed);
        memory.left = 0;
        unsigned char payload[5000] = {0};
        assert_int_equal(nd_wal_append(log, 8, payload, sizeof payload, &error), ND_ERR_MEMORY);
        memory.left = FAILING_ALLOCATOR_NEVER;
    }
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    nd_wal_close(log);
    expect_groups("log", 1, 1);
    assert_int_equal(memory.live, 0);
    unlink("log");
}

/* ---- the bytes */

/* Bytes that another program made from the format in write_ahead_log.h. */
static void test_golden(void **state) {
    (void)state;
    static const struct {
        size_t offset, size;
        unsigned char bytes[24];
    } golden[] = {{0, 24, {0x6e, 0x64, 0x2d, 0x6c, 0x6f, 0x67, 0x0d, 0x0a, 0x01, 0x00, 0x00, 0x00,
                           0x00, 0x00, 0x00, 0x00, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01}},
                  {504, 8, {0x02, 0x1a, 0x50, 0xf6, 0x12, 0x39, 0xbe, 0x4f}},
                  {512,
                   16,
                   {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x5c, 0xe7, 0xac, 0x03, 0xc9, 0x59,
                    0x5e, 0x97, 0xff}},
                  {528,
                   16,
                   {0xb8, 0x01, 0x00, 0x00, 0x01, 0x00, 0x2c, 0xce, 0xa1, 0x3f, 0xf9, 0x90, 0x94,
                    0xb0, 0x49, 0xff}},
                  {976,
                   16,
                   {0xd0, 0xd7, 0xde, 0xe5, 0xec, 0xf3, 0xfa, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
                    0x00, 0x00, 0xff}},
                  {992,
                   16,
                   {0x10, 0x00, 0x00, 0x00, 0xff, 0x7f, 0xbc, 0x88, 0x66, 0xff, 0x07, 0x37, 0x48,
                    0xd2, 0x7c, 0xff}},
                  {1008,
                   16,
                   {0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63,
                    0x64, 0x65, 0xff}},
                  {1024,
                   16,
                   {0x66, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                    0x00, 0x00, 0xff}},
                  {1040,
                   16,
                   {0x00, 0x00, 0x00, 0x00, 0x02, 0x80, 0x6b, 0xdc, 0x6b, 0x47, 0xaa, 0x6a, 0xe2,
                    0xff, 0x6b, 0xff}}};
    nd_error error;
    nd_wal *log;
    unsigned char payload[440];
    for (size_t i = 0; i < sizeof payload; i++) payload[i] = (unsigned char)(i * 7);
    assert_int_equal(nd_wal_create("log", 0x0123456789abcdef, &nd_allocator_default, &log, &error),
                     ND_OK);
    assert_int_equal(nd_wal_append(log, 1, payload, sizeof payload, &error), ND_OK);
    assert_int_equal(nd_wal_append(log, 0x7fff, "0123456789abcdef", 16, &error), ND_OK);
    assert_int_equal(nd_wal_append(log, 2, "", 0, &error), ND_OK);
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    assert_int_equal(nd_wal_size(log), 1056);
    nd_wal_close(log);
    size_t size = get_file("log", world.cache, world.room);
    assert_int_equal(size % ND_WAL_STEP, 0);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
        assert_memory_equal(world.cache + golden[i].offset, golden[i].bytes, golden[i].size);
    for (size_t i = 24; i < 504; i++) assert_int_equal(world.cache[i], 0);
    assert_memory_equal(world.cache + 544, payload, sizeof payload);
    for (size_t i = 1056; i < size; i++) assert_int_equal(world.cache[i], 0);
    unlink("log");
}

/* Records longer than several pieces, and groups of many records. */
static void test_large(void **state) {
    (void)state;
    nd_error error;
    uint64_t seed = 700;
    nd_wal *log = create();
    const size_t sizes[] = {3000000, 0, 1 << 20, 511 * 4096, (1 << 20) - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        append_entry(log, 3, sizes[i], true, &seed);
        assert_int_equal(commit(log, i % 2, &error), ND_OK);
    }
    for (size_t left = 1000; left > 0; left--)
        append_entry(log, 4, random_size(&seed), left == 1, &seed);
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    expect_groups("log", group_count, group_count);
    nd_wal_close(log);
    unlink("log");
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, set_up_world, end_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_crashes),        IN_WORLD(test_flipped_bytes),
        IN_WORLD(test_cut_off),        IN_WORLD(test_lost_sectors),
        IN_WORLD(test_errors),         IN_WORLD(test_receiver_fails),
        IN_WORLD(test_failing_calls),  IN_WORLD(test_failing_recovery),
        IN_WORLD(test_failing_memory), IN_WORLD(test_append_again),
        IN_WORLD(test_golden),         IN_WORLD(test_large),
    };
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

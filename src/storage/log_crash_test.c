/* The write-ahead log against a model of the disk after a crash. */
#include "storage/write_ahead_log.h"

#include "log_records.h"
#include "own_directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Each state of the disk is a file of at least ND_WAL_STEP bytes, which takes time. */
enum { CRASH_ROUNDS = ND_LIMIT(15, 80) };

/* The ways in which a group ends. After the last two it is durable. */
typedef enum way { COMMIT, SEAL, SEAL_AND_SYNC, COMMIT_AND_SYNC, WAYS } way;

static nd_status end_group(nd_wal *log, way w, nd_error *error) {
    if (w == COMMIT || w == COMMIT_AND_SYNC) return log_commit(log, w == COMMIT_AND_SYNC, error);
    nd_status status = nd_wal_seal(log, error);
    return status == ND_OK && w == SEAL_AND_SYNC ? nd_wal_sync(log, error) : status;
}

/* ---- a model of the disk after a crash
 *
 * This test replaces the system calls with which the library writes. Writes go to the file, which
 * stands for the system's memory; a sync makes them durable. Until then each sector on the disk may
 * have any of the contents that it had since the last sync, and the file any of its sizes. Each
 * write is applied in two steps, so that a sector may also hold a part of one write. */

typedef struct version {
    uint64_t sector;
    unsigned char bytes[LOG_SECTOR];
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
    size_t acknowledged; /* groups that a crash must keep; it may keep up to log_group_count */
    unsigned char *crashed;
    size_t crashed_size;
    bool has_next; /* `next` is one of the tried states; the next life may begin with it */
    unsigned char *next;
    size_t next_size, next_least, next_most;
    size_t tried, with_tear, with_loss;
} world = {.fails_in = -1};

/* Puts a possible state of the disk into world.crashed. */
static void make_crash(void) {
    uint64_t *seed = &world.seed;
    static const unsigned chances[] = {100, 0, 50, 90, 10, 97};
    unsigned chance = chances[random_below(seed, 6)]; /* percent of the versions on disk */
    memset(world.crashed, 0, world.room);
    memcpy(world.crashed, world.durable, world.durable_size);
    for (size_t v = 0; v < world.version_count; v++)
        if (random_below(seed, 100) < chance)
            memcpy(world.crashed + world.versions[v].sector * LOG_SECTOR, world.versions[v].bytes,
                   LOG_SECTOR);
    size_t of = random_below(seed, world.size_count + 1);
    world.crashed_size = of == 0 ? world.durable_size : world.sizes[of - 1];
}

static void try_crash(void) {
    for (unsigned i = 0; i < 2; i++) {
        make_crash();
        log_put_file("crash", world.crashed, world.crashed_size);
        log_outcome o = log_expect_groups("crash", world.acknowledged, log_group_count);
        world.tried++;
        world.with_tear += o.tail.torn;
        world.with_loss += o.groups < log_group_count;
        if (world.has_next && random_below(&world.seed, 8) > 0) continue;
        world.has_next = true;
        memcpy(world.next, world.crashed, world.crashed_size);
        world.next_size = world.crashed_size;
        world.next_least = world.acknowledged;
        world.next_most = log_group_count;
    }
}

static void keep_versions(size_t begin, size_t end) {
    for (size_t sector = begin / LOG_SECTOR; sector * LOG_SECTOR < end; sector++) {
        if (world.version_count == world.version_room) {
            world.version_room = world.version_room * 2 + 64;
            world.versions = realloc(world.versions, world.version_room * sizeof *world.versions);
            assert_non_null(world.versions);
        }
        version *v = &world.versions[world.version_count++];
        v->sector = sector;
        memcpy(v->bytes, world.cache + sector * LOG_SECTOR, LOG_SECTOR);
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
        memcpy(world.durable + world.versions[v].sector * LOG_SECTOR, world.versions[v].bytes,
               LOG_SECTOR);
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
    world.cache_size = world.durable_size = log_get_file("log", world.cache, world.room);
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
    log_forget_from(0);
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
        log_append_group(log, seed);
        if (end_group(log, w, &error) == ND_OK) {
            if (w >= SEAL_AND_SYNC) world.acknowledged = log_group_count;
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
    log_outcome o = log_expect_groups("log", world.acknowledged, log_group_count);
    log_forget_from(o.groups);
    world.has_next = false;
    nd_wal *log = log_reopen(&o);
    world.acknowledged = log_group_count;
    return log;
}

/* The machine stops at a moment since the last recovery began, and starts again. */
static void crash(void) {
    if (!world.has_next) return;
    world.watched = false;
    world.acknowledged = world.next_least;
    log_forget_from(world.next_most);
    log_put_file("log", world.next, world.next_size);
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
        nd_wal *log = log_create();
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
        log_expect_groups("log", log_group_count, log_group_count);
    }
    assert_true(world.tried > 1000 && world.with_tear > 100 && world.with_loss > 100);
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
        log_forget_from(0);
        world.acknowledged = 0;
        world.fails_in = n;
        nd_status status = nd_wal_create("log", LOG_NUMBER, &nd_allocator_default, &log, &error);
        if (status == ND_OK) {
            for (bool well = true; well && log_group_count < 12;) well = live(log, &seed);
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
        log_expect_groups("log", log_group_count, log_group_count);
        unlink("log");
    }
}

/* The same during recovery. */
static void test_failing_recovery(void **state) {
    (void)state;
    nd_error error;
    bool failed = true;
    uint64_t seed = 501;
    log_make(500, 3);
    log_outcome clean = log_read("log");
    nd_wal *log = log_reopen(&clean);
    log_append_record(log, 1, 3000, true, &seed);
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    nd_wal_close(log);
    size_t size = log_get_file("log", world.cache, world.room);
    memset(world.cache + clean.tail.end + 1000, 0, LOG_SECTOR);
    for (long n = 0; failed; n++) {
        log_put_file("log", world.cache, size);
        log_outcome o = log_read("log");
        assert_true(o.status == ND_OK && o.tail.torn && o.tail.end == clean.tail.end);
        world.fails_in = n;
        nd_status status = nd_wal_open("log", LOG_NUMBER, o.tail, &nd_allocator_default, &log,
                                       &error);
        failed = world.fails_in < 0;
        world.fails_in = -1;
        assert_int_equal(status, failed ? ND_ERR_IO : ND_OK);
        if (!failed) nd_wal_close(log);
        assert_int_equal(log_expect_groups("log", o.groups, o.groups).tail.end, o.tail.end);
    }
    assert_false(log_read("log").tail.torn);
    unlink("log");
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, set_up_world, end_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_crashes),
        IN_WORLD(test_failing_calls),
        IN_WORLD(test_failing_recovery),
    };
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

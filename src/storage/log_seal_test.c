/* Sealed groups of a log: when they are written, and that another thread may write them. */
#include "storage/write_ahead_log.h"

#include "own_directory.h"

#include "base/bits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NUMBER = 77, SECTOR = 512 };

/* ---- calls of the system: no byte may go to a part of the file that has not been synced */

static atomic_long file_size, synced_size;
static atomic_size_t early_writes;
static atomic_uint sync_time; /* microseconds */

int ftruncate(int fd, off_t size) {
    int result = (int)syscall(SYS_ftruncate, fd, size);
    atomic_store(&file_size, size);
    return result;
}

int fsync(int fd) {
    long size = atomic_load(&file_size);
    (void)fd;
    usleep(atomic_load(&sync_time));
    if (size > atomic_load(&synced_size)) atomic_store(&synced_size, size);
    return 0;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    if (offset + (off_t)size > atomic_load(&synced_size)) early_writes++;
    return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

/* ---- a log whose record i has the number i, and no zeros behind it */

static size_t appended;

static nd_wal *create(void) {
    nd_wal *log;
    nd_error error;
    appended = 0;
    atomic_store(&synced_size, 0);
    assert_int_equal(nd_wal_create("log", NUMBER, &nd_allocator_default, &log, &error), ND_OK);
    early_writes = 0; /* a new file has its head before its first sync */
    return log;
}

static void append(nd_wal *log, size_t size) {
    static unsigned char payload[1 << 20];
    nd_error error;
    memset(payload, 0xa5, size);
    nd_store_le32(payload, (uint32_t)appended++);
    assert_int_equal(nd_wal_append(log, 1, payload, size, &error), ND_OK);
}

static nd_status count_up(void *context, uint16_t type, const unsigned char *payload, size_t size,
                          nd_error *error) {
    size_t *seen = context;
    (void)type, (void)error;
    assert_int_equal(nd_load_le32(payload), *seen);
    for (size_t i = 4; i < size; i++) assert_int_equal(payload[i], 0xa5);
    ++*seen;
    return ND_OK;
}

static nd_status read_file(size_t *records) {
    nd_wal_tail tail;
    nd_error error;
    *records = 0;
    return nd_wal_read("log", NUMBER, count_up, records, &nd_allocator_default, &tail, &error);
}

static void expect_records(size_t count) {
    size_t seen;
    assert_int_equal(read_file(&seen), ND_OK);
    assert_int_equal(seen, count);
}

static void end(nd_wal *log, nd_status (*step)(nd_wal *, nd_error *)) {
    nd_error error;
    if (step(log, &error) != ND_OK) fail_msg("%s", error.message);
}

/* ---- tests */

/* The next sync writes a sealed group, or whatever ends the next one. */
static void test_when(void **state) {
    (void)state;
    nd_wal *log = create();
    append(log, 100);
    end(log, nd_wal_seal);
    assert_false(nd_wal_has_group(log));
    expect_records(0);
    append(log, 200);
    end(log, nd_wal_sync);
    expect_records(1);
    end(log, nd_wal_seal);
    append(log, 300);
    end(log, nd_wal_seal);
    expect_records(2);
    append(log, 400);
    end(log, nd_wal_commit);
    expect_records(4);
    append(log, 500);
    end(log, nd_wal_seal);
    end(log, nd_wal_commit); /* has no group of its own */
    expect_records(5);
    append(log, 600);
    end(log, nd_wal_seal);
    end(log, nd_wal_commit_and_sync);
    expect_records(6);
    append(log, 700);
    end(log, nd_wal_seal);
    nd_wal_close(log);
    expect_records(6);
    unlink("log");
}

/* Marks come although no group is committed: a lost sector far behind the last one is damage. */
static void test_marks(void **state) {
    (void)state;
    enum { SIZE = ND_LIMIT(1 << 20, 700), GROUPS = 14 };
    static const unsigned char zeros[SECTOR];
    size_t seen;
    nd_wal *log = create();
    for (size_t i = 0; i < GROUPS; i++) {
        append(log, SIZE);
        end(log, nd_wal_seal);
        end(log, nd_wal_sync);
    }
    nd_wal_close(log);
    expect_records(GROUPS);
    FILE *f = fopen("log", "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, SECTOR + SIZE / 2 / SECTOR * SECTOR, SEEK_SET), 0);
    assert_int_equal(fwrite(zeros, 1, SECTOR, f), SECTOR);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(read_file(&seen), ND_ERR_CORRUPT);
    assert_int_equal(seen, 0);
    unlink("log");
}

typedef struct syncing {
    nd_wal *log;
    atomic_bool ended;
    size_t failed;
} syncing;

static void *sync_often(void *context) {
    syncing *s = context;
    nd_error error;
    while (!atomic_load(&s->ended)) s->failed += nd_wal_sync(s->log, &error) != ND_OK;
    return NULL;
}

static void *sync_once(void *context) {
    nd_error error;
    return nd_wal_sync(context, &error) == ND_OK ? NULL : "failed";
}

/* A sync on another thread writes a sealed group and extends the file. A group that needs the new
 * part is not written before that part is on disk. */
static void test_longer_file(void **state) {
    (void)state;
    pthread_t thread;
    void *failed;
    nd_wal *log = create();
    for (append(log, ND_WAL_STEP / 8); file_size - (long)nd_wal_size(log) >= ND_WAL_STEP / 2;
         append(log, ND_WAL_STEP / 8))
        end(log, nd_wal_commit);
    end(log, nd_wal_seal);
    atomic_store(&sync_time, 300000);
    assert_int_equal(pthread_create(&thread, NULL, sync_once, log), 0);
    while (file_size == synced_size) usleep(100);
    append(log, ND_WAL_STEP);
    end(log, nd_wal_commit);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    atomic_store(&sync_time, 0);
    assert_int_equal(early_writes, 0);
    nd_wal_close(log);
    expect_records(appended);
    unlink("log");
}

/* One thread appends, seals and commits, while another one syncs. */
static void test_threads(void **state) {
    (void)state;
    enum { RECORDS = ND_LIMIT(10000, 3000) };
    nd_status (*const steps[])(nd_wal *, nd_error *) = {nd_wal_seal, nd_wal_commit};
    uint64_t seed = 1000;
    syncing s = {.log = create()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, sync_often, &s), 0);
    while (appended < RECORDS) {
        append(s.log, 4 + random_below(&seed, 1500));
        if (random_below(&seed, 3) == 0) end(s.log, steps[random_below(&seed, 2)]);
    }
    end(s.log, nd_wal_seal);
    atomic_store(&s.ended, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    end(s.log, nd_wal_sync);
    nd_wal_close(s.log);
    assert_int_equal(s.failed, 0);
    assert_int_equal(early_writes, 0);
    expect_records(RECORDS);
    unlink("log");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_when), cmocka_unit_test(test_marks),
                                       cmocka_unit_test(test_longer_file),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

/* The write-ahead log against frozen bytes, damage, and failures without a crash. */
#include "storage/write_ahead_log.h"

#include "log_records.h"
#include "own_directory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a log has in its file, and the same with a change. */
static unsigned char bytes[64 * 1024 + 2 * ND_WAL_STEP], changed[sizeof bytes];

/* No test here needs its files on the disk, and waiting before a retry takes no time. */
int fsync(int fd) {
    (void)fd;
    return 0;
}
int nanosleep(const struct timespec *wanted, struct timespec *left) {
    (void)wanted, (void)left;
    return 0;
}

static int clean_up(void **state) {
    (void)state;
    log_forget_from(0);
    unlink("log");
    unlink("crash");
    return 0;
}

/* ---- damage */

/* Reading gives all acknowledged groups, or an error with the file and the byte of the damage. */
static bool expect_whole_or_named(const char *path) {
    log_outcome o = log_read(path);
    if (o.status == ND_OK) {
        assert_int_equal(o.groups, log_group_count);
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
        log_make(100 + round, 5);
        uint64_t seed = round;
        size_t size = log_get_file("log", bytes, sizeof bytes),
               end = (size_t)log_read("log").tail.end, named = 0;
        for (size_t at = 0; at < size;
             at += at < end + 100 ? 1 : 1 + random_below(&seed, size / 16)) {
            unsigned char was = bytes[at];
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
        log_expect_groups("log", log_group_count, log_group_count);
        unlink("log");
    }
}

static void test_cut_off(void **state) {
    (void)state;
    log_make(200, 6);
    size_t size = log_get_file("log", bytes, sizeof bytes), end = (size_t)log_read("log").tail.end;
    for (size_t cut = 0; cut <= size;
         cut += cut < end + 100 || cut + 100 > size ? 1 : 1 + size / 1000) {
        log_put_file("crash", bytes, cut);
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
    nd_wal *log = log_create();
    size_t last_begin = 0, seen = 0;
    for (size_t g = 0; g < 12; g++) {
        last_begin = (size_t)nd_wal_size(log);
        log_append_group(log, &seed);
        assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    }
    size_t end = (size_t)nd_wal_size(log), size = log_get_file("log", bytes, sizeof bytes);
    nd_wal_close(log);
    for (size_t sector = 1; sector * LOG_SECTOR < end; sector++) {
        memcpy(changed, bytes, size);
        memset(changed + sector * LOG_SECTOR, 0, LOG_SECTOR);
        log_put_file("crash", changed, size);
        log_outcome o = log_read("crash");
        if (o.status == ND_OK && o.groups == log_group_count)
            continue; /* it held only zeros and their witness */
        if ((sector + 1) * LOG_SECTOR <= last_begin) assert_int_equal(o.status, ND_ERR_CORRUPT);
        else if (sector * LOG_SECTOR >= last_begin)
            assert_true(o.status == ND_OK && o.tail.torn && o.groups == log_group_count - 1);
        seen++;
    }
    assert_true(seen > end / LOG_SECTOR / 2);
    unlink("log");
    unlink("crash");
}

/* ---- errors */

static nd_status read_to(const char *path, uint64_t number, nd_error *error) {
    log_given g = {0};
    nd_wal_tail tail;
    return nd_wal_read(path, number, log_compare_record, &g, &nd_allocator_default, &tail, error);
}

static void test_errors(void **state) {
    (void)state;
    nd_error error;
    nd_wal *log = log_create(), *other = NULL;
    assert_int_equal(nd_wal_create("log", LOG_NUMBER, &nd_allocator_default, &other, &error),
                     ND_ERR_IO);
    assert_string_equal(error.message, "log: cannot make it: File exists");
    assert_int_equal(nd_wal_create("none/log", LOG_NUMBER, &nd_allocator_default, &other, &error),
                     ND_ERR_IO);
    assert_int_equal(nd_wal_append(log, 0, "", 0, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_wal_append(log, 0x8000, "", 0, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "the type of a log record must be 1 to 32767, not 32768");
    assert_int_equal(nd_wal_append(log, 1, "", (size_t)ND_WAL_MAX_RECORD + 1, &error),
                     ND_ERR_ARGUMENT);
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    assert_int_equal(nd_wal_size(log), LOG_HEAD);
    nd_wal_close(log);
    nd_wal_close(NULL);
    assert_int_equal(read_to("none", LOG_NUMBER, &error), ND_ERR_IO);
    assert_string_equal(error.message, "none: cannot open: No such file or directory");
    assert_int_equal(read_to("log", LOG_NUMBER + 1, &error), ND_ERR_CORRUPT);
    assert_string_equal(error.message, "log: another log: number 77 at byte 16");
    assert_int_equal(nd_wal_open("log", LOG_NUMBER + 1, (nd_wal_tail){.end = LOG_HEAD},
                                 &nd_allocator_default, &other, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(nd_wal_open("none", LOG_NUMBER, (nd_wal_tail){.end = LOG_HEAD},
                                 &nd_allocator_default, &other, &error),
                     ND_ERR_IO);
    assert_int_equal(nd_wal_open("log", LOG_NUMBER, (nd_wal_tail){.end = ND_WAL_STEP},
                                 &nd_allocator_default, &other, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(read_to(".", LOG_NUMBER, &error), ND_ERR_CORRUPT);
    log_put_file("crash", (const unsigned char *)"", 0);
    assert_int_equal(read_to("crash", LOG_NUMBER, &error), ND_ERR_CORRUPT);
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
    nd_wal *log = log_create();
    assert_int_equal(nd_wal_append(log, 5, "abc", 3, &error), ND_OK);
    assert_int_equal(nd_wal_commit(log, &error), ND_OK);
    nd_wal_close(log);
    size_t seen = 0;
    nd_wal_tail tail;
    assert_int_equal(
        nd_wal_read("log", LOG_NUMBER, stop, &seen, &nd_allocator_default, &tail, &error),
        ND_ERR_CORRUPT);
    assert_string_equal(error.message, "a record of type 5");
    assert_int_equal(seen, 3);
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
        log_given g = {0};
        uint64_t seed = 600;
        nd_wal_tail tail = {0};
        unlink("log");
        log_make(seed, 3);
        status = nd_wal_read("log", LOG_NUMBER, log_compare_record, &g, &allocator, &tail, &error);
        if (status == ND_OK)
            status = nd_wal_open("log", LOG_NUMBER, tail, &allocator, &log, &error);
        for (size_t i = 0; i < 4 && status == ND_OK; i++)
            status = nd_wal_append(log, 1, log_records[i].payload, log_records[i].size, &error);
        if (status == ND_OK) status = nd_wal_commit_and_sync(log, &error);
        nd_wal_close(log);
        if (status == ND_OK) {
            unlink("log");
            status = nd_wal_create("log", LOG_NUMBER, &allocator, &log, &error);
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
    log_forget_from(0);
    assert_int_equal(nd_wal_create("log", LOG_NUMBER, &allocator, &log, &error), ND_OK);
    for (size_t i = 0; i < 3; i++) {
        log_append_record(log, 9, 1000, i == 2, &seed);
        memory.left = 0;
        unsigned char payload[5000] = {0};
        assert_int_equal(nd_wal_append(log, 8, payload, sizeof payload, &error), ND_ERR_MEMORY);
        memory.left = FAILING_ALLOCATOR_NEVER;
    }
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    nd_wal_close(log);
    log_expect_groups("log", 1, 1);
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
    size_t size = log_get_file("log", bytes, sizeof bytes);
    assert_int_equal(size % ND_WAL_STEP, 0);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
        assert_memory_equal(bytes + golden[i].offset, golden[i].bytes, golden[i].size);
    for (size_t i = 24; i < 504; i++) assert_int_equal(bytes[i], 0);
    assert_memory_equal(bytes + 544, payload, sizeof payload);
    for (size_t i = 1056; i < size; i++) assert_int_equal(bytes[i], 0);
    unlink("log");
}

/* Records longer than several pieces, and groups of many records. */
static void test_large(void **state) {
    (void)state;
    nd_error error;
    uint64_t seed = 700;
    nd_wal *log = log_create();
    const size_t sizes[] = {3000000, 0, 1 << 20, 511 * 4096, (1 << 20) - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        log_append_record(log, 3, sizes[i], true, &seed);
        assert_int_equal(log_commit(log, i % 2, &error), ND_OK);
    }
    for (size_t left = 1000; left > 0; left--)
        log_append_record(log, 4, log_random_size(&seed), left == 1, &seed);
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    log_expect_groups("log", log_group_count, log_group_count);
    nd_wal_close(log);
    unlink("log");
}

#define CLEAN(test) cmocka_unit_test_teardown(test, clean_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        CLEAN(test_flipped_bytes), CLEAN(test_cut_off),        CLEAN(test_lost_sectors),
        CLEAN(test_errors),        CLEAN(test_receiver_fails), CLEAN(test_failing_memory),
        CLEAN(test_append_again),  CLEAN(test_golden),         CLEAN(test_large),
    };
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

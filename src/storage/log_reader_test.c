/* A log is read while another thread writes it: every committed record is read, complete. */
#include "storage/write_ahead_log.h"

#include "own_directory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER = 77, CONCURRENT = 3000 };

static atomic_size_t written_records;

static void *write_many(void *context) {
    nd_wal *log = context;
    uint64_t seed = 800;
    for (uint32_t i = 0; i < CONCURRENT; i++) {
        unsigned char payload[1500] = {0};
        size_t size = 4 + random_below(&seed, sizeof payload - 4);
        nd_store_le32(payload, i);
        memset(payload + 4, (int)i, size - 4);
        nd_error error;
        if (nd_wal_append(log, 1, payload, size, &error) != ND_OK ||
            (i % 50 == 0 ? nd_wal_commit_and_sync : nd_wal_commit)(log, &error) != ND_OK)
            return "failed";
        atomic_store(&written_records, i + 1);
    }
    return NULL;
}

static nd_status count_up(void *context, uint16_t type, const unsigned char *payload, size_t size,
                          nd_error *error) {
    (void)error;
    size_t *seen = context;
    assert_int_equal(type, 1);
    assert_true(size >= 4 && nd_load_le32(payload) == *seen);
    for (size_t i = 4; i < size; i++) assert_int_equal(payload[i], (unsigned char)*seen);
    ++*seen;
    return ND_OK;
}

static void test_concurrent_reader(void **state) {
    (void)state;
    nd_error error;
    nd_wal *log;
    pthread_t writer;
    void *result;
    assert_int_equal(nd_wal_create("log", NUMBER, &nd_allocator_default, &log, &error), ND_OK);
    assert_int_equal(pthread_create(&writer, NULL, write_many, log), 0);
    for (size_t seen = 0; seen < CONCURRENT;) {
        size_t least = atomic_load(&written_records);
        nd_wal_tail tail;
        seen = 0;
        if (nd_wal_read("log", NUMBER, count_up, &seen, &nd_allocator_default, &tail, &error) !=
            ND_OK)
            fail_msg("%s", error.message);
        assert_true(seen >= least);
    }
    assert_int_equal(pthread_join(writer, &result), 0);
    assert_null(result);
    nd_wal_close(log);
    unlink("log");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_concurrent_reader)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

/* key_sort.h against qsort: one writer and several, in memory and on disk, on several threads. */
#include "io/key_sort.h"

#include "base/limits.h"
#include "base/workers.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { KEYS = ND_LIMIT(20000, 4000), BATCHES = 100, BATCH = KEYS / BATCHES, MOST_PARTS = 300 };

static int in_order(const void *a, const void *b) {
    const nd_numbered_key *x = a, *y = b;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Numbers ascend slowly, by more than a byte, or by more than two bytes; or they come in any order.
 */
static void make_keys(nd_numbered_key *keys, size_t parts, uint64_t seed) {
    const size_t steps[] = {3, 5000, 200000, 0};
    size_t step = steps[seed % 4];
    uint32_t number = 0;
    for (size_t i = 0; i < KEYS; i++) {
        bool skewed = seed % 8 > 3 && random_below(&seed, 10) > 0;
        number = step > 0 ? number + (uint32_t)random_below(&seed, step)
                          : (uint32_t)random_next(&seed);
        keys[i] = (nd_numbered_key){
            (uint32_t)(skewed ? parts / 2 : random_below(&seed, parts)),
            (uint32_t)(skewed ? random_below(&seed, 3) : random_next(&seed) & 0xf000ffff), number};
    }
}

static void expect_sorted(const nd_key_sort *sorter, nd_numbered_key *keys, size_t parts) {
    nd_part_buffer buffer = {0};
    nd_error error;
    size_t at = 0;
    qsort(keys, KEYS, sizeof *keys, in_order);
    for (size_t p = 0; p < parts; p++) {
        size_t begin = at;
        assert_int_equal(nd_key_sort_load(sorter, p, &buffer, &error), ND_OK);
        assert_int_equal(buffer.count, nd_key_sort_count(sorter, p));
        for (; at < KEYS && keys[at].part == p; at++)
            assert_int_equal(buffer.words[at - begin],
                             (uint64_t)keys[at].key << 32 | keys[at].number);
        assert_int_equal(buffer.count, at - begin);
    }
    assert_int_equal(at, KEYS);
    nd_part_buffer_free(&nd_allocator_default, &buffer);
}

typedef struct test_run {
    nd_key_sort *sorter;
    const nd_numbered_key *keys;
    atomic_size_t next;
} test_run;

/* Adds every batch that is left, in turn with other threads. */
static nd_status add_batches(void *context, uint32_t index, nd_error *error) {
    test_run *run = context;
    nd_key_writer *writer;
    (void)index;
    ND_TRY(nd_key_writer_create(run->sorter, &writer, error));
    for (size_t b; (b = atomic_fetch_add(&run->next, 1)) < BATCHES;)
        ND_TRY(nd_key_writer_add(writer, run->keys + b * BATCH, BATCH, error));
    return ND_OK;
}

static void check(size_t parts, size_t limit, uint32_t threads, uint64_t seed) {
    static nd_numbered_key keys[KEYS];
    nd_temp_space disk = {.directory = "."};
    nd_error error;
    const nd_key_sort_settings settings = {
        .disk = &disk, .parts = parts, .memory_limit = limit, .writers = threads, .what = "test"};
    test_run run = {.keys = keys};
    make_keys(keys, parts, seed);
    assert_int_equal(nd_key_sort_create(&nd_allocator_default, &settings, &run.sorter, &error),
                     ND_OK);
    assert_int_equal(nd_run_workers(&nd_allocator_default, threads, add_batches, &run, &error),
                     ND_OK);
    expect_sorted(run.sorter, keys, parts);
    assert_true((disk.most > 0) == (limit < 1000000));
    nd_key_sort_free(run.sorter);
    assert_int_equal(disk.now, 0);
}

static void test_against_qsort(void **state) {
    (void)state;
    const size_t parts[] = {1, 2, 7, MOST_PARTS}, limits[] = {1, 5000, 20000, 100000000};
    for (uint64_t i = 0; i < 96; i++)
        check(parts[i / 8 % 4], limits[i % 4], (uint32_t)(i / 32 % 3) + 1, i + i / 4);
}

/* A disk that takes nothing: every thread fails, one after the other, and all memory is freed. */
static void test_full_disk(void **state) {
    (void)state;
    static nd_numbered_key keys[KEYS];
    nd_temp_space disk = {.directory = "."};
    nd_error error;
    const nd_key_sort_settings settings = {
        .disk = &disk, .parts = 7, .memory_limit = 5000, .writers = 3, .what = "test"};
    test_run run = {.keys = keys};
    struct rlimit before, none;
    make_keys(keys, 7, 1);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(nd_key_sort_create(&nd_allocator_default, &settings, &run.sorter, &error),
                     ND_OK);
    assert_int_equal(nd_run_workers(&nd_allocator_default, 3, add_batches, &run, &error),
                     ND_ERR_IO);
    nd_key_sort_free(run.sorter);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(disk.now, 0);
}

/* One writer whose numbers ascend by steps below 254 takes 5 bytes per key, and 4 per chunk. */
static void test_size(void **state) {
    (void)state;
    static nd_numbered_key keys[KEYS];
    nd_temp_space disk = {.directory = "."};
    nd_error error;
    const nd_key_sort_settings settings = {
        .disk = &disk, .parts = 1, .memory_limit = KEYS, .writers = 1, .what = "test"};
    nd_key_sort *sorter;
    nd_key_writer *writer;
    for (uint32_t i = 0; i < KEYS; i++) keys[i] = (nd_numbered_key){0, i * 7919, i * 253};
    assert_int_equal(nd_key_sort_create(&nd_allocator_default, &settings, &sorter, &error), ND_OK);
    assert_int_equal(nd_key_writer_create(sorter, &writer, &error), ND_OK);
    for (size_t b = 0; b < BATCHES; b++)
        assert_int_equal(nd_key_writer_add(writer, keys + b * BATCH, BATCH, &error), ND_OK);
    expect_sorted(sorter, keys, 1);
#ifndef ND_TINY_LIMITS
    assert_in_range(disk.most, 4 * KEYS, 5 * KEYS + KEYS / 10);
#endif
    nd_key_sort_free(sorter);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_qsort),
                                       cmocka_unit_test(test_full_disk),
                                       cmocka_unit_test(test_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

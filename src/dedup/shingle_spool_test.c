/* Shingles that come back from the spool, compared with those that went in. */
#include "dedup/shingle_spool.h"

#include "base/limits.h"
#include "base/workers.h"
#include "test.h"

enum { DOCUMENTS = 2000, THREADS = 3, MOST = ND_LIMIT(20000, 80), TABLE = 1 << 20 };

typedef struct spooled {
    nd_shingle_spool *spool;
    nd_shingle_range ranges[DOCUMENTS];
} spooled;

static size_t count_of(uint32_t document) {
    uint64_t seed = document;
    return 1 + random_below(&seed, random_below(&seed, 10) ? 40 : MOST);
}

static void fill(uint64_t *shingles, uint32_t document) {
    for (size_t i = 0; i < count_of(document); i++)
        shingles[i] = nd_mix64((uint64_t)document << 32 | i);
}

/* Documents of a thread: the number of the thread modulo the threads. */
static nd_status write_documents(void *context, uint32_t index, nd_error *error) {
    (void)error;
    static _Thread_local uint64_t shingles[MOST + 1];
    spooled *s = context;
    nd_shingle_writer writer = {.spool = s->spool};
    for (uint32_t d = index; d < DOCUMENTS; d += THREADS) {
        fill(shingles, d);
        s->ranges[d] = nd_shingle_writer_add(&writer, shingles, count_of(d));
    }
    nd_shingle_writer_end(&writer);
    return ND_OK;
}

static void spool_documents(spooled *s, nd_temp_space *disk, size_t table) {
    nd_error error;
    assert_int_equal(nd_shingle_spool_create(&nd_allocator_default, disk, table, &s->spool, &error),
                     ND_OK);
    assert_int_equal(nd_run_workers(&nd_allocator_default, THREADS, write_documents, s, &error),
                     ND_OK);
    for (uint32_t d = 0; d < DOCUMENTS; d++)
        assert_int_equal(nd_shingle_spool_enter(s->spool, d, s->ranges[d], &error), ND_OK);
    nd_shingle_spool_finish(s->spool);
}

/* Returns whether the spool has the document. */
static bool find(nd_shingle_reader *reader, uint32_t document) {
    static uint64_t wanted[MOST + 1];
    uint64_t *got;
    size_t count;
    nd_error error;
    assert_int_equal(nd_shingle_reader_find(reader, document, &got, &count, &error), ND_OK);
    if (!got) return false;
    fill(wanted, document);
    assert_int_equal(count, count_of(document));
    assert_memory_equal(got, wanted, count * sizeof *got);
    return true;
}

static void test_round_trip(void **state) {
    (void)state;
    static spooled s;
    nd_temp_space disk = {.directory = "."};
    spool_documents(&s, &disk, TABLE);
    nd_shingle_reader forward = {.spool = s.spool}, anywhere = {.spool = s.spool};
    uint64_t seed = 1;
    size_t large = 0;
    for (uint32_t d = 0; d < DOCUMENTS; d++) {
        large += s.ranges[d].count == 0;
        assert_int_equal(find(&forward, d), s.ranges[d].count > 0);
        uint32_t other = (uint32_t)random_below(&seed, DOCUMENTS);
        assert_int_equal(find(&anywhere, other), s.ranges[other].count > 0);
    }
    assert_in_range(large, 1, DOCUMENTS / 5);
    assert_false(find(&forward, DOCUMENTS));
    assert_true(disk.most > 0);
    nd_shingle_reader_free(&forward);
    nd_shingle_reader_free(&anywhere);
    nd_shingle_spool_free(s.spool);
    assert_int_equal(disk.now, 0);
}

/* Without a file, and without a spool, nothing is found, and nothing fails. */
static void test_no_file(void **state) {
    (void)state;
    static spooled s;
    nd_temp_space disk = {.directory = "no-such-directory"};
    spool_documents(&s, &disk, TABLE);
    nd_shingle_reader reader = {.spool = s.spool}, none = {0};
    for (uint32_t d = 0; d < DOCUMENTS; d++) assert_false(find(&reader, d) || find(&none, d));
    nd_shingle_reader_free(&reader);
    nd_shingle_reader_free(&none);
    nd_shingle_spool_free(s.spool);
}

/* In an emptied spool nothing is found, also not what a reader has just read. */
static void test_emptied(void **state) {
    (void)state;
    static spooled s;
    nd_temp_space disk = {.directory = "."};
    spool_documents(&s, &disk, TABLE);
    nd_shingle_reader reader = {.spool = s.spool};
    uint32_t first = 0;
    while (s.ranges[first].count == 0) first++;
    assert_true(find(&reader, first));
    nd_shingle_spool_empty(s.spool);
    for (uint32_t d = 0; d < DOCUMENTS; d++) assert_false(find(&reader, d));
    nd_shingle_spool_empty(s.spool);
    nd_shingle_spool_empty(NULL);
    nd_shingle_reader_free(&reader);
    nd_shingle_spool_free(s.spool);
    assert_int_equal(disk.now, 0);
}

/* A full table keeps the first documents. */
static void test_full_table(void **state) {
    (void)state;
    static spooled s;
    nd_temp_space disk = {.directory = "."};
    spool_documents(&s, &disk, 1200);
    nd_shingle_reader reader = {.spool = s.spool};
    uint32_t found = 0, last = 0;
    for (uint32_t d = 0; d < DOCUMENTS; d++) {
        if (!find(&reader, d)) continue;
        found++;
        last = d;
    }
    assert_int_equal(found, 100);
    assert_in_range(last, 99, 200);
    nd_shingle_reader_free(&reader);
    nd_shingle_spool_free(s.spool);
}

/* Documents far apart, and those around them, which are not in the table. */
static void test_gaps(void **state) {
    (void)state;
    const uint32_t documents[] = {1, 63, 64, 66, 1000, 1023, 1024, 100000};
    enum { COUNT = sizeof documents / sizeof *documents };
    nd_temp_space disk = {.directory = "."};
    nd_shingle_spool *spool;
    nd_error error;
    assert_int_equal(nd_shingle_spool_create(&nd_allocator_default, &disk, TABLE, &spool, &error),
                     ND_OK);
    nd_shingle_writer writer = {.spool = spool};
    nd_shingle_range ranges[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        const uint64_t shingle = documents[i];
        ranges[i] = nd_shingle_writer_add(&writer, &shingle, 1);
    }
    nd_shingle_writer_end(&writer);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(nd_shingle_spool_enter(spool, documents[i], ranges[i], &error), ND_OK);
    nd_shingle_spool_finish(spool);
    nd_shingle_reader reader = {.spool = spool};
    size_t found = 0, count;
    for (uint32_t d = 0; d < 200000; d++) {
        uint64_t *shingles;
        assert_int_equal(nd_shingle_reader_find(&reader, d, &shingles, &count, &error), ND_OK);
        if (!shingles) continue;
        assert_int_equal(d, documents[found++]);
        assert_int_equal(count, 1);
        assert_int_equal(*shingles, d);
    }
    assert_int_equal(found, COUNT);
    nd_shingle_reader_free(&reader);
    nd_shingle_spool_free(spool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_emptied), cmocka_unit_test(test_full_table),
        cmocka_unit_test(test_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

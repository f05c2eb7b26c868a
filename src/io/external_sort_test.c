/* external_sort.h and part_reader.h against qsort: words and records, in memory and on disk. */
#include "io/part_reader.h"

#include "test.h"

#include <stdlib.h>

enum { WORDS = 20000, MOST_PARTS = 300 };

typedef struct pushed {
    size_t part;
    uint64_t word;
    size_t turn;
} pushed;

static unsigned from;

static int in_order(const void *a, const void *b) {
    const pushed *x = a, *y = b;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    if (x->word >> from != y->word >> from) return x->word >> from < y->word >> from ? -1 : 1;
    return x->turn < y->turn ? -1 : 1;
}

static void check(size_t parts, size_t limit, uint64_t seed, bool skewed) {
    static pushed all[WORDS];
    nd_temp_space disk = {.directory = "."};
    nd_external_sort *sorter;
    nd_error error;
    from = seed % 2 ? 32 : 0;
    assert_int_equal(nd_external_sort_create(&nd_allocator_default, &disk, parts, limit, "test",
                                             &sorter, &error),
                     ND_OK);
    for (size_t i = 0; i < WORDS; i++) {
        size_t part = skewed && random_below(&seed, 10) ? parts / 2 : random_below(&seed, parts);
        all[i] = (pushed){part, random_next(&seed) & 0xfff00000fffULL, i};
        assert_int_equal(nd_external_sort_push(sorter, part, all[i].word, &error), ND_OK);
    }
    qsort(all, WORDS, sizeof *all, in_order);
    nd_part_buffer buffer = {0};
    size_t at = 0;
    for (size_t p = 0; p < parts; p++) {
        size_t begin = at;
        assert_int_equal(nd_external_sort_load(sorter, p, from, &buffer, &error), ND_OK);
        assert_int_equal(buffer.count, nd_external_sort_count(sorter, p));
        for (; at < WORDS && all[at].part == p; at++)
            assert_int_equal(buffer.words[at - begin], all[at].word);
        assert_int_equal(buffer.count, at - begin);
    }
    assert_int_equal(at, WORDS);
    assert_true((disk.most > 0) == (limit < WORDS * sizeof(uint64_t)));
    nd_part_buffer_free(&nd_allocator_default, &buffer);
    nd_external_sort_free(sorter);
    assert_int_equal(disk.now, 0);
}

static void test_against_qsort(void **state) {
    (void)state;
    const size_t parts[] = {1, 2, 7, MOST_PARTS};
    const size_t limits[] = {1, 5000, 100000, 100000000};
    for (uint64_t i = 0; i < 32; i++) check(parts[i / 2 % 4], limits[i / 8], i, i % 4 == 3);
}

static nd_status create_records(nd_temp_space *disk, size_t parts, size_t limit, unsigned words,
                                unsigned keys, nd_external_sort **out) {
    nd_error error;
    const nd_external_sort_settings settings = {.disk = disk,
                                                .parts = parts,
                                                .memory_limit = limit,
                                                .words = words,
                                                .keys = keys,
                                                .what = "test"};
    return nd_external_sort_create_records(&nd_allocator_default, &settings, out, &error);
}

/* Records of two words are sorted by the first word, stable; the memory of a part is given back. */
static void check_records(size_t parts, size_t limit, uint64_t seed) {
    static pushed all[WORDS];
    nd_temp_space disk = {.directory = "."};
    nd_external_sort *sorter;
    nd_error error;
    nd_part_buffer buffer = {0};
    from = 0;
    assert_int_equal(create_records(&disk, parts, limit, 2, 1, &sorter), ND_OK);
    for (size_t i = 0; i < WORDS; i++) {
        all[i] = (pushed){random_below(&seed, parts), random_next(&seed) >> (seed % 64), i};
        assert_int_equal(
            nd_external_sort_push_record(sorter, all[i].part, (uint64_t[]){all[i].word, i}, &error),
            ND_OK);
    }
    qsort(all, WORDS, sizeof *all, in_order);
    for (size_t p = 0, at = 0; p < parts; p++, nd_external_sort_drop(sorter, p - 1)) {
        assert_int_equal(nd_external_sort_load_records(sorter, p, &buffer, &error), ND_OK);
        assert_int_equal(buffer.count, nd_external_sort_count(sorter, p));
        for (size_t i = 0; i < buffer.count; i++, at++) {
            assert_int_equal(buffer.words[2 * i], all[at].word);
            assert_int_equal(buffer.words[2 * i + 1], all[at].turn);
        }
    }
    nd_part_buffer_free(&nd_allocator_default, &buffer);
    nd_external_sort_free(sorter);
    assert_int_equal(disk.now, 0);
}

static void test_records(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 12; i++)
        check_records(i % 3 ? 1 + i * 7 : 1, i % 2 ? 5000 : 100000000, i);
}

/* Records of a part come one by one, sorted by the first word, stable, whatever the memory is; most
 * of them are in one part, with the same key. */
static void check_reader(size_t limit, size_t memory, uint64_t seed) {
    enum { PARTS = 5, HOT = 2 };
    static pushed all[WORDS];
    nd_temp_space disk = {.directory = "."};
    nd_external_sort *sorter;
    nd_error error;
    nd_part_reader reader = {.words = 0};
    from = 0;
    assert_int_equal(create_records(&disk, PARTS, limit, 2, 1, &sorter), ND_OK);
    for (size_t i = 0; i < WORDS; i++) {
        bool hot = random_below(&seed, 4) > 0;
        all[i] = (pushed){hot ? HOT : random_below(&seed, PARTS), hot ? 7 : random_below(&seed, 99),
                          i};
        assert_int_equal(
            nd_external_sort_push_record(sorter, all[i].part, (uint64_t[]){all[i].word, i}, &error),
            ND_OK);
    }
    qsort(all, WORDS, sizeof *all, in_order);
    for (size_t p = 0, at = 0; p < PARTS; p++) {
        const uint64_t *record;
        assert_int_equal(
            nd_part_reader_open(&reader, &nd_allocator_default, sorter, p, memory, &error), ND_OK);
        assert_true((reader.pieces.count > 0) ==
                    (nd_external_sort_count(sorter, p) * 2 * 2 * sizeof(uint64_t) > memory));
        for (;; at++) {
            assert_int_equal(nd_part_reader_next(&reader, &record, &error), ND_OK);
            if (!record) break;
            assert_true(at < WORDS && all[at].part == p);
            assert_int_equal(record[0], all[at].word);
            assert_int_equal(record[1], all[at].turn);
        }
        assert_true(at == WORDS || all[at].part > p);
    }
    nd_part_reader_free(&nd_allocator_default, &reader);
    nd_external_sort_free(sorter);
    assert_int_equal(disk.now, 0);
}

static void test_reader(void **state) {
    (void)state;
    const size_t memories[] = {600, 5000, 40000, 200000, SIZE_MAX};
    for (uint64_t i = 0; i < 20; i++) check_reader(i % 2 ? 5000 : 100000000, memories[i % 5], i);
}

/* Records pushed in groups come out like records pushed one by one. */
static void check_all(unsigned part_bits, unsigned words, size_t limit, uint64_t seed) {
    static uint64_t records[WORDS * 3];
    nd_temp_space disk = {.directory = "."};
    nd_external_sort *sorters[2];
    nd_error error;
    nd_part_buffer buffers[2] = {{0}, {0}};
    size_t parts = (size_t)1 << part_bits;
    for (size_t i = 0; i < WORDS * words; i++) records[i] = random_next(&seed);
    for (int s = 0; s < 2; s++)
        assert_int_equal(create_records(&disk, parts, limit, words, words, &sorters[s]), ND_OK);
    for (size_t i = 0, count; i < WORDS; i += count) {
        count = 1 + random_below(&seed, WORDS - i < 100 ? WORDS - i : 100);
        assert_int_equal(
            nd_external_sort_push_all(sorters[1], part_bits, records + i * words, count, &error),
            ND_OK);
    }
    for (size_t i = 0; i < WORDS; i++) {
        size_t part = part_bits ? (size_t)(records[i * words] >> (64 - part_bits)) : 0;
        assert_int_equal(
            nd_external_sort_push_record(sorters[0], part, records + i * words, &error), ND_OK);
    }
    size_t spilled = (size_t)disk.now;
    assert_int_equal(nd_external_sort_flush(sorters[1], &error), ND_OK);
    assert_true(spilled ? disk.now > spilled : disk.now == 0);
    for (size_t p = 0; p < parts; p++) {
        for (int s = 0; s < 2; s++)
            assert_int_equal(nd_external_sort_load_records(sorters[s], p, &buffers[s], &error),
                             ND_OK);
        assert_int_equal(buffers[0].count, buffers[1].count);
        if (buffers[0].count > 0)
            assert_memory_equal(buffers[0].words, buffers[1].words,
                                buffers[0].count * words * sizeof(uint64_t));
    }
    for (int s = 0; s < 2; s++) {
        nd_part_buffer_free(&nd_allocator_default, &buffers[s]);
        nd_external_sort_free(sorters[s]);
    }
}

static void test_all_at_once(void **state) {
    (void)state;
    for (unsigned i = 0; i < 18; i++) check_all(i / 3, i % 3 + 1, i % 2 ? 5000 : 100000000, i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_qsort), cmocka_unit_test(test_records),
        cmocka_unit_test(test_reader), cmocka_unit_test(test_all_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

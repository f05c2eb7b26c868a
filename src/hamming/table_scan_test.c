/* Scans of Elias-Fano tables: they return 32 bits of all keys, in order, with their buckets, and
 * the whole keys, for any parts and any room. A directory with wrong bits, which the hashes do not
 * show, does no harm. */
#include "hamming/table_scan.h"

#include "base/radix_sort.h"
#include "fingerprint_shapes.h"
#include "own_directory.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, KIND = 7, TAG = 100, CANARY = 0xabcd };

static const char whole_name[] = "table_scan_test.whole", wrong_name[] = "table_scan_test.wrong";

/* A table's keys, one or two words each, ascending. */
typedef struct key_list {
    uint32_t bits;
    unsigned words, bucket_bits;
    size_t count;
    uint64_t keys[2 * MOST];
} key_list;

static key_list all;

static uint64_t bucket_of(uint64_t head) {
    return all.bucket_bits ? head >> (64 - all.bucket_bits) : 0;
}

static void make_keys(uint32_t bits, shape kind, size_t count, uint64_t seed) {
    static nd_fingerprint made[MOST];
    static uint64_t scratch[2 * MOST + (1 << ND_RADIX_SPREAD_BITS)];
    all.bits = bits;
    all.words = bits > 64 ? 2 : 1;
    all.bucket_bits = nd_ef_table_bucket_bits(bits, count, seed % 5 ? ND_EF_PROBED : ND_EF_SCANNED);
    for (size_t i = 0; i < count; i++) {
        nd_fingerprint f = made[i] = make(kind, &seed, bits, made, i);
        uint64_t key[2] = {bits > 64 ? f.high : f.low << (64 - bits), f.low};
        memcpy(all.keys + i * all.words, key, all.words * 8);
    }
    nd_radix_sort_records(all.keys, scratch, count, all.words, all.words);
    all.count = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *key = all.keys + i * all.words;
        if (i > 0 && memcmp(key, key - all.words, all.words * 8) == 0) continue;
        memmove(all.keys + all.count++ * all.words, key, all.words * 8);
    }
}

static nd_sealed_writer *create(const char *name) {
    nd_error error;
    nd_sealed_writer *file;
    remove(name);
    assert_int_equal(nd_sealed_writer_create(name, KIND, &nd_allocator_default, &file, &error),
                     ND_OK);
    return file;
}

static void finish(nd_sealed_writer *file) {
    nd_error error;
    nd_seal seal;
    assert_int_equal(nd_sealed_finish(file, &seal, &error), ND_OK);
    nd_sealed_writer_free(file);
}

static void write_table(void) {
    nd_error error;
    nd_ef_table_writer *writer;
    nd_sealed_writer *file = create(whole_name);
    assert_int_equal(nd_ef_table_writer_create(file, TAG, all.bits, all.bucket_bits,
                                               &nd_allocator_default, &writer, &error),
                     ND_OK);
    if (nd_ef_table_put_all(writer, all.keys, all.count, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_int_equal(nd_ef_table_finish(writer, &error), ND_OK);
    nd_ef_table_writer_free(writer);
    finish(file);
}

static nd_sealed_file *open_table(const char *name, nd_ef_table *table) {
    nd_error error;
    nd_sealed_file *file;
    assert_int_equal(nd_sealed_open(name, KIND, NULL, &nd_allocator_default, &file, &error), ND_OK);
    assert_int_equal(
        nd_ef_table_open(file, TAG, all.bits, all.bucket_bits, all.count, table, &error), ND_OK);
    return file;
}

/* Checks the keys that a call has returned; *next is the index of the first in the list. */
static void check_keys(const nd_table_scan *scan, const uint32_t *keys, size_t count,
                       const uint16_t *starts, size_t *next) {
    static uint64_t whole[2 * MOST];
    const size_t buckets = scan->end_bucket - scan->first_bucket;
    const uint64_t *wanted = all.keys + *next * all.words;
    nd_error error;
    assert_true(count <= all.count - *next);
    assert_int_equal(starts[0], 0);
    assert_int_equal(starts[buckets], count);
    for (size_t b = 0; b < buckets; b++) {
        assert_true(starts[b] <= starts[b + 1]);
        for (size_t i = starts[b]; i < starts[b + 1]; i++)
            assert_int_equal(bucket_of(wanted[i * all.words]), scan->first_bucket + b);
    }
    for (size_t i = 0; i < count; i++) {
        size_t bucket = nd_table_scan_bucket(scan, starts, i);
        assert_int_equal(scan->first_bucket + bucket, bucket_of(wanted[i * all.words]));
        assert_int_equal(keys[i],
                         (uint32_t)(wanted[i * all.words] >> nd_table_scan_low(scan->table)));
        assert_int_equal(nd_table_scan_keys(scan, starts, bucket, i, 1, whole, &error), ND_OK);
        assert_memory_equal(whole, wanted + i * all.words, all.words * 8);
    }
    for (size_t first = 0; first < count; first += 1 + first / 2) {
        assert_int_equal(nd_table_scan_keys(scan, starts, 0, first, count - first, whole, &error),
                         ND_OK);
        assert_memory_equal(whole, wanted + first * all.words, (count - first) * all.words * 8);
    }
    *next += count;
}

/* Scans all parts of 2^below buckets. known: the list has the keys that must come. */
static nd_status scan_all(const nd_ef_table *table, unsigned below, size_t room, bool known) {
    const size_t buckets = (size_t)1 << below, behind = buckets + 1 + ND_ENDS_BEHIND;
    uint32_t *keys = malloc((room + ND_KEYS_BEHIND) * sizeof *keys);
    uint16_t *starts = malloc((behind + 1) * sizeof *starts);
    size_t next = 0;
    nd_error error;
    nd_status status = ND_OK;
    for (uint64_t first = 0; first >> table->bucket_bits == 0 && status == ND_OK;
         first += buckets) {
        nd_table_scan scan;
        size_t count = 1;
        starts[behind] = CANARY;
        status = nd_table_scan_begin(table, first, first + buckets, &scan, &error);
        while (status == ND_OK && count > 0) {
            uint64_t entry = scan.entry;
            status = nd_table_scan_next(&scan, room, keys, starts, &count, &error);
            assert_int_equal(starts[behind], CANARY);
            if (status != ND_OK) continue;
            assert_true(count <= room && scan.entry == entry + count && scan.unpacked == entry &&
                        (count > 0 || entry == scan.end));
            if (!known || count == 0) continue;
            assert_int_equal(entry, next);
            check_keys(&scan, keys, count, starts, &next);
        }
    }
    if (known) assert_int_equal(next, all.count);
    free(keys);
    free(starts);
    return status;
}

static void test_parts(void **state) {
    (void)state;
    static const uint32_t widths[] = {16, 32, 64, 128};
    static const size_t counts[] = {1, 2, 70, 700, MOST};
    uint64_t seed = 1;
    for (size_t round = 0; round < 4 * SHAPES * 5; round++) {
        nd_ef_table table;
        make_keys(widths[round % 4], (shape)(round / 4 % SHAPES), counts[round / 4 / SHAPES],
                  round);
        write_table();
        nd_sealed_file *file = open_table(whole_name, &table);
        for (unsigned below = 0; below <= all.bucket_bits; below++) {
            size_t room = 64 + (size_t)random_below(&seed, random_below(&seed, 2) ? 40 : MOST);
            assert_int_equal(scan_all(&table, below, room, true), ND_OK);
        }
        nd_sealed_close(file);
    }
    remove(whole_name);
}

/* Writes the file with wrong bits in the directory, and with hashes that fit them. */
static void write_wrong(const nd_sealed_file *whole, uint64_t *seed) {
    nd_error error;
    nd_sealed_writer *file = create(wrong_name);
    unsigned way = (unsigned)random_below(seed, 3);
    for (uint32_t tag = TAG; tag < TAG + ND_EF_TABLE_TAGS; tag++) {
        nd_section section;
        const unsigned char *p;
        if (!nd_sealed_has(whole, tag)) continue;
        assert_int_equal(nd_sealed_section(whole, tag, &section, &error), ND_OK);
        assert_int_equal(nd_sealed_view(whole, &section, 0, section.size, &p, &error), ND_OK);
        unsigned char *bytes = malloc(section.size);
        memcpy(bytes, p, section.size);
        if (tag == TAG + 1 && way == 2)
            memset(bytes, random_below(seed, 2) ? 0 : 255, section.size);
        else if (tag == TAG + 1)
            for (uint64_t i = 0; i <= way * 20; i++)
                bytes[random_below(seed, section.size)] ^= (unsigned char)(1u << random_below(seed,
                                                                                              8));
        assert_int_equal(nd_sealed_begin(file, tag, &error), ND_OK);
        assert_int_equal(nd_sealed_write(file, bytes, section.size, &error), ND_OK);
        free(bytes);
    }
    finish(file);
}

static void test_wrong_directories(void **state) {
    (void)state;
    uint64_t seed = 2;
    size_t reported = 0, rounds = 300;
    for (size_t round = 0; round < rounds; round++) {
        nd_ef_table table;
        bool reports = false;
        make_keys(round % 2 ? 64 : 128, round % 3 ? EVEN : SAME_UPPER,
                  1 + (size_t)random_below(&seed, MOST), round);
        write_table();
        nd_sealed_file *whole = open_table(whole_name, &table);
        write_wrong(whole, &seed);
        nd_sealed_close(whole);
        nd_sealed_file *file = open_table(wrong_name, &table);
        for (unsigned below = 0; below <= all.bucket_bits; below++) {
            nd_status status = scan_all(&table, below, 64 + (size_t)random_below(&seed, MOST),
                                        false);
            assert_true(status == ND_OK || status == ND_ERR_CORRUPT);
            reports |= status != ND_OK;
        }
        reported += reports;
        nd_sealed_close(file);
    }
    print_message("%zu wrong directories, %zu reported\n", rounds, reported);
    assert_true(reported > rounds / 2);
    remove(whole_name);
    remove(wrong_name);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_wrong_directories)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

/* Key tables against sorted arrays; tables with damaged bytes. */
#include "store/key_table.h"

#include "own_directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KIND = 1, TAG = 9 };

#define KEY_MOST ((UINT64_C(1) << ND_BAND_BITS) - 1)

typedef struct entry {
    uint64_t key;
    uint32_t document;
} entry;

static int in_order(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->document < y->document ? -1 : x->document > y->document;
}

static nd_status put_all(nd_sealed_writer *file, uint64_t documents, const entry *entries,
                         size_t count, const nd_allocator *allocator, nd_error *error) {
    nd_key_table_writer *writer = NULL;
    nd_status status = nd_key_table_writer_create(file, documents, count, allocator, &writer,
                                                  error);
    for (size_t i = 0, n; i < count && status == ND_OK; i += n) {
        uint64_t keys[8];
        uint32_t numbers[8];
        size_t most = 1 + i % 8;
        for (n = 0; n < most && i + n < count; n++) {
            keys[n] = entries[i + n].key;
            numbers[n] = entries[i + n].document;
        }
        status = nd_key_table_put(writer, keys, numbers, n, error);
    }
    if (status == ND_OK) status = nd_key_table_finish(writer, error);
    nd_key_table_writer_free(writer);
    return status;
}

/* Writes a table between two other sections. */
static nd_status write_table(uint64_t documents, const entry *entries, size_t count,
                             const nd_allocator *allocator, nd_error *error) {
    nd_sealed_writer *file;
    nd_seal seal;
    nd_status status = nd_sealed_writer_create("a", KIND, allocator, &file, error);
    if (status != ND_OK) return status;
    status = nd_sealed_begin(file, 1, error);
    if (status == ND_OK) status = nd_sealed_write(file, "before", 6, error);
    if (status == ND_OK) status = nd_sealed_begin(file, TAG, error);
    if (status == ND_OK) status = put_all(file, documents, entries, count, allocator, error);
    if (status == ND_OK) status = nd_sealed_begin(file, 2, error);
    if (status == ND_OK) status = nd_sealed_write(file, "behind", 6, error);
    if (status == ND_OK) status = nd_sealed_finish(file, &seal, error);
    nd_sealed_writer_free(file);
    return status;
}

static size_t lower_bound(const entry *entries, size_t count, uint64_t key) {
    size_t begin = 0, end = count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (entries[middle].key < key) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

static void check_key(const nd_key_table *table, const entry *entries, size_t count, uint64_t key) {
    nd_key_range range;
    nd_error error = {0};
    nd_key_table_prefetch(table, key);
    assert_int_equal(nd_key_table_locate(table, key, &range, &error), ND_OK);
    assert_true(nd_key_table_may_have(table, key) || range.begin == range.end);
    nd_key_table_prefetch_entries(table, range);
    assert_int_equal(nd_key_table_find(table, key, range, &range, &error), ND_OK);
    size_t begin = lower_bound(entries, count, key), end = lower_bound(entries, count, key + 1);
    assert_int_equal(range.end - range.begin, end - begin);
    if (begin == end) return;
    assert_int_equal(range.begin, begin);
    uint32_t documents[100];
    size_t some = end - begin < 100 ? end - begin : 100;
    assert_int_equal(nd_key_table_documents(table, end - some, some, documents, &error), ND_OK);
    for (size_t i = 0; i < some; i++)
        assert_int_equal(documents[i], entries[end - some + i].document);
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Finds ascending keys: of entries and others, some of them equal, within 2^bits of each other. */
static void check_ascending(const nd_key_table *table, const entry *entries, size_t count,
                            unsigned bits, uint64_t *seed) {
    enum { MOST = 1200 };
    static uint64_t keys[MOST];
    static nd_key_range ranges[MOST];
    uint64_t first = random_next(seed) & KEY_MOST;
    nd_error error = {0};
    size_t used = 1 + random_below(seed, random_below(seed, 6) ? 70 : MOST);
    for (size_t i = 0; i < used; i++) {
        keys[i] = (first ^ (random_next(seed) & ((UINT64_C(1) << bits) - 1))) & KEY_MOST;
        size_t at = lower_bound(entries, count, keys[i]);
        if (at < count && random_below(seed, 2)) keys[i] = entries[at].key;
        if (i > 0 && random_below(seed, 8) == 0) keys[i] = keys[i - 1];
    }
    qsort(keys, used, sizeof *keys, ascending);
    assert_int_equal(nd_key_table_find_ascending(table, keys, used, ranges, &error), ND_OK);
    for (size_t i = 0; i < used; i++) {
        size_t begin = lower_bound(entries, count, keys[i]),
               end = lower_bound(entries, count, keys[i] + 1);
        assert_int_equal(ranges[i].end - ranges[i].begin, end - begin);
        if (begin < end) assert_int_equal(ranges[i].begin, begin);
    }
}

static void check_cursor(const nd_key_table *table, const entry *entries, size_t count) {
    nd_key_cursor cursor;
    nd_key_cursor_begin(table, &cursor);
    nd_error error = {0};
    bool more = false;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(nd_key_cursor_next(&cursor, &more, &error), ND_OK);
        assert_true(more && cursor.key == entries[i].key && cursor.document == entries[i].document);
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(nd_key_cursor_next(&cursor, &more, &error), ND_OK);
        assert_false(more);
    }
}

/* Sorts the entries, writes a table of them and checks it. */
static void check_table(uint64_t documents, entry *entries, size_t count, uint64_t seed) {
    nd_sealed_file *file;
    nd_key_table table, other;
    nd_error error = {0};
    qsort(entries, count, sizeof *entries, in_order);
    assert_int_equal(write_table(documents, entries, count, &nd_allocator_default, &error), ND_OK);
    assert_int_equal(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error), ND_OK);
    assert_int_equal(nd_key_table_open(file, TAG, documents, count, &table, &error), ND_OK);
    assert_int_equal(nd_key_table_open(file, TAG, documents, count + 64, &other, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(nd_key_table_open(file, TAG, documents * 64 + 64, count, &other, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(nd_key_table_open(file, TAG, (UINT64_C(1) << 32) + 1, count, &other, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(nd_key_table_open(file, TAG, documents, UINT64_MAX / 2, &other, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(nd_key_table_open(file, TAG + 1, documents, count, &other, &error),
                     ND_ERR_CORRUPT);
    check_cursor(&table, entries, count);
    const uint64_t edges[] = {0, 1, KEY_MOST - 1, KEY_MOST, KEY_MOST / 2, KEY_MOST / 2 + 1};
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        check_key(&table, entries, count, edges[e]);
    for (int round = 0; round < 500; round++) {
        check_key(&table, entries, count, random_next(&seed) & KEY_MOST);
        if (count > 0)
            check_key(&table, entries, count,
                      (entries[random_below(&seed, count)].key + random_below(&seed, 3) - 1) &
                          KEY_MOST);
    }
    for (size_t i = 0; i < count && i < 300; i++) check_key(&table, entries, count, entries[i].key);
    for (unsigned bits = 0; bits <= ND_BAND_BITS; bits++)
        check_ascending(&table, entries, count, bits, &seed);
    uint32_t document;
    assert_int_equal(nd_key_table_documents(&table, count, 0, &document, &error), ND_OK);
    assert_int_equal(nd_key_table_documents(&table, count, 1, &document, &error), ND_ERR_CORRUPT);
    assert_int_equal(nd_key_table_documents(&table, UINT64_MAX, 2, &document, &error),
                     ND_ERR_CORRUPT);
    nd_sealed_close(file);
    assert_int_equal(unlink("a"), 0);
}

typedef enum way { ANY, ONE_KEY, FEW_KEYS, IN_TURN, ENDS, NEAR, HOT, WAYS } way;

static uint64_t make_key(way how, size_t i, uint64_t *seed) {
    switch (how) {
    case ONE_KEY: return 0x123456789a;
    case FEW_KEYS: return random_below(seed, 20) * 0xfedcba987 & KEY_MOST;
    case IN_TURN: return i;
    case ENDS: return i % 2 ? KEY_MOST : 0;
    case NEAR: return 0x2000000000 + random_below(seed, 4000);
    case HOT: return i % 10 ? 0x2000000007 : random_next(seed) & KEY_MOST;
    default: return random_next(seed) & KEY_MOST;
    }
}

static void test_against_sorted_array(void **state) {
    (void)state;
    enum { MOST = 30000 };
    static entry entries[MOST];
    uint64_t seed = 1;
    for (unsigned round = 0; round < 200; round++) {
        size_t count = round < 3 * WAYS ? round / WAYS
                                        : random_below(&seed, round % 20 ? 1000 : MOST);
        uint64_t documents = 1 + random_below(&seed, UINT64_C(1) << random_below(&seed, 15));
        if (count == 0 && round % 2) documents = 0;
        bool each_once = random_below(&seed, 2);
        if (each_once && documents < count) documents = count;
        for (size_t i = 0; i < count; i++) {
            uint64_t document = each_once                ? i
                                : random_below(&seed, 4) ? random_below(&seed, documents)
                                                         : documents - 1;
            entries[i] = (entry){make_key(round % WAYS, i, &seed), (uint32_t)document};
        }
        check_table(documents, entries, count, round);
    }
}

/* B and D change at powers of two. The directory of the largest table goes to disk in the tiny
 * build. */
static void test_documents(void **state) {
    (void)state;
    static entry entries[500];
    uint64_t seed = 2;
    for (unsigned bits = 0; bits <= 19; bits++)
        for (int more = -1; more <= 1; more++) {
            uint64_t documents = (UINT64_C(1) << bits) + (uint64_t)more;
            size_t count = documents ? sizeof entries / sizeof *entries : 0;
            for (size_t i = 0; i < count; i++)
                entries[i] = (entry){
                    random_next(&seed) & KEY_MOST,
                    (uint32_t)(i % 3 ? random_below(&seed, documents) : documents - 1)};
            check_table(documents, entries, count, bits);
        }
}

static void expect_bytes(uint64_t documents, const entry *entries, size_t count,
                         const unsigned char *wanted, size_t size) {
    nd_sealed_file *file;
    nd_section section;
    const unsigned char *bytes;
    nd_error error = {0};
    assert_int_equal(write_table(documents, entries, count, &nd_allocator_default, &error), ND_OK);
    assert_int_equal(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error), ND_OK);
    assert_int_equal(nd_sealed_section(file, TAG, &section, &error), ND_OK);
    assert_int_equal(section.size, size);
    assert_int_equal(nd_sealed_view(file, &section, 0, size, &bytes, &error), ND_OK);
    assert_memory_equal(bytes, wanted, size);
    nd_sealed_close(file);
    assert_int_equal(unlink("a"), 0);
}

/* The bytes of doc/internals/formats.md: 5 documents, B = 3, D = 1, S = 14, W = 18. */
static void test_bytes(void **state) {
    (void)state;
    const entry entries[] = {{0, 0}, {1, 4}, {UINT64_C(1) << 37, 2}, {KEY_MOST, 3}, {KEY_MOST, 4}};
    static const unsigned char wanted_entries[25] = "\x00\x00\x00\x00\x00"
                                                    "\x0c\x00\x00\x00\x00" /* 1 << 3 | 4 */
                                                    "\x02\x00\x00\x00\x00" /* no top bit */
                                                    "\xfb\xff\xff\xff\xff"
                                                    "\xfc\xff\xff\xff\xff";
    unsigned char wanted[64 + ND_KEY_LINE] = {0}, *line = wanted + 64;
    memcpy(wanted, wanted_entries, sizeof wanted_entries);
    memset(line, 255, ND_KEY_LINE_BYTES);
    memcpy(line, (const unsigned char[5]){0, 0, 18, 35, 35}, 5);
    line[60] = 5;
    expect_bytes(5, entries, 5, wanted, sizeof wanted);
}

/* A line of more entries than it has bytes: 60 of prefix 0, 3 of prefix 2 and 1 of prefix 3 of 4.
 * 16 documents, B = 4, D = 2, S = 2 and W = 127, so there are two lines. */
static void test_full_line(void **state) {
    (void)state;
    enum { COUNT = 64, DIRECTORY = 5 * COUNT };
    entry entries[COUNT];
    unsigned char wanted[DIRECTORY + 2 * ND_KEY_LINE] = {0}, *line = wanted + DIRECTORY;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t prefix = i < 60 ? 0 : i < 63 ? 2 : 3;
        entries[i] = (entry){prefix << 36 | 7, (uint32_t)i / 4};
        nd_store_le64(wanted + 5 * i, 7 << 4 | i / 4); /* the next one overwrites three zeros */
    }
    memset(line, 0, sizeof wanted - DIRECTORY);
    nd_store_le32(line, 60); /* prefix 0 */
    nd_store_le32(line + 4, 60);
    nd_store_le32(line + 60, 60); /* the line */
    line += ND_KEY_LINE;
    memset(line, 255, ND_KEY_LINE_BYTES);
    memcpy(line, (const unsigned char[4]){0, 0, 0, 127}, 4);
    nd_store_le32(line + 56, 60);
    nd_store_le32(line + 60, 64);
    expect_bytes(16, entries, COUNT, wanted, sizeof wanted);
}

/* A line of random keys says of most keys that are not there that they are not. */
static void test_absent(void **state) {
    (void)state;
    enum { COUNT = 20000, LOOKUPS = 100000 };
    static entry entries[COUNT];
    nd_sealed_file *file;
    nd_key_table table;
    nd_error error = {0};
    uint64_t seed = 5;
    unsigned doubtful = 0;
    for (uint32_t i = 0; i < COUNT; i++) entries[i] = (entry){random_next(&seed) & KEY_MOST, i};
    qsort(entries, COUNT, sizeof *entries, in_order);
    assert_int_equal(write_table(COUNT, entries, COUNT, &nd_allocator_default, &error), ND_OK);
    assert_int_equal(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error), ND_OK);
    assert_int_equal(nd_key_table_open(file, TAG, COUNT, COUNT, &table, &error), ND_OK);
    for (int i = 0; i < LOOKUPS; i++) {
        nd_key_range bucket;
        uint64_t key = random_next(&seed) & KEY_MOST;
        assert_int_equal(nd_key_table_locate(&table, key, &bucket, &error), ND_OK);
        assert_int_equal(nd_key_table_may_have(&table, key), bucket.begin < bucket.end);
        doubtful += bucket.begin < bucket.end;
    }
    assert_in_range(doubtful, LOOKUPS / 10, LOOKUPS / 6);
    nd_sealed_close(file);
    assert_int_equal(unlink("a"), 0);
}

static void expect_misuse(uint64_t documents, uint64_t promised, const entry *entries,
                          size_t count) {
    nd_sealed_writer *file;
    nd_key_table_writer *writer = NULL;
    nd_error error = {0};
    assert_int_equal(nd_sealed_writer_create("a", KIND, &nd_allocator_default, &file, &error),
                     ND_OK);
    assert_int_equal(nd_sealed_begin(file, TAG, &error), ND_OK);
    nd_status status = nd_key_table_writer_create(file, documents, promised, &nd_allocator_default,
                                                  &writer, &error);
    for (size_t i = 0; i < count && status == ND_OK; i++) {
        status = nd_key_table_put(writer, &entries[i].key, &entries[i].document, 1, &error);
        assert_true(status == ND_OK || i + 1 == count);
    }
    if (status == ND_OK) status = nd_key_table_finish(writer, &error);
    assert_int_equal(status, ND_ERR_ARGUMENT);
    nd_key_table_writer_free(writer);
    nd_sealed_writer_free(file);
}

static void test_misuse(void **state) {
    (void)state;
    expect_misuse(5, 3, (entry[]){{1, 1}, {7, 1}, {6, 2}}, 3);
    expect_misuse(5, 2, (entry[]){{7, 3}, {7, 2}}, 2);
    expect_misuse(5, 1, (entry[]){{7, 5}}, 1);
    expect_misuse(5, 1, (entry[]){{KEY_MOST + 1, 0}}, 1);
    expect_misuse(5, 1, (entry[]){{7, 1}, {8, 1}}, 2);
    expect_misuse(5, 3, (entry[]){{7, 1}, {8, 1}}, 2);
    expect_misuse(0, 1, (entry[]){{0, 0}}, 1);
    expect_misuse((UINT64_C(1) << 32) + 1, 0, NULL, 0);
    expect_misuse(5, UINT64_C(1) << 32, NULL, 0);
    nd_key_table_writer_free(NULL);
}

/* Reads a section of any bytes. Lookups must stay within its entries, and a cursor must give no
 * more entries than there are, in order. */
static void read_anything(const nd_key_table *table, bool expect_rejection, uint64_t seed) {
    nd_error error = {0};
    for (int round = 0; round < 100; round++) {
        nd_key_range bucket, range;
        uint64_t key = random_next(&seed) & KEY_MOST;
        if (nd_key_table_locate(table, key, &bucket, &error) != ND_OK) {
            assert_ptr_equal(strstr(error.message, "a: damaged: directory of keys at byte "),
                             error.message);
            continue;
        }
        assert_true(bucket.begin <= bucket.end && bucket.end <= table->entries);
        assert_int_equal(nd_key_table_find(table, key, bucket, &range, &error), ND_OK);
        assert_true(bucket.begin <= range.begin && range.begin <= range.end &&
                    range.end <= bucket.end);
        for (uint64_t i = range.begin; i < range.end; i++) {
            uint32_t document;
            if (nd_key_table_documents(table, i, 1, &document, &error) == ND_OK)
                assert_true(document < table->documents);
        }
    }
    nd_key_cursor cursor;
    nd_key_cursor_begin(table, &cursor);
    bool more = true;
    uint64_t got = 0, last = 0;
    nd_status status = ND_OK;
    while (status == ND_OK && more) {
        status = nd_key_cursor_next(&cursor, &more, &error);
        if (status != ND_OK || !more) continue;
        assert_true(cursor.key >= last && cursor.document < table->documents);
        last = cursor.key;
        got++;
    }
    assert_true(got <= table->entries);
    assert_int_equal(status, expect_rejection ? ND_ERR_CORRUPT : ND_OK);
}

static void with_section(const unsigned char *bytes, size_t size, uint64_t documents,
                         uint64_t count, bool expect_rejection, uint64_t seed) {
    nd_sealed_writer *writer;
    nd_sealed_file *file;
    nd_key_table table;
    nd_seal seal;
    nd_error error = {0};
    assert_int_equal(nd_sealed_writer_create("a", KIND, &nd_allocator_default, &writer, &error),
                     ND_OK);
    assert_int_equal(nd_sealed_begin(writer, TAG, &error), ND_OK);
    assert_int_equal(nd_sealed_write(writer, bytes, size, &error), ND_OK);
    assert_int_equal(nd_sealed_finish(writer, &seal, &error), ND_OK);
    nd_sealed_writer_free(writer);
    assert_int_equal(nd_sealed_open("a", KIND, &seal, &nd_allocator_default, &file, &error), ND_OK);
    assert_int_equal(nd_key_table_open(file, TAG, documents, count, &table, &error), ND_OK);
    read_anything(&table, expect_rejection, seed);
    nd_sealed_close(file);
    assert_int_equal(unlink("a"), 0);
}

/* Sections with right hashes around the bytes of a damaged table. */
static void test_damaged(void **state) {
    (void)state;
    enum { COUNT = 200, DOCUMENTS = 50, LINES = 6, DIRECTORY = 5 * COUNT + 24 };
    enum { SIZE = DIRECTORY + LINES * ND_KEY_LINE };
    static entry entries[COUNT];
    unsigned char right[SIZE], wrong[SIZE];
    nd_sealed_file *file;
    nd_section section;
    const unsigned char *view;
    nd_error error = {0};
    uint64_t seed = 3;
    for (size_t i = 0; i < COUNT; i++)
        entries[i] = (entry){random_next(&seed) & KEY_MOST,
                             (uint32_t)random_below(&seed, DOCUMENTS)};
    qsort(entries, COUNT, sizeof *entries, in_order);
    assert_int_equal(write_table(DOCUMENTS, entries, COUNT, &nd_allocator_default, &error), ND_OK);
    assert_int_equal(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error), ND_OK);
    assert_int_equal(nd_sealed_section(file, TAG, &section, &error), ND_OK);
    assert_int_equal(section.size, SIZE);
    assert_int_equal(nd_sealed_view(file, &section, 0, SIZE, &view, &error), ND_OK);
    memcpy(right, view, SIZE);
    nd_sealed_close(file);
    assert_int_equal(unlink("a"), 0);
    with_section(right, SIZE, DOCUMENTS, COUNT, false, 1);
    for (size_t line = 0; line < LINES; line++)
        for (size_t word = 0; word < 2; word++) {
            size_t at = DIRECTORY + line * ND_KEY_LINE + ND_KEY_LINE_BYTES + 4 * word;
            uint32_t value = nd_load_le32(right + at);
            const uint32_t values[] = {value + 1, value - 1, 0, COUNT, COUNT + 1, UINT32_MAX};
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                memcpy(wrong, right, SIZE);
                nd_store_le32(wrong + at, values[v]);
                with_section(wrong, SIZE, DOCUMENTS, COUNT, values[v] != value, v);
            }
        }
    for (size_t line = 0; line < LINES; line++) {
        const unsigned char *from = right + DIRECTORY + line * ND_KEY_LINE;
        size_t count = nd_load_le32(from + 60) - nd_load_le32(from + 56);
        for (size_t i = 0; i < count; i++) {
            memcpy(wrong, right, SIZE);
            wrong[(size_t)(from - right) + i] ^= (unsigned char)(1 + random_below(&seed, 255));
            with_section(wrong, SIZE, DOCUMENTS, COUNT, true, i);
        }
    }
    memcpy(wrong, right, SIZE);
    wrong[5 * 77] |= 63; /* a document that does not exist */
    with_section(wrong, SIZE, DOCUMENTS, COUNT, true, 1);
    memcpy(wrong, right, SIZE);
    memcpy(wrong, right + 5, 5);
    memcpy(wrong + 5, right, 5);
    with_section(wrong, SIZE, DOCUMENTS, COUNT, true, 1);
    for (int round = 0; round < 200; round++) {
        for (size_t i = round % 2 ? DIRECTORY : 0; i < SIZE; i++)
            wrong[i] = (unsigned char)random_next(&seed);
        with_section(wrong, SIZE, DOCUMENTS, COUNT, true, (uint64_t)round);
        memcpy(wrong, right, SIZE);
        for (size_t i = 0; i < DIRECTORY; i++) wrong[i] = (unsigned char)random_next(&seed);
        with_section(wrong, SIZE, DOCUMENTS, COUNT, true, (uint64_t)round);
    }
}

/* A page with a flipped byte is reported, not read. */
static void test_flipped(void **state) {
    (void)state;
    nd_error error = {0};
    const entry one[] = {{KEY_MOST, 1}};
    assert_int_equal(write_table(2, one, 1, &nd_allocator_default, &error), ND_OK);
    FILE *f = fopen("a", "r+");
    assert_int_equal(fseek(f, ND_SEALED_PAGE, SEEK_SET), 0);
    fputc(2, f);
    fclose(f);
    nd_sealed_file *file;
    nd_key_table table;
    nd_key_range range;
    bool more;
    assert_int_equal(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error), ND_OK);
    assert_int_equal(nd_key_table_open(file, TAG, 2, 1, &table, &error), ND_OK);
    assert_int_equal(nd_key_table_locate(&table, KEY_MOST, &range, &error), ND_ERR_CORRUPT);
    assert_int_equal(nd_key_table_find(&table, KEY_MOST, (nd_key_range){0, 1}, &range, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(nd_key_table_documents(&table, 0, 1, &(uint32_t){0}, &error), ND_ERR_CORRUPT);
    nd_key_cursor cursor;
    nd_key_cursor_begin(&table, &cursor);
    assert_int_equal(nd_key_cursor_next(&cursor, &more, &error), ND_ERR_CORRUPT);
    nd_sealed_close(file);
    assert_int_equal(unlink("a"), 0);
}

static void test_no_memory(void **state) {
    (void)state;
    static entry entries[100];
    nd_error error = {0};
    nd_status status = ND_ERR_MEMORY;
    for (uint32_t i = 0; i < 100; i++) entries[i] = (entry){i, i};
    for (long n = 0; status == ND_ERR_MEMORY; n++) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        status = write_table(1 << 18, entries, 100, &allocator, &error);
        assert_int_equal(failing.live, 0);
    }
    assert_int_equal(status, ND_OK);
    assert_int_equal(unlink("a"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_sorted_array),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_full_line),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_flipped),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

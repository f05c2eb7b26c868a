/* The memtable against an array of documents that is searched from end to end. */
#include "store/memtable.h"

#include "base/radix_sort.h"
#include "sketch/band_key.h"
#include "store/stored_id.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DOCUMENTS = 1500, MOST_SKETCH = 40, MOST_BANDS = 9, POOL = 1000, MOST_ID = 12 };

/* ---- the oracle */

typedef struct plain_document {
    char id[MOST_ID];
    size_t id_length, set_size;
    uint8_t sketch[MOST_SKETCH];
    uint64_t keys[MOST_BANDS];
    unsigned char *set;
    bool removed;
} plain_document;

typedef struct plain_table {
    nd_row_layout layout;
    size_t distinct_keys, distinct_ids; /* of the pool */
    uint64_t seed;
    uint32_t count, live;
    plain_document documents[MOST_DOCUMENTS];
} plain_table;

static plain_table plain;

/* Keys at both ends of the range, next to each other, and anywhere. */
static uint64_t pool_key(size_t number) {
    const uint64_t last = (UINT64_C(1) << ND_BAND_BITS) - 1;
    if (number % 3 == 0) return last - number / 3;
    return number % 3 == 1 ? number / 3 : nd_mix64(number) & last;
}

static uint64_t any_key(void) { return pool_key(random_below(&plain.seed, plain.distinct_keys)); }

/* Makes ids among which are the empty one and some with NUL bytes. */
static void make_id(char *id, size_t *length) {
    uint64_t number = random_below(&plain.seed, plain.distinct_ids);
    *length = number % MOST_ID;
    for (size_t i = 0; i < *length; i++) id[i] = (char)(number >> (8 * i % 64));
}

static plain_document make_document(void) {
    plain_document d = {0};
    make_id(d.id, &d.id_length);
    for (uint32_t i = 0; i < plain.layout.sketch_size; i++)
        d.sketch[i] = (uint8_t)random_next(&plain.seed);
    for (uint32_t b = 0; b < plain.layout.bands; b++) d.keys[b] = any_key();
    if (!plain.layout.sets) return d;
    d.set_size = random_below(&plain.seed, random_below(&plain.seed, 40) ? 300 : 70000);
    d.set = malloc(d.set_size + 1);
    for (size_t i = 0; i < d.set_size; i++) d.set[i] = (unsigned char)random_next(&plain.seed);
    return d;
}

static nd_stored_document stored(const plain_document *d) {
    return (nd_stored_document){.id = d->id,
                                .id_length = d->id_length,
                                .sketch = d->sketch,
                                .keys = d->keys,
                                .set = d->set,
                                .set_size = d->set_size};
}

static void begin(nd_row_layout layout, size_t distinct_keys, size_t distinct_ids, uint64_t seed) {
    plain.layout = layout;
    plain.distinct_keys = distinct_keys;
    plain.distinct_ids = distinct_ids;
    plain.seed = seed;
    plain.count = plain.live = 0;
}

static void end(void) {
    for (uint32_t d = 0; d < plain.count; d++) free(plain.documents[d].set);
}

/* ---- comparing */

static void check_key(const nd_memtable *table, uint32_t band, uint64_t key) {
    uint32_t found = nd_memtable_find(table, band, key);
    nd_memtable_prefetch(table, band, key);
    for (uint32_t d = 0; d < plain.count; d++) {
        if (plain.documents[d].removed || plain.documents[d].keys[band] != key) continue;
        assert_int_equal(found, d);
        found = nd_memtable_next(table, band, found);
    }
    assert_int_equal(found, UINT32_MAX);
}

static void check_id(const nd_memtable *table, const char *id, size_t length) {
    uint32_t wanted = UINT32_MAX;
    for (uint32_t d = 0; d < plain.count; d++)
        if (!plain.documents[d].removed && plain.documents[d].id_length == length &&
            memcmp(plain.documents[d].id, id, length) == 0)
            wanted = d;
    assert_int_equal(nd_memtable_find_id(table, id, length), wanted);
}

static void check_document(const nd_memtable *table, uint32_t document) {
    const plain_document *wanted = &plain.documents[document];
    nd_stored_document got;
    nd_memtable_document(table, document, &got);
    assert_int_equal(nd_memtable_is_removed(table, document), wanted->removed);
    assert_int_equal(got.id_length, wanted->id_length);
    assert_memory_equal(got.id, wanted->id, got.id_length);
    assert_memory_equal(got.sketch, wanted->sketch, plain.layout.sketch_size);
    assert_null(got.keys);
    assert_int_equal(got.set_size, wanted->set_size);
    assert_int_equal(got.set != NULL, plain.layout.sets);
    if (plain.layout.sets) assert_memory_equal(got.set, wanted->set, got.set_size);
    if (plain.layout.sets) assert_memory_equal(got.set + got.set_size, "\0\0\0\0\0\0\0", 8);
    for (uint32_t b = 0; b < plain.layout.bands; b++)
        assert_true(nd_memtable_key(table, document, b) == wanted->keys[b]);
}

static void check_counts(const nd_memtable *table) {
    assert_int_equal(nd_memtable_count(table), plain.count);
    assert_int_equal(nd_memtable_live_count(table), plain.live);
}

static void check_some(const nd_memtable *table, int lookups) {
    check_counts(table);
    for (int i = 0; i < lookups; i++) {
        char id[MOST_ID];
        size_t length;
        make_id(id, &length);
        check_id(table, id, length);
        check_key(table, (uint32_t)random_below(&plain.seed, plain.layout.bands), any_key());
        if (plain.count > 0)
            check_document(table, (uint32_t)random_below(&plain.seed, plain.count));
    }
}

/* ---- tests */

static const nd_row_layout small = {.sketch_size = 16, .bands = 4, .sets = true};

static void add(nd_memtable *table) {
    plain_document d = make_document();
    nd_stored_document document = stored(&d);
    nd_error error;
    size_t before = nd_memtable_bytes(table);
    assert_int_equal(nd_memtable_add(table, &document, &error), ND_OK);
    assert_true(nd_memtable_bytes(table) >= before ||
                plain.live < plain.count); /* keys without documents are dropped */
    plain.documents[plain.count++] = d;
    plain.live++;
}

/* Removes the newest document, the oldest, or any. */
static void remove_one(nd_memtable *table) {
    if (plain.count == 0) return;
    uint32_t document = (uint32_t)random_below(&plain.seed, plain.count);
    uint64_t which = random_below(&plain.seed, 3);
    if (which < 2 && plain.live > 0) {
        document = which == 0 ? 0 : plain.count - 1;
        while (plain.documents[document].removed) document += which == 0 ? 1 : UINT32_MAX;
    }
    nd_memtable_remove(table, document);
    plain.live -= !plain.documents[document].removed;
    plain.documents[document].removed = true;
}

/* Adds and removes documents, until none is left, and then adds some. */
static void change_and_check(nd_memtable *table, uint64_t round) {
    check_some(table, 3);
    /* How many of 10 steps remove. In a third of the rounds there are more removals than additions
     * after the first half. */
    uint64_t removals = round / 4 % 3 * 4;
    uint32_t most = round % 8 ? 200 : MOST_DOCUMENTS;
    for (uint32_t step = 0; plain.count < most && step < 3 * most; step++) {
        if (random_below(&plain.seed, 10) < (step < most / 2 ? removals / 4 : removals))
            remove_one(table);
        else add(table);
        if (random_below(&plain.seed, 10) == 0) check_some(table, 1);
    }
    check_some(table, 200);
    for (uint32_t d = 0; d < plain.count; d++) check_document(table, d);
    while (plain.live > 0) remove_one(table);
    check_some(table, 50);
    for (int i = 0; i < 20 && plain.count < MOST_DOCUMENTS; i++) add(table);
    check_some(table, 50);
}

/* A table that is cleared is like a new one, whether it had many documents or few. */
static void test_against_row(void **state) {
    (void)state;
    const size_t distinct[] = {1, 3, 40, POOL};
    for (uint64_t round = 0; round < 96; round++) {
        const nd_row_layout layout = {.sketch_size = (uint32_t)(1 + round * 13 % MOST_SKETCH),
                                      .bands = (uint32_t)(1 + round * 5 % MOST_BANDS),
                                      .sets = round % 3 > 0};
        nd_memtable *table;
        nd_error error;
        assert_int_equal(nd_memtable_create(&layout, (uint32_t)(round % 3 * 90),
                                            &nd_allocator_default, &table, &error),
                         ND_OK);
        for (uint64_t life = 0; life < 3; life++) {
            begin(layout, distinct[round % 4], round % 5 ? 300 : 2, round + 96 * life);
            change_and_check(table, round + life);
            end();
            nd_memtable_clear(table);
            assert_int_equal(nd_memtable_count(table), 0);
            if (life == 1) nd_memtable_clear(table);
        }
        nd_memtable_free(table);
    }
}

/* Some of two million ids have hashes that agree in the bits that the table uses. */
static void test_equal_hashes(void **state) {
    (void)state;
    enum { IDS = 1 << 21, NUMBER_BITS = 64 - ND_BAND_BITS };
    uint64_t *words = malloc(2 * IDS * sizeof *words), pairs = 0;
    for (uint64_t id = 0; id < IDS; id++)
        words[id] = nd_band_number(nd_id_hash((const char *)&id, 8)) << NUMBER_BITS | id;
    nd_radix_sort(words, words + IDS, IDS, 0);
    for (size_t i = 1; i < IDS; i++) {
        if (words[i] >> NUMBER_BITS != words[i - 1] >> NUMBER_BITS) continue;
        nd_memtable *table;
        nd_error error;
        uint64_t ids[2] = {words[i - 1] % IDS, words[i] % IDS}, key = 0;
        assert_int_equal(nd_memtable_create(&(nd_row_layout){.sketch_size = 1, .bands = 1}, 0,
                                            &nd_allocator_default, &table, &error),
                         ND_OK);
        for (int k = 0; k < 2; k++) {
            nd_stored_document document = {.id = (const char *)&ids[k],
                                           .id_length = 8,
                                           .sketch = (const uint8_t *)"",
                                           .keys = &key};
            assert_int_equal(nd_memtable_find_id(table, document.id, 8), UINT32_MAX);
            assert_int_equal(nd_memtable_add(table, &document, &error), ND_OK);
        }
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(nd_memtable_find_id(table, (const char *)&ids[k], 8), k);
        nd_memtable_remove(table, 0);
        assert_int_equal(nd_memtable_find_id(table, (const char *)&ids[0], 8), UINT32_MAX);
        assert_int_equal(nd_memtable_find_id(table, (const char *)&ids[1], 8), 1);
        nd_memtable_free(table);
        pairs++;
    }
    assert_true(pairs > 0);
    free(words);
}

/* Lets each request for memory fail in turn. The documents added before are still found, the one
 * that failed is not, and it can be added when there is memory again. */
static void test_memory_out(void **state) {
    (void)state;
    enum { DOCUMENTS = 60 };
    bool done = false;
    for (long left = 0; !done; left++) {
        failing_allocator failing = {.left = left};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_memtable *table = NULL;
        nd_error error;
        begin(small, left % 2 ? 5 : POOL, 50, 7);
        nd_status status = nd_memtable_create(&small, (uint32_t)(left % 3 * 40), &allocator, &table,
                                              &error);
        assert_true(status == ND_OK || (status == ND_ERR_MEMORY && failing.live == 0));
        while (status == ND_OK && plain.count < DOCUMENTS) {
            plain_document d = make_document();
            nd_stored_document document = stored(&d);
            status = nd_memtable_add(table, &document, &error);
            if (status != ND_OK) {
                assert_int_equal(status, ND_ERR_MEMORY);
                check_some(table, 5);
                check_id(table, d.id, d.id_length);
                for (uint32_t b = 0; b < plain.layout.bands; b++) check_key(table, b, d.keys[b]);
                failing.left = FAILING_ALLOCATOR_NEVER;
                assert_int_equal(nd_memtable_add(table, &document, &error), ND_OK);
            }
            plain.documents[plain.count++] = d;
            plain.live++;
        }
        if (table) check_some(table, 20);
        done = status == ND_OK;
        nd_memtable_free(table);
        assert_int_equal(failing.live, 0);
        end();
    }
}

static void test_too_large(void **state) {
    (void)state;
    nd_memtable *table;
    nd_error error;
    begin(small, 5, 50, 8);
    assert_int_equal(nd_memtable_create(&small, 0, &nd_allocator_default, &table, &error), ND_OK);
    plain_document d = {0};
    nd_stored_document document = stored(&d);
    document.set_size = UINT32_MAX;
    assert_int_equal(nd_memtable_add(table, &document, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "a document of 4294967335 bytes is too large for an index");
    check_some(table, 5);
    nd_memtable_free(table);
    nd_memtable_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_row), cmocka_unit_test(test_equal_hashes),
        cmocka_unit_test(test_memory_out), cmocka_unit_test(test_too_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

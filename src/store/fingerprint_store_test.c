/* The store of an index of fingerprints against brute force: fingerprints are added, removed,
 * flushed, compacted and opened again, with ids that are strings and ids that are numbers. */
#include "store/compaction.h"
#include "store/flush.h"
#include "store/store_check.h"
#include "store/store_commit.h"
#include "store/store_create.h"
#include "store/store_open.h"

#include "hamming/hamming_search.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOCUMENTS = 1200, K = 3 };

typedef struct model {
    nd_fingerprint fingerprints[DOCUMENTS];
    bool there[DOCUMENTS];
    size_t count;
} model;

static size_t id_of(size_t document, bool numbered, char id[32]) {
    return (size_t)snprintf(id, 32, numbered ? "%zu" : "document %zu", document);
}

static void add(nd_store *s, model *m, uint64_t *seed, uint32_t bits, bool numbered) {
    unsigned char bytes[16];
    char id[32];
    nd_error error;
    nd_fingerprint f = {random_next(seed), random_next(seed)};
    if (m->count && random_below(seed, 2)) f = m->fingerprints[random_below(seed, m->count)];
    for (uint64_t flips = random_below(seed, 4); flips > 0; flips--)
        f.low ^= UINT64_C(1) << random_below(seed, bits < 64 ? bits : 64);
    f = nd_fingerprint_and(f, nd_fingerprint_mask(bits));
    nd_store_le64(bytes, f.low);
    nd_store_le64(bytes + 8, f.high);
    nd_stored_document document = {
        .id = id, .id_length = id_of(m->count, numbered, id), .sketch = bytes};
    assert_int_equal(nd_store_add(s, &document, &error), ND_OK);
    m->fingerprints[m->count] = f;
    m->there[m->count++] = true;
}

static void remove_one(nd_store *s, model *m, uint64_t *seed, bool numbered) {
    char id[32];
    uint32_t number;
    nd_error error;
    size_t document = random_below(seed, m->count), length = id_of(document, numbered, id);
    assert_int_equal(nd_store_find_id(s, id, length, &number, &error), ND_OK);
    assert_int_equal(number != UINT32_MAX, m->there[document]);
    if (number != UINT32_MAX) assert_int_equal(nd_store_remove(s, number, &error), ND_OK);
    m->there[document] = false;
}

typedef struct finding {
    const nd_store *store;
    uint32_t begin;
    bool numbered;
    uint8_t found[DOCUMENTS]; /* distance + 1 */
} finding;

static void find_number(finding *f, uint32_t number, uint32_t distance) {
    nd_id_digits digits;
    nd_stored_document d;
    nd_error error;
    char id[32] = "";
    size_t document;
    if (nd_store_is_removed(f->store, number)) return;
    assert_int_equal(nd_store_id(f->store, number, &digits, &d, &error), ND_OK);
    memcpy(id, d.id, d.id_length);
    assert_int_equal(sscanf(id, f->numbered ? "%zu" : "document %zu", &document), 1);
    assert_int_equal(f->found[document], 0);
    f->found[document] = (uint8_t)(distance + 1);
}

static nd_status take(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    finding *f = context;
    uint64_t begin, end;
    (void)more;
    ND_TRY(nd_document_lists_slots(&hit->tables->lists, hit->entry, &begin, &end, error));
    for (; begin < end; begin++) {
        uint32_t document;
        ND_TRY(nd_document_lists_at(&hit->tables->lists, begin, &document, error));
        find_number(f, f->begin + document, hit->distance);
    }
    return ND_OK;
}

static void check_query(const nd_store *s, const model *m, nd_hamming_search_context *search,
                        nd_fingerprint query, uint32_t bits, bool numbered) {
    static finding f;
    nd_error error;
    uint32_t begin;
    f = (finding){.store = s, .numbered = numbered};
    for (size_t g = 0; g < nd_store_segment_count(s); g++) {
        const nd_segment *segment = nd_store_segment(s, g, &f.begin);
        const nd_hamming_request request = {.tables = &segment->hamming,
                                            .queries = &query,
                                            .count = 1,
                                            .k = K,
                                            .fn = take,
                                            .context = &f};
        assert_int_equal(nd_hamming_search_tables(search, &request, &error), ND_OK);
    }
    const nd_memtable *recent = nd_store_memtable(s, &begin);
    for (uint32_t d = 0; d < nd_memtable_count(recent); d++) {
        nd_stored_document document;
        nd_memtable_document(recent, d, &document);
        uint32_t distance = nd_fingerprint_weight(
            nd_fingerprint_xor(nd_stored_fingerprint(&document, bits), query));
        if (distance <= K) find_number(&f, begin + d, distance);
    }
    for (size_t i = 0; i < m->count; i++) {
        uint32_t distance = nd_fingerprint_weight(nd_fingerprint_xor(m->fingerprints[i], query));
        assert_int_equal(f.found[i], m->there[i] && distance <= K ? distance + 1 : 0);
    }
}

static void check_all(const nd_store *s, const model *m, uint64_t *seed, uint32_t bits,
                      bool numbered) {
    nd_hamming_search_context *search;
    nd_error error;
    if (nd_store_check(s, &error) != ND_OK) fail_msg("%s", error.message);
    assert_int_equal(nd_hamming_search_context_create(&nd_allocator_default, &search, &error),
                     ND_OK);
    for (int i = 0; i < 20 && m->count; i++)
        check_query(s, m, search, m->fingerprints[random_below(seed, m->count)], bits, numbered);
    nd_hamming_search_context_free(search);
}

/* Runs one store, in a directory of its own. */
static void check(uint32_t bits, bool numbered) {
    static model m;
    char directory[] = "fingerprint-store-XXXXXX", command[64];
    nd_store *s;
    nd_error error;
    uint64_t seed = bits + numbered;
    nd_index_settings settings = {.kind = ND_KIND_FINGERPRINTS,
                                  .sketch_size = bits / 8,
                                  .numbered = numbered,
                                  .bits = bits,
                                  .k = K};
    m = (model){.count = 0};
    assert_non_null(mkdtemp(directory));
    assert_int_equal(nd_store_create(directory, &settings, NULL, NULL, NULL, &error), ND_OK);
    assert_int_equal(nd_store_open(directory, ND_STORE_WRITE, NULL, &s, &error), ND_OK);
    while (m.count < DOCUMENTS) {
        for (uint64_t n = random_below(&seed, 60); n > 0 && m.count < DOCUMENTS; n--)
            add(s, &m, &seed, bits, numbered);
        for (uint64_t n = random_below(&seed, 10); n > 0 && m.count > 0; n--)
            remove_one(s, &m, &seed, numbered);
        assert_int_equal(nd_store_commit(s, &error), ND_OK);
        if (nd_store_is_full(s)) assert_int_equal(nd_store_compact_levels(s, &error), ND_OK);
        else if (random_below(&seed, 5) == 0) assert_int_equal(nd_store_flush(s, &error), ND_OK);
        if (random_below(&seed, 6) == 0) {
            nd_store_close(s);
            assert_int_equal(nd_store_open(directory, ND_STORE_WRITE, NULL, &s, &error), ND_OK);
        }
        if (random_below(&seed, 4) == 0) check_all(s, &m, &seed, bits, numbered);
    }
    assert_int_equal(nd_store_compact_all(s, &error), ND_OK);
    assert_int_equal(nd_store_segment_count(s), 1);
    check_all(s, &m, &seed, bits, numbered);
    nd_store_close(s);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

/* The same in memory, where a flush and a compaction only drop removed documents. */
static void check_in_memory(uint32_t bits, bool numbered) {
    static model m;
    nd_store *s;
    nd_error error;
    uint64_t seed = bits + numbered;
    const nd_index_settings settings = {.kind = ND_KIND_FINGERPRINTS,
                                        .sketch_size = bits / 8,
                                        .numbered = numbered,
                                        .bits = bits,
                                        .k = K};
    m = (model){.count = 0};
    assert_int_equal(nd_store_open_in_memory(&settings, NULL, &s, &error), ND_OK);
    assert_true(nd_store_is_in_memory(s));
    while (m.count < DOCUMENTS) {
        for (uint64_t n = random_below(&seed, 60); n > 0 && m.count < DOCUMENTS; n--)
            add(s, &m, &seed, bits, numbered);
        for (uint64_t n = random_below(&seed, 40); n > 0 && m.count > 0; n--)
            remove_one(s, &m, &seed, numbered);
        assert_int_equal(nd_store_commit(s, &error), ND_OK);
        assert_int_equal(nd_store_sync(s, &error), ND_OK);
        if (nd_store_is_full(s)) assert_int_equal(nd_store_compact_levels(s, &error), ND_OK);
        if (random_below(&seed, 4) == 0) check_all(s, &m, &seed, bits, numbered);
    }
    assert_int_equal(nd_store_compact_all(s, &error), ND_OK);
    assert_int_equal(nd_store_document_count(s), nd_store_live_count(s));
    check_all(s, &m, &seed, bits, numbered);
    const nd_manifest_segment segment = {.documents = 1};
    assert_int_equal(nd_store_publish(s, &segment, NULL, &error), ND_ERR_ARGUMENT);
    nd_store_close(s);
}

static void test_in_memory(void **state) {
    (void)state;
    for (uint32_t bits = 16; bits <= 128; bits *= 2)
        for (int numbered = 0; numbered < 2; numbered++) check_in_memory(bits, numbered);
}

static void test_strings(void **state) {
    (void)state;
    for (uint32_t bits = 16; bits <= 128; bits *= 2) check(bits, false);
}

static void test_numbers(void **state) {
    (void)state;
    for (uint32_t bits = 16; bits <= 128; bits *= 2) check(bits, true);
}

/* The store does not check that numeric ids ascend; only nd_store_check does. */
static void test_numbers_that_do_not_ascend(void **state) {
    static const char *const ids[][2] = {{"7", "7"}, {"7", "6"}, {"7", "8"}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char directory[] = "fingerprint-store-XXXXXX", command[64];
        nd_index_settings settings = {
            .kind = ND_KIND_FINGERPRINTS, .sketch_size = 8, .numbered = 1, .bits = 64, .k = K};
        nd_store *s;
        nd_error error;
        assert_non_null(mkdtemp(directory));
        assert_int_equal(nd_store_create(directory, &settings, NULL, NULL, NULL, &error), ND_OK);
        assert_int_equal(nd_store_open(directory, ND_STORE_WRITE, NULL, &s, &error), ND_OK);
        for (int d = 0; d < 2; d++)
            assert_int_equal(
                nd_store_add(s,
                             &(nd_stored_document){.id = ids[i][d],
                                                   .id_length = 1,
                                                   .sketch = (const unsigned char[8]){0}},
                             &error),
                ND_OK);
        assert_int_equal(nd_store_check(s, &error), i < 2 ? ND_ERR_CORRUPT : ND_OK);
        nd_store_close(s);
        snprintf(command, sizeof command, "rm -r %s", directory);
        assert_int_equal(system(command), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_in_memory), cmocka_unit_test(test_numbers_that_do_not_ascend)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The filter of a store's keys: lookups with it and without it are the same while documents come,
 * go, and move from segment to segment. */
#include "store/key_filter.h"

#include "base/bits.h"
#include "own_directory.h"
#include "store/band_lookup.h"
#include "store/compaction.h"
#include "store/flush.h"
#include "store/store_commit.h"
#include "store/store_create.h"
#include "store/store_inside.h"
#include "store/store_open.h"
#include "test.h"

#include <string.h>

enum { BANDS = 3, SKETCH = 8, DOCUMENTS = 4000 };

static const nd_index_settings settings = {.kind = ND_KIND_DOCUMENTS,
                                           .sketch_size = SKETCH,
                                           .bands = BANDS,
                                           .analyzer = ND_WORDS,
                                           .ngram = 1,
                                           .rows = 1,
                                           .threshold = 0.8,
                                           .recall = 0.9};

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

/* One in five documents has keys that many share. Keys of documents that are never added are as
 * random. */
static uint64_t key_of(uint32_t document, uint32_t band) {
    uint64_t seed = (uint64_t)document * BANDS + band;
    return random_next(&seed) >> (64 - ND_BAND_BITS) >> (document % 5 == 0 ? 30 : 0);
}

static nd_store *make_store(const char *directory) {
    nd_store *s;
    nd_error error;
    must(nd_store_create(directory, &settings, NULL, NULL, &nd_allocator_default, &error), &error);
    must(nd_store_open(directory, ND_STORE_WRITE, &nd_allocator_default, &s, &error), &error);
    return s;
}

static void add(nd_store *s, uint32_t document) {
    uint8_t sketch[SKETCH];
    uint64_t keys[BANDS];
    char id[16];
    nd_error error;
    nd_store_le64(sketch, document);
    for (uint32_t b = 0; b < BANDS; b++) keys[b] = key_of(document, b);
    const nd_stored_document added = {.id = id,
                                      .id_length = (size_t)snprintf(id, sizeof id, "%u", document),
                                      .sketch = sketch,
                                      .keys = keys};
    must(nd_store_add(s, &added, &error), &error);
}

/* Looks up the keys of a document: totals[b] and the first documents of band b. */
static void look_up(const nd_store *s, uint32_t document, uint64_t totals[BANDS],
                    uint32_t found[BANDS][8]) {
    nd_lookup_context context;
    nd_band_lookup lookups[BANDS];
    nd_error error;
    nd_lookup_context_init(&context, &nd_allocator_default);
    for (uint32_t b = 0; b < BANDS; b++) lookups[b] = (nd_band_lookup){b, key_of(document, b)};
    must(nd_store_look_up(s, &context, lookups, BANDS, &error), &error);
    memcpy(totals, context.totals, BANDS * sizeof *totals);
    memset(found, 0, BANDS * sizeof *found);
    for (uint32_t b = 0; b < BANDS; b++) {
        size_t count;
        must(nd_store_bucket_documents(s, &context, b, 8, found[b], &count, &error), &error);
    }
    nd_lookup_context_free(&context);
}

static bool gone[DOCUMENTS]; /* removed documents */

/* Compares lookups of documents that may be there and of as many others. */
static void check(nd_store *s, uint32_t added, uint64_t *seed) {
    nd_key_filter *filter = s->filter;
    for (int i = 0; i < 200; i++) {
        uint32_t document = (uint32_t)random_below(seed, added) + (i % 2 ? DOCUMENTS : 0);
        uint64_t with[BANDS], without[BANDS];
        uint32_t found_with[BANDS][8], found_without[BANDS][8];
        look_up(s, document, with, found_with);
        s->filter = NULL;
        look_up(s, document, without, found_without);
        s->filter = filter;
        assert_memory_equal(with, without, sizeof with);
        assert_memory_equal(found_with, found_without, sizeof found_with);
        if (document < DOCUMENTS && !gone[document]) assert_true(with[0] > 0);
    }
}

/* Of keys that no segment has, the filter lets few through. */
static void check_rate(const nd_store *s) {
    uint32_t through = 0;
    for (uint32_t d = 0; d < DOCUMENTS; d++)
        if (d % 5)
            through += nd_key_filter_may_have(s->filter, d % BANDS,
                                              key_of(2 * DOCUMENTS + d, d % BANDS));
    assert_true(through < DOCUMENTS / 10);
}

static void change(nd_store *s, uint32_t *added, uint64_t *seed) {
    nd_error error;
    uint32_t number;
    nd_stored_document document;
    switch (random_below(seed, 8)) {
    case 0: must(nd_store_flush(s, &error), &error); break;
    case 1: must(nd_store_compact_levels(s, &error), &error); break;
    case 2:
        if (random_below(seed, 4) == 0) must(nd_store_compact_all(s, &error), &error);
        break;
    case 3:
        if (nd_store_live_count(s) == 0) break;
        number = (uint32_t)random_below(seed, nd_store_document_count(s));
        if (nd_store_is_removed(s, number)) break;
        must(nd_store_document(s, number, &document, &error), &error);
        gone[nd_load_le64(document.sketch)] = true;
        must(nd_store_remove(s, number, &error), &error);
        break;
    default:
        for (int i = 0; i < 40 && *added < DOCUMENTS; i++) add(s, (*added)++);
    }
    must(nd_store_commit(s, &error), &error);
}

static void test_changes(void **state) {
    (void)state;
    nd_error error;
    nd_store *s = make_store("changes");
    uint64_t seed = 1, sizes = 0, last = 0;
    uint32_t added = 0;
    must(nd_store_filter_keys(s, &error), &error);
    for (int round = 0; round < 400; round++) {
        change(s, &added, &seed);
        assert_non_null(s->filter);
        sizes += s->filter->per_band != last;
        last = s->filter->per_band;
        if (round % 4 == 0 && added > 0) check(s, added, &seed);
        if (round % 50 == 49) {
            must(nd_store_flush(s, &error), &error);
            check_rate(s);
        }
        if (round % 100 != 99) continue;
        nd_store_close(s);
        must(nd_store_open("changes", ND_STORE_WRITE, &nd_allocator_default, &s, &error), &error);
        check(s, added, &seed);
        must(nd_store_filter_keys(s, &error), &error);
        check(s, added, &seed);
    }
    assert_int_equal(added, DOCUMENTS);
    assert_true(sizes >= 4); /* it was made anew while it was in use */
    nd_store_close(s);
    remove_directory("changes");
}

/* Without memory for the filter lookups go on without it. */
static void test_no_memory(void **state) {
    (void)state;
    nd_error error;
    nd_store *s = make_store("memory");
    uint64_t seed = 2;
    for (uint32_t d = 0; d < 100; d++) add(s, d);
    must(nd_store_flush(s, &error), &error);
    const nd_allocator allocator = s->allocator;
    for (long left = 0; left < 2; left++) {
        failing_allocator failing = {.left = left};
        s->allocator = failing_allocator_make(&failing);
        must(nd_store_filter_keys(s, &error), &error);
        s->allocator = allocator;
        assert_null(s->filter);
        assert_int_equal(failing.live, 0);
        check(s, 100, &seed);
    }
    must(nd_store_filter_keys(s, &error), &error);
    assert_non_null(s->filter);
    nd_store_close(s);
    remove_directory("memory");
}

/* At a damaged table making the filter fails, and no lookup uses a part of it. */
static void test_damage(void **state) {
    (void)state;
    nd_error error;
    nd_store *s = make_store("damage");
    for (uint32_t d = 0; d < DOCUMENTS; d++) add(s, d);
    must(nd_store_flush(s, &error), &error);
    nd_store_close(s);
    must(nd_store_open("damage", ND_STORE_WRITE, &nd_allocator_default, &s, &error), &error);
    const nd_key_table *last = &s->segments[0]->tables[BANDS - 1];
    FILE *file = fopen(nd_sealed_path(s->segments[0]->file), "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)last->section.offset + 100, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
    fputc(byte ^ 1, file);
    fclose(file);
    assert_int_equal(nd_store_filter_keys(s, &error), ND_ERR_CORRUPT);
    assert_null(s->filter);
    nd_store_close(s);
    remove_directory("damage");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes),
                                       cmocka_unit_test(test_no_memory),
                                       cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

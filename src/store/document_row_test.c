/* Payloads of log records: their bytes, and payloads that are cut or damaged. */
#include "store/document_row.h"

#include "base/bits.h"
#include "similarity/packed_set.h"
#include "sketch/band_key.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SKETCH = 40, MOST_BANDS = 9, MOST_ID = 12, MOST_SET = 4096 };

/* The bytes of doc/internals/formats.md. */
static void test_bytes(void **state) {
    (void)state;
    const nd_row_layout layout = {.sketch_size = 3, .bands = 2, .sets = true};
    const uint64_t keys[] = {UINT64_C(0x3a98765432), 7};
    const uint8_t sketch[] = {1, 2, 3};
    const unsigned char set[] = {0};
    const nd_stored_document document = {
        .id = "id", .id_length = 2, .sketch = sketch, .keys = keys, .set = set, .set_size = 1};
    unsigned char got[20];
    assert_int_equal(nd_row_size(&document, &layout), 20);
    nd_row_write(&document, &layout, got);
    assert_memory_equal(got, "\x02\0\0\0id\x01\x02\x03\x32\x54\x76\x98\x3a\x07\0\0\0\0\0", 20);
    for (uint32_t b = 0; b < 2; b++) assert_true(nd_row_key(got, &layout, b) == keys[b]);
}

/* Reads a payload from memory of exactly its size. If it is accepted, writing it again gives the
 * same bytes. */
static bool check_read(const unsigned char *bytes, size_t size, const nd_row_layout *layout) {
    unsigned char *payload = malloc(size ? size : 1), *again = malloc(size ? size : 1);
    uint64_t keys[MOST_BANDS];
    nd_stored_document document;
    memcpy(payload, bytes, size);
    bool read = nd_row_read(payload, size, layout, keys, &document);
    if (read) {
        assert_ptr_equal(document.keys, keys);
        assert_int_equal(document.set != NULL, layout->sets);
        assert_int_equal(nd_row_size(&document, layout), size);
        for (uint32_t b = 0; b < layout->bands; b++) assert_true(keys[b] >> ND_BAND_BITS == 0);
        nd_row_write(&document, layout, again);
        assert_memory_equal(again, bytes, size);
    }
    free(payload);
    free(again);
    return read;
}

static size_t make_set(unsigned char set[MOST_SET], uint64_t *seed) {
    uint64_t values[100];
    size_t count = random_below(seed, 100), size = nd_packed_set_size(count);
    assert_true(size <= MOST_SET);
    for (size_t i = 0; i < count; i++)
        values[i] = (i ? values[i - 1] + 1 : 0) + random_below(seed, UINT64_C(1) << 33);
    nd_packed_set_pack(values, count, set);
    return size;
}

static void check_round(const nd_row_layout *layout, uint64_t seed) {
    char id[MOST_ID];
    uint8_t sketch[MOST_SKETCH];
    uint64_t keys[MOST_BANDS];
    unsigned char set[MOST_SET];
    for (size_t i = 0; i < sizeof id; i++) id[i] = (char)random_next(&seed);
    for (size_t i = 0; i < sizeof sketch; i++) sketch[i] = (uint8_t)random_next(&seed);
    for (size_t b = 0; b < MOST_BANDS; b++) keys[b] = random_next(&seed) >> (64 - ND_BAND_BITS);
    nd_stored_document document = {
        .id = id, .id_length = random_below(&seed, MOST_ID), .sketch = sketch, .keys = keys};
    if (layout->sets) document.set = set, document.set_size = make_set(set, &seed);
    size_t size = nd_row_size(&document, layout);
    unsigned char *bytes = calloc(size + 10, 1);
    nd_row_write(&document, layout, bytes);
    for (size_t cut = 0; cut <= size + 10; cut++)
        assert_int_equal(check_read(bytes, cut, layout), cut == size);
    for (size_t at = 0; at < size; at++) {
        unsigned char was = bytes[at];
        bytes[at] ^= (unsigned char)(1 + random_below(&seed, 255));
        check_read(bytes, size, layout);
        bytes[at] = was;
    }
    bytes[4 + document.id_length + layout->sketch_size + 4] |= 0x40; /* a key of too many bits */
    assert_false(check_read(bytes, size, layout));
    nd_store_le32(bytes, UINT32_MAX); /* an id that is too long */
    assert_false(check_read(bytes, size, layout));
    free(bytes);
}

static void test_read(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        const nd_row_layout layout = {.sketch_size = (uint32_t)(1 + round % MOST_SKETCH),
                                      .bands = (uint32_t)(1 + round % MOST_BANDS),
                                      .sets = round % 2};
        check_round(&layout, round);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

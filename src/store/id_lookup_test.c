/* Looking up many ids of a store, in segments and in its memtable, against the ids it was given. */
#include "store/flush.h"
#include "store/id_lookup.h"
#include "store/store_commit.h"
#include "store/store_create.h"
#include "store/store_open.h"
#include "store/stored_id.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DOCUMENTS = 5000, SEGMENT = 2000 };

static uint64_t hash_of(unsigned number) {
    char id[32];
    return nd_id_hash(id, (size_t)snprintf(id, sizeof id, "id %u", number));
}

static void add(nd_store *s, unsigned number) {
    char id[32];
    nd_error error;
    const nd_stored_document document = {
        .id = id,
        .id_length = (size_t)snprintf(id, sizeof id, "id %u", number),
        .sketch = (const unsigned char[8]){0}};
    assert_int_equal(nd_store_add(s, &document, &error), ND_OK);
}

/* Even numbers are in the store. Looks up `count` numbers from `first` on. */
static void check(const nd_store *s, nd_id_lookup *lookup, unsigned first, size_t count) {
    uint64_t hashes[ND_ID_GROUP] = {0};
    nd_error error;
    for (unsigned i = 0; i < count; i++) hashes[i] = hash_of(first + i);
    assert_int_equal(nd_store_look_up_ids(s, lookup, hashes, count, &error), ND_OK);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(lookup->may_have[i], (first + i) % 2 == 0 && first + i < 2 * DOCUMENTS);
}

static void test_ids(void **state) {
    (void)state;
    char directory[] = "id-lookup-XXXXXX", command[64];
    const nd_index_settings settings = {
        .kind = ND_KIND_FINGERPRINTS, .sketch_size = 8, .bits = 64, .k = 3};
    nd_store *s;
    nd_error error;
    nd_id_lookup *lookup = nd_allocate_zero(&nd_allocator_default, 1, sizeof *lookup);
    assert_non_null(lookup);
    assert_non_null(mkdtemp(directory));
    assert_int_equal(nd_store_create(directory, &settings, NULL, NULL, NULL, &error), ND_OK);
    assert_int_equal(nd_store_open(directory, ND_STORE_WRITE, NULL, &s, &error), ND_OK);
    nd_lookup_context_init(&lookup->context, &nd_allocator_default);
    check(s, lookup, 2 * DOCUMENTS, 3); /* an empty store */
    for (unsigned d = 0; d < DOCUMENTS; d++) {
        add(s, 2 * d);
        if (d % SEGMENT == SEGMENT - 1) assert_int_equal(nd_store_flush(s, &error), ND_OK);
    }
    assert_int_equal(nd_store_segment_count(s), 2);
    for (unsigned first = 0; first < 2 * DOCUMENTS; first += ND_ID_GROUP)
        check(s, lookup, first, ND_ID_GROUP);
    for (size_t count = 0; count < 5; count++) check(s, lookup, 2 * DOCUMENTS - 3, count);
    nd_lookup_context_free(&lookup->context);
    nd_release(&nd_allocator_default, lookup);
    nd_store_close(s);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

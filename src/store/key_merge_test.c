/* Merges of key tables against one sorted array of all their entries; damaged tables. */
#include "store/key_merge.h"

#include "base/bits.h"
#include "own_directory.h"

#include <stdlib.h>
#include <string.h>

enum { KIND = 1, TABLES = 9, MOST = 3000, ALL = TABLES * MOST };

#define KEY_MOST ((UINT64_C(1) << ND_BAND_BITS) - 1)

typedef struct entry {
    uint64_t key;
    uint32_t document;
} entry;

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static int in_order(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->document < y->document ? -1 : x->document > y->document;
}

/* A table of `count` documents, and what a merge makes of them. */
typedef struct input {
    uint32_t count, live; /* live: those that are not removed */
    entry entries[MOST];
    bool left_out[MOST];
    uint8_t removed[MOST / 8 + 1];
    uint32_t moved[MOST];
} input;

static input inputs[TABLES];

/* Half of the keys are those of other documents. */
static uint64_t make_key(uint64_t *seed) {
    return random_below(seed, 2) ? random_below(seed, 50) * 0xfedcba987 & KEY_MOST
                                 : random_next(seed) & KEY_MOST;
}

static void make_input(input *in, uint32_t count, bool removes, uint64_t *seed) {
    memset(in, 0, sizeof *in);
    in->count = count;
    for (uint32_t d = 0; d < count; d++) {
        in->entries[d] = (entry){make_key(seed), d};
        in->left_out[d] = removes && random_below(seed, 3) == 0;
        in->removed[d >> 3] |= (uint8_t)(in->left_out[d] << (d & 7));
        in->moved[d] = in->live;
        in->live += !in->left_out[d];
    }
    qsort(in->entries, count, sizeof *in->entries, in_order);
}

static void write_tables(size_t tables) {
    nd_sealed_writer *file;
    nd_seal seal;
    nd_error error = {0};
    must(nd_sealed_writer_create("a", KIND, &nd_allocator_default, &file, &error), &error);
    for (size_t t = 0; t < tables; t++) {
        nd_key_table_writer *writer;
        must(nd_sealed_begin(file, 1 + (uint32_t)t, &error), &error);
        must(nd_key_table_writer_create(file, inputs[t].count, inputs[t].count,
                                        &nd_allocator_default, &writer, &error),
             &error);
        for (uint32_t i = 0; i < inputs[t].count; i++)
            must(nd_key_table_put(writer, &inputs[t].entries[i].key, &inputs[t].entries[i].document,
                                  1, &error),
                 &error);
        must(nd_key_table_finish(writer, &error), &error);
        nd_key_table_writer_free(writer);
    }
    must(nd_sealed_finish(file, &seal, &error), &error);
    nd_sealed_writer_free(file);
}

/* The entries that a merge must give. moves: numbers close up behind removed documents. */
static size_t expect(size_t tables, bool moves, uint32_t *begins, entry *out) {
    size_t count = 0;
    uint32_t begin = 0;
    for (size_t t = 0; t < tables; t++) {
        const input *in = &inputs[t];
        begins[t] = begin;
        for (uint32_t i = 0; i < in->count; i++) {
            uint32_t d = in->entries[i].document;
            if (in->left_out[d]) continue;
            out[count++] = (entry){in->entries[i].key, begin + (moves ? in->moved[d] : d)};
        }
        begin += moves ? in->live : in->count;
    }
    qsort(out, count, sizeof *out, in_order);
    return count;
}

static void check(nd_key_merge *merge, const entry *entries, size_t count) {
    nd_error error = {0};
    nd_key_entries next;
    size_t at = 0;
    for (must(nd_key_merge_next(merge, &next, &error), &error); next.count > 0;
         must(nd_key_merge_next(merge, &next, &error), &error)) {
        assert_true(next.count <= count - at);
        for (uint32_t i = 0; i < next.count; i++, at++) {
            assert_int_equal(next.keys[i], entries[at].key);
            assert_int_equal(next.documents[i], entries[at].document);
        }
    }
    assert_int_equal(at, count);
    must(nd_key_merge_next(merge, &next, &error), &error);
    assert_int_equal(next.count, 0);
}

static void merge_inputs(size_t tables, bool removes, bool moves) {
    static entry entries[ALL];
    static nd_key_table opened[TABLES];
    nd_key_input of[TABLES];
    uint32_t begins[TABLES];
    nd_sealed_file *file;
    nd_key_merge *merge;
    nd_error error = {0};
    write_tables(tables);
    size_t count = expect(tables, moves, begins, entries);
    must(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error), &error);
    for (size_t t = 0; t < tables; t++) {
        input *in = &inputs[t];
        must(nd_key_table_open(file, 1 + (uint32_t)t, in->count, in->count, &opened[t], &error),
             &error);
        for (uint32_t d = 0; d < in->count && moves; d++) in->moved[d] += begins[t];
        of[t] = (nd_key_input){&opened[t], begins[t], moves ? in->moved : NULL,
                               removes ? in->removed : NULL};
    }
    nd_status status = ND_ERR_MEMORY;
    for (long n = 0; status == ND_ERR_MEMORY; n++) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        status = nd_key_merge_create(of, tables, &allocator, &merge, &error);
        if (status == ND_OK) nd_key_merge_free(merge);
        assert_int_equal(failing.live, 0);
    }
    must(nd_key_merge_create(of, tables, &nd_allocator_default, &merge, &error), &error);
    check(merge, entries, count);
    nd_key_merge_free(merge);
    nd_sealed_close(file);
    assert_int_equal(unlink("a"), 0);
}

static void test_against_sorted_array(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned round = 0; round < 120; round++) {
        size_t tables = 1 + round % TABLES;
        bool removes = random_below(&seed, 2), moves = random_below(&seed, 2);
        for (size_t t = 0; t < tables; t++)
            make_input(&inputs[t],
                       1 + (uint32_t)random_below(&seed, random_below(&seed, 3) ? 300 : MOST),
                       removes, &seed);
        merge_inputs(tables, removes, moves);
    }
}

/* Of a table nothing is left; all keys of two tables are equal; one has all keys above the other.
 */
static void test_uneven(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (size_t t = 0; t < 3; t++) make_input(&inputs[t], 700, false, &seed);
    for (uint32_t d = 0; d < 700; d++) {
        inputs[0].left_out[d] = true;
        inputs[0].removed[d >> 3] |= (uint8_t)(1 << (d & 7));
        inputs[1].entries[d] = inputs[2].entries[d] = (entry){77, d};
    }
    merge_inputs(3, true, false);
    for (uint32_t d = 0; d < 700; d++) inputs[1].entries[d].key = 1000 + d;
    merge_inputs(3, true, false);
}

static void test_damage(void **state) {
    (void)state;
    uint64_t seed = 5;
    nd_sealed_file *file;
    nd_key_table tables[2];
    nd_key_merge *merge;
    nd_key_entries next;
    nd_error error = {0};
    for (size_t t = 0; t < 2; t++) make_input(&inputs[t], MOST, false, &seed);
    write_tables(2);
    must(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error), &error);
    for (uint32_t t = 0; t < 2; t++)
        must(nd_key_table_open(file, 1 + t, MOST, MOST, &tables[t], &error), &error);
    tables[1].documents = MOST - 1; /* so the last document is out of range */
    const nd_key_input of[] = {{&tables[0], 0, NULL, NULL}, {&tables[1], MOST, NULL, NULL}};
    must(nd_key_merge_create(of, 2, &nd_allocator_default, &merge, &error), &error);
    nd_status status = ND_OK;
    for (next.count = 1; status == ND_OK && next.count > 0;)
        status = nd_key_merge_next(merge, &next, &error);
    assert_int_equal(status, ND_ERR_CORRUPT);
    assert_non_null(strstr(error.message, "document out of range"));
    nd_key_merge_free(merge);
    nd_sealed_close(file);
    assert_int_equal(unlink("a"), 0);
    nd_key_merge_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_sorted_array),
                                       cmocka_unit_test(test_uneven),
                                       cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

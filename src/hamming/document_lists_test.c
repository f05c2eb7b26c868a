/* Lists of documents are read as they were written; lists that do not fit together are refused. */
#include "hamming/document_lists.h"

#include "base/limits.h"

#include "own_directory.h"
#include "test.h"

#include <stdio.h>

enum { KIND = 7, TAG = 100, MOST_ENTRIES = ND_LIMIT(3000, 200), MOST_GROUP = 40 };

static const char name[] = "document_lists_test.file";

/* Entry i has the documents [ends[i - 1], ends[i]) of `documents`. */
typedef struct model {
    uint32_t documents[MOST_ENTRIES * MOST_GROUP], ends[MOST_ENTRIES];
    size_t entries;
} model;

/* group: most documents of an entry; one of `every` entries has several. The documents are those
 * below their number, shuffled, but ascending in an entry. */
static void make_model(size_t entries, size_t group, uint64_t every, uint64_t seed, model *m) {
    uint32_t count = 0;
    m->entries = entries;
    for (size_t i = 0; i < entries; i++) {
        bool several = group > 1 && random_below(&seed, every) == 0;
        m->ends[i] = count += several ? 2 + (uint32_t)random_below(&seed, group - 1) : 1;
    }
    for (uint32_t d = 0; d < count; d++) {
        uint32_t other = (uint32_t)random_below(&seed, d + 1);
        m->documents[d] = m->documents[other];
        m->documents[other] = d;
    }
    for (size_t i = 0; i < entries; i++)
        for (uint32_t a = i ? m->ends[i - 1] : 0; a < m->ends[i]; a++)
            for (uint32_t b = a + 1; b < m->ends[i]; b++)
                if (m->documents[b] < m->documents[a]) {
                    uint32_t least = m->documents[b];
                    m->documents[b] = m->documents[a];
                    m->documents[a] = least;
                }
}

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static void begin_file(nd_sealed_writer **file) {
    nd_error error;
    remove(name);
    must(nd_sealed_writer_create(name, KIND, &nd_allocator_default, file, &error), &error);
}

static void end_file(nd_sealed_writer *file) {
    nd_error error;
    nd_seal seal;
    must(nd_sealed_finish(file, &seal, &error), &error);
    nd_sealed_writer_free(file);
}

static void write_model(const model *m, size_t memory_limit) {
    nd_sealed_writer *file;
    nd_document_lists_writer w;
    nd_temp_space disk = {.directory = "."};
    nd_error error;
    begin_file(&file);
    nd_document_lists_writer_init(&w, m->ends[m->entries - 1], &nd_allocator_default, &disk,
                                  memory_limit);
    for (size_t i = 0; i < m->entries; i++) {
        uint32_t at = i ? m->ends[i - 1] : 0;
        if (m->ends[i] - at == 1) {
            must(nd_document_lists_put(&w, m->documents[at], &error), &error);
            continue;
        }
        must(nd_document_lists_begin_group(&w, &error), &error);
        for (; at < m->ends[i]; at++)
            must(nd_document_lists_put_member(&w, m->documents[at], &error), &error);
    }
    must(nd_document_lists_finish(&w, file, TAG, &error), &error);
    nd_document_lists_writer_free(&w);
    end_file(file);
}

static void expect_model(const model *m) {
    const uint32_t documents = m->ends[m->entries - 1];
    nd_sealed_file *file;
    nd_document_lists l;
    nd_error error;
    must(nd_sealed_open(name, KIND, NULL, &nd_allocator_default, &file, &error), &error);
    must(nd_document_lists_open(file, TAG, m->entries, documents, &l, &error), &error);
    assert_int_equal(nd_sealed_has(file, TAG + 1), m->entries < documents);
    for (size_t i = 0; i < m->entries; i++) {
        uint32_t at = i ? m->ends[i - 1] : 0, document;
        uint64_t slot, end;
        nd_document_lists_prefetch(&l, i);
        must(nd_document_lists_slots(&l, i, &slot, &end, &error), &error);
        assert_int_equal(end - slot, m->ends[i] - at);
        for (; slot < end; slot++) {
            must(nd_document_lists_at(&l, slot, &document, &error), &error);
            assert_int_equal(document, m->documents[at++]);
        }
    }
    assert_true(nd_document_lists_open(file, TAG, m->entries + 8, documents + 8, &l, &error) ==
                ND_ERR_CORRUPT);
    nd_sealed_close(file);
}

static void test_read_as_written(void **state) {
    static model m;
    static const size_t entries[] = {1, 2, 3, 64, 65, MOST_ENTRIES};
    static const size_t groups[] = {1, 2, MOST_GROUP};
    (void)state;
    uint64_t seed = 5;
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++)
        for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
            for (uint64_t every = 1; every <= 10; every += 3) {
                make_model(entries[e], groups[g], every, seed++, &m);
                write_model(&m, every == 1 ? 64 : 1 << 20);
                expect_model(&m);
            }
    remove(name);
}

/* ---- lists with right hashes that do not fit together: of 4 entries and 6 documents, so V is 4 */

static void put_section(nd_sealed_writer *file, uint32_t tag, const void *bytes, size_t size) {
    nd_error error;
    must(nd_sealed_begin(file, tag, &error), &error);
    must(nd_sealed_write(file, bytes, size, &error), &error);
}

/* Writes lists, reads all of them, and returns the first failure. count: words of `begins`. */
static nd_status read_crafted(const unsigned char entries[2], const unsigned char *members,
                              size_t member_size, const uint32_t *begins, size_t count) {
    unsigned char words[16];
    nd_sealed_writer *writer;
    nd_sealed_file *file;
    nd_document_lists l;
    nd_error error;
    for (size_t i = 0; i < count; i++) nd_store_le32(words + i * 4, begins[i]);
    begin_file(&writer);
    put_section(writer, TAG, entries, 2);
    put_section(writer, TAG + 1, members, member_size);
    put_section(writer, TAG + 2, words, count * 4);
    end_file(writer);
    must(nd_sealed_open(name, KIND, NULL, &nd_allocator_default, &file, &error), &error);
    nd_status status = nd_document_lists_open(file, TAG, 4, 6, &l, &error);
    for (uint64_t i = 0, slot, end; i < 4 && status == ND_OK; i++) {
        uint32_t document;
        status = nd_document_lists_slots(&l, i, &slot, &end, &error);
        for (; status == ND_OK && slot < end; slot++)
            status = nd_document_lists_at(&l, slot, &document, &error);
    }
    nd_sealed_close(file);
    return status;
}

static void test_crafted(void **state) {
    (void)state;
    /* Entries: documents 4 and 5, group 0 (the number 6), document 3. The group: 0, 1 and 2. */
    const unsigned char entries[] = {0x54, 0x36}, far_group[] = {0x54, 0x37};
    const unsigned char members[] = {0x10, 0x02, 0}, far_document[] = {0x10, 0x06};
    const uint32_t begins[] = {0, 3}, down[] = {3, 0}, behind[] = {0, 4}, none[] = {2, 2},
                   one[] = {0}, many[] = {0, 2, 3};
    assert_int_equal(read_crafted(entries, members, 2, begins, 2), ND_OK);
    assert_int_equal(read_crafted(far_group, members, 2, begins, 2), ND_ERR_CORRUPT);
    assert_int_equal(read_crafted(entries, far_document, 2, begins, 2), ND_ERR_CORRUPT);
    assert_int_equal(read_crafted(entries, members, 2, down, 2), ND_ERR_CORRUPT);
    assert_int_equal(read_crafted(entries, members, 2, behind, 2), ND_ERR_CORRUPT);
    assert_int_equal(read_crafted(entries, members, 2, none, 2), ND_ERR_CORRUPT);
    assert_int_equal(read_crafted(entries, members, 1, begins, 2), ND_ERR_CORRUPT);
    assert_int_equal(read_crafted(entries, members, 3, begins, 2), ND_ERR_CORRUPT);
    assert_int_equal(read_crafted(entries, members, 2, one, 1), ND_ERR_CORRUPT);
    assert_int_equal(read_crafted(entries, members, 3, many, 3), ND_ERR_CORRUPT);
    remove(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read_as_written),
                                       cmocka_unit_test(test_crafted)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

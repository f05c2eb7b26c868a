/* index_ingest.h, with which ingest jobs use an open index: the documents that searches find, and
 * the state of the index after each way to end a job. */
#include "index/index_ingest.h"

#include "index/document_sketcher.h"
#include "index/index.h"
#include "own_directory.h"
#include "store/segment_writer.h"

#include <string.h>

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static nd_index_options small_options(void) {
    static const nd_analyzer_options words = {sizeof words, .kind = ND_WORDS, .ngram = 1,
                                              .seed = 1};
    nd_index_options o;
    nd_index_options_init(&o, sizeof o);
    o.perms = 64;
    o.analyzer = &words;
    return o;
}

static nd_index *make_index(void) {
    nd_index *index;
    nd_error error;
    const nd_index_options options = small_options();
    must(nd_index_create("i", &options, &error), &error);
    must(nd_index_open("i", ND_INDEX_WRITE, NULL, &index, &error), &error);
    return index;
}

static void add(nd_index *index, const char *id, const char *text) {
    nd_index_searcher *searcher;
    nd_error error;
    bool added;
    must(nd_index_searcher_create(index, &searcher, &error), &error);
    const nd_record record = {
        .text = text, .length = strlen(text), .id = id, .id_length = strlen(id)};
    must(nd_index_add(index, searcher, &record, &added, NULL, &error), &error);
    assert_true(added);
    nd_index_searcher_free(searcher);
}

/* Expects exactly one document with this text, and its id; "": none. */
static void expect(nd_index *index, const char *text, const char *id) {
    nd_index_searcher *searcher;
    const nd_match *matches;
    size_t count;
    nd_error error;
    must(nd_index_searcher_create(index, &searcher, &error), &error);
    must(nd_index_search(searcher, text, strlen(text), ND_SEARCH_ALL, &matches, &count, &error),
         &error);
    assert_int_equal(count, *id ? 1 : 0);
    if (*id) assert_int_equal(matches[0].id_length, strlen(id));
    if (*id) assert_memory_equal(matches[0].id, id, matches[0].id_length);
    nd_index_searcher_free(searcher);
}

/* ---- a document as an ingest job has it */

typedef struct material {
    nd_document_sketcher *sketcher;
    nd_stored_document document;
} material;

static material make(nd_index *index, const char *id, const char *text) {
    material m;
    nd_shingles shingles;
    nd_error error;
    must(nd_document_sketcher_create(&index->shared.settings, NULL, &nd_allocator_default,
                                     &m.sketcher, &error),
         &error);
    must(nd_analyze(nd_document_sketcher_analyzer(m.sketcher), text, strlen(text), &shingles,
                    &error),
         &error);
    must(nd_document_sketcher_make(m.sketcher, &shingles, &m.document, &error), &error);
    m.document.id = id;
    m.document.id_length = strlen(id);
    return m;
}

/* nd_index_ingest_fn */
static nd_status add_material(void *context, nd_store *store, nd_error *error) {
    return nd_store_add(store, &((material *)context)->document, error);
}

/* Writes a segment of one document. */
static nd_manifest_segment write_segment(nd_index *index, const material *m) {
    nd_manifest_segment segment = {.documents = 1};
    nd_temp_space disk = {.directory = "."};
    char *path;
    nd_segment_writer *w;
    nd_error error;
    must(nd_store_segment_path(index->shared.store, &path, &segment.file, &error), &error);
    const nd_segment_request request = {.path = path,
                                        .settings = &index->shared.settings,
                                        .documents = 1,
                                        .disk = &disk,
                                        .memory_limit = 1 << 20,
                                        .allocator = &nd_allocator_default};
    must(nd_segment_writer_create(&request, &w, &error), &error);
    must(nd_segment_put_document(w, &m->document, &error), &error);
    for (uint32_t b = 0; b < index->shared.settings.bands; b++)
        must(nd_segment_put_keys(w, &m->document.keys[b], &(uint32_t){0}, 1, &error), &error);
    must(nd_segment_finish(w, &segment.seal, &error), &error);
    nd_segment_writer_free(w);
    nd_release(&index->shared.allocator, path);
    return segment;
}

/* ---- tests */

/* Closes the index, opens it again, and expects the mark of an ingest job. */
static void expect_mark(nd_index **index, const nd_ingest_mark *mark) {
    nd_error error;
    nd_index_close(*index);
    must(nd_index_open("i", ND_INDEX_WRITE, NULL, index, &error), &error);
    must(nd_index_check(*index, &error), &error);
    nd_ingest_mark got = nd_store_ingest_mark((*index)->shared.store);
    assert_true(got.batch == mark->batch && got.begin == mark->begin && got.end == mark->end &&
                got.finished == mark->finished);
}

static void finish(nd_index *index) {
    nd_index_close(index);
    remove_directory("i");
}

/* During the job its thread can make no other change, but can search. */
static void test_exclusive(void **state) {
    (void)state;
    nd_index *index = make_index();
    nd_error error;
    bool found;
    add(index, "a", "one two three");
    must(nd_index_begin_ingest(&index->shared, NULL, &error), &error);
    assert_int_equal(nd_index_begin_ingest(&index->shared, NULL, &error), ND_ERR_BUSY);
    assert_int_equal(nd_index_remove(index, "a", 1, &found, &error), ND_ERR_BUSY);
    assert_int_equal(nd_index_compact(index, &error), ND_ERR_BUSY);
    expect(index, "one two three", "a");
    nd_index_abandon_ingest(&index->shared);
    must(nd_index_remove(index, "a", 1, &found, &error), &error);
    assert_true(found);
    finish(index);
}

static void test_in_log(void **state) {
    (void)state;
    nd_index *index = make_index();
    nd_error error;
    add(index, "a", "one two three");
    material m = make(index, "b", "four five six");
    must(nd_index_begin_ingest(&index->shared, NULL, &error), &error);
    const nd_ingest_mark mark = {.batch = 7, .begin = 1, .end = 2, .finished = true};
    must(nd_index_end_ingest_in_log(&index->shared, add_material, &m, &mark, &error), &error);
    expect(index, "four five six", "b");
    expect_mark(&index, &mark);
    expect(index, "four five six", "b");
    nd_document_sketcher_free(m.sketcher);
    finish(index);
}

/* The replaced document is there until the publication, which removes it. */
static void test_published(void **state) {
    (void)state;
    nd_index *index = make_index();
    nd_error error;
    add(index, "gone", "seven eight nine");
    add(index, "a", "one two three");
    bool found;
    must(nd_index_remove(index, "gone", 4, &found, &error), &error);
    must(nd_index_begin_ingest(&index->shared, NULL, &error), &error);
    uint32_t replaced;
    must(nd_store_find_id(index->shared.store, "a", 1, &replaced, &error), &error);
    assert_int_equal(replaced, 0); /* the removed document has no number any more */
    material m = make(index, "a", "four five six");
    nd_manifest_segment segment = write_segment(index, &m);
    expect(index, "one two three", "a");
    expect(index, "four five six", "");
    const nd_ingest_mark part = {.batch = 9, .begin = 1, .end = 2};
    const nd_index_publication publication = {
        .segment = &segment, .mark = &part, .removed = &replaced, .removed_count = 1};
    must(nd_index_store_publish(&index->shared, &publication, &error), &error);
    expect(index, "one two three", "");
    expect(index, "four five six", "a");
    nd_index_abandon_ingest(&index->shared);
    expect_mark(&index, &part);
    expect(index, "four five six", "a");
    must(nd_index_begin_ingest(&index->shared, NULL, &error), &error);
    const nd_ingest_mark whole = {.batch = 9, .begin = 1, .end = 2, .finished = true};
    must(nd_index_store_publish(&index->shared, &(nd_index_publication){.mark = &whole}, &error),
         &error);
    must(nd_index_end_ingest(&index->shared, &error), &error);
    expect_mark(&index, &whole);
    nd_document_sketcher_free(m.sketcher);
    finish(index);
}

static nd_status fail_to_add(void *context, nd_store *store, nd_error *error) {
    nd_status status = add_material(context, store, error);
    return status == ND_OK ? nd_fail(error, ND_ERR_CANCELLED, "cancelled") : status;
}

/* A job that fails halfway ends all changes; the next opening has nothing of it. */
static void test_failed(void **state) {
    (void)state;
    nd_index *index = make_index();
    nd_error error;
    bool found;
    add(index, "a", "one two three");
    material m = make(index, "b", "four five six");
    must(nd_index_begin_ingest(&index->shared, NULL, &error), &error);
    assert_int_equal(nd_index_end_ingest_in_log(&index->shared, fail_to_add, &m, NULL, &error),
                     ND_ERR_CANCELLED);
    assert_int_equal(nd_index_remove(index, "a", 1, &found, &error), ND_ERR_CANCELLED);
    expect_mark(&index, &(nd_ingest_mark){0});
    expect(index, "one two three", "a");
    expect(index, "four five six", "");
    nd_document_sketcher_free(m.sketcher);
    finish(index);
}

static void test_in_memory(void **state) {
    (void)state;
    nd_index *index;
    nd_error error;
    char *path;
    uint64_t file;
    const nd_index_options options = small_options();
    must(nd_index_create_in_memory(&options, NULL, &index, &error), &error);
    material m = make(index, "b", "four five six");
    must(nd_index_begin_ingest(&index->shared, NULL, &error), &error);
    assert_int_equal(nd_store_segment_path(index->shared.store, &path, &file, &error),
                     ND_ERR_ARGUMENT);
    must(nd_index_end_ingest_in_log(&index->shared, add_material, &m, NULL, &error), &error);
    expect(index, "four five six", "b");
    nd_document_sketcher_free(m.sketcher);
    nd_index_close(index);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exclusive), cmocka_unit_test(test_in_log),
        cmocka_unit_test(test_published), cmocka_unit_test(test_failed),
        cmocka_unit_test(test_in_memory)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

/* compaction.h with segments so large that a merge links them: a merge beside a job that publishes
 * and removes documents, the same merge done at once, one beside additions, and ones that are given
 * up. */
#include "store/compaction.h"

#include "base/bits.h"
#include "base/limits.h"
#include "own_directory.h"
#include "sketch/band_key.h"
#include "store/flush.h"
#include "store/segment_writer.h"
#include "store/store_check.h"
#include "store/store_commit.h"
#include "store/store_create.h"
#include "store/store_inside.h"
#include "store/store_open.h"
#include "test.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Documents of a segment: MANY if four such segments are linked, PAIRED if two are, SMALL if they
 * are copied. */
enum {
    BANDS = 3,
    SKETCH = 8,
    MANY = ND_LIMIT(17000, 500),
    PAIRED = ND_LIMIT(33000, 4),
    SMALL = ND_LIMIT(100, 1),
};

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

/* ---- documents: number d has the id "d", and keys that depend on d */

/* One in five of the keys is one of few, which many documents share. */
static uint64_t key_of(uint32_t document, uint32_t band) {
    uint64_t seed = (uint64_t)document * BANDS + band;
    return random_next(&seed) >> (64 - ND_BAND_BITS) >> (document % 5 == 0 ? 30 : 0);
}

static size_t id_of(uint32_t document, char id[16]) {
    return (size_t)snprintf(id, 16, "%u", document);
}

typedef struct entry {
    uint64_t key;
    uint32_t document;
} entry;

static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->document < y->document ? -1 : 1;
}

static void put_rows(nd_segment_writer *w, uint32_t first, uint32_t count) {
    nd_error error;
    char id[16];
    for (uint32_t d = first; d < first + count; d++) {
        uint8_t sketch[SKETCH];
        nd_store_le64(sketch, d);
        const nd_stored_document document = {.id = id, .id_length = id_of(d, id), .sketch = sketch};
        must(nd_segment_put_document(w, &document, &error), &error);
    }
}

static void put_band(nd_segment_writer *w, uint32_t first, uint32_t count, uint32_t band) {
    static entry entries[MANY > PAIRED ? MANY : PAIRED];
    nd_error error;
    for (uint32_t d = 0; d < count; d++) entries[d] = (entry){key_of(first + d, band), d};
    qsort(entries, count, sizeof *entries, compare_entries);
    for (uint32_t d = 0; d < count; d++)
        must(nd_segment_put_keys(w, &entries[d].key, &entries[d].document, 1, &error), &error);
}

static nd_manifest_segment write_segment(nd_store *s, uint32_t first, uint32_t count) {
    nd_manifest_segment segment = {.documents = count};
    nd_temp_space disk = {.directory = "."};
    char *path;
    nd_segment_writer *w;
    nd_error error;
    must(nd_store_segment_path(s, &path, &segment.file, &error), &error);
    const nd_segment_request request = {.path = path,
                                        .settings = &settings,
                                        .documents = count,
                                        .disk = &disk,
                                        .memory_limit = 1 << 20,
                                        .allocator = &nd_allocator_default};
    must(nd_segment_writer_create(&request, &w, &error), &error);
    put_rows(w, first, count);
    for (uint32_t band = 0; band < BANDS; band++) put_band(w, first, count, band);
    must(nd_segment_finish(w, &segment.seal, &error), &error);
    nd_segment_writer_free(w);
    nd_release(&nd_allocator_default, path);
    return segment;
}

/* Publishes the next documents, and removes one that is in the store. */
static void publish(nd_store *s, uint32_t count, uint32_t removed) {
    nd_error error;
    const nd_manifest_segment segment = write_segment(s, nd_store_document_count(s), count);
    must(nd_store_publish_and_remove(s, &segment, NULL, (nd_store_numbers){&removed, 1}, &error),
         &error);
}

/* Makes a store of four segments, whose merge is due, without documents 1, 2 and 3. */
static nd_store *make_store(const char *directory) {
    nd_store *s;
    nd_error error;
    must(nd_store_create(directory, &settings, NULL, NULL, &nd_allocator_default, &error), &error);
    must(nd_store_open(directory, ND_STORE_WRITE, &nd_allocator_default, &s, &error), &error);
    const nd_manifest_segment first = write_segment(s, 0, MANY);
    must(nd_store_publish(s, &first, NULL, &error), &error);
    for (uint32_t d = 1; d < 4; d++) publish(s, MANY, d);
    assert_int_equal(nd_store_segment_count(s), 4);
    return s;
}

/* ---- expectations */

static bool has_key(const nd_segment *segment, uint32_t band, uint64_t key, uint32_t document) {
    nd_key_range range;
    nd_error error;
    bool found = false;
    must(nd_key_table_locate(&segment->tables[band], key, &range, &error), &error);
    must(nd_key_table_find(&segment->tables[band], key, range, &range, &error), &error);
    for (uint64_t i = range.begin; i < range.end; i++) {
        uint32_t at;
        must(nd_key_table_documents(&segment->tables[band], i, 1, &at, &error), &error);
        found = found || at == document;
    }
    return found;
}

/* Expects each document by its id and its keys, and the removed ones not by their ids. */
static void expect_all(const nd_store *s, const uint32_t *removed, size_t removed_count) {
    nd_error error;
    uint32_t d = 0, begin, number;
    char id[16];
    must(nd_store_check(s, &error), &error);
    assert_int_equal(nd_store_live_count(s), nd_store_document_count(s) - removed_count);
    for (size_t g = 0; g < nd_store_segment_count(s); g++) {
        const nd_segment *segment = nd_store_segment(s, g, &begin);
        for (; d < begin + segment->documents; d++) {
            bool gone = false;
            for (size_t i = 0; i < removed_count; i++) gone = gone || removed[i] == d;
            must(nd_store_find_id(s, id, id_of(d, id), &number, &error), &error);
            assert_int_equal(number, gone ? UINT32_MAX : d);
            for (uint32_t b = 0; b < BANDS && !gone; b++)
                assert_true(has_key(segment, b, key_of(d, b), d - begin));
        }
    }
}

static size_t count_files(const char *directory, const char *beginning) {
    size_t count = 0;
    DIR *d = opendir(directory);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));)
        count += strncmp(e->d_name, beginning, strlen(beginning)) == 0;
    closedir(d);
    return count;
}

/* ---- a merge that waits until it may go on */

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool reached, open;
} gate;

#define GATE                                                                                       \
    { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false }

/* nd_progress_fn */
static bool wait_at_gate(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    gate *g = context;
    (void)stage, (void)done, (void)total;
    pthread_mutex_lock(&g->lock);
    g->reached = true;
    pthread_cond_broadcast(&g->changed);
    while (!g->open) pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
    return true;
}

static void wait_until_reached(gate *g) {
    pthread_mutex_lock(&g->lock);
    while (!g->reached) pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static void open_gate(gate *g) {
    pthread_mutex_lock(&g->lock);
    g->open = true;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

static void drop(nd_store *s) {
    nd_error error;
    must(nd_store_check(s, &error), &error);
    nd_store_close(s);
    remove_directory("i");
}

/* Makes a store whose merge has begun beside additions, and waits at the gate. */
static nd_store *make_held(gate *g, nd_progress *progress) {
    nd_error error;
    nd_store *s = make_store("i");
    *progress = (nd_progress){.fn = wait_at_gate, .context = g};
    nd_store_set_progress(s, progress);
    must(nd_store_compact_levels(s, &error), &error);
    wait_until_reached(g);
    nd_store_set_progress(s, NULL);
    return s;
}

/* ---- tests */

/* A job publishes a segment, and removes documents of the merged ones, while the merge runs. */
static nd_seal merge(const char *directory, bool beside) {
    nd_store *s = make_store(directory);
    nd_error error;
    gate g = GATE;
    nd_progress progress = {.fn = wait_at_gate, .context = &g};
    static const uint32_t removed[] = {1, 2, 3, 7, MANY + 7};
    if (beside) nd_store_set_progress(s, &progress);
    must(nd_store_begin_merge(s, beside, &error), &error);
    if (beside) wait_until_reached(&g);
    publish(s, MANY, 7);
    publish(s, SMALL, MANY + 7);
    assert_int_equal(nd_store_segment_count(s), 6);
    open_gate(&g);
    must(nd_store_end_merges(s, &error), &error);
    nd_store_set_progress(s, NULL);
    assert_int_equal(nd_store_segment_count(s), 3);
    nd_seal seal = nd_store_state(s)->segments[0].seal;
    expect_all(s, removed, 5);
    nd_store_close(s);
    must(nd_store_open(directory, ND_STORE_WRITE, &nd_allocator_default, &s, &error), &error);
    expect_all(s, removed, 5);
    nd_store_close(s);
    return seal;
}

/* The file is the same whether it is written beside the job or at once. */
static void test_beside(void **state) {
    (void)state;
    nd_seal beside = merge("beside", true), at_once = merge("at-once", false);
    assert_int_equal(beside.hash, at_once.hash);
    assert_int_equal(beside.size, at_once.size);
    remove_directory("beside");
    remove_directory("at-once");
}

/* nd_progress_fn: a merge asks at least once for each table. `context`: the test's thread, which is
 * not held up. */
static bool go_on_slowly(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    if (!pthread_equal(*(const pthread_t *)context, pthread_self())) usleep(100000);
    return true;
}

/* The keys of a published segment do not come through the memtable, and the filter has them. */
static void test_filter(void **state) {
    (void)state;
    nd_error error;
    nd_store *s = make_store("filter");
    must(nd_store_filter_keys(s, &error), &error);
    uint32_t first = nd_store_document_count(s);
    publish(s, MANY, 5);
    for (uint32_t d = first; d < first + MANY; d++)
        for (uint32_t band = 0; band < BANDS; band++)
            assert_true(nd_key_filter_may_have(s->filter, band, key_of(d, band)));
    nd_store_close(s);
    remove_directory("filter");
}

/* The merge stops before it has made its file. */
static void test_given_up(void **state) {
    (void)state;
    nd_store *s = make_store("i");
    nd_error error;
    pthread_t self = pthread_self();
    nd_progress progress = {.fn = go_on_slowly, .context = &self};
    nd_store_set_progress(s, &progress);
    must(nd_store_begin_merge(s, true, &error), &error);
    nd_store_give_up_merge(s);
    nd_store_set_progress(s, NULL);
    assert_int_equal(nd_store_segment_count(s), 4);
    assert_int_equal(count_files("i", "segment-"), 4);
    publish(s, SMALL, 9);
    assert_int_equal(count_files("i", "segment-"), 5);
    expect_all(s, (const uint32_t[]){1, 2, 3, 9}, 4);
    drop(s);
}

/* A cancelled job ends the merge; the next one does it. */
static void test_cancelled(void **state) {
    (void)state;
    nd_store *s = make_store("i");
    nd_error error;
    nd_progress progress = {.cancelled = true};
    nd_store_set_progress(s, &progress);
    assert_int_equal(nd_store_begin_merge(s, false, &error), ND_ERR_CANCELLED);
    must(nd_store_begin_merge(s, true, &error), &error);
    assert_int_equal(nd_store_end_merges(s, &error), ND_ERR_CANCELLED);
    nd_store_set_progress(s, NULL);
    assert_int_equal(nd_store_segment_count(s), 4);
    assert_int_equal(count_files("i", "segment-"), 4);
    must(nd_store_begin_merge(s, true, &error), &error);
    must(nd_store_end_merges(s, &error), &error);
    assert_int_equal(nd_store_segment_count(s), 1);
    expect_all(s, (const uint32_t[]){1, 2, 3}, 3);
    drop(s);
}

/* The end of the begun merge alone renumbers no document, although a merge that copies is due. */
static void test_numbers_stay(void **state) {
    (void)state;
    nd_store *s = make_store("i");
    nd_error error;
    const uint32_t first = 4 * MANY;
    must(nd_store_begin_merge(s, true, &error), &error);
    publish(s, SMALL, 9);
    publish(s, SMALL, first);
    for (uint32_t d = 20; d < 22; d++) publish(s, SMALL, d);
    must(nd_store_end_merge(s, &error), &error);
    assert_int_equal(nd_store_segment_count(s), 5);
    assert_int_equal(nd_store_document_count(s), first + 4 * SMALL);
    expect_all(s, (const uint32_t[]){1, 2, 3, 9, first, 20, 21}, 7);
    must(nd_store_end_merges(s, &error), &error);
    assert_int_equal(nd_store_segment_count(s), 2);
    assert_int_equal(nd_store_document_count(s), first + 4 * SMALL - 1);
    drop(s);
}

/* A merge is due although a smaller segment is behind its segments. */
static void test_levels(void **state) {
    (void)state;
    nd_store *s = make_store("i");
    nd_error error;
    publish(s, SMALL, 9);
    must(nd_store_end_merges(s, &error), &error);
    assert_int_equal(nd_store_segment_count(s), 5); /* none was begun */
    must(nd_store_compact_levels(s, &error), &error);
    must(nd_store_end_merge(s, &error), &error);
    assert_int_equal(nd_store_segment_count(s), 2);
    for (uint32_t d = 20; d < 23; d++) publish(s, SMALL, d);
    must(nd_store_end_merges(s, &error), &error); /* these are copied */
    assert_int_equal(nd_store_segment_count(s), 2);
    expect_all(s, (const uint32_t[]){1, 2, 3, 9, 20, 21, 22}, 7);
    drop(s);
}

/* Expects the segments that are left of n equal ones: of each digit of n to the base as many. */
static void expect_digits(const nd_store *s, uint32_t n, uint32_t base, uint32_t size) {
    size_t g = 0;
    uint32_t place = 1;
    while (n / place >= base) place *= base;
    for (; place > 0; place /= base)
        for (uint32_t digit = n / place % base; digit > 0; digit--, g++) {
            assert_true(g < nd_store_segment_count(s));
            assert_int_equal(nd_store_state(s)->segments[g].documents, place * size);
        }
    assert_int_equal(nd_store_segment_count(s), g);
}

static void merge_many(uint32_t size, uint32_t count, bool filters, uint32_t base) {
    nd_store *s;
    nd_error error;
    must(nd_store_create("i", &settings, NULL, NULL, &nd_allocator_default, &error), &error);
    must(nd_store_open("i", ND_STORE_WRITE, &nd_allocator_default, &s, &error), &error);
    if (filters) must(nd_store_filter_keys(s, &error), &error);
    for (uint32_t n = 1; n <= count; n++) {
        const nd_manifest_segment segment = write_segment(s, (n - 1) * size, size);
        must(nd_store_publish(s, &segment, NULL, &error), &error);
        must(nd_store_compact_levels(s, &error), &error);
        must(nd_store_end_merge(s, &error), &error);
        expect_digits(s, n, base, size);
    }
    expect_all(s, NULL, 0);
    drop(s);
}

/* Segments are merged as a counter carries: to base 2 if merges link and the store has no filter.
 */
static void test_levels_of_many(void **state) {
    (void)state;
    merge_many(PAIRED, ND_LIMIT(5, 9), false, 2);
    merge_many(PAIRED, ND_LIMIT(5, 9), true, 4);
    merge_many(SMALL, ND_LIMIT(21, 7), false, 4);
}

/* Additions go on beside a merge: segments behind it are merged at once, and it should be installed
 * when a tenth as many documents have come as it has. */
static void test_additions(void **state) {
    (void)state;
    nd_error error;
    gate g = GATE;
    nd_progress progress;
    nd_store *s = make_held(&g, &progress);
    for (uint32_t d = 0; d < 4; d++) {
        publish(s, SMALL, 20 + d);
        must(nd_store_compact_levels(s, &error), &error);
    }
    assert_int_equal(nd_store_segment_count(s), 5);
    assert_false(nd_store_should_end_merge(s));
    publish(s, 4 * MANY / 10, 24);
    assert_true(nd_store_should_end_merge(s));
    assert_int_equal(nd_store_segment_count(s), 6);
    open_gate(&g);
    must(nd_store_end_merge(s, &error), &error);
    assert_false(nd_store_should_end_merge(s));
    assert_int_equal(nd_store_segment_count(s), 3);
    expect_all(s, (const uint32_t[]){1, 2, 3, 20, 21, 22, 23, 24}, 8);
    drop(s);
}

/* Adds the next document to the log, and removes one of a segment. */
static void change_log(nd_store *s, uint32_t removed) {
    nd_error error;
    char id[16];
    uint8_t sketch[SKETCH];
    uint64_t keys[BANDS];
    uint32_t d = nd_store_document_count(s);
    nd_store_le64(sketch, d);
    for (uint32_t b = 0; b < BANDS; b++) keys[b] = key_of(d, b);
    const nd_stored_document document = {
        .id = id, .id_length = id_of(d, id), .sketch = sketch, .keys = keys};
    must(nd_store_add(s, &document, &error), &error);
    must(nd_store_remove(s, removed, &error), &error);
    must(nd_store_commit(s, &error), &error);
}

static void expect_id(const nd_store *s, uint32_t d) {
    nd_error error;
    char id[16];
    uint32_t number;
    must(nd_store_find_id(s, id, id_of(d, id), &number, &error), &error);
    assert_int_equal(number, d);
}

/* A merge is installed while documents are in the log, and some of its own are removed there. */
static void test_log_stays(void **state) {
    (void)state;
    nd_store *s = make_store("i");
    nd_error error;
    const uint32_t first = 4 * MANY;
    static const uint32_t removed[] = {1, 2, 3, 8, MANY + 8};
    must(nd_store_compact_levels(s, &error), &error);
    change_log(s, 8);
    must(nd_store_end_merge(s, &error), &error);
    change_log(s, MANY + 8);
    for (int opened = 0; opened < 2; opened++) {
        assert_int_equal(nd_store_segment_count(s), 1);
        assert_int_equal(nd_store_log_documents(s), 2);
        expect_all(s, removed, 5);
        expect_id(s, first);
        expect_id(s, first + 1);
        nd_store_close(s);
        must(nd_store_open("i", ND_STORE_WRITE, &nd_allocator_default, &s, &error), &error);
    }
    must(nd_store_flush(s, &error), &error);
    assert_int_equal(nd_store_segment_count(s), 2);
    expect_all(s, removed, 5);
    drop(s);
}

/* A document that only the log has removed stays in the tables, because the log might be lost. */
static void test_removed_by_log(void **state) {
    (void)state;
    nd_store *s = make_store("i");
    nd_error error;
    uint32_t begin;
    change_log(s, 8);
    must(nd_store_begin_merge(s, true, &error), &error);
    must(nd_store_end_merge(s, &error), &error);
    const nd_segment *merged = nd_store_segment(s, 0, &begin);
    assert_int_equal(nd_store_segment_count(s), 1);
    for (uint32_t b = 0; b < BANDS; b++) {
        assert_true(has_key(merged, b, key_of(8, b), 8));
        assert_false(has_key(merged, b, key_of(2, b), 2));
    }
    expect_all(s, (const uint32_t[]){1, 2, 3, 8}, 4);
    drop(s);
}

/* A store that accepts no further change installs no merge. */
static void test_failed_store(void **state) {
    (void)state;
    nd_store *s = make_store("i");
    nd_error error;
    must(nd_store_compact_levels(s, &error), &error);
    uint64_t generation = nd_store_state(s)->generation;
    (void)!nd_fail(&s->failure, ND_ERR_IO, "the disk is gone");
    assert_int_equal(nd_store_end_merge(s, &error), ND_ERR_IO);
    assert_string_equal(error.message, "the disk is gone");
    assert_int_equal(nd_store_state(s)->generation, generation);
    assert_int_equal(nd_store_segment_count(s), 4);
    drop(s);
}

/* Closing gives up a merge, and so does the merge of everything. */
static void test_additions_end(void **state) {
    (void)state;
    nd_store *s = make_store("i");
    nd_error error;
    pthread_t self = pthread_self();
    nd_progress progress = {.fn = go_on_slowly, .context = &self};
    nd_store_set_progress(s, &progress);
    must(nd_store_compact_levels(s, &error), &error);
    nd_store_close(s);
    assert_int_equal(count_files("i", "segment-"), 4);
    must(nd_store_open("i", ND_STORE_WRITE, &nd_allocator_default, &s, &error), &error);
    nd_store_set_progress(s, &progress);
    must(nd_store_compact_levels(s, &error), &error);
    must(nd_store_compact_all(s, &error), &error);
    assert_int_equal(nd_store_segment_count(s), 1);
    assert_int_equal(count_files("i", "segment-"), 1);
    assert_int_equal(nd_store_document_count(s), 4 * MANY - 3);
    drop(s);
}

/* A child made by fork closes the store while the parent's merge goes on. */
static void test_fork(void **state) {
    (void)state;
    nd_error error;
    gate g = GATE;
    int status;
    nd_progress progress;
    nd_store *s = make_held(&g, &progress);
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        nd_store_close(s);
        _exit(7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    open_gate(&g);
    must(nd_store_end_merge(s, &error), &error);
    assert_int_equal(nd_store_segment_count(s), 1);
    expect_all(s, (const uint32_t[]){1, 2, 3}, 3);
    drop(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside),
                                       cmocka_unit_test(test_filter),
                                       cmocka_unit_test(test_given_up),
                                       cmocka_unit_test(test_cancelled),
                                       cmocka_unit_test(test_numbers_stay),
                                       cmocka_unit_test(test_levels),
                                       cmocka_unit_test(test_levels_of_many),
                                       cmocka_unit_test(test_additions),
                                       cmocka_unit_test(test_log_stays),
                                       cmocka_unit_test(test_additions_end),
                                       cmocka_unit_test(test_removed_by_log),
                                       cmocka_unit_test(test_failed_store),
                                       cmocka_unit_test(test_fork)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

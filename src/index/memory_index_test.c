/* An index in memory alone against one in a directory: the same calls give the same answers. */
#include "index/index.h"

#include "own_directory.h"

#include <string.h>

enum { STEPS = 1500, MOST_DOCUMENTS = 600, WORDS = 12 };

typedef struct both {
    nd_index *index[2]; /* on disk, in memory */
    nd_searcher *searcher[2];
} both;

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static nd_index_options options_of(uint64_t seed) {
    nd_index_options o;
    nd_index_options_init(&o);
    o.perms = 64;
    o.recall = 0.99;
    o.threshold = 0.5;
    o.ngram = 1;
    o.sketch_only = seed % 2;
    return o;
}

static both open_both(const nd_index_options *options) {
    both b;
    nd_error error;
    must(nd_index_create("i", options, &error), &error);
    must(nd_index_open("i", ND_INDEX_WRITE, NULL, &b.index[0], &error), &error);
    nd_index_set_sync(b.index[0], ND_SYNC_OFF);
    must(nd_index_open_in_memory(options, NULL, &b.index[1], &error), &error);
    for (int i = 0; i < 2; i++)
        must(nd_searcher_create(b.index[i], &b.searcher[i], &error), &error);
    return b;
}

static void close_both(both *b) {
    for (int i = 0; i < 2; i++) {
        nd_searcher_free(b->searcher[i]);
        nd_index_close(b->index[i]);
    }
    remove_directory("i");
}

/* Texts of few words, so that many are near-duplicates. */
static size_t make_text(uint64_t *seed, char text[8 * WORDS]) {
    size_t length = 0;
    for (int w = 0; w < WORDS; w++)
        length += (size_t)snprintf(text + length, 8 * WORDS - length, "w%u ",
                                   (unsigned)random_below(seed, 40));
    return length;
}

static void assert_same_match(const nd_match *a, const nd_match *b) {
    assert_true(a->jaccard == b->jaccard && a->estimated == b->estimated);
    assert_int_equal(a->id_length, b->id_length);
    assert_memory_equal(a->id, b->id, a->id_length);
}

static void add(both *b, const char *id, uint64_t *seed) {
    char text[8 * WORDS];
    size_t length = make_text(seed, text);
    bool added[2], replace = random_below(seed, 2);
    const nd_match *evidence[2];
    nd_status status[2];
    nd_error error[2];
    for (int i = 0; i < 2; i++)
        status[i] = nd_index_add(b->index[i], b->searcher[i], id, strlen(id), text, length, replace,
                                 &added[i], &evidence[i], &error[i]);
    assert_int_equal(status[0], status[1]);
    if (status[0] != ND_OK) return; /* the id is there already */
    assert_int_equal(added[0], added[1]);
    if (!added[0]) assert_same_match(evidence[0], evidence[1]);
}

static void remove_id(both *b, const char *id) {
    bool found[2];
    nd_error error;
    for (int i = 0; i < 2; i++)
        must(nd_index_remove(b->index[i], id, strlen(id), &found[i], &error), &error);
    assert_int_equal(found[0], found[1]);
}

static void search(both *b, uint64_t *seed) {
    char text[8 * WORDS];
    size_t length = make_text(seed, text), count[2];
    const nd_match *matches[2];
    nd_error error;
    for (int i = 0; i < 2; i++)
        must(nd_search(b->searcher[i], text, length, ND_SEARCH_ALL, &matches[i], &count[i], &error),
             &error);
    assert_int_equal(count[0], count[1]);
    for (size_t m = 0; m < count[0]; m++) assert_same_match(&matches[0][m], &matches[1][m]);
}

static void check(both *b) {
    nd_index_info info[2];
    nd_error error;
    for (int i = 0; i < 2; i++) {
        must(nd_index_sync(b->index[i], &error), &error);
        must(nd_index_refresh(b->index[i], &error), &error);
        must(nd_index_check(b->index[i], &error), &error);
        nd_index_describe(b->index[i], &info[i]);
    }
    assert_int_equal(info[0].documents, info[1].documents);
    assert_int_equal(info[1].segments, 0);
}

static void test_same_answers(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 4; round++) {
        uint64_t seed = round;
        const nd_index_options options = options_of(round);
        both b = open_both(&options);
        for (int step = 0; step < STEPS; step++) {
            char id[16];
            nd_error error;
            snprintf(id, sizeof id, "%u", (unsigned)random_below(&seed, MOST_DOCUMENTS));
            uint64_t kind = random_below(&seed, 400);
            if (kind < 200) add(&b, id, &seed);
            else if (kind < 320) remove_id(&b, id);
            else if (kind < 396) search(&b, &seed);
            else if (kind < 398) check(&b);
            else
                for (int i = 0; i < 2; i++) must(nd_index_compact(b.index[i], &error), &error);
        }
        check(&b);
        close_both(&b);
    }
}

/* Removed documents give their memory back, without nd_index_compact. */
static void test_memory_of_removed(void **state) {
    (void)state;
    enum { ROUNDS = 2000 };
    nd_index *index;
    nd_searcher *searcher;
    nd_error error;
    nd_index_info info;
    const nd_index_options options = options_of(0);
    must(nd_index_open_in_memory(&options, NULL, &index, &error), &error);
    must(nd_searcher_create(index, &searcher, &error), &error);
    for (int round = 0; round < ROUNDS; round++) {
        bool added, found;
        must(nd_index_add(index, searcher, "id", 2, "some text", 9, false, &added, NULL, &error),
             &error);
        assert_true(added);
        must(nd_index_remove(index, "id", 2, &found, &error), &error);
        assert_true(found);
        nd_index_describe(index, &info);
        assert_true(info.removed < 10);
    }
    nd_searcher_free(searcher);
    nd_index_close(index);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_answers),
                                       cmocka_unit_test(test_memory_of_removed)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

/* Indexes that earlier formats have written are read as long as the format is supported: tests/compat/index-N.tar.gz of format N, all made by this program's `make_index` when the format
 * was new (compat_test DIRECTORY makes one), each with a segment, a tombstone, and a document and a removal in its log. */
#include "neardup.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const ids[] = {"mill", "mill again", "lantern", "quince", "gone", "late", "gone too"};
static const char *const texts[] = {
    "the old mill by the river was sold in spring to a family from the north who wants to grind flour there again",
    "the old mill by the river was sold in spring to a family from the north who wants to grind corn there again",
    "seventeen lanterns burn behind the harbour wall and nobody in the town can say who lights them in the evening",
    "木瓜在石墙边开花，村里的人每年春天都去看它",
    "this text is removed from the segment before it is ever looked for by anybody at all",
    "what came last stands in the log alone and has to be found there by everybody who asks for it",
    "this one came late too and was removed at once so that nobody will find it in the log or elsewhere",
};
enum { TEXTS = sizeof texts / sizeof *texts, IN_SEGMENT = 5 };

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static void add(nd_index *x, size_t i) {
    nd_error error;
    nd_searcher *searcher;
    bool added;
    must(nd_searcher_create(x, &searcher, &error), &error);
    must(nd_index_add(x, searcher, ids[i], strlen(ids[i]), texts[i], strlen(texts[i]), false, &added, NULL, &error), &error);
    nd_searcher_free(searcher);
}

static void take_away(nd_index *x, size_t i) {
    nd_error error;
    bool found;
    must(nd_index_remove(x, ids[i], strlen(ids[i]), &found, &error), &error);
    assert_true(found);
}

static void make_index(const char *path) {
    nd_error error;
    nd_index *x;
    nd_index_options options;
    nd_index_options_init(&options);
    options.perms = 16;
    options.threshold = 0.5;
    options.recall = 0.9;
    options.ngram = 3;
    must(nd_index_create(path, &options, &error), &error);
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    for (size_t i = 0; i < IN_SEGMENT; i++) add(x, i);
    must(nd_index_compact(x, &error), &error);
    take_away(x, 4);
    for (size_t i = IN_SEGMENT; i < TEXTS; i++) add(x, i);
    take_away(x, 6);
    nd_index_close(x);
}

static void expect_found(nd_searcher *searcher, size_t text, const char *id) {
    nd_error error;
    const nd_match *matches;
    size_t count;
    must(nd_search(searcher, texts[text], strlen(texts[text]), ND_SEARCH_ALL, &matches, &count, &error), &error);
    assert_int_equal(count, id != NULL);
    if (!id) return;
    assert_int_equal(matches[0].id_length, strlen(id));
    assert_memory_equal(matches[0].id, id, strlen(id));
    if (text != 1) assert_true(matches[0].jaccard == 1.0);
    else assert_int_equal(matches[0].set_union - matches[0].intersection, 6); /* a word changed: three shingles go, three come */
}

static void expect_answers(const char *path) {
    nd_error error;
    nd_index *x;
    nd_searcher *searcher;
    nd_index_info info;
    must(nd_index_open(path, ND_INDEX_READ, NULL, &x, &error), &error);
    must(nd_index_check(x, &error), &error);
    nd_index_describe(x, &info);
    assert_int_equal(info.documents, 4);
    assert_int_equal(info.options.ngram, 3);
    must(nd_searcher_create(x, &searcher, &error), &error);
    for (size_t i = 0; i < TEXTS; i++) expect_found(searcher, i, i == 1 ? ids[0] : i == 4 || i == 6 ? NULL : ids[i]);
    nd_searcher_free(searcher);
    nd_index_close(x);
}

#if !ND_TINY_LIMITS
static void unpack_index(const char *archive, const char *to) {
    char command[3000];
    snprintf(command, sizeof command, "mkdir '%s' && tar -xzf '%s' -C '%s'", to, archive, to);
    assert_int_equal(system(command), 0);
}
#endif

static void remove_index(const char *path) {
    char command[1500];
    snprintf(command, sizeof command, "rm -r '%s'", path);
    assert_int_equal(system(command), 0);
}

/* The format of today, made now, and every one that is kept. */
static void test_formats(void **state) {
    (void)state;
    char directory[] = "compat-test-XXXXXX", path[100], kept[1000];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/now", directory);
    make_index(path);
    expect_answers(path);
    unsigned formats = 0;
    for (unsigned format = 1; format < 100; format++) {
        snprintf(kept, sizeof kept, "%s/compat/index-%u.tar.gz", ND_TEST_DATA, format);
        if (access(kept, F_OK) != 0) continue;
        formats++;
#if !ND_TINY_LIMITS /* whose pages are smaller */
        snprintf(path, sizeof path, "%s/kept-%u", directory, format);
        unpack_index(kept, path);
        expect_answers(path);
#endif
    }
    assert_true(formats > 0);
    remove_index(directory);
}

int main(int count, char **arguments) {
    if (count == 2) {
        make_index(arguments[1]);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

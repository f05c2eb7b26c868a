#include "contract.h"

static nd_index *opened;
static nd_searcher *searcher;

static void close_index(void) {
    nd_searcher_free(searcher);
    nd_index_close(opened);
    searcher = NULL;
    opened = NULL;
    remove_directory("index");
}

/* A new one, with one document. */
static void begin_index(void) {
    nd_error reason;
    bool added;
    close_index();
    nd_status status = nd_index_create("index", NULL, &reason);
    if (status == ND_OK)
        status = nd_index_open("index", ND_INDEX_WRITE, &allocator, &opened, &reason);
    if (status == ND_OK) status = nd_searcher_create(opened, &searcher, &reason);
    if (status == ND_OK) nd_index_set_sync(opened, ND_SYNC_OFF);
    if (status == ND_OK)
        status = nd_index_add(opened, searcher, "a", 1, ENGLISH, false, &added, NULL, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

void test_index_making(void **state) {
    (void)state;
    nd_index_options o;
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        nd_index_options_init(&o);                                                                 \
        o __VA_ARGS__;                                                                             \
        REFUSED(part, nd_index_create("index", &o, &failure));                                     \
    } while (0)
    BAD("kind", .analyzer = (nd_analyzer_kind)9);
    BAD("kind", .analyzer = ND_SEGMENT);
    BAD("ngram", .ngram = 0);
    BAD("threshold", .threshold = NAN);
    BAD("recall", .recall = INFINITY);
    BAD("perms", .perms = 1025);
#undef BAD
    REFUSED("path", nd_index_create(NULL, NULL, &failure));
    REFUSED("path", nd_index_create("", NULL, &failure));
    CALLED(nd_index_options_init(&o));
    GRANTED(remove_directory("index"), nd_index_create("index", &o, &failure), NOTHING);
    FAILS(ND_ERR_IO, "index", nd_index_create("index", NULL, &failure));
    REFUSED("path", nd_index_open(NULL, ND_INDEX_READ, &allocator, &out.index, &failure));
    REFUSED("path", nd_index_open("", ND_INDEX_READ, &allocator, &out.index, &failure));
    REFUSED("mode must be ND_INDEX_READ (0) to ND_INDEX_WRITE (1), not 2",
            nd_index_open("index", (nd_index_mode)2, &allocator, &out.index, &failure));
    REFUSED("out", nd_index_open("index", ND_INDEX_READ, &allocator, NULL, &failure));
    FAILS(ND_ERR_IO, "missing",
          nd_index_open("missing", ND_INDEX_READ, &allocator, &out.index, &failure));
    GRANTED(NOTHING, nd_index_open("index", ND_INDEX_READ, &allocator, &out.index, &failure),
            CALLED(nd_index_close(out.index)));
    GRANTED(NOTHING, nd_index_open("index", ND_INDEX_WRITE, &allocator, &out.index, &failure),
            opened = out.index);
    FAILS(ND_ERR_BUSY, "index",
          nd_index_open("index", ND_INDEX_WRITE, &allocator, &out.index, &failure));
    REFUSED("index", nd_searcher_create(NULL, &out.searcher, &failure));
    REFUSED("out", nd_searcher_create(opened, NULL, &failure));
    GRANTED(NOTHING, nd_searcher_create(opened, &out.searcher, &failure),
            CALLED(nd_searcher_free(out.searcher)));
    close_index();
}

static void check_index_damage(void) {
    nd_index *reader;
    begin_index();
    good(nd_index_open("index", ND_INDEX_READ, &allocator, &reader, &failure));
    REFUSED("opened for reading", nd_index_remove(reader, "a", 1, &out.flag, &failure));
    REFUSED("opened for reading", nd_index_compact(reader, &failure));
    REFUSED("another index", nd_index_add(reader, searcher, "b", 1, GERMAN, false, &out.flag,
                                          &out.evidence, &failure));
    REFUSED("index", nd_index_refresh(NULL, &failure));
    GRANTED(NOTHING, nd_index_refresh(reader, &failure), NOTHING);
    remove_directory("index");
    FAILS(ND_ERR_IO, "index", nd_index_refresh(reader, &failure));
    nd_index_close(reader);
}

void test_index(void **state) {
    (void)state;
    nd_index_info info;
    begin_index();
    CALLED(nd_index_set_sync(opened, (nd_sync)9));
    CALLED(nd_index_describe(opened, &info));
    assert_int_equal(info.documents, 1);

    REFUSED("searcher",
            nd_search(NULL, ENGLISH, ND_SEARCH_ALL, &out.matches, &out.count, &failure));
    REFUSED("text",
            nd_search(searcher, NULL, 3, ND_SEARCH_ALL, &out.matches, &out.count, &failure));
    REFUSED("kind must be ND_SEARCH_ALL (0) to ND_SEARCH_FIRST (2), not 3",
            nd_search(searcher, ENGLISH, (nd_search_kind)3, &out.matches, &out.count, &failure));
    REFUSED("matches", nd_search(searcher, ENGLISH, ND_SEARCH_ALL, NULL, &out.count, &failure));
    REFUSED("count", nd_search(searcher, ENGLISH, ND_SEARCH_ALL, &out.matches, NULL, &failure));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_search(searcher, "\xff", 1, ND_SEARCH_ALL, &out.matches, &out.count, &failure));
    GRANTED(begin_index(),
            nd_search(searcher, ENGLISH, ND_SEARCH_ALL, &out.matches, &out.count, &failure),
            assert_int_equal(out.count, 1));
    assert_int_equal(CALLED(nd_searcher_left_out(searcher)), 0);

    REFUSED("index", nd_index_add(NULL, searcher, "b", 1, GERMAN, false, &out.flag, &out.evidence,
                                  &failure));
    REFUSED("searcher",
            nd_index_add(opened, NULL, "b", 1, GERMAN, false, &out.flag, &out.evidence, &failure));
    REFUSED("id", nd_index_add(opened, searcher, NULL, 1, GERMAN, false, &out.flag, &out.evidence,
                               &failure));
    REFUSED("text", nd_index_add(opened, searcher, "b", 1, NULL, 1, false, &out.flag, &out.evidence,
                                 &failure));
    REFUSED("added",
            nd_index_add(opened, searcher, "b", 1, GERMAN, false, NULL, &out.evidence, &failure));
    REFUSED("\"a\"", nd_index_add(opened, searcher, "a", 1, GERMAN, false, &out.flag, &out.evidence,
                                  &failure));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_index_add(opened, searcher, "b", 1, "\xff", 1, false, &out.flag, &out.evidence,
                       &failure));
    GRANTED(
        begin_index(),
        nd_index_add(opened, searcher, "b", 1, GERMAN, false, &out.flag, &out.evidence, &failure),
        assert_true(out.flag && !out.evidence));
    GRANTED(
        begin_index(),
        nd_index_add(opened, searcher, "b", 1, ENGLISH, false, &out.flag, &out.evidence, &failure),
        assert_false(out.flag));
    GRANTED(begin_index(),
            nd_index_add(opened, searcher, "a", 1, GERMAN, true, &out.flag, NULL, &failure),
            assert_true(out.flag));
    GRANTED(begin_index(),
            nd_index_add(opened, searcher, NULL, 0, GERMAN, false, &out.flag, NULL, &failure),
            assert_true(out.flag));

    REFUSED("index", nd_index_remove(NULL, "a", 1, &out.flag, &failure));
    REFUSED("id", nd_index_remove(opened, NULL, 1, &out.flag, &failure));
    REFUSED("found", nd_index_remove(opened, "a", 1, NULL, &failure));
    GRANTED(begin_index(), nd_index_remove(opened, "a", 1, &out.flag, &failure),
            assert_true(out.flag));
    GRANTED(begin_index(), nd_index_remove(opened, NULL, 0, &out.flag, &failure),
            assert_false(out.flag));

    REFUSED("index", nd_index_sync(NULL, &failure));
    GRANTED(begin_index(), nd_index_sync(opened, &failure), NOTHING);
    REFUSED("index", nd_index_compact(NULL, &failure));
    GRANTED(begin_index(), nd_index_compact(opened, &failure), NOTHING);
    REFUSED("index", nd_index_check(NULL, &failure));
    GRANTED(begin_index(), nd_index_check(opened, &failure), NOTHING);

    REFUSED("index",
            nd_query(NULL, &job, ND_SEARCH_ALL, take_answer, NULL, &out.summary, &failure));
    REFUSED("options",
            nd_query(opened, NULL, ND_SEARCH_ALL, take_answer, NULL, &out.summary, &failure));
    begin_job(1);
    REFUSED("kind",
            nd_query(opened, &job, (nd_search_kind)-1, take_answer, NULL, &out.summary, &failure));
    REFUSED("fn", nd_query(opened, &job, ND_SEARCH_ALL, NULL, NULL, &out.summary, &failure));
    ALL_REFUSED(nd_query(opened, &job, ND_SEARCH_ALL, take_answer, NULL, &out.summary, &failure));
    GRANTED(begin_job(2),
            nd_query(opened, &job, ND_SEARCH_ALL, take_answer, NULL, &out.summary, &failure),
            NOTHING);
    check_index_damage();
    close_index();
}

#include "contract.h"

static nd_index *opened;
static nd_index_searcher *searcher;

static void close_index(void) {
    nd_index_searcher_free(searcher);
    nd_index_close(opened);
    searcher = NULL;
    opened = NULL;
    remove_directory("index");
}

static nd_record record_of(const char *id, const char *text, size_t length) {
    return (nd_record){.text = text, .length = length, .id = id, .id_length = id ? strlen(id) : 0};
}

/* A new one, with one document. */
static void begin_index(void) {
    nd_error reason;
    bool added;
    const nd_record a = record_of("a", ENGLISH);
    close_index();
    nd_status status = nd_index_create("index", NULL, &reason);
    if (status == ND_OK)
        status = nd_index_open("index", ND_INDEX_WRITE, &allocator, &opened, &reason);
    if (status == ND_OK) status = nd_index_searcher_create(opened, &searcher, &reason);
    if (status == ND_OK) nd_index_set_sync(opened, ND_SYNC_OFF);
    if (status == ND_OK) status = nd_index_add(opened, searcher, &a, &added, NULL, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

/* ---- making and opening */

#define OPTIONS_REFUSED(part, o)                                                                   \
    do {                                                                                           \
        REFUSED(part, nd_index_create("index", o, &failure));                                      \
        REFUSED(part, nd_index_create_in_memory(o, &allocator, &out.index, &failure));             \
    } while (0)

static void check_options(void) {
    nd_index_options o;
    nd_analyzer_options analyzer;
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        nd_index_options_init(&o, sizeof o);                                                       \
        o __VA_ARGS__;                                                                             \
        OPTIONS_REFUSED(part, &o);                                                                 \
    } while (0)
#define BAD_ANALYZER(part, ...)                                                                    \
    do {                                                                                           \
        nd_analyzer_options_init(&analyzer, sizeof analyzer);                                      \
        analyzer __VA_ARGS__;                                                                      \
        BAD(part, .analyzer = &analyzer);                                                          \
    } while (0)
    BAD_ANALYZER("kind", .kind = (nd_analyzer_kind)9);
    BAD_ANALYZER("kind", .kind = ND_SEGMENT);
    BAD_ANALYZER("ngram", .ngram = 0);
    BAD_ANALYZER("stem", .stem = "english");
    BAD_ANALYZER("dictionary", .dictionary = dictionary);
    BAD("threshold", .threshold = NAN);
    BAD("recall", .recall = INFINITY);
    BAD("perms", .perms = 1025);
    BAD("content must be ND_CONTENT_SKETCHES (0) to ND_CONTENT_HASHES (1), not 2",
        .content = (nd_index_content)2);
    BAD("by must be ND_EQUAL_BYTES (0) to ND_EQUAL_TOKENS (2), not 3", .by = (nd_equal)3);
#undef BAD_ANALYZER
#undef BAD
}

void test_index_making(void **state) {
    (void)state;
    nd_index_options o;
    check_options();
    REFUSED("path", nd_index_create(NULL, NULL, &failure));
    REFUSED("path", nd_index_create("", NULL, &failure));
    REFUSED("out", nd_index_create_in_memory(NULL, &allocator, NULL, &failure));
    CALLED(nd_index_options_init(&o, sizeof o));
    GRANTED(remove_directory("index"), nd_index_create("index", &o, &failure), NOTHING);
    FAILS(ND_ERR_IO, "index", nd_index_create("index", NULL, &failure));
    GRANTED(NOTHING, nd_index_create_in_memory(&o, &allocator, &out.index, &failure),
            nd_index_close(out.index));
    GRANTED(NOTHING, nd_index_create_in_memory(NULL, &allocator, &out.index, &failure),
            nd_index_close(out.index));
    REFUSED("path", nd_index_open(NULL, ND_INDEX_READ, &allocator, &out.index, &failure));
    REFUSED("path", nd_index_open("", ND_INDEX_READ, &allocator, &out.index, &failure));
    REFUSED("mode must be ND_INDEX_READ (0) to ND_INDEX_WRITE (1), not 2",
            nd_index_open("index", (nd_index_mode)2, &allocator, &out.index, &failure));
    REFUSED("out", nd_index_open("index", ND_INDEX_READ, &allocator, NULL, &failure));
    FAILS(ND_ERR_IO, "missing",
          nd_index_open("missing", ND_INDEX_READ, &allocator, &out.index, &failure));
    good(nd_hamming_create("prints", NULL, &failure));
    REFUSED("fingerprints",
            nd_index_open("prints", ND_INDEX_READ, &allocator, &out.index, &failure));
    remove_directory("prints");
    GRANTED(NOTHING, nd_index_open("index", ND_INDEX_READ, &allocator, &out.index, &failure),
            CALLED(nd_index_close(out.index)));
    GRANTED(NOTHING, nd_index_open("index", ND_INDEX_WRITE, &allocator, &out.index, &failure),
            opened = out.index);
    FAILS(ND_ERR_BUSY, "index",
          nd_index_open("index", ND_INDEX_WRITE, &allocator, &out.index, &failure));
    REFUSED("index", nd_index_searcher_create(NULL, &out.searcher, &failure));
    REFUSED("out", nd_index_searcher_create(opened, NULL, &failure));
    GRANTED(NOTHING, nd_index_searcher_create(opened, &out.searcher, &failure),
            CALLED(nd_index_searcher_free(out.searcher)));
    close_index();
    nd_index_close(NULL);
    nd_index_searcher_free(NULL);
}

static void check_index_damage(void) {
    nd_index *reader;
    const nd_record b = record_of("b", GERMAN);
    begin_index();
    good(nd_index_open("index", ND_INDEX_READ, &allocator, &reader, &failure));
    REFUSED("opened for reading", nd_index_remove(reader, "a", 1, &out.flag, &failure));
    REFUSED("opened for reading", nd_index_compact(reader, &failure));
    REFUSED("another index",
            nd_index_add(reader, searcher, &b, &out.flag, &out.evidence, &failure));
    REFUSED("another index",
            nd_index_replace(reader, searcher, &b, &out.flag, &out.evidence, &failure));
    REFUSED("index", nd_index_refresh(NULL, &failure));
    GRANTED(NOTHING, nd_index_refresh(reader, &failure), NOTHING);
    remove_directory("index");
    FAILS(ND_ERR_IO, "index", nd_index_refresh(reader, &failure));
    nd_index_close(reader);
}

/* ---- searching, adding, removing */

static void check_search(void) {
    REFUSED("searcher",
            nd_index_search(NULL, ENGLISH, ND_SEARCH_ALL, &out.matches, &out.count, &failure));
    REFUSED("text",
            nd_index_search(searcher, NULL, 3, ND_SEARCH_ALL, &out.matches, &out.count, &failure));
    REFUSED(
        "kind must be ND_SEARCH_ALL (0) to ND_SEARCH_FIRST (2), not 3",
        nd_index_search(searcher, ENGLISH, (nd_search_kind)3, &out.matches, &out.count, &failure));
    REFUSED("matches",
            nd_index_search(searcher, ENGLISH, ND_SEARCH_ALL, NULL, &out.count, &failure));
    REFUSED("count",
            nd_index_search(searcher, ENGLISH, ND_SEARCH_ALL, &out.matches, NULL, &failure));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_index_search(searcher, "\xff", 1, ND_SEARCH_ALL, &out.matches, &out.count, &failure));
    GRANTED(begin_index(),
            nd_index_search(searcher, ENGLISH, ND_SEARCH_ALL, &out.matches, &out.count, &failure),
            assert_int_equal(out.count, 1));
    assert_int_equal(CALLED(nd_index_searcher_left_out(searcher)), 0);
}

/* What nd_index_add and nd_index_replace reject alike. */
#define ADDING_REFUSED(add)                                                                        \
    do {                                                                                           \
        const nd_record good_one = record_of("b", GERMAN), bad_text = record_of("b", "\xff", 1),   \
                        null_text = record_of("b", NULL, 1),                                       \
                        null_id = {.text = german, .length = 9, .id_length = 1};                   \
        REFUSED("index", add(NULL, searcher, &good_one, &out.flag, &out.evidence, &failure));      \
        REFUSED("searcher", add(opened, NULL, &good_one, &out.flag, &out.evidence, &failure));     \
        REFUSED("document", add(opened, searcher, NULL, &out.flag, &out.evidence, &failure));      \
        REFUSED("id", add(opened, searcher, &null_id, &out.flag, &out.evidence, &failure));        \
        REFUSED("text", add(opened, searcher, &null_text, &out.flag, &out.evidence, &failure));    \
        REFUSED("added", add(opened, searcher, &good_one, NULL, &out.evidence, &failure));         \
        FAILS(ND_ERR_INPUT, "byte 0",                                                              \
              add(opened, searcher, &bad_text, &out.flag, &out.evidence, &failure));               \
    } while (0)

static void check_adding(void) {
    const nd_record a = record_of("a", GERMAN), b = record_of("b", GERMAN),
                    copy = record_of("b", ENGLISH), empty_id = record_of(NULL, GERMAN);
    ADDING_REFUSED(nd_index_add);
    ADDING_REFUSED(nd_index_replace);
    REFUSED("\"a\"", nd_index_add(opened, searcher, &a, &out.flag, &out.evidence, &failure));
    GRANTED(begin_index(), nd_index_add(opened, searcher, &b, &out.flag, &out.evidence, &failure),
            assert_true(out.flag && !out.evidence));
    GRANTED(begin_index(),
            nd_index_add(opened, searcher, &copy, &out.flag, &out.evidence, &failure),
            assert_true(!out.flag && out.evidence->id_length == 1));
    GRANTED(begin_index(), nd_index_replace(opened, searcher, &a, &out.flag, NULL, &failure),
            assert_true(out.flag));
    GRANTED(begin_index(),
            nd_index_replace(opened, searcher, &copy, &out.flag, &out.evidence, &failure),
            assert_true(!out.flag && out.evidence->id_length == 1));
    GRANTED(begin_index(), nd_index_add(opened, searcher, &empty_id, &out.flag, NULL, &failure),
            assert_true(out.flag));
}

static void check_changes(void) {
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
}

/* ---- many searches */

static nd_index_query_options asked;

/* For the job as it is. */
static const nd_index_query_options *query_of(void) {
    CALLED(nd_index_query_options_init(&asked, sizeof asked));
    asked.input = &job.input;
    asked.resources = &job.resources;
    return &asked;
}

static void check_query(void) {
    nd_index_query_options o;
    begin_job(1);
    REFUSED("index", nd_index_query(NULL, query_of(), take_answer, NULL, &out.summary, &failure));
    REFUSED("options", nd_index_query(opened, NULL, take_answer, NULL, &out.summary, &failure));
    REFUSED("fn", nd_index_query(opened, query_of(), NULL, NULL, &out.summary, &failure));
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        o = *query_of();                                                                           \
        o __VA_ARGS__;                                                                             \
        REFUSED(part, nd_index_query(opened, &o, take_answer, NULL, &out.summary, &failure));      \
    } while (0)
    BAD("input", .input = NULL);
    BAD("kind", .kind = (nd_search_kind)-1);
    BAD("max_compare", .max_compare = 0);
#undef BAD
    ALL_REFUSED(bad_jobs,
                nd_index_query(opened, query_of(), take_answer, NULL, &out.summary, &failure));
    GRANTED(begin_job(2),
            nd_index_query(opened, query_of(), take_answer, NULL, &out.summary, &failure),
            assert_int_equal(out.summary.documents, DOCUMENTS));
}

void test_index(void **state) {
    (void)state;
    begin_index();
    CALLED(nd_index_set_sync(opened, (nd_sync)9));
    REFUSED("index", nd_index_describe(NULL, &out.index_info, &failure));
    REFUSED("out", nd_index_describe(opened, NULL, &failure));
    GRANTED(NOTHING, nd_index_describe(opened, &out.index_info, &failure),
            assert_int_equal(out.index_info.documents, 1));
    assert_int_equal(out.index_info.options->analyzer->ngram, 5);
    check_search();
    check_adding();
    check_changes();
    check_query();
    check_index_damage();
    close_index();
}

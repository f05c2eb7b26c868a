#include "contract.h"

static nd_hamming_index *prints;
static nd_hamming_searcher *searcher;
static const uint64_t some[] = {1, 2, 3, 7, 15, 31};
static const nd_fingerprint_source six = {.struct_size = sizeof six, .words = some, .count = 6};
static const nd_fingerprint five = {5, 0}, wide = {0, 1};

static void close_prints(void) {
    nd_hamming_searcher_free(searcher);
    nd_hamming_close(prints);
    searcher = NULL;
    prints = NULL;
    remove_directory("prints");
}

static void begin_prints(bool numbered) {
    nd_error reason;
    nd_hamming_options o;
    nd_hamming_options_init(&o, sizeof o);
    o.numbered = numbered;
    close_prints();
    nd_status status = nd_hamming_create("prints", &o, &reason);
    if (status == ND_OK)
        status = nd_hamming_open("prints", ND_INDEX_WRITE, &allocator, &prints, &reason);
    if (status == ND_OK) status = nd_hamming_searcher_create(prints, &searcher, &reason);
    if (status == ND_OK) nd_hamming_set_sync(prints, ND_SYNC_OFF);
    if (status == ND_OK) status = nd_hamming_add(prints, "0", 1, five, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

static bool take_near(void *context, const nd_hamming_answer *answer) {
    return (void)context, (void)answer, true;
}
static bool take_join(void *context, const nd_hamming_pair *pair) {
    return (void)context, (void)pair, true;
}

/* ---- making and opening */

static void check_options(void) {
    nd_hamming_options o;
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        nd_hamming_options_init(&o, sizeof o);                                                     \
        o __VA_ARGS__;                                                                             \
        REFUSED(part, nd_hamming_create("prints", &o, &failure));                                  \
        REFUSED(part, nd_hamming_create_in_memory(&o, &allocator, &out.hamming_index, &failure));  \
        REFUSED(part, nd_hamming_build("prints", &o, &six, NULL, &out.summary, &failure));         \
    } while (0)
    BAD("bits", .bits = 63);
    BAD("k must be 0 to 16", .k = 17);
#undef BAD
}

void test_hamming_making(void **state) {
    (void)state;
    nd_hamming_options o;
    check_options();
    REFUSED("path", nd_hamming_create(NULL, NULL, &failure));
    REFUSED("path", nd_hamming_create("", NULL, &failure));
    REFUSED("out", nd_hamming_create_in_memory(NULL, &allocator, NULL, &failure));
    CALLED(nd_hamming_options_init(&o, sizeof o));
    GRANTED(remove_directory("prints"), nd_hamming_create("prints", &o, &failure), NOTHING);
    FAILS(ND_ERR_IO, "prints", nd_hamming_create("prints", NULL, &failure));
    GRANTED(NOTHING, nd_hamming_create_in_memory(&o, &allocator, &out.hamming_index, &failure),
            nd_hamming_close(out.hamming_index));
    GRANTED(NOTHING, nd_hamming_create_in_memory(NULL, &allocator, &out.hamming_index, &failure),
            nd_hamming_close(out.hamming_index));
    REFUSED("path", nd_hamming_open(NULL, ND_INDEX_READ, &allocator, &out.hamming_index, &failure));
    REFUSED("path", nd_hamming_open("", ND_INDEX_READ, &allocator, &out.hamming_index, &failure));
    REFUSED("mode",
            nd_hamming_open("prints", (nd_index_mode)-1, &allocator, &out.hamming_index, &failure));
    REFUSED("out", nd_hamming_open("prints", ND_INDEX_READ, &allocator, NULL, &failure));
    FAILS(ND_ERR_IO, "missing",
          nd_hamming_open("missing", ND_INDEX_READ, &allocator, &out.hamming_index, &failure));
    good(nd_index_create("index", NULL, &failure));
    REFUSED("documents",
            nd_hamming_open("index", ND_INDEX_READ, &allocator, &out.hamming_index, &failure));
    remove_directory("index");
    GRANTED(NOTHING,
            nd_hamming_open("prints", ND_INDEX_READ, &allocator, &out.hamming_index, &failure),
            CALLED(nd_hamming_close(out.hamming_index)));
    GRANTED(NOTHING,
            nd_hamming_open("prints", ND_INDEX_WRITE, &allocator, &out.hamming_index, &failure),
            prints = out.hamming_index);
    FAILS(ND_ERR_BUSY, "prints",
          nd_hamming_open("prints", ND_INDEX_WRITE, &allocator, &out.hamming_index, &failure));
    REFUSED("index", nd_hamming_searcher_create(NULL, &out.hamming_searcher, &failure));
    REFUSED("out", nd_hamming_searcher_create(prints, NULL, &failure));
    GRANTED(NOTHING, nd_hamming_searcher_create(prints, &out.hamming_searcher, &failure),
            CALLED(nd_hamming_searcher_free(out.hamming_searcher)));
    close_prints();
    nd_hamming_close(NULL);
    nd_hamming_searcher_free(NULL);
}

/* ---- changes */

static void check_adding(void) {
    REFUSED("index", nd_hamming_add(NULL, "b", 1, five, &failure));
    REFUSED("id", nd_hamming_add(prints, NULL, 0, five, &failure));
    REFUSED("id", nd_hamming_add(prints, NULL, 1, five, &failure));
    REFUSED("\"0\"", nd_hamming_add(prints, "0", 1, five, &failure));
    REFUSED("64 bits", nd_hamming_add(prints, "b", 1, wide, &failure));
    GRANTED(begin_prints(false), nd_hamming_add(prints, "b", 1, five, &failure), NOTHING);
    GRANTED(begin_prints(false), nd_hamming_add(prints, "", 0, five, &failure), NOTHING);
    REFUSED("index", nd_hamming_replace(NULL, "b", 1, five, &failure));
    REFUSED("id", nd_hamming_replace(prints, NULL, 0, five, &failure));
    REFUSED("64 bits", nd_hamming_replace(prints, "b", 1, wide, &failure));
    GRANTED(begin_prints(false), nd_hamming_replace(prints, "0", 1, five, &failure), NOTHING);
    GRANTED(begin_prints(false), nd_hamming_replace(prints, "b", 1, five, &failure), NOTHING);
    begin_prints(true);
    REFUSED("none of them is replaced", nd_hamming_replace(prints, "1", 1, five, &failure));
    REFUSED("ascend", nd_hamming_add(prints, "0", 1, five, &failure));
    REFUSED("\"x\"", nd_hamming_add(prints, "x", 1, five, &failure));
    REFUSED("numbers below", nd_hamming_add(prints, "4294967295", 10, five, &failure));
    GRANTED(begin_prints(true), nd_hamming_add(prints, NULL, 0, five, &failure), NOTHING);
    GRANTED(begin_prints(true), nd_hamming_add(prints, "7", 1, five, &failure), NOTHING);
    begin_prints(false);
}

static void check_changes(void) {
    nd_hamming_index *reader;
    CALLED(nd_hamming_set_sync(prints, (nd_sync)9));
    REFUSED("index", nd_hamming_remove(NULL, "0", 1, &out.flag, &failure));
    REFUSED("id", nd_hamming_remove(prints, NULL, 1, &out.flag, &failure));
    REFUSED("found", nd_hamming_remove(prints, "0", 1, NULL, &failure));
    GRANTED(begin_prints(false), nd_hamming_remove(prints, "0", 1, &out.flag, &failure),
            assert_true(out.flag));
    GRANTED(begin_prints(false), nd_hamming_remove(prints, NULL, 0, &out.flag, &failure),
            assert_false(out.flag));
    REFUSED("index", nd_hamming_sync(NULL, &failure));
    GRANTED(begin_prints(false), nd_hamming_sync(prints, &failure), NOTHING);
    REFUSED("index", nd_hamming_compact(NULL, &failure));
    GRANTED(begin_prints(false), nd_hamming_compact(prints, &failure), NOTHING);
    REFUSED("index", nd_hamming_check(NULL, &failure));
    GRANTED(begin_prints(false), nd_hamming_check(prints, &failure), NOTHING);
    begin_prints(false);
    good(nd_hamming_open("prints", ND_INDEX_READ, &allocator, &reader, &failure));
    REFUSED("opened for reading", nd_hamming_add(reader, "b", 1, five, &failure));
    REFUSED("opened for reading", nd_hamming_replace(reader, "b", 1, five, &failure));
    REFUSED("opened for reading", nd_hamming_remove(reader, "0", 1, &out.flag, &failure));
    REFUSED("opened for reading", nd_hamming_compact(reader, &failure));
    REFUSED("opened for reading", nd_hamming_load(reader, &six, NULL, &out.summary, &failure));
    REFUSED("index", nd_hamming_refresh(NULL, &failure));
    GRANTED(NOTHING, nd_hamming_refresh(reader, &failure), NOTHING);
    remove_directory("prints");
    FAILS(ND_ERR_IO, "prints", nd_hamming_refresh(reader, &failure));
    nd_hamming_close(reader);
    begin_prints(false);
}

/* ---- searching */

static void check_search(void) {
    nd_hamming_search_options o;
    REFUSED("searcher", nd_hamming_search(NULL, five, NULL, &out.near, &out.count64, &failure));
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        CALLED(nd_hamming_search_options_init(&o, sizeof o));                                      \
        o __VA_ARGS__;                                                                             \
        REFUSED(part, nd_hamming_search(searcher, five, &o, &out.near, &out.count64, &failure));   \
    } while (0)
    BAD("k must be 0 to 16", .k = 17);
    BAD("kind must be ND_HAMMING_ALL (0) to ND_HAMMING_COUNT (3), not 4",
        .kind = (nd_hamming_kind)4);
    BAD("limit", .kind = ND_HAMMING_NEAREST, o.limit = 0);
    BAD("limit", .kind = ND_HAMMING_ANY, o.limit = 0);
#undef BAD
    REFUSED("64 bits", nd_hamming_search(searcher, wide, NULL, &out.near, &out.count64, &failure));
    REFUSED("matches", nd_hamming_search(searcher, five, NULL, NULL, &out.count64, &failure));
    REFUSED("count", nd_hamming_search(searcher, five, NULL, &out.near, NULL, &failure));
    GRANTED(begin_prints(false),
            nd_hamming_search(searcher, five, NULL, &out.near, &out.count64, &failure),
            assert_int_equal(out.count64, 1));
    nd_hamming_search_options_init(&o, sizeof o);
    o.kind = ND_HAMMING_NEAREST;
    GRANTED(begin_prints(false),
            nd_hamming_search(searcher, five, &o, &out.near, &out.count64, &failure),
            assert_int_equal(out.count64, 1));
    /* These do not look at the limit. */
    o.limit = 0;
    o.kind = ND_HAMMING_COUNT;
    GRANTED(begin_prints(false),
            nd_hamming_search(searcher, five, &o, &out.near, &out.count64, &failure),
            assert_true(out.count64 == 1 && !out.near));
}

/* ---- many at once */

/* With the parts of the messages that name them. */
static const struct bad_source {
    const char *part;
    nd_fingerprint_source source;
} bad_sources[] = {
    {"from a path", {.struct_size = sizeof six}},
    {"from a path", {.struct_size = sizeof six, .count = 6}},
    {"from a path", {.struct_size = sizeof six, .path = "x", .words = some, .count = 6}},
    {"format", {.struct_size = sizeof six, .path = "x", .format = (nd_fingerprint_file)3}},
    {"format", {.struct_size = sizeof six, .path = "x", .format = ND_FINGERPRINTS_U128}},
};

/* `call` has `bad_one`, a source. */
#define SOURCES_REFUSED(call)                                                                      \
    for (size_t i = 0; i < sizeof bad_sources / sizeof *bad_sources; i++) {                        \
        const nd_fingerprint_source *bad_one = &bad_sources[i].source;                             \
        REFUSED(bad_sources[i].part, call);                                                        \
    }

static nd_hamming_load_options loading;

static const nd_hamming_load_options *load_of(bool replace) {
    begin_job(1);
    loading = (nd_hamming_load_options){
        .struct_size = sizeof loading, .resources = &job.resources, .replace = replace};
    return &loading;
}

/* Resources that every job rejects, as in bad_jobs. */
static void little_memory(void) { job.resources.memory = 0; }
static void many_threads(void) { job.resources.threads = 100000; }
static const bad_job bad_resources[] = {{"memory", little_memory}, {"threads", many_threads}, {0}};

static void check_load(void) {
    REFUSED("index", nd_hamming_load(NULL, &six, NULL, &out.summary, &failure));
    REFUSED("source", nd_hamming_load(prints, NULL, NULL, &out.summary, &failure));
    REFUSED("ids of this index", nd_hamming_load(prints, &six, NULL, &out.summary, &failure));
    SOURCES_REFUSED(nd_hamming_load(prints, bad_one, NULL, &out.summary, &failure));
    load_of(false);
    ALL_REFUSED(bad_resources, nd_hamming_load(prints, &six, &loading, &out.summary, &failure));
    begin_prints(true);
    REFUSED("none of them is replaced",
            nd_hamming_load(prints, &six, load_of(true), &out.summary, &failure));
    GRANTED(begin_prints(true),
            nd_hamming_load(prints, &six, load_of(false), &out.summary, &failure),
            assert_int_equal(out.summary.documents, 6));
    begin_prints(false);
}

static void check_build(void) {
    nd_hamming_options numbered;
    nd_hamming_options_init(&numbered, sizeof numbered);
    numbered.numbered = true;
    REFUSED("path", nd_hamming_build(NULL, NULL, &six, NULL, &out.summary, &failure));
    REFUSED("path", nd_hamming_build("", NULL, &six, NULL, &out.summary, &failure));
    REFUSED("source", nd_hamming_build("built", NULL, NULL, NULL, &out.summary, &failure));
    REFUSED("ids of this index",
            nd_hamming_build("built", NULL, &six, NULL, &out.summary, &failure));
    SOURCES_REFUSED(nd_hamming_build("built", &numbered, bad_one, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_resources,
                nd_hamming_build("built", &numbered, &six, &job.resources, &out.summary, &failure));
    remove_directory("built");
    GRANTED((begin_job(1), remove_directory("built")),
            nd_hamming_build("built", &numbered, &six, &job.resources, &out.summary, &failure),
            assert_int_equal(out.summary.documents, 6));
    remove_directory("built");
}

static nd_hamming_query_options asked;
static nd_hamming_search_options search;

/* For the job as it is. */
static const nd_hamming_query_options *query_of(void) {
    nd_hamming_search_options_init(&search, sizeof search);
    asked = (nd_hamming_query_options){.struct_size = sizeof asked,
                                       .source = &six,
                                       .search = &search,
                                       .resources = &job.resources};
    return &asked;
}

static void check_query(void) {
    nd_hamming_query_options o;
    begin_job(1);
    REFUSED("index", nd_hamming_query(NULL, query_of(), take_near, NULL, &out.summary, &failure));
    REFUSED("options", nd_hamming_query(prints, NULL, take_near, NULL, &out.summary, &failure));
    REFUSED("fn", nd_hamming_query(prints, query_of(), NULL, NULL, &out.summary, &failure));
    o = *query_of();
    o.source = NULL;
    REFUSED("source", nd_hamming_query(prints, &o, take_near, NULL, &out.summary, &failure));
    SOURCES_REFUSED(nd_hamming_query(prints, (o.source = bad_one, &o), take_near, NULL,
                                     &out.summary, &failure));
    o = *query_of();
    search.kind = (nd_hamming_kind)-1;
    REFUSED("kind", nd_hamming_query(prints, &o, take_near, NULL, &out.summary, &failure));
    o = *query_of();
    search.k = 17;
    REFUSED("k must be 0 to 16",
            nd_hamming_query(prints, &o, take_near, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_resources,
                nd_hamming_query(prints, query_of(), take_near, NULL, &out.summary, &failure));
    GRANTED(begin_job(1),
            nd_hamming_query(prints, query_of(), take_near, NULL, &out.summary, &failure),
            assert_int_equal(out.summary.documents, 6));
}

static nd_hamming_join_options joining;

/* For the job as it is. */
static const nd_hamming_join_options *join_of(void) {
    CALLED(nd_hamming_join_options_init(&joining, sizeof joining));
    joining.resources = &job.resources;
    return &joining;
}

static void check_join(void) {
    nd_hamming_join_options j;
    nd_hamming_side a = {.source = &six}, b = {.index = prints}, none = {NULL, NULL},
                    both = {.index = prints, .source = &six}, from = {0};
    begin_job(1);
    REFUSED("a must",
            nd_hamming_join(NULL, &b, join_of(), take_join, NULL, &out.summary, &failure));
    REFUSED("fn", nd_hamming_join(&a, &b, join_of(), NULL, NULL, &out.summary, &failure));
    REFUSED("index or a source",
            nd_hamming_join(&none, &b, join_of(), take_join, NULL, &out.summary, &failure));
    REFUSED("index or a source",
            nd_hamming_join(&a, &both, join_of(), take_join, NULL, &out.summary, &failure));
    SOURCES_REFUSED(nd_hamming_join(&a, (from.source = bad_one, &from), join_of(), take_join, NULL,
                                    &out.summary, &failure));
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        j = *join_of();                                                                            \
        j __VA_ARGS__;                                                                             \
        REFUSED(part, nd_hamming_join(&a, &b, &j, take_join, NULL, &out.summary, &failure));       \
    } while (0)
    BAD("groups", .kind = ND_JOIN_GROUPS);
    BAD("kind", .kind = (nd_join_kind)2);
    BAD("k must be 0 to 16", .k = 17);
    BAD("bits", .bits = 63);
    BAD("bits", .bits = 128);
#undef BAD
    ALL_REFUSED(bad_resources,
                nd_hamming_join(&a, &b, join_of(), take_join, NULL, &out.summary, &failure));
    GRANTED(begin_job(1),
            nd_hamming_join(&a, &b, join_of(), take_join, NULL, &out.summary, &failure),
            assert_true(out.summary.pairs > 0));
    begin_job(1);
    good(nd_hamming_join(&a, NULL, NULL, take_join, NULL, NULL, &failure));
}

void test_hamming(void **state) {
    (void)state;
    begin_prints(false);
    REFUSED("index", nd_hamming_describe(NULL, &out.hamming_info, &failure));
    REFUSED("out", nd_hamming_describe(prints, NULL, &failure));
    GRANTED(NOTHING, nd_hamming_describe(prints, &out.hamming_info, &failure),
            assert_int_equal(out.hamming_info.fingerprints, 1));
    assert_int_equal(out.hamming_info.options->bits, 64);
    check_adding();
    check_changes();
    check_search();
    check_load();
    check_build();
    check_query();
    check_join();
    close_prints();
}

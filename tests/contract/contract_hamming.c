#include "contract.h"

static nd_index *prints;
static nd_finder *finder;
static const uint64_t some[] = {1, 2, 3, 7, 15, 31};
static const nd_fingerprint_source six = {.words = some, .count = 6};

static void close_prints(void) {
    nd_finder_free(finder);
    nd_index_close(prints);
    finder = NULL;
    prints = NULL;
    remove_directory("prints");
}

static void begin_prints(bool numbered) {
    nd_error reason;
    nd_hamming_options o = {.bits = 64, .k = 3, .numbered = numbered};
    close_prints();
    nd_status status = nd_hamming_create("prints", &o, &reason);
    if (status == ND_OK)
        status = nd_index_open("prints", ND_INDEX_WRITE, &allocator, &prints, &reason);
    if (status == ND_OK) status = nd_finder_create(prints, &finder, &reason);
    if (status == ND_OK) nd_index_set_sync(prints, ND_SYNC_OFF);
    if (status == ND_OK)
        status = nd_hamming_add(prints, "0", 1, (nd_fingerprint){5, 0}, false, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

static bool take_near(void *context, const nd_hamming_answer *answer) {
    return (void)context, (void)answer, true;
}
static bool take_join(void *context, const nd_join_pair *pair) {
    return (void)context, (void)pair, true;
}

static void begin_load(bool numbered) {
    if (numbered) begin_prints(true);
    nd_job_options_init(&job);
    job.allocator = &allocator;
}

static const nd_fingerprint_source bad_sources[] = {
    {.path = NULL},
    {.path = "x", .words = some, .count = 6},
    {.path = "x", .format = (nd_fingerprint_file)3},
    {.path = "x", .format = ND_FINGERPRINTS_U128},
};

void test_hamming(void **state) {
    (void)state;
    nd_hamming_options o;
    nd_fingerprint five = {5, 0};
    CALLED(nd_hamming_options_init(&o));
    REFUSED("path", nd_hamming_create(NULL, &o, &failure));
    REFUSED("path", nd_hamming_create("", &o, &failure));
    o.bits = 63;
    REFUSED("bits", nd_hamming_create("prints", &o, &failure));
    o = (nd_hamming_options){.bits = 64, .k = 17};
    REFUSED("k must be 0 to 16", nd_hamming_create("prints", &o, &failure));
    GRANTED(remove_directory("prints"), nd_hamming_create("prints", NULL, &failure), NOTHING);

    begin_prints(false);
    REFUSED("index", nd_hamming_add(NULL, "b", 1, five, false, &failure));
    REFUSED("id", nd_hamming_add(prints, NULL, 0, five, false, &failure));
    REFUSED("\"0\"", nd_hamming_add(prints, "0", 1, five, false, &failure));
    REFUSED("64 bits", nd_hamming_add(prints, "b", 1, (nd_fingerprint){0, 1}, false, &failure));
    GRANTED(begin_prints(false), nd_hamming_add(prints, "0", 1, five, true, &failure), NOTHING);

    REFUSED("index", nd_finder_create(NULL, &out.finder, &failure));
    REFUSED("out", nd_finder_create(prints, NULL, &failure));
    GRANTED(NOTHING, nd_finder_create(prints, &out.finder, &failure),
            CALLED(nd_finder_free(out.finder)));
    REFUSED("finder", nd_find(NULL, five, 3, ND_FIND_ALL, 1, &out.near, &out.count64, &failure));
    REFUSED("k must be 0 to 16",
            nd_find(finder, five, 17, ND_FIND_ALL, 1, &out.near, &out.count64, &failure));
    REFUSED("kind must be ND_FIND_ALL (0) to ND_FIND_COUNT (3), not 4",
            nd_find(finder, five, 3, (nd_find_kind)4, 1, &out.near, &out.count64, &failure));
    REFUSED("limit",
            nd_find(finder, five, 3, ND_FIND_NEAREST, 0, &out.near, &out.count64, &failure));
    REFUSED("64 bits", nd_find(finder, (nd_fingerprint){0, 1}, 3, ND_FIND_ALL, 1, &out.near,
                               &out.count64, &failure));
    REFUSED("matches", nd_find(finder, five, 3, ND_FIND_ALL, 1, NULL, &out.count64, &failure));
    REFUSED("count", nd_find(finder, five, 3, ND_FIND_ALL, 1, &out.near, NULL, &failure));
    GRANTED(begin_prints(false),
            nd_find(finder, five, 3, ND_FIND_ALL, 1, &out.near, &out.count64, &failure),
            assert_int_equal(out.count64, 1));
    GRANTED(begin_prints(false),
            nd_find(finder, five, 3, ND_FIND_NEAREST, 1, &out.near, &out.count64, &failure),
            assert_int_equal(out.count64, 1));

    REFUSED("index", nd_hamming_load(NULL, &six, NULL, &out.summary, &failure));
    REFUSED("source", nd_hamming_load(prints, NULL, NULL, &out.summary, &failure));
    REFUSED("ids of this index", nd_hamming_load(prints, &six, NULL, &out.summary, &failure));
    begin_load(true);
    for (size_t i = 0; i < 4; i++)
        REFUSED(i == 2   ? "format"
                : i == 3 ? "u128"
                         : "fingerprints come from",
                nd_hamming_load(prints, &bad_sources[i], &job, &out.summary, &failure));
    job.memory = 0;
    REFUSED("memory", nd_hamming_load(prints, &six, &job, &out.summary, &failure));
    GRANTED(begin_load(true), nd_hamming_load(prints, &six, &job, &out.summary, &failure),
            assert_int_equal(out.summary.documents, 6));
    begin_load(false);
    REFUSED("path", nd_hamming_build(NULL, NULL, &six, &job, &out.summary, &failure));
    REFUSED("path", nd_hamming_build("", NULL, &six, &job, &out.summary, &failure));
    REFUSED("source", nd_hamming_build("built", NULL, NULL, &job, &out.summary, &failure));
    REFUSED("bits", nd_hamming_build("built", &(nd_hamming_options){.bits = 1}, &six, &job,
                                     &out.summary, &failure));
    job.memory = 0;
    REFUSED("memory", nd_hamming_build("built", NULL, &six, &job, &out.summary, &failure));
    const nd_hamming_options numbered = {.bits = 64, .k = 3, .numbered = true};
    remove_directory("built");
    GRANTED((begin_load(false), remove_directory("built")),
            nd_hamming_build("built", &numbered, &six, &job, &out.summary, &failure),
            remove_directory("built"));

    REFUSED("index", nd_hamming_query(NULL, &six, 3, ND_FIND_ALL, 0, &job, take_near, NULL,
                                      &out.summary, &failure));
    REFUSED("source", nd_hamming_query(prints, NULL, 3, ND_FIND_ALL, 0, &job, take_near, NULL,
                                       &out.summary, &failure));
    REFUSED("fn", nd_hamming_query(prints, &six, 3, ND_FIND_ALL, 0, &job, NULL, NULL, &out.summary,
                                   &failure));
    REFUSED("kind", nd_hamming_query(prints, &six, 3, (nd_find_kind)-1, 0, &job, take_near, NULL,
                                     &out.summary, &failure));
    REFUSED("k must be 0 to 16", nd_hamming_query(prints, &six, 17, ND_FIND_ALL, 0, &job, take_near,
                                                  NULL, &out.summary, &failure));
    job.threads = 100000;
    REFUSED("threads", nd_hamming_query(prints, &six, 3, ND_FIND_ALL, 0, &job, take_near, NULL,
                                        &out.summary, &failure));
    GRANTED(begin_load(false),
            nd_hamming_query(prints, &six, 3, ND_FIND_ALL, 0, &job, take_near, NULL, &out.summary,
                             &failure),
            NOTHING);

    nd_join_options j;
    nd_hamming_side a = {.source = &six}, b = {.index = prints}, none = {NULL, NULL};
    CALLED(nd_join_options_init(&j));
    j.allocator = &allocator;
    j.work = ".";
    REFUSED("a must", nd_join(NULL, &b, &j, take_join, NULL, &out.summary, &failure));
    REFUSED("fn", nd_join(&a, &b, &j, NULL, NULL, &out.summary, &failure));
    REFUSED("index or a source", nd_join(&none, &b, &j, take_join, NULL, &out.summary, &failure));
    j.groups = true;
    REFUSED("groups", nd_join(&a, &b, &j, take_join, NULL, &out.summary, &failure));
    j.groups = false;
    j.k = 17;
    REFUSED("k must be 0 to 16", nd_join(&a, &b, &j, take_join, NULL, &out.summary, &failure));
    j.k = 3;
    j.threads = 100000;
    REFUSED("threads", nd_join(&a, &b, &j, take_join, NULL, &out.summary, &failure));
    j.threads = 1;
    GRANTED(NOTHING, nd_join(&a, &b, &j, take_join, NULL, &out.summary, &failure),
            assert_true(out.summary.pairs > 0));
    close_prints();
}

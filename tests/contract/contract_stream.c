#include "contract.h"

static nd_stream *stream;

static void remove_stream(void) {
    remove_directory("stream/index");
    remove_directory("stream");
}

static void close_stream(void) {
    nd_stream_close(stream);
    stream = NULL;
    remove_stream();
}

static nd_record record_of(const char *id, const char *text, size_t length, double time) {
    return (nd_record){
        .text = text, .length = length, .id = id, .id_length = id ? strlen(id) : 0, .value = time};
}

static void begin_stream(void) {
    nd_error reason;
    const nd_record a = record_of("a", ENGLISH, 5);
    close_stream();
    nd_status status = nd_stream_open("stream", ND_INDEX_WRITE, NULL, &allocator, &stream, &reason);
    if (status == ND_OK) status = nd_stream_add(stream, &a, NULL, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

static bool take_arrival(void *context, const nd_stream_answer *answer) {
    return (void)context, (void)answer, true;
}
static bool take_cluster(void *context, const nd_stream_cluster *cluster) {
    return (void)context, (void)cluster, true;
}

/* ---- opening */

static void check_options(void) {
    nd_stream_options o;
    nd_analyzer_options analyzer;
    nd_simhash_options prints;
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        nd_stream_options_init(&o, sizeof o);                                                      \
        o __VA_ARGS__;                                                                             \
        REFUSED(part,                                                                              \
                nd_stream_open("stream", ND_INDEX_WRITE, &o, &allocator, &out.stream, &failure));  \
    } while (0)
#define BAD_ANALYZER(part, ...)                                                                    \
    do {                                                                                           \
        nd_analyzer_options_init(&analyzer, sizeof analyzer);                                      \
        analyzer __VA_ARGS__;                                                                      \
        BAD(part, .analyzer = &analyzer);                                                          \
    } while (0)
    BAD("sketch", .sketch = ND_SKETCH_SENTENCES);
    BAD("sketch", .sketch = (nd_sketch)-1);
    BAD("mode", .mode = (nd_stream_mode)2);
    BAD_ANALYZER("kind", .kind = (nd_analyzer_kind)9);
    BAD_ANALYZER("ngram", .ngram = 65);
    BAD_ANALYZER("ngram", .ngram = 0);
    if (strstr(nd_features(), "libstemmer")) BAD_ANALYZER("stem", .stem = "english");
    BAD("threshold", .threshold = NAN);
    BAD("recall", .recall = 0);
    BAD("perms", .perms = 0);
    BAD("expire", .expire = NAN);
    BAD("expire", .expire = INFINITY);
    BAD("expire", .expire = -1);
    BAD("follow", .mode = ND_STREAM_FOLLOW);
    BAD("k must be 0 to 16", .sketch = ND_SKETCH_SIMHASH, o.k = 17);
    prints = simhash_options(63, ND_WEIGHTING_TF);
    BAD("bits", .sketch = ND_SKETCH_SIMHASH, o.simhash = &prints);
    prints = simhash_options(64, ND_WEIGHTING_LEVELS);
    BAD("levels", .sketch = ND_SKETCH_SIMHASH, o.simhash = &prints);
    prints = simhash_options(64, ND_WEIGHTING_COUNTED);
    BAD("ND_WEIGHTING_COUNTED", .sketch = ND_SKETCH_SIMHASH, o.simhash = &prints);
    prints = simhash_options(64, ND_WEIGHTING_COUNTED + 1);
    BAD("weighting", .sketch = ND_SKETCH_SIMHASH, o.simhash = &prints);
    prints = simhash_options(64, ND_WEIGHTING_TABLE);
    BAD("table", .sketch = ND_SKETCH_SIMHASH, o.simhash = &prints);
#undef BAD_ANALYZER
#undef BAD
}

static void check_opening(void) {
    nd_stream_options o;
    remove_stream();
    CALLED(nd_stream_options_init(&o, sizeof o));
    REFUSED("path", nd_stream_open(NULL, ND_INDEX_WRITE, &o, &allocator, &out.stream, &failure));
    REFUSED("path", nd_stream_open("", ND_INDEX_WRITE, &o, &allocator, &out.stream, &failure));
    REFUSED("mode",
            nd_stream_open("stream", (nd_index_mode)2, &o, &allocator, &out.stream, &failure));
    REFUSED("out", nd_stream_open("stream", ND_INDEX_WRITE, &o, &allocator, NULL, &failure));
    FAILS(ND_ERR_IO, "missing",
          nd_stream_open("missing", ND_INDEX_READ, &o, &allocator, &out.stream, &failure));
    GRANTED(remove_stream(),
            nd_stream_open("stream", ND_INDEX_WRITE, &o, &allocator, &out.stream, &failure),
            CALLED(nd_stream_close(out.stream)));
    GRANTED(NOTHING,
            nd_stream_open("stream", ND_INDEX_WRITE, NULL, &allocator, &out.stream, &failure),
            nd_stream_close(out.stream));
    GRANTED(NOTHING,
            nd_stream_open("stream", ND_INDEX_READ, NULL, &allocator, &out.stream, &failure),
            nd_stream_close(out.stream));
    o.threshold = 0.9;
    REFUSED("threshold",
            nd_stream_open("stream", ND_INDEX_WRITE, &o, &allocator, &out.stream, &failure));
    nd_stream_close(NULL);
}

static void check_options_read(void) {
    REFUSED("path", nd_stream_read_options(NULL, &allocator, &out.stream_options, &failure));
    REFUSED("path", nd_stream_read_options("", &allocator, &out.stream_options, &failure));
    REFUSED("out", nd_stream_read_options("stream", &allocator, NULL, &failure));
    write_file("clusters-1", "this is no state");
    FAILS(ND_ERR_CORRUPT, "clusters-1",
          nd_stream_read_options(".", &allocator, &out.stream_options, &failure));
    unlink("clusters-1");
    GRANTED(NOTHING, nd_stream_read_options("missing", &allocator, &out.stream_options, &failure),
            assert_null(out.stream_options));
    GRANTED(NOTHING, nd_stream_read_options("stream", &allocator, &out.stream_options, &failure),
            assert_non_null(out.stream_options));
    assert_int_equal(out.stream_options->analyzer->ngram, 5);
    CALLED(nd_stream_options_free(out.stream_options));
    nd_stream_options_free(NULL);
}

/* ---- documents and clusters */

static void check_adding(void) {
    const nd_record b = record_of("b", GERMAN, NAN), null_id = {.id_length = 1, .value = NAN},
                    null_text = record_of("b", NULL, 1, NAN),
                    late = record_of("b", GERMAN, INFINITY),
                    bad_text = record_of("b", "\xff", 1, NAN),
                    empty_id = record_of(NULL, ENGLISH, 7), c = record_of("c", GERMAN, NAN);
    begin_stream();
    CALLED(nd_stream_set_topics(stream, UINT32_MAX));
    REFUSED("stream", nd_stream_add(NULL, &b, &out.answer, &failure));
    REFUSED("document", nd_stream_add(stream, NULL, &out.answer, &failure));
    REFUSED("id", nd_stream_add(stream, &null_id, &out.answer, &failure));
    REFUSED("text", nd_stream_add(stream, &null_text, &out.answer, &failure));
    REFUSED("time", nd_stream_add(stream, &late, &out.answer, &failure));
    FAILS(ND_ERR_INPUT, "byte 0", nd_stream_add(stream, &bad_text, &out.answer, &failure));
    GRANTED(begin_stream(), nd_stream_add(stream, &b, &out.answer, &failure),
            assert_true(out.answer->is_new));
    GRANTED(begin_stream(), nd_stream_add(stream, &empty_id, &out.answer, &failure),
            assert_false(out.answer->is_new));
    GRANTED(begin_stream(), nd_stream_add(stream, &b, NULL, &failure), NOTHING);
    nd_stream_set_topics(stream, UINT32_MAX);
    good(nd_stream_add(stream, &c, &out.answer, &failure));
    assert_true(out.answer->topic_count > 0 && out.answer->topic_count <= ND_STREAM_TOPICS);
    REFUSED("stream", nd_stream_sync(NULL, &failure));
    GRANTED(begin_stream(), nd_stream_sync(stream, &failure), NOTHING);
}

static nd_stream_run_options running;

/* For the job as it is. */
static const nd_stream_run_options *run_of(void) {
    running = (nd_stream_run_options){
        .struct_size = sizeof running, .input = &job.input, .resources = &job.resources};
    return &running;
}

static void begin_stream_run(void) {
    begin_stream();
    begin_job(1);
}

static void check_run(void) {
    const nd_stream_run_options none = {.struct_size = sizeof none};
    begin_job(1);
    REFUSED("stream", nd_stream_run(NULL, run_of(), take_arrival, NULL, &out.summary, &failure));
    REFUSED("options", nd_stream_run(stream, NULL, take_arrival, NULL, &out.summary, &failure));
    REFUSED("input", nd_stream_run(stream, &none, take_arrival, NULL, &out.summary, &failure));
    REFUSED("fn", nd_stream_run(stream, run_of(), NULL, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_jobs,
                nd_stream_run(stream, run_of(), take_arrival, NULL, &out.summary, &failure));
    GRANTED(begin_stream_run(),
            nd_stream_run(stream, run_of(), take_arrival, NULL, &out.summary, &failure),
            assert_int_equal(out.summary.documents, DOCUMENTS));
}

void test_stream(void **state) {
    (void)state;
    check_options();
    check_opening();
    check_options_read();
    check_adding();
    REFUSED("stream", nd_stream_clusters(NULL, 1, 3, true, take_cluster, NULL, &failure));
    REFUSED("fn", nd_stream_clusters(stream, 1, 3, true, NULL, NULL, &failure));
    GRANTED(NOTHING, nd_stream_clusters(stream, 1, UINT32_MAX, true, take_cluster, NULL, &failure),
            NOTHING);
    REFUSED("stream", nd_stream_describe(NULL, &out.stream_info, &failure));
    REFUSED("out", nd_stream_describe(stream, NULL, &failure));
    GRANTED(NOTHING, nd_stream_describe(stream, &out.stream_info, &failure),
            assert_int_equal(out.stream_info.documents, 1));
    assert_int_equal(out.stream_info.options->perms, 128);
    check_run();
    close_stream();
}

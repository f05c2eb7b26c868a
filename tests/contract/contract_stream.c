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

static void begin_stream(void) {
    nd_error reason;
    close_stream();
    nd_status status = nd_stream_open("stream", ND_INDEX_WRITE, NULL, &allocator, &stream, &reason);
    if (status == ND_OK) status = nd_stream_add(stream, "a", 1, ENGLISH, 5, NULL, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

static void begin_stream_run(void) {
    begin_stream();
    begin_job(1);
}

static bool take_arrival(void *context, const nd_stream_answer *answer) {
    return (void)context, (void)answer, true;
}
static bool take_cluster(void *context, const nd_stream_cluster *cluster) {
    return (void)context, (void)cluster, true;
}

void test_stream(void **state) {
    (void)state;
    nd_stream_options o;
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        nd_stream_options_init(&o);                                                                \
        o __VA_ARGS__;                                                                             \
        REFUSED(part,                                                                              \
                nd_stream_open("stream", ND_INDEX_WRITE, &o, &allocator, &out.stream, &failure));  \
    } while (0)
    BAD("sketch", .sketch = ND_SKETCH_SENTENCES);
    BAD("sketch", .sketch = (nd_sketch)-1);
    BAD("mode", .mode = (nd_stream_mode)2);
    BAD("kind", .analyzer = (nd_analyzer_kind)9);
    BAD("ngram", .ngram = 65);
    BAD("threshold", .threshold = NAN);
    BAD("recall", .recall = 0);
    BAD("perms", .perms = 0);
    BAD("expire", .expire = NAN);
    BAD("expire", .expire = INFINITY);
    BAD("expire", .expire = -1);
    BAD("follow", .mode = ND_STREAM_FOLLOW);
    BAD("k must be 0 to 16", .sketch = ND_SKETCH_SIMHASH, o.k = 17);
    BAD("bits", .sketch = ND_SKETCH_SIMHASH, o.simhash.bits = 63);
    BAD("weighting", .sketch = ND_SKETCH_SIMHASH, o.simhash.weighting = (nd_weighting)9);
#undef BAD
    remove_stream();
    CALLED(nd_stream_options_init(&o));
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

    REFUSED("path", nd_stream_read_options(NULL, &out.flag, &out.stream_options, &failure));
    REFUSED("path", nd_stream_read_options("", &out.flag, &out.stream_options, &failure));
    REFUSED("found", nd_stream_read_options("stream", NULL, &out.stream_options, &failure));
    REFUSED("out", nd_stream_read_options("stream", &out.flag, NULL, &failure));
    write_file("clusters-1", "this is no state");
    FAILS(ND_ERR_CORRUPT, "clusters-1",
          nd_stream_read_options(".", &out.flag, &out.stream_options, &failure));
    unlink("clusters-1");
    GRANTED(NOTHING, nd_stream_read_options("missing", &out.flag, &out.stream_options, &failure),
            assert_false(out.flag));
    GRANTED(NOTHING, nd_stream_read_options("stream", &out.flag, &out.stream_options, &failure),
            assert_true(out.flag));

    begin_stream();
    CALLED(nd_stream_set_topics(stream, UINT32_MAX));
    REFUSED("stream", nd_stream_add(NULL, "b", 1, GERMAN, NAN, &out.answer, &failure));
    REFUSED("id", nd_stream_add(stream, NULL, 1, GERMAN, NAN, &out.answer, &failure));
    REFUSED("text", nd_stream_add(stream, "b", 1, NULL, 1, NAN, &out.answer, &failure));
    REFUSED("time", nd_stream_add(stream, "b", 1, GERMAN, INFINITY, &out.answer, &failure));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_stream_add(stream, "b", 1, "\xff", 1, NAN, &out.answer, &failure));
    GRANTED(begin_stream(), nd_stream_add(stream, "b", 1, GERMAN, NAN, &out.answer, &failure),
            assert_true(out.answer.is_new));
    GRANTED(begin_stream(), nd_stream_add(stream, NULL, 0, ENGLISH, 7, &out.answer, &failure),
            assert_false(out.answer.is_new));
    assert_true(nd_stream_add(stream, "c", 1, GERMAN, NAN, &out.answer, &failure) == ND_OK &&
                out.answer.topic_count <= ND_STREAM_TOPICS);
    REFUSED("stream", nd_stream_sync(NULL, &failure));
    GRANTED(begin_stream(), nd_stream_sync(stream, &failure), NOTHING);
    REFUSED("stream", nd_stream_clusters(NULL, 1, 3, true, take_cluster, NULL, &failure));
    REFUSED("fn", nd_stream_clusters(stream, 1, 3, true, NULL, NULL, &failure));
    GRANTED(NOTHING, nd_stream_clusters(stream, 1, UINT32_MAX, true, take_cluster, NULL, &failure),
            NOTHING);
    nd_stream_info info;
    CALLED(nd_stream_describe(stream, &info));
    assert_int_equal(info.documents, 1);
    REFUSED("stream", nd_stream_run(NULL, &job, take_arrival, NULL, &out.summary, &failure));
    REFUSED("options", nd_stream_run(stream, NULL, take_arrival, NULL, &out.summary, &failure));
    REFUSED("fn", nd_stream_run(stream, &job, NULL, NULL, &out.summary, &failure));
    begin_job(1);
    job.memory = 1;
    REFUSED("memory", nd_stream_run(stream, &job, take_arrival, NULL, &out.summary, &failure));
    GRANTED(begin_stream_run(),
            nd_stream_run(stream, &job, take_arrival, NULL, &out.summary, &failure),
            assert_int_equal(out.summary.documents, DOCUMENTS));
    close_stream();
}

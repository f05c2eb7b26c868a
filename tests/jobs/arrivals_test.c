/* Streams through the public calls. With MinHash the answers equal those of a batch and of an
 * index; a stream that is resumed after a crash answers as if nothing had happened. */
#include "job_parts.h"
#include "small_corpus.h"
#include "stream_seen.h"
#include "stream/leader_clusters.h"
#include "own_directory.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char directory[] = "arrivals_test.state", other[] = "arrivals_test.other";

static void remove_all(void) {
    remove_directory("arrivals_test.state");
    remove_directory("arrivals_test.other");
}

static nd_stream *open_stream(const char *path, nd_index_mode mode,
                              const nd_stream_options *options) {
    nd_stream *s;
    nd_error error;
    if (nd_stream_open(path, mode, options, NULL, &s, &error) != ND_OK)
        fail_msg("%s", error.message);
    return s;
}

static nd_status try_to_add(nd_stream *s, const corpus *c, size_t i,
                            const nd_stream_answer **answer, nd_error *error) {
    char id[32];
    const nd_record document = {.text = c->text[i],
                                .length = strlen(c->text[i]),
                                .id = id,
                                .id_length = (size_t)snprintf(id, sizeof id, "d%zu", i),
                                .value = i % 5 ? (double)i * 10.0 : NAN};
    return nd_stream_add(s, &document, answer, error);
}

static const nd_stream_answer *add(nd_stream *s, const corpus *c, size_t i) {
    const nd_stream_answer *answer;
    nd_error error;
    if (try_to_add(s, c, i, &answer, &error) != ND_OK) fail_msg("%s", error.message);
    return answer;
}

/* The result points to static memory. */
static nd_stream_options options_of(unsigned kind) {
    static nd_analyzer_options pairs_of_words;
    nd_stream_options o;
    nd_analyzer_options_init(&pairs_of_words, sizeof pairs_of_words);
    pairs_of_words.ngram = 2;
    nd_stream_options_init(&o, sizeof o);
    o.sketch = kind % 3 ? ND_SKETCH_SIMHASH : ND_SKETCH_MINHASH;
    o.mode = kind % 3 == 2 ? ND_STREAM_FOLLOW : ND_STREAM_LEADER;
    o.k = 10;
    o.analyzer = kind % 3 ? NULL : &pairs_of_words;
    o.threshold = 0.6;
    o.expire = kind >= 3 ? 500 : 0;
    return o;
}

/* ---- a process that dies at any moment */

/* A child adds documents and syncs, and dies with everything that it has not synced. The next child
 * sends again the documents that were not answered. */
static uint32_t die_within(const nd_stream_options *o, const corpus *c, uint32_t from,
                           uint64_t seed) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        nd_error error;
        nd_stream *s;
        uint32_t end = from + 1 + (uint32_t)random_below(&seed, 60);
        if (nd_stream_open(directory, ND_INDEX_WRITE, o, NULL, &s, &error) != ND_OK) _exit(1);
        for (uint32_t i = from; i < end && i < c->count; i++) {
            if (try_to_add(s, c, i, NULL, &error) != ND_OK) _exit(2);
            if (random_below(&seed, 4)) continue;
            uint32_t answered = i + 1;
            if (nd_stream_sync(s, &error) != ND_OK ||
                write(ends[1], &answered, sizeof answered) != sizeof answered)
                _exit(3);
        }
        _exit(0);
    }
    int status;
    close(ends[1]);
    for (uint32_t answered; read(ends[0], &answered, sizeof answered) == sizeof answered;)
        from = answered;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return from;
}

static void look(nd_stream *s, seen *out) {
    nd_error error;
    if (stream_look(s, out, &error) != ND_OK) fail_msg("%s", error.message);
}

static void test_death(void **state) {
    (void)state;
    static seen whole, broken;
    for (unsigned kind = 0; kind < 6; kind++) {
        corpus c;
        nd_stream_options o = options_of(kind);
        uint64_t seed = kind + 1;
        remove_all();
        make_corpus(&c, seed++, 150);
        nd_stream *s = open_stream(other, ND_INDEX_WRITE, &o);
        for (size_t i = 0; i < c.count; i++) add(s, &c, i);
        look(s, &whole);
        nd_stream_close(s);
        for (uint32_t done = 0; done < c.count;) {
            uint32_t reached = die_within(&o, &c, done, seed++);
            /* Some of the answered documents are sent again, too. */
            done = reached > 3 ? reached - (uint32_t)random_below(&seed, 3) : reached;
            if (done + 2 >= c.count) done = (uint32_t)c.count;
        }
        nd_stream *resumed = open_stream(directory, ND_INDEX_WRITE, NULL);
        nd_stream_info info = {.struct_size = sizeof info};
        assert_int_equal(nd_stream_describe(resumed, &info, NULL), ND_OK);
        for (size_t i = info.documents; i < c.count; i++) add(resumed, &c, i);
        look(resumed, &broken);
        assert_string_equal(broken.text, whole.text);
        nd_stream_close(resumed);
        nd_stream *reader = open_stream(directory, ND_INDEX_READ, NULL);
        look(reader, &broken);
        assert_string_equal(broken.text, whole.text);
        nd_stream_close(reader);
        free_corpus(&c);
    }
    remove_all();
}

/* ---- MinHash: the same answers as a batch */

static nd_status run(nd_stream *s, const job_parts *job, nd_stream_answer_fn *fn, void *context,
                     nd_job_summary *summary, nd_error *error) {
    const nd_stream_run_options options = {
        .struct_size = sizeof options, .input = &job->input, .resources = &job->resources};
    return nd_stream_run(s, &options, fn, context, summary, error);
}

typedef struct batch {
    uint64_t evidence[MOST];
} batch;

static bool take_decision(void *context, const nd_decision *d) {
    ((batch *)context)->evidence[d->document] = d->evidence;
    return true;
}

typedef struct feed {
    const corpus *c;
    uint32_t next;
    char id[32];
} feed;

static int feed_next(void *context, nd_record *out) {
    feed *f = context;
    if (f->next == f->c->count) return 0;
    out->text = f->c->text[f->next];
    out->length = strlen(out->text);
    out->id = f->id;
    out->id_length = (size_t)snprintf(f->id, sizeof f->id, "d%u", f->next++);
    return 1;
}

typedef struct compared {
    const batch *b;
    uint32_t next;
} compared;

static bool compare_answer(void *context, const nd_stream_answer *a) {
    compared *c = context;
    char id[32], cluster[32];
    snprintf(id, sizeof id, "d%u", c->next);
    snprintf(cluster, sizeof cluster, "d%u", (unsigned)c->b->evidence[c->next]);
    assert_int_equal(a->id_length, strlen(id));
    assert_memory_equal(a->id, id, a->id_length);
    assert_int_equal(a->cluster_length, strlen(cluster));
    assert_memory_equal(a->cluster, cluster, a->cluster_length);
    assert_int_equal(a->is_new, c->b->evidence[c->next] == c->next);
    c->next++;
    return true;
}

static void test_leader_is_the_batch(void **state) {
    (void)state;
    for (uint64_t round = 0; round < test_rounds(10); round++) {
        corpus c;
        nd_error error;
        batch b;
        job_parts job;
        nd_job_summary summary = {.struct_size = sizeof summary};
        uint64_t seed = round + 100;
        remove_all();
        make_corpus(&c, seed++, 150);
        job_parts_init(&job);
        feed f = {&c, 0, ""};
        job.input.records = feed_next;
        job.input.records_context = &f;
        job.analyzer.ngram = 2;
        job.similarity.threshold = 0.6;
        job.similarity.recall = 0.999999;
        job.outputs.on_decision = take_decision;
        job.outputs.context = &b;
        if (nd_dedup(dedup_of(&job), NULL, &error) != ND_OK) fail_msg("%s", error.message);
        nd_stream_options o = options_of(0);
        o.recall = 0.999999;
        nd_stream *s = open_stream(directory, ND_INDEX_WRITE, &o);
        compared k = {&b, 0};
        f.next = 0;
        job.outputs.on_decision = NULL;
        job.resources.threads = 1 + (uint32_t)round % 3;
        if (run(s, &job, compare_answer, &k, &summary, &error) != ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(k.next, c.count);
        assert_int_equal(summary.documents, c.count);
        nd_stream_close(s);
        free_corpus(&c);
    }
    remove_all();
}

/* ---- topics of answers */

typedef struct topics_text {
    char text[ND_STREAM_TOPICS * 100];
} topics_text;

static void write_topics(topics_text *to, const nd_stream_topic *topics, size_t count) {
    size_t size = 0;
    to->text[0] = 0;
    for (size_t t = 0; t < count; t++)
        size += (size_t)snprintf(to->text + size, sizeof to->text - size, "%.*s %.9g ",
                                 (int)topics[t].length, topics[t].term, topics[t].weight);
}

typedef struct wanted_cluster {
    char name[32];
    size_t length;
    topics_text topics;
    bool found;
} wanted_cluster;

static bool find_cluster(void *context, const nd_stream_cluster *c) {
    wanted_cluster *w = context;
    if (c->cluster_length != w->length || memcmp(c->cluster, w->name, w->length) != 0) return true;
    write_topics(&w->topics, c->topics, c->topic_count);
    w->found = true;
    return true;
}

enum { TOLD = 4 };

/* The topics of an answer are the topics in the list of clusters at that moment. */
static void must_agree(nd_stream *s, const nd_stream_answer *a, topics_text *reported) {
    nd_error error;
    wanted_cluster w = {.length = a->cluster_length};
    bool none = a->again && a->topic_count == 0;
    assert_true(w.length <= sizeof w.name);
    memcpy(w.name, a->cluster, w.length);
    write_topics(reported, a->topics, a->topic_count);
    if (nd_stream_clusters(s, 1, TOLD, false, find_cluster, &w, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_true(w.found || none);
    assert_string_equal(reported->text, w.found ? w.topics.text : "");
}

typedef struct expected_topics {
    topics_text *expected;
    uint32_t next;
} expected_topics;

static bool compare_topics(void *context, const nd_stream_answer *a) {
    expected_topics *t = context;
    topics_text reported;
    write_topics(&reported, a->topics, a->topic_count);
    assert_string_equal(reported.text, t->expected[t->next++].text);
    return true;
}

static void test_topics_of_answers(void **state) {
    (void)state;
    static topics_text reported[150], again;
    for (unsigned kind = 0; kind < 6; kind++) {
        corpus c;
        nd_error error;
        job_parts job;
        const nd_stream_answer *a;
        nd_stream_options o = options_of(kind);
        uint64_t seed = kind + 50;
        size_t some = 0;
        o.expire = 0; /* records from a callback have other times here */
        remove_all();
        make_corpus(&c, seed++, 150);
        nd_stream *s = open_stream(directory, ND_INDEX_WRITE, &o);
        assert_int_equal(add(s, &c, 0)->topic_count, 0);
        nd_stream_set_topics(s, TOLD);
        write_topics(&reported[0], NULL, 0);
        for (size_t i = 1; i < c.count; i++) {
            a = add(s, &c, i);
            some += a->topic_count;
            must_agree(s, a, &reported[i]);
            a = add(s, &c, i - (size_t)random_below(&seed, i < 10 ? i : 10));
            assert_true(a->again);
            must_agree(s, a, &again);
        }
        assert_true(some > c.count);
        job_parts_init(&job);
        feed f = {&c, 0, ""};
        job.input.records = feed_next;
        job.input.records_context = &f;
        expected_topics t = {reported, 0};
        nd_stream *second = open_stream(other, ND_INDEX_WRITE, &o);
        nd_stream_set_topics(second, TOLD);
        if (run(second, &job, compare_topics, &t, NULL, &error) != ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(t.next, c.count);
        nd_stream_close(second);
        nd_stream_close(s);
        free_corpus(&c);
    }
    remove_all();
}

/* ---- forgotten clusters */

/* The result is valid until the next call. */
static const nd_stream_answer *add_at(nd_stream *s, double time, const char *id, const char *text) {
    const nd_record document = {
        .text = text, .length = strlen(text), .id = id, .id_length = strlen(id), .value = time};
    const nd_stream_answer *answer;
    nd_error error;
    if (nd_stream_add(s, &document, &answer, &error) != ND_OK) fail_msg("%s", error.message);
    return answer;
}

/* An id founds a second cluster when its first one is forgotten but not synced, so that the index
 * still holds the first text. The index then loses the first text, not the second. */
static void test_id_of_a_forgotten_cluster(void **state) {
    (void)state;
    static const char first[] = "the river rose over its banks in the night",
                      second[] = "a quiet summer market sells bread and honey";
    const nd_stream_options o = options_of(3);
    nd_error error;
    remove_all();
    nd_stream *s = open_stream(directory, ND_INDEX_WRITE, &o);
    assert_true(add_at(s, 0, "a", first)->is_new);
    for (int i = 0; i <= ND_RECENT; i++) {
        char id[16], text[64];
        snprintf(id, sizeof id, "f%d", i);
        snprintf(text, sizeof text, "x%d y%d z%d", i, i, i);
        assert_true(add_at(s, 1000, id, text)->is_new);
    }
    assert_true(add_at(s, 1000, "a", second)->is_new);
    if (nd_stream_sync(s, &error) != ND_OK) fail_msg("%s", error.message);
    const nd_stream_answer *answer = add_at(s, 1000, "b", second);
    assert_false(answer->is_new);
    assert_int_equal(answer->cluster_length, 1);
    assert_memory_equal(answer->cluster, "a", 1);
    assert_true(add_at(s, 1000, "c", first)->is_new);
    nd_stream_close(s);
    remove_all();
}

/* ---- rejected calls */

static void expect_rejection(const nd_stream_options *o, const char *text) {
    nd_stream *s;
    nd_error error;
    assert_int_equal(nd_stream_open(directory, ND_INDEX_WRITE, o, NULL, &s, &error),
                     ND_ERR_ARGUMENT);
    if (!strstr(error.message, text)) fail_msg("%s", error.message);
}

static nd_status add_text(nd_stream *s, const char *id, const char *text, nd_error *error) {
    const nd_record document = {
        .text = text, .length = strlen(text), .id = id, .id_length = strlen(id), .value = NAN};
    return nd_stream_add(s, &document, NULL, error);
}

static void test_rejections(void **state) {
    (void)state;
    nd_simhash_options levels;
    nd_stream_options o = options_of(2), same = o;
    nd_stream *s, *second;
    nd_error error;
    remove_all();
    assert_int_equal(nd_stream_open(directory, ND_INDEX_READ, NULL, NULL, &s, &error), ND_ERR_IO);
    s = open_stream(directory, ND_INDEX_WRITE, &o);
    assert_int_equal(nd_stream_open(directory, ND_INDEX_WRITE, &o, NULL, &second, &error),
                     ND_ERR_BUSY);
    assert_int_equal(add_text(s, "a", "\xff", &error), ND_ERR_INPUT);
    assert_int_equal(add_text(s, "a", "fine", &error), ND_OK);
    nd_stream_close(s);
    nd_stream_options *read = NULL;
    assert_int_equal(nd_stream_read_options(directory, NULL, &read, &error), ND_OK);
    assert_non_null(read);
    assert_int_equal(read->k, 10);
    assert_int_equal(read->analyzer->ngram, 1);
    nd_stream_close(open_stream(directory, ND_INDEX_WRITE, read));
    nd_stream_options_free(read);
    assert_int_equal(nd_stream_read_options(other, NULL, &read, &error), ND_OK);
    assert_null(read);
    same.k = 4;
    expect_rejection(&same, "another k: 10, not 4");
    same = o;
    same.mode = ND_STREAM_LEADER;
    expect_rejection(&same, "made with centres that follow, not with leaders");
    same = o;
    same.sketch = ND_SKETCH_MINHASH;
    expect_rejection(&same, "centres follow with ND_SKETCH_SIMHASH only");
    same = o;
    nd_simhash_options_init(&levels, sizeof levels);
    levels.weighting = ND_WEIGHTING_LEVELS;
    same.simhash = &levels;
    expect_rejection(&same, "not lists of words");
    same = o;
    same.k = 17;
    expect_rejection(&same, "k must be 0 to 16");
    s = open_stream(directory, ND_INDEX_READ, NULL);
    assert_int_equal(add_text(s, "b", "fine", &error), ND_ERR_ARGUMENT);
    nd_stream_close(s);
    remove_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_death), cmocka_unit_test(test_leader_is_the_batch),
        cmocka_unit_test(test_topics_of_answers), cmocka_unit_test(test_id_of_a_forgotten_cluster),
        cmocka_unit_test(test_rejections)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

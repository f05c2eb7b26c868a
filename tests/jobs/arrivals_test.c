/* Streams by the public calls: with MinHash the answers of a batch and of an index; taken up after
 * a death as if nothing had been; live pipes answered at once. */
#include "neardup.h"
#include "small_corpus.h"
#include "stream_seen.h"
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

static void add(nd_stream *s, const corpus *c, size_t i, nd_stream_answer *answer) {
    nd_error error;
    char id[32];
    snprintf(id, sizeof id, "d%zu", i);
    double time = i % 5 ? (double)i * 10.0 : NAN;
    if (nd_stream_add(s, id, strlen(id), c->text[i], strlen(c->text[i]), time, answer, &error) !=
        ND_OK)
        fail_msg("%s", error.message);
}

static nd_stream_options options_of(unsigned kind) {
    nd_stream_options o;
    nd_stream_options_init(&o);
    o.sketch = kind % 3 ? ND_SKETCH_SIMHASH : ND_SKETCH_MINHASH;
    o.mode = kind % 3 == 2 ? ND_STREAM_FOLLOW : ND_STREAM_LEADER;
    o.k = 10;
    o.ngram = kind % 3 ? 0 : 2;
    o.threshold = 0.6;
    o.expire = kind >= 3 ? 500 : 0;
    return o;
}

/* ---- a death at any moment */

/* A child adds and syncs, and dies with what it has not synced; whoever comes next sends again what
 * was not answered. */
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
            char id[32];
            snprintf(id, sizeof id, "d%u", i);
            if (nd_stream_add(s, id, strlen(id), c->text[i], strlen(c->text[i]),
                              i % 5 ? i * 10.0 : NAN, NULL, &error) != ND_OK)
                _exit(2);
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
        for (size_t i = 0; i < c.count; i++) add(s, &c, i, NULL);
        look(s, &whole);
        for (uint32_t done = 0; done < c.count;) {
            uint32_t reached = die_within(&o, &c, done, seed++);
            /* Some of what was answered is sent again, too. */
            done = reached > 3 ? reached - (uint32_t)random_below(&seed, 3) : reached;
            if (done + 2 >= c.count) done = (uint32_t)c.count;
        }
        nd_stream *taken_up = open_stream(directory, ND_INDEX_WRITE, NULL);
        nd_stream_info info;
        nd_stream_describe(taken_up, &info);
        for (size_t i = info.documents; i < c.count; i++) add(taken_up, &c, i, NULL);
        look(taken_up, &broken);
        assert_string_equal(broken.text, whole.text);
        nd_stream_close(taken_up);
        nd_stream *reader = open_stream(directory, ND_INDEX_READ, NULL);
        look(reader, &broken);
        assert_string_equal(broken.text, whole.text);
        nd_stream_close(reader);
        nd_stream_close(s);
        free_corpus(&c);
    }
    remove_all();
}

/* ---- MinHash: as a batch */

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
        nd_job_options job;
        nd_job_summary summary;
        uint64_t seed = round + 100;
        remove_all();
        make_corpus(&c, seed++, 150);
        nd_job_options_init(&job);
        feed f = {&c, 0, ""};
        job.records = feed_next;
        job.records_context = &f;
        job.ngram = 2;
        job.threshold = 0.6;
        job.recall = 0.999999;
        job.on_decision = take_decision;
        job.result_context = &b;
        if (nd_dedup(&job, NULL, &error) != ND_OK) fail_msg("%s", error.message);
        nd_stream_options o = options_of(0);
        o.recall = 0.999999;
        nd_stream *s = open_stream(directory, ND_INDEX_WRITE, &o);
        compared k = {&b, 0};
        f.next = 0;
        job.on_decision = NULL;
        job.threads = 1 + (uint32_t)round % 3;
        if (nd_stream_run(s, &job, compare_answer, &k, &summary, &error) != ND_OK)
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
    const nd_stream_answer *of;
    topics_text topics;
    bool found;
} wanted_cluster;

static bool find_cluster(void *context, const nd_stream_cluster *c) {
    wanted_cluster *w = context;
    if (c->cluster_length != w->of->cluster_length ||
        memcmp(c->cluster, w->of->cluster, c->cluster_length) != 0)
        return true;
    write_topics(&w->topics, c->topics, c->topic_count);
    w->found = true;
    return true;
}

enum { TOLD = 4 };

/* What an answer tells is what the list of clusters tells then. */
static void must_agree(nd_stream *s, const nd_stream_answer *a, topics_text *told) {
    nd_error error;
    wanted_cluster w = {.of = a};
    write_topics(told, a->topics, a->topic_count);
    if (nd_stream_clusters(s, 1, TOLD, false, find_cluster, &w, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_true(w.found || (a->again && a->topic_count == 0));
    assert_string_equal(told->text, w.found ? w.topics.text : "");
}

typedef struct told_topics {
    topics_text *expected;
    uint32_t next;
} told_topics;

static bool compare_topics(void *context, const nd_stream_answer *a) {
    told_topics *t = context;
    topics_text told;
    write_topics(&told, a->topics, a->topic_count);
    assert_string_equal(told.text, t->expected[t->next++].text);
    return true;
}

static void test_topics_of_answers(void **state) {
    (void)state;
    static topics_text told[150], again;
    for (unsigned kind = 0; kind < 6; kind++) {
        corpus c;
        nd_error error;
        nd_job_options job;
        nd_stream_answer a;
        nd_stream_options o = options_of(kind);
        uint64_t seed = kind + 50;
        size_t some = 0;
        o.expire = 0; /* records of a callback have other times here */
        remove_all();
        make_corpus(&c, seed++, 150);
        nd_stream *s = open_stream(directory, ND_INDEX_WRITE, &o);
        add(s, &c, 0, &a);
        assert_int_equal(a.topic_count, 0);
        nd_stream_set_topics(s, TOLD);
        write_topics(&told[0], NULL, 0);
        for (size_t i = 1; i < c.count; i++) {
            add(s, &c, i, &a);
            must_agree(s, &a, &told[i]);
            some += a.topic_count;
            add(s, &c, i - (size_t)random_below(&seed, i < 10 ? i : 10), &a);
            assert_true(a.again);
            must_agree(s, &a, &again);
        }
        assert_true(some > c.count);
        nd_job_options_init(&job);
        feed f = {&c, 0, ""};
        job.records = feed_next;
        job.records_context = &f;
        told_topics t = {told, 0};
        nd_stream *run = open_stream(other, ND_INDEX_WRITE, &o);
        nd_stream_set_topics(run, TOLD);
        if (nd_stream_run(run, &job, compare_topics, &t, NULL, &error) != ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(t.next, c.count);
        nd_stream_close(run);
        nd_stream_close(s);
        free_corpus(&c);
    }
    remove_all();
}

/* ---- what is refused */

static void expect_refusal(const nd_stream_options *o, const char *text) {
    nd_stream *s;
    nd_error error;
    assert_int_equal(nd_stream_open(directory, ND_INDEX_WRITE, o, NULL, &s, &error),
                     ND_ERR_ARGUMENT);
    if (!strstr(error.message, text)) fail_msg("%s", error.message);
}

static void test_refusals(void **state) {
    (void)state;
    nd_stream_options o = options_of(2), same = o;
    nd_stream *s, *second;
    nd_error error;
    remove_all();
    assert_int_equal(nd_stream_open(directory, ND_INDEX_READ, NULL, NULL, &s, &error), ND_ERR_IO);
    s = open_stream(directory, ND_INDEX_WRITE, &o);
    assert_int_equal(nd_stream_open(directory, ND_INDEX_WRITE, &o, NULL, &second, &error),
                     ND_ERR_BUSY);
    assert_int_equal(nd_stream_add(s, "a", 1, "\xff", 1, NAN, NULL, &error), ND_ERR_INPUT);
    assert_int_equal(nd_stream_add(s, "a", 1, "fine", 4, NAN, NULL, &error), ND_OK);
    nd_stream_close(s);
    nd_stream_options read;
    bool found;
    assert_int_equal(nd_stream_read_options(directory, &found, &read, &error), ND_OK);
    assert_true(found);
    assert_int_equal(read.k, 10);
    assert_int_equal(read.ngram, 1);
    nd_stream_close(open_stream(directory, ND_INDEX_WRITE, &read));
    assert_int_equal(nd_stream_read_options(other, &found, &read, &error), ND_OK);
    assert_false(found);
    assert_int_equal(read.sketch, ND_SKETCH_MINHASH);
    same.k = 4;
    expect_refusal(&same, "another k: 10, not 4");
    same = o;
    same.mode = ND_STREAM_LEADER;
    expect_refusal(&same, "made with centres that follow, not with leaders");
    same = o;
    same.sketch = ND_SKETCH_MINHASH;
    expect_refusal(&same, "centres follow with ND_SKETCH_SIMHASH only");
    same = o;
    same.simhash.weighting = ND_WEIGHTING_LEVELS;
    expect_refusal(&same, "not lists of words");
    same = o;
    same.k = 17;
    expect_refusal(&same, "k must be 0 to 16");
    s = open_stream(directory, ND_INDEX_READ, NULL);
    assert_int_equal(nd_stream_add(s, "b", 1, "fine", 4, NAN, NULL, &error), ND_ERR_ARGUMENT);
    nd_stream_close(s);
    remove_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_death), cmocka_unit_test(test_leader_is_the_batch),
        cmocka_unit_test(test_topics_of_answers), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

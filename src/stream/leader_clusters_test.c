/* Clusters of a stream against a model that compares each document with every cluster; and clusters
 * that are saved and loaded again and again against clusters that are not. */
#include "stream/clusters_file.h"

#include "fingerprint_shapes.h"
#include "own_directory.h"
#include "terms/count_min.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

enum { DOCUMENTS = 3000, SUBJECTS = 40 };

typedef struct model_cluster {
    nd_fingerprint centre;
    int sums[128];
    uint64_t first, size;
    double grown;
    bool live;
} model_cluster;

static model_cluster model[DOCUMENTS];
static size_t model_count;

static bool bit_of(nd_fingerprint f, uint32_t bit) {
    return (bit < 64 ? f.low >> bit : f.high >> (bit - 64)) & 1;
}

/* Returns the number of the document that founded the cluster of document `number`. */
static uint64_t model_add(const nd_cluster_settings *s, nd_fingerprint f, uint64_t number,
                          double clock) {
    model_cluster *best = NULL;
    for (size_t i = 0; i < model_count; i++) {
        model_cluster *c = &model[i];
        if (s->expire > 0 && c->grown < clock - s->expire) c->live = false;
        if (!c->live || nd_distance(c->centre, f) > s->k) continue;
        if (!best || nd_distance(c->centre, f) < nd_distance(best->centre, f)) best = c;
    }
    if (!best) {
        best = &model[model_count++];
        *best = (model_cluster){.centre = f, .first = number, .live = true};
    }
    best->size++;
    best->grown = clock;
    for (uint32_t bit = 0; bit < s->bits; bit++) {
        best->sums[bit] += bit_of(f, bit) ? 1 : -1;
        if (!s->follow || best->sums[bit] == 0 ||
            bit_of(best->centre, bit) == (best->sums[bit] > 0))
            continue;
        if (bit < 64) best->centre.low ^= UINT64_C(1) << bit;
        else best->centre.high ^= UINT64_C(1) << (bit - 64);
    }
    return best->first;
}

/* Four words of the subject, three times each, and eight of all words. */
static size_t make_words(unsigned char *to, uint64_t subject, uint64_t *seed) {
    size_t size = 0;
    for (int i = 0; i < 12; i++) {
        char word[32];
        bool own = i < 4;
        int length = snprintf(word, sizeof word, own ? "s%d_%d" : "w%d",
                              own ? (int)subject : (int)random_below(seed, 300), i);
        to[size++] = (unsigned char)length;
        to[size++] = (unsigned char)(own ? 3 : 1);
        to[size++] = 0;
        memcpy(to + size, word, (size_t)length);
        size += (size_t)length;
    }
    return size;
}

static nd_fingerprint subjects[SUBJECTS];

/* Document `number` of a stream: a function of both numbers. */
static void make_arrival(const nd_cluster_settings *s, uint64_t stream, uint64_t number,
                         nd_arrival *a, char id[32], unsigned char *words) {
    uint64_t seed = stream * 1000003 + number, subject = random_below(&seed, SUBJECTS);
    nd_fingerprint f = random_below(&seed, 5)
                           ? flip_some(subjects[subject], &seed, s->bits, s->k + 1)
                           : random_fingerprint(&seed, s->bits);
    *a = (nd_arrival){.id = id,
                      .fingerprint = f,
                      .time = number % 7 ? (double)number - (double)random_below(&seed, 20) : NAN,
                      .words = words};
    a->id_length = (size_t)snprintf(id, 32, "d%d", (int)number);
    a->word_bytes = make_words(words, subject, &seed);
}

static const char file_name[] = "leader_clusters_test.state";

static nd_sealed_writer *begin_file(void) {
    nd_error error;
    nd_sealed_writer *writer;
    remove(file_name);
    assert_int_equal(nd_sealed_writer_create(file_name, 9, &nd_allocator_default, &writer, &error),
                     ND_OK);
    return writer;
}

static nd_sealed_file *end_file(nd_sealed_writer *writer) {
    nd_error error;
    nd_seal seal;
    nd_sealed_file *file;
    assert_int_equal(nd_sealed_finish(writer, &seal, &error), ND_OK);
    nd_sealed_writer_free(writer);
    assert_int_equal(nd_sealed_open(file_name, 9, NULL, &nd_allocator_default, &file, &error),
                     ND_OK);
    return file;
}

static nd_clusters *create(const nd_cluster_settings *s) {
    nd_error error;
    nd_clusters *c;
    assert_int_equal(nd_clusters_create(s, &nd_allocator_default, &c, &error), ND_OK);
    return c;
}

/* Saves and frees the clusters, and loads them anew. */
static nd_clusters *resume(const nd_cluster_settings *s, nd_clusters *c) {
    nd_error error;
    nd_sealed_writer *writer = begin_file();
    assert_int_equal(nd_clusters_save(c, writer, &error), ND_OK);
    nd_sealed_file *file = end_file(writer);
    nd_clusters_free(c);
    c = create(s);
    if (nd_clusters_load(c, file, &error) != ND_OK) fail_msg("%s", error.message);
    nd_sealed_close(file);
    remove(file_name);
    return c;
}

/* Compares all clusters, with their topics. */
static void check_same(nd_clusters *a, nd_clusters *b) {
    nd_cluster_view x, y;
    nd_stream_topic p[10], q[10];
    size_t at = 0, bt = 0;
    assert_int_equal(nd_clusters_count(a), nd_clusters_count(b));
    while (nd_clusters_next(a, &at, &x)) {
        assert_true(nd_clusters_next(b, &bt, &y));
        assert_int_equal(x.size, y.size);
        assert_int_equal(x.founded, y.founded);
        assert_int_equal(x.grown, y.grown);
        assert_int_equal(nd_distance(x.centre, y.centre), 0);
        assert_int_equal(x.id_length, y.id_length);
        assert_memory_equal(x.id, y.id, x.id_length);
        assert_int_equal(x.central_length, y.central_length);
        assert_memory_equal(x.central, y.central, x.central_length);
        size_t count = nd_clusters_topics(a, &x, 10, p);
        assert_int_equal(nd_clusters_topics(b, &y, 10, q), count);
        for (size_t t = 0; t < count; t++) {
            assert_int_equal(p[t].length, q[t].length);
            assert_memory_equal(p[t].term, q[t].term, p[t].length);
            assert_true(p[t].weight == q[t].weight);
        }
    }
    assert_false(nd_clusters_next(b, &bt, &y));
}

static void check_stream(const nd_cluster_settings *s, uint64_t stream) {
    nd_clusters *whole = create(s), *resumed = create(s);
    uint64_t seed = stream;
    double clock = NAN;
    model_count = 0;
    for (size_t i = 0; i < SUBJECTS; i++) subjects[i] = random_fingerprint(&seed, s->bits);
    for (uint64_t number = 1; number <= DOCUMENTS; number++) {
        nd_error error;
        nd_arrival a, read;
        nd_placement placement, same;
        char id[32];
        unsigned char words[1024], record[2048];
        make_arrival(s, stream, number, &a, id, words);
        if (!isnan(a.time) && !(a.time <= clock)) clock = a.time;
        if (nd_clusters_add(whole, &a, &placement, &error) != ND_OK) fail_msg("%s", error.message);
        assert_int_equal(placement.founded, model_add(s, a.fingerprint, number, clock));
        assert_int_equal(placement.is_new, placement.founded == number);
        nd_arrival_store(&a, record);
        assert_true(nd_arrival_load(record, nd_arrival_size(&a), &read));
        assert_int_equal(nd_clusters_add(resumed, &read, &same, &error), ND_OK);
        assert_int_equal(same.founded, placement.founded);
        assert_int_equal(same.distance, placement.distance);
        if (random_below(&seed, 400) == 0) resumed = resume(s, resumed);
        if (random_below(&seed, 10)) continue;
        uint64_t recent = number > ND_RECENT ? number - random_below(&seed, ND_RECENT) : number;
        make_arrival(s, stream, recent, &a, id, words);
        assert_true(nd_clusters_find_recent(resumed, a.id, a.id_length, &same) && same.again);
        assert_false(nd_clusters_find_recent(resumed, "d0", 2, &same));
    }
    check_same(whole, resumed);
    assert_int_equal(nd_clusters_documents(resumed), DOCUMENTS);
    nd_clusters_free(whole);
    nd_clusters_free(resumed);
}

static void test_against_a_model(void **state) {
    (void)state;
    static const uint32_t widths[] = {16, 32, 64, 128};
    for (uint64_t i = 0; i < 16; i++) {
        if (nd_mix64(i) % 4 >= test_rounds(4)) continue;
        nd_cluster_settings s = {.bits = widths[i % 4],
                                 .k = i % 3 ? 3 : widths[i % 4] / 8,
                                 .follow = i & 4,
                                 .expire = i & 8 ? 100 : 0,
                                 .seed = 1};
        check_stream(&s, i + 1);
    }
}

/* Clusters whose documents share four words have these as their topics. */
static void test_topics(void **state) {
    (void)state;
    const nd_cluster_settings s = {.seed = 1};
    nd_clusters *c = create(&s);
    nd_cluster_view view;
    uint64_t seed = 5;
    for (int i = 0; i < 1000; i++) {
        nd_error error;
        nd_placement placement;
        unsigned char words[1024];
        char id[32], leader[32];
        int subject = i % SUBJECTS;
        nd_arrival a = {.kind = i < SUBJECTS ? ND_ARRIVAL_FOUNDS : ND_ARRIVAL_JOINS,
                        .id = id,
                        .leader = leader,
                        .time = NAN,
                        .words = words};
        a.id_length = (size_t)snprintf(id, sizeof id, "%d", i);
        a.leader_length = (size_t)snprintf(leader, sizeof leader, "%d", subject);
        a.word_bytes = make_words(words, (uint64_t)subject, &seed);
        assert_int_equal(nd_clusters_add(c, &a, &placement, &error), ND_OK);
        assert_int_equal(placement.founded, subject + 1);
    }
    for (size_t at = 0, subject = 0; nd_clusters_next(c, &at, &view); subject++) {
        nd_stream_topic topics[4];
        char prefix[16];
        int length = snprintf(prefix, sizeof prefix, "s%d_", (int)subject);
        assert_int_equal(view.size, 1000 / SUBJECTS);
        assert_int_equal(nd_clusters_topics(c, &view, 4, topics), 4);
        for (int t = 0; t < 4; t++) assert_memory_equal(topics[t].term, prefix, (size_t)length);
    }
    nd_clusters_free(c);
}

/* Loads clusters of one document whose counts of terms are these bytes. */
static nd_status load_counts(const unsigned char *counts, size_t size) {
    enum { COUNTS = 6, SECTIONS = 7 };
    const nd_cluster_settings s = {.bits = 64, .k = 3, .seed = 1};
    nd_error error;
    nd_placement placement;
    nd_clusters *c = create(&s);
    static const unsigned char words[] = {1, 1, 0, 'w'};
    nd_arrival a = {.id = "d", .id_length = 1, .words = words, .word_bytes = sizeof words};
    a.time = NAN;
    assert_int_equal(nd_clusters_add(c, &a, &placement, &error), ND_OK);
    nd_sealed_writer *writer = begin_file();
    assert_int_equal(nd_clusters_save(c, writer, &error), ND_OK);
    nd_sealed_file *whole = end_file(writer);
    nd_clusters_free(c);
    writer = begin_file();
    for (uint32_t tag = 1; tag <= SECTIONS; tag++) {
        nd_section section;
        const unsigned char *p;
        assert_int_equal(nd_sealed_section(whole, tag, &section, &error), ND_OK);
        assert_int_equal(nd_sealed_view(whole, &section, 0, section.size, &p, &error), ND_OK);
        bool other = tag == COUNTS;
        assert_int_equal(nd_sealed_begin(writer, tag, &error), ND_OK);
        assert_int_equal(
            nd_sealed_write(writer, other ? counts : p, other ? size : section.size, &error),
            ND_OK);
    }
    nd_sealed_close(whole);
    nd_sealed_file *file = end_file(writer);
    c = create(&s);
    nd_status status = nd_clusters_load(c, file, &error);
    if (status != ND_OK)
        assert_non_null(
            strstr(error.message, "leader_clusters_test.state: damaged: counts of terms"));
    nd_clusters_free(c);
    nd_sealed_close(file);
    remove(file_name);
    return status;
}

static size_t put_varint(unsigned char *p, uint64_t value) {
    size_t size = 0;
    for (; value > 127; value >>= 7) p[size++] = (unsigned char)(value | 128);
    p[size++] = (unsigned char)value;
    return size;
}

/* Counts of terms that no stream saves are damage, and write nothing behind the counters. */
static void test_bad_counts(void **state) {
    (void)state;
    const uint64_t last = nd_count_min_size() - 1;
    static const struct {
        uint64_t numbers[4]; /* zeros, count, zeros, count */
        int count;
        bool from_last; /* `last` zeros more before the first count */
        nd_status wanted;
    } cases[] = {{{0}, 0, false, ND_OK},
                 {{0, 1, 5, 70000}, 4, false, ND_OK},
                 {{0, UINT32_MAX}, 2, true, ND_OK},
                 {{0, UINT64_C(1) << 32}, 2, false, ND_ERR_CORRUPT},
                 {{0, UINT64_C(1) << 40}, 2, false, ND_ERR_CORRUPT},
                 {{0, 0}, 2, false, ND_ERR_CORRUPT},
                 {{1, 1}, 2, true, ND_ERR_CORRUPT},
                 {{0, 1, 0, 1}, 4, true, ND_ERR_CORRUPT},
                 {{UINT32_MAX, 1}, 2, false, ND_ERR_CORRUPT},
                 {{0, 1, 7}, 3, false, ND_ERR_CORRUPT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[64];
        size_t size = 0;
        for (int n = 0; n < cases[i].count; n++)
            size += put_varint(bytes + size,
                               cases[i].numbers[n] + (n == 0 && cases[i].from_last ? last : 0));
        assert_int_equal(load_counts(bytes, size), cases[i].wanted);
    }
    assert_int_equal(load_counts((const unsigned char[]){0, 0x80}, 2), ND_ERR_CORRUPT);
}

/* Records with a changed byte, or cut short, are rejected, or stay within their bytes. */
static void test_bad_records(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        unsigned char record[128], words[] = {2, 1, 0, 'a', 'b', 1, 9, 0, 'c'};
        nd_arrival a = {.id = "one", .id_length = 3, .words = words, .word_bytes = sizeof words},
                   read;
        nd_arrival_word word;
        nd_arrival_store(&a, record);
        record[random_below(&seed, nd_arrival_size(&a))] ^= (unsigned char)(1 + random_below(&seed,
                                                                                             255));
        size_t size = random_below(&seed, nd_arrival_size(&a) + 1), at = 0;
        if (!nd_arrival_load(record, size, &read)) continue;
        assert_true((const unsigned char *)read.id + read.id_length <= record + size);
        while (nd_arrival_next_word(&read, &at, &word))
            assert_true(word.bytes + word.length <= record + size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_a_model), cmocka_unit_test(test_topics),
        cmocka_unit_test(test_bad_counts), cmocka_unit_test(test_bad_records)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

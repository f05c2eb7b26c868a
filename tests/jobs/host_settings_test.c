/* The host program may set any locale, any rounding mode and any treatment of subnormal numbers.
 * Files, callbacks and messages have the same bytes, and the library leaves the settings unchanged.
 */
#include "german_locale.h"
#include "job_parts.h"
#include "own_directory.h"
#include "small_corpus.h"
#include "test.h"

#include <fenv.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* Everything that a program sees, as text. */
typedef struct seen {
    char *text;
    size_t size, capacity;
} seen;

static void see_bytes(seen *s, const char *bytes, size_t length) {
    if (s->size + length > s->capacity) {
        s->capacity = 2 * (s->size + length);
        s->text = realloc(s->text, s->capacity);
        assert_non_null(s->text);
    }
    memcpy(s->text + s->size, bytes, length);
    s->size += length;
}

/* Accepts no doubles: the host's settings would change their text here. */
static void see(seen *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void see(seen *s, const char *format, ...) {
    char line[2000];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof line);
    see_bytes(s, line, (size_t)length);
}

/* Writes the bits of the value. */
static void see_double(seen *s, const char *name, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    see(s, "%s %016llx\n", name, (unsigned long long)bits);
}

static void see_estimate(seen *s, const char *name, nd_estimate estimate) {
    see_double(s, name, estimate.value);
    see_double(s, name, estimate.error);
}

static void see_file(seen *s, const char *path) {
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    see(s, "-- %s\n", path);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;) see_bytes(s, bytes, n);
    fclose(file);
    unlink(path);
}

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static corpus texts;

static job_parts options_of(void) {
    job_parts o;
    job_parts_init(&o);
    texts.next = 0;
    o.input.records = give;
    o.input.records_context = &texts;
    o.resources.threads = 3;
    o.analyzer.ngram = 2;
    o.similarity.threshold = .4;
    return o;
}

/* ---- measures */

static void see_measures(seen *s) {
    /* The fractions are exact, because they are computed under the host's settings. */
    uint32_t a[97], b[97];
    for (uint32_t i = 1; i < 40; i++) {
        nd_overlap overlap = {3 * i + 1, 5 * i, 2 * i};
        see_double(s, "jaccard", nd_jaccard(overlap));
        see_double(s, "containment", nd_containment(overlap));
        nd_plan plan;
        nd_error error;
        nd_status status = nd_plan_choose(i / 64., .999, 100 + i, &plan, &error);
        if (status != ND_OK) {
            see(s, "%s\n", error.message);
            continue;
        }
        see(s, "%u x %u\n", plan.bands, plan.rows);
        see_double(s, "probability", nd_plan_probability(&plan, .125 + i / 64.));
        for (uint32_t j = 0; j < 97; j++) {
            a[j] = j;
            b[j] = j % (i + 1) ? j : 7 * j;
        }
        see_double(s, "estimate", nd_minhash_estimate(a, b, 97));
    }
    nd_hamming_costs costs;
    nd_hamming_estimate list[ND_HAMMING_ESTIMATES];
    size_t count = 0;
    nd_error error;
    nd_hamming_costs_init(&costs);
    const nd_hamming_plan_options plan = {.struct_size = sizeof plan,
                                          .fingerprints = 12345678.9,
                                          .bits = 64,
                                          .k = 6,
                                          .memory = 3e9,
                                          .costs = &costs};
    must(nd_hamming_plan(&plan, list, &count, &error), &error);
    for (size_t i = 0; i < count; i++) {
        const char *name = list[i].name;
        see_double(s, name, list[i].bytes);
        see_double(s, name, list[i].looks);
        see_double(s, name, list[i].candidates);
        see_double(s, name, list[i].microseconds);
    }
}

static void see_comparisons(seen *s) {
    nd_analyzer_options analyzer;
    nd_compare_options o;
    nd_analyzer_options_init(&analyzer, sizeof analyzer);
    nd_compare_options_init(&o, sizeof o);
    analyzer.ngram = 1;
    o.analyzer = &analyzer;
    o.bottom_k = 8;
    for (size_t d = 1; d < 60; d++) {
        nd_comparison *c;
        nd_error error;
        must(nd_compare(&o, texts.text[d - 1], strlen(texts.text[d - 1]), texts.text[d],
                        strlen(texts.text[d]), &c, &error),
             &error);
        see_double(s, "jaccard", c->jaccard);
        see_double(s, "a in b", c->a_in_b);
        see_double(s, "b in a", c->b_in_a);
        see_double(s, "cosine", c->cosine);
        see_double(s, "estimate", c->estimate);
        see_double(s, "standard error", c->standard_error);
        see_double(s, "found", c->found);
        see_estimate(s, "size", c->a.size);
        see_estimate(s, "jaccard", c->bottom_k.jaccard);
        see_estimate(s, "intersection", c->bottom_k.intersection);
        see_estimate(s, "a in b", c->bottom_k.a_in_b);
        see(s, "%016llx\n", (unsigned long long)c->a.fingerprint.low);
        nd_comparison_free(c);
    }
    /* Halves of the unit in which weights are summed. */
    nd_simhash *simhash;
    nd_error error;
    must(nd_simhash_create(64, NULL, &simhash, &error), &error);
    for (uint64_t round = 0; round < 50; round++) {
        uint64_t features[20];
        double weights[20];
        for (uint64_t i = 0; i < 20; i++) {
            features[i] = round * 20 + i;
            weights[i] = (double)(2 * ((round * 31 + i * 7) % 9) + 1) / 8192;
        }
        must(nd_simhash_add(simhash, features, weights, 20, &error), &error);
        see(s, "%016llx\n", (unsigned long long)nd_simhash_finish(simhash).low);
    }
    nd_simhash_free(simhash);
}

/* ---- jobs */

static void check_environment(void) {
    assert_int_equal(fegetround(), FE_TONEAREST);
#if defined(__x86_64__)
    assert_int_equal(_mm_getcsr() & ~0x3fu, 0x1f80);
#endif
}

/* nd_decision_fn */
static bool see_decision(void *context, const nd_decision *d) {
    check_environment();
    see_double(context, "jaccard", d->jaccard);
    see_double(context, "cosine", d->cosine);
    return true;
}

/* nd_pair_fn */
static bool see_pair(void *context, const nd_pair *p) {
    see_double(context, "jaccard", p->jaccard);
    see_double(context, "cosine", p->cosine);
    return true;
}

static void see_dedup(seen *s, job_parts *o) {
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    o->outputs.removed = "removed";
    o->outputs.clusters = "clusters";
    o->outputs.edges = "edges";
    o->outputs.on_decision = see_decision;
    o->outputs.on_pair = see_pair;
    o->outputs.context = s;
    must(nd_dedup(dedup_of(o), &summary, &error), &error);
    see(s, "kept %d verified %d\n", (int)summary.kept, (int)summary.verified);
    see_file(s, "removed");
    see_file(s, "clusters");
    see_file(s, "edges");
}

static void see_jobs(seen *s) {
    static const nd_verify verify[] = {ND_VERIFY_EXACT, ND_VERIFY_NONE, ND_VERIFY_COSINE};
    for (size_t i = 0; i < 6; i++) {
        job_parts o = options_of();
        o.similarity.verify = verify[i % 3];
        o.similarity.sketch = i < 3 ? ND_SKETCH_MINHASH : ND_SKETCH_SIMHASH;
        if (i < 3 && o.similarity.verify == ND_VERIFY_COSINE) continue;
        if (o.similarity.sketch == ND_SKETCH_SIMHASH) {
            o.analyzer.ngram = 1;
            o.simhash.weighting = ND_WEIGHTING_TF;
        }
        o.survivors.keep = i % 2 ? ND_KEEP_MAX : ND_KEEP_FIRST;
        see_dedup(s, &o);
    }
    job_parts o = options_of();
    nd_error error;
    o.outputs.edges = "edges";
    must(nd_pairs(pairs_of(&o), NULL, &error), &error);
    see_file(s, "edges");
}

/* Numbers in JSON; only a build with simdjson reads them. */
static void see_json(seen *s) {
    if (!strstr(nd_features(), "simdjson")) return;
    FILE *file = fopen("in.jsonl", "w");
    assert_non_null(file);
    for (unsigned i = 0; i < 40; i++)
        fprintf(file,
                "{\"id\":%u.%u1,\"text\":\"one and the same text of seven "
                "words\",\"rank\":0.1000000000000000055511151231257827%u}\n",
                i, i, (i * 7) % 10);
    fprintf(file, "{\"id\":\"last\",\"text\":\"one and the same text of seven "
                  "words\",\"rank\":\"2026-01-02T03:04:05.123456789Z\"}\n");
    fclose(file);
    job_parts o;
    job_parts_init(&o);
    const char *const inputs[] = {"in.jsonl"};
    o.input.inputs = inputs;
    o.input.input_count = 1;
    o.survivors.keep = ND_KEEP_MIN;
    o.survivors.keep_field = "rank";
    see_dedup(s, &o);
    unlink("in.jsonl");
}

static void see_words(seen *s) {
    job_parts o = options_of();
    nd_error error;
    nd_weights *table;
    nd_weights_info info = {.struct_size = sizeof info};
    o.outputs.kept = "idf";
    must(nd_idf(idf_of(&o), NULL, &error), &error);
    must(nd_weights_read("idf", 1, NULL, &table, &error), &error);
    must(nd_weights_describe(table, &info, &error), &error);
    see_double(s, "absent", info.absent);
    see_file(s, "idf");
    o = options_of();
    o.outputs.kept = "keywords";
    nd_keyword_options keywords = {
        .struct_size = sizeof keywords, .top = 5, .weighting = ND_WEIGHTING_TABLE, .table = table};
    must(nd_keywords(keywords_of(&o, &keywords), NULL, NULL, NULL, &error), &error);
    see_file(s, "keywords");
    o = options_of();
    o.analyzer.ngram = 1;
    o.outputs.kept = "fingerprints";
    nd_simhash_options simhash = {
        .struct_size = sizeof simhash, .bits = 64, .weighting = ND_WEIGHTING_TABLE, .table = table};
    must(nd_fingerprints(fingerprints_of(&o, &simhash), NULL, NULL, NULL, &error), &error);
    see_file(s, "fingerprints");
    nd_weights_free(table);
}

/* ---- files on disk */

/* nd_answer_fn */
static bool see_answer(void *context, const nd_answer *answer) {
    seen *s = context;
    for (size_t i = 0; i < answer->count; i++) {
        see(s, "%.*s: %.*s\n", (int)answer->id_length, answer->id,
            (int)answer->matches[i].id_length, answer->matches[i].id);
        see_double(s, "jaccard", answer->matches[i].jaccard);
    }
    return true;
}

static void see_index(seen *s, bool sketch_only) {
    nd_analyzer_options analyzer;
    nd_index_options made;
    nd_index *x;
    nd_index_searcher *searcher;
    nd_error error;
    nd_analyzer_options_init(&analyzer, sizeof analyzer);
    nd_index_options_init(&made, sizeof made);
    analyzer.ngram = 2;
    made.analyzer = &analyzer;
    made.threshold = .45;
    made.sketch_only = sketch_only;
    must(nd_index_create("index", &made, &error), &error);
    must(nd_index_open("index", ND_INDEX_WRITE, NULL, &x, &error), &error);
    nd_index_set_sync(x, ND_SYNC_OFF);
    must(nd_index_searcher_create(x, &searcher, &error), &error);
    for (size_t d = 0; d < 100; d++) {
        char id[24];
        const nd_match *evidence;
        bool added;
        snprintf(id, sizeof id, "x%zu", d);
        const nd_record document = {.text = texts.text[d],
                                    .length = strlen(texts.text[d]),
                                    .id = id,
                                    .id_length = strlen(id)};
        must(nd_index_add(x, searcher, &document, &added, &evidence, &error), &error);
        if (!added) see_double(s, "evidence", evidence->jaccard);
    }
    nd_index_searcher_free(searcher);
    job_parts o = options_of();
    nd_index_query_options query;
    nd_index_query_options_init(&query, sizeof query);
    query.input = &o.input;
    query.resources = &o.resources;
    must(nd_index_query(x, &query, see_answer, s, NULL, &error), &error);
    nd_index_close(x);
    remove_directory("index");
}

static void see_fingerprint_index(seen *s) {
    nd_hamming_options made;
    nd_hamming_index *x;
    nd_hamming_searcher *searcher;
    nd_error error;
    nd_hamming_info info = {.struct_size = sizeof info};
    uint64_t words[3000], state = 3;
    for (size_t i = 0; i < 3000; i++)
        words[i] = i % 3 ? words[i - 1] ^ UINT64_C(1) << random_below(&state, 64)
                         : random_next(&state);
    nd_fingerprint_source source = {.struct_size = sizeof source, .words = words, .count = 3000};
    nd_hamming_options_init(&made, sizeof made);
    made.numbered = true;
    must(nd_hamming_build("hamming", &made, &source, NULL, NULL, &error), &error);
    must(nd_hamming_open("hamming", ND_INDEX_READ, NULL, &x, &error), &error);
    must(nd_hamming_describe(x, &info, &error), &error);
    see(s, "%s\n", info.design);
    must(nd_hamming_searcher_create(x, &searcher, &error), &error);
    for (size_t i = 0; i < 300; i++) {
        const nd_hamming_match *matches;
        uint64_t count;
        must(nd_hamming_search(searcher, (nd_fingerprint){words[i], 0}, NULL, &matches, &count,
                               &error),
             &error);
        see(s, "%d found\n", (int)count);
    }
    nd_hamming_searcher_free(searcher);
    nd_hamming_close(x);
    remove_directory("hamming");
}

/* nd_stream_answer_fn */
static bool see_stream_answer(void *context, const nd_stream_answer *a) {
    see(context, "%.*s: %.*s\n", (int)a->id_length, a->id, (int)a->cluster_length, a->cluster);
    see_double(context, "similarity", a->similarity);
    for (size_t i = 0; i < a->topic_count; i++) see_double(context, "topic", a->topics[i].weight);
    return true;
}

/* nd_stream_cluster_fn */
static bool see_cluster(void *context, const nd_stream_cluster *c) {
    see(context, "%.*s %d\n", (int)c->cluster_length, c->cluster, (int)c->size);
    see_double(context, "founded", c->founded_time);
    for (size_t i = 0; i < c->topic_count; i++) see_double(context, "topic", c->topics[i].weight);
    return true;
}

static void see_stream(seen *s, nd_sketch sketch) {
    nd_stream_options made;
    nd_stream *stream;
    nd_error error;
    nd_stream_options_init(&made, sizeof made);
    made.sketch = sketch;
    made.threshold = .45;
    made.expire = 3.3;
    must(nd_stream_open("stream", ND_INDEX_WRITE, &made, NULL, &stream, &error), &error);
    nd_stream_set_topics(stream, 3);
    job_parts o = options_of();
    const nd_stream_run_options run = {
        .struct_size = sizeof run, .input = &o.input, .resources = &o.resources};
    must(nd_stream_run(stream, &run, see_stream_answer, s, NULL, &error), &error);
    must(nd_stream_clusters(stream, 1, 10, true, see_cluster, s, &error), &error);
    nd_stream_close(stream);
    remove_directory("stream");
}

static void see_messages(seen *s) {
    nd_plan plan;
    nd_error error;
    nd_weights *table;
    job_parts o = options_of();
    assert_int_equal(nd_plan_choose(1.5, .5, 1, &plan, &error), ND_ERR_ARGUMENT);
    see(s, "%s\n", error.message);
    assert_non_null(strstr(error.message, "1.5"));
    assert_int_equal(nd_plan_choose(.3, .999, 3, &plan, &error), ND_ERR_ARGUMENT);
    see(s, "%s\n", error.message);
    assert_int_equal(nd_weights_read("not there", 1, NULL, &table, &error), ND_ERR_IO);
    see(s, "%s\n", error.message);
    o.similarity.threshold = -1.25;
    assert_int_equal(nd_pairs(pairs_of(&o), NULL, &error), ND_ERR_ARGUMENT);
    see(s, "%s\n", error.message);
}

static void see_all(seen *s) {
    see_measures(s);
    see_comparisons(s);
    see_jobs(s);
    see_json(s);
    see_words(s);
    see_index(s, false);
    see_index(s, true);
    see_fingerprint_index(s);
    see_stream(s, ND_SKETCH_MINHASH);
    see_stream(s, ND_SKETCH_SIMHASH);
    see_messages(s);
}

/* ---- compared with a program that has set nothing */

static seen expected;

static int begin(void **state) {
    make_corpus(&texts, 11, 250);
    if (enter_own_directory(state) != 0) return -1;
    see_all(&expected);
    return 0;
}

static int end(void **state) {
    free_corpus(&texts);
    free(expected.text);
    return leave_own_directory(state);
}

static void expect_the_same(void) {
    seen s = {0};
    see_all(&s);
    size_t at = 0, line = 0;
    while (at < s.size && at < expected.size && s.text[at] == expected.text[at]) at++;
    if (at != s.size || at != expected.size) {
        for (line = at; line > 0 && expected.text[line - 1] != '\n';) line--;
        fail_msg("byte %zu: %.60s, not %.60s", at, s.text + line, expected.text + line);
    }
    free(s.text);
}

static void test_the_same_again(void **state) {
    (void)state;
    expect_the_same();
}

static void test_rounding(void **state) {
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(fesetround(modes[i]), 0);
        expect_the_same();
        assert_int_equal(fegetround(), modes[i]);
        fesetround(FE_TONEAREST);
    }
}

/* Subnormal numbers are treated as zeros, and each inexact result traps. */
static void test_control_bits(void **state) {
    (void)state;
#if defined(__x86_64__)
    unsigned before = _mm_getcsr(), flush = before | 0x8040, traps = before & ~0x1000u & ~0x3fu;
    _mm_setcsr(flush);
    expect_the_same();
    assert_int_equal(_mm_getcsr() & ~0x3fu, flush & ~0x3fu);
    _mm_setcsr(traps);
    nd_overlap third = {3, 3, 2};
    double jaccard = nd_jaccard(third);
    assert_int_equal(_mm_getcsr(), traps);
    _mm_setcsr(before);
    assert_true(jaccard == .5);
#else
    skip();
#endif
}

static void test_locale(void **state) {
    (void)state;
    set_german_locale();
    assert_string_equal(localeconv()->decimal_point, ",");
    expect_the_same();
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_again),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_control_bits),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

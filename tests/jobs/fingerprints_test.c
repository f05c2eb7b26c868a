/* The jobs that make fingerprints, texts and document frequencies, against the same calls for one
 * text after the other. */
#include "corpus_job.h"
#include "test.h"

#include <unistd.h>

typedef struct checking {
    const corpus *c;
    nd_analyzer *analyzer;
    const nd_simhash_options *simhash;
    size_t count, stop_at;
} checking;

/* nd_fingerprint_fn */
static bool check_one(void *context, const nd_fingerprinted *given) {
    checking *t = context;
    size_t d = t->count++;
    nd_fingerprint expected;
    assert_int_equal(given->document, d);
    assert_int_equal(given->id_length, strlen(t->c->id[d]));
    assert_memory_equal(given->id, t->c->id[d], given->id_length);
    assert_int_equal(nd_simhash_text(t->analyzer, t->simhash, t->c->text[d], strlen(t->c->text[d]),
                                     &expected, NULL),
                     ND_OK);
    assert_true(given->fingerprint.low == expected.low && given->fingerprint.high == expected.high);
    return t->count != t->stop_at;
}

static void test_fingerprints(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 5, MOST);
    for (uint32_t i = 0; i < 12; i++) {
        job_parts o = corpus_job(&c, 1 + i % 3 * 2);
        nd_simhash_options simhash = {.struct_size = sizeof simhash,
                                      .bits = 16u << i % 4,
                                      .weighting = i % 2 ? ND_WEIGHTING_NONE : ND_WEIGHTING_TF};
        nd_analyzer_options analyzer = {.struct_size = sizeof analyzer,
                                        .kind = i % 5 ? ND_WORDS : ND_CHARS,
                                        .ngram = 1 + i % 4,
                                        .seed = i};
        nd_job_summary summary = {.struct_size = sizeof summary};
        nd_error error;
        checking t = {.c = &c, .simhash = &simhash};
        o.analyzer.kind = analyzer.kind;
        o.analyzer.ngram = analyzer.ngram;
        o.analyzer.seed = analyzer.seed;
        assert_int_equal(nd_analyzer_create(&analyzer, NULL, &t.analyzer, NULL), ND_OK);
        if (nd_fingerprints(fingerprints_of(&o, &simhash), check_one, &t, &summary, &error) !=
            ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(t.count, MOST);
        assert_int_equal(summary.documents, MOST);
        nd_analyzer_free(t.analyzer);
    }
    free_corpus(&c);
}

static void test_cancel(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 6, MOST);
    nd_simhash_options simhash;
    nd_error error;
    nd_simhash_options_init(&simhash, sizeof simhash);
    checking t = {.c = &c, .simhash = &simhash, .stop_at = 17};
    job_parts o = corpus_job(&c, 3);
    assert_int_equal(nd_analyzer_create(NULL, NULL, &t.analyzer, NULL), ND_OK);
    assert_int_equal(nd_fingerprints(fingerprints_of(&o, NULL), check_one, &t, NULL, &error),
                     ND_ERR_CANCELLED);
    assert_int_equal(t.count, 17);
    nd_analyzer_free(t.analyzer);
    free_corpus(&c);
}

static void test_arguments(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 7, 3);
    nd_error error;
    job_parts o = corpus_job(&c, 1);
    const nd_simhash_options bits = {
        .struct_size = sizeof bits, .bits = 12, .weighting = ND_WEIGHTING_TF};
    const nd_simhash_options table = {
        .struct_size = sizeof table, .bits = 64, .weighting = ND_WEIGHTING_TABLE};
    checking t = {.c = &c};
    assert_int_equal(nd_fingerprints(NULL, check_one, &t, NULL, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_fingerprints(fingerprints_of(&o, NULL), NULL, NULL, NULL, &error),
                     ND_ERR_ARGUMENT);
    assert_string_equal(error.message,
                        "fingerprints go to fn or to options.output: at least one of them");
    assert_int_equal(nd_fingerprints(fingerprints_of(&o, &bits), check_one, &t, NULL, &error),
                     ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "bits must be"));
    assert_int_equal(nd_fingerprints(fingerprints_of(&o, &table), check_one, &t, NULL, &error),
                     ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "table"));
    assert_int_equal(nd_idf(idf_of(&o), NULL, &error), ND_ERR_ARGUMENT);
    o.outputs.kept = "words.tsv";
    o.idf.least = 0;
    assert_int_equal(nd_idf(idf_of(&o), NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "least must be at least 1");
    o.idf.least = 1;
    o.idf.stop_share = 1;
    assert_int_equal(nd_idf(idf_of(&o), NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "stop_share must be above 0 and below 1, not 1");
    assert_int_equal(nd_idf(NULL, NULL, &error), ND_ERR_ARGUMENT);
    if (strstr(nd_features(), "libstemmer")) {
        o.analyzer.stem = "english";
        assert_int_equal(nd_dedup(dedup_of(&o), NULL, &error), ND_ERR_ARGUMENT);
        assert_int_equal(nd_pairs(pairs_of(&o), NULL, &error), ND_ERR_ARGUMENT);
        assert_string_equal(error.message,
                            "stem is for nd_fingerprints, nd_signatures, nd_idf and nd_keywords "
                            "only: other jobs compare words as they are");
    }
    assert_int_equal(t.count, 0);
    free_corpus(&c);
}

/* nd_text_fn */
static bool check_text(void *context, const nd_text *given) {
    checking *t = context;
    size_t d = t->count++;
    assert_int_equal(given->document, d);
    assert_int_equal(given->id_length, strlen(t->c->id[d]));
    assert_memory_equal(given->id, t->c->id[d], given->id_length);
    assert_int_equal(given->length, strlen(t->c->text[d]));
    assert_memory_equal(given->text, t->c->text[d], given->length);
    return t->count != t->stop_at;
}

static void test_texts(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 9, MOST);
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        job_parts o = corpus_job(&c, threads);
        nd_job_summary summary = {.struct_size = sizeof summary};
        nd_error error;
        checking t = {.c = &c};
        if (nd_texts(&o.input, check_text, &t, &o.resources, &summary, &error) != ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(t.count, MOST);
        assert_int_equal(summary.documents, MOST);
        o = corpus_job(&c, threads);
        t = (checking){.c = &c, .stop_at = 17};
        assert_int_equal(nd_texts(&o.input, check_text, &t, &o.resources, NULL, &error),
                         ND_ERR_CANCELLED);
        assert_int_equal(t.count, 17);
        assert_int_equal(nd_texts(&o.input, NULL, NULL, &o.resources, NULL, &error),
                         ND_ERR_ARGUMENT);
        assert_int_equal(nd_texts(NULL, check_text, &t, NULL, NULL, &error), ND_ERR_ARGUMENT);
    }
    free_corpus(&c);
}

/* Weights are made from a corpus, read and used. Words of all documents weigh nothing, absent words
 * weigh most. */
static void test_idf(void **state) {
    (void)state;
    static corpus c;
    nd_weights_info info[2] = {{.struct_size = sizeof *info}, {.struct_size = sizeof *info}};
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        make_corpus(&c, 8, MOST);
        char path[] = "/tmp/fingerprints_test-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        close(fd);
        job_parts o = corpus_job(&c, threads);
        nd_job_summary summary = {.struct_size = sizeof summary};
        nd_error error;
        nd_weights *weights = NULL;
        o.outputs.kept = path;
        if (nd_idf(idf_of(&o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
        if (nd_weights_read(path, 1, NULL, &weights, &error) != ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(nd_weights_describe(weights, &info[threads > 1], NULL), ND_OK);
        assert_int_equal(summary.documents, MOST);
        assert_int_equal(summary.terms, info[threads > 1].words);
        assert_int_equal(summary.terms_written, summary.terms);
        assert_int_equal(info[threads > 1].documents, MOST);
        assert_int_equal(info[threads > 1].left_out, 0);
        o = corpus_job(&c, threads);
        o.analyzer.ngram = 1;
        nd_simhash_options simhash = {.struct_size = sizeof simhash,
                                      .bits = 64,
                                      .weighting = ND_WEIGHTING_TABLE,
                                      .table = weights};
        nd_analyzer_options analyzer = {
            .struct_size = sizeof analyzer, .kind = ND_WORDS, .ngram = 1, .seed = 1};
        checking t = {.c = &c, .simhash = &simhash};
        assert_int_equal(nd_analyzer_create(&analyzer, NULL, &t.analyzer, NULL), ND_OK);
        if (nd_fingerprints(fingerprints_of(&o, &simhash), check_one, &t, &summary, &error) !=
            ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(t.count, MOST);
        nd_analyzer_free(t.analyzer);
        nd_weights_free(weights);
        unlink(path);
        free_corpus(&c);
    }
    assert_int_equal(info[0].words, info[1].words);
}

static void count_warning(void *context, const char *message) {
    (void)message;
    ++*(size_t *)context;
}

static void test_bad_lists(void **state) {
    (void)state;
    static corpus c;
    nd_error error;
    nd_simhash_options levels = {
        .struct_size = sizeof levels, .bits = 64, .weighting = ND_WEIGHTING_LEVELS};
    nd_job_summary summary = {.struct_size = sizeof summary};
    size_t warnings = 0;
    c.count = 20;
    for (size_t d = 0; d < c.count; d++) {
        c.text[d] = strdup(d == 7 || d == 12 ? "cat(1) dog" : "cat(1) dog(2)");
        snprintf(c.id[d], sizeof c.id[d], "d%zu", d);
    }
    for (uint32_t threads = 1; threads < 4; threads += 2) {
        job_parts o = corpus_job(&c, threads);
        o.outputs.kept = "/dev/null";
        assert_int_equal(nd_fingerprints(fingerprints_of(&o, &levels), NULL, NULL, NULL, &error),
                         ND_ERR_INPUT);
        assert_string_equal(error.message, "record 8: item 2: word(weight) expected, not 'dog'");
        o = corpus_job(&c, threads);
        o.outputs.kept = "/dev/null";
        o.input.skip_errors = true;
        o.resources.on_warning = count_warning;
        o.resources.context = &warnings;
        assert_int_equal(
            nd_fingerprints(fingerprints_of(&o, &levels), NULL, NULL, &summary, &error), ND_OK);
        assert_int_equal(summary.documents, 18);
        assert_int_equal(summary.skipped, 2);
    }
    assert_int_equal(warnings, 4);
    free_corpus(&c);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 9, 30);
    char path[] = "/tmp/fingerprints_test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (int job = 0; job < 2; job++) {
        for (long left = 0;; left += 1 + left / 20) {
            failing_allocator failing = {left, 0};
            nd_allocator allocator = failing_allocator_make(&failing);
            job_parts o = corpus_job(&c, 2);
            o.resources.allocator = &allocator;
            o.outputs.kept = path;
            nd_status status = job ? nd_idf(idf_of(&o), NULL, NULL)
                                   : nd_fingerprints(fingerprints_of(&o, NULL), NULL, NULL, NULL,
                                                     NULL);
            assert_int_equal(failing.live, 0);
            if (status == ND_OK) break;
            assert_int_equal(status, ND_ERR_MEMORY);
            assert_true(left < 100000);
        }
    }
    unlink(path);
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fingerprints),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_idf),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The job that finds keywords, against the same call for one text after the other. */
#include "corpus_job.h"
#include "test.h"

#include <unistd.h>

typedef struct checking {
    const corpus *c;
    nd_analyzer *analyzer;
    const nd_keyword_options *options;
    size_t count, stop_at;
    const nd_keyworded *given; /* the document that is checked */
    size_t keyword;
} checking;

/* nd_keyword_fn */
static bool check_keyword(void *context, const nd_keyword *expected) {
    checking *t = context;
    assert_true(t->keyword < t->given->count);
    const nd_keyword *given = &t->given->keywords[t->keyword++];
    assert_int_equal(given->length, expected->length);
    assert_memory_equal(given->term, expected->term, expected->length);
    assert_true(given->weight == expected->weight);
    return true;
}

/* nd_keyworded_fn */
static bool check_document(void *context, const nd_keyworded *given) {
    checking *t = context;
    size_t d = t->count++;
    t->given = given;
    t->keyword = 0;
    assert_int_equal(given->document, d);
    assert_int_equal(given->id_length, strlen(t->c->id[d]));
    assert_memory_equal(given->id, t->c->id[d], given->id_length);
    assert_int_equal(nd_keywords_text(t->analyzer, t->options, t->c->text[d], strlen(t->c->text[d]),
                                      check_keyword, t, NULL),
                     ND_OK);
    assert_int_equal(given->count, t->keyword);
    return t->count != t->stop_at;
}

static void make_path(char path[64]) {
    strcpy(path, "/tmp/keywords_test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

static nd_analyzer *words_of(uint64_t seed) {
    nd_analyzer *analyzer = NULL;
    nd_analyzer_options options = {
        .struct_size = sizeof options, .kind = ND_WORDS, .ngram = 1, .seed = seed};
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    return analyzer;
}

static nd_weights *weights_of(corpus *c) {
    char path[64];
    nd_weights *weights = NULL;
    job_parts o = corpus_job(c, 1);
    make_path(path);
    o.outputs.kept = path;
    assert_int_equal(nd_idf(idf_of(&o), NULL, NULL), ND_OK);
    assert_int_equal(nd_weights_read(path, 1, NULL, &weights, NULL), ND_OK);
    unlink(path);
    return weights;
}

static void test_keywords(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 5, MOST);
    nd_weights *table = weights_of(&c);
    for (uint32_t i = 0; i < 6; i++) {
        job_parts o = corpus_job(&c, 1 + i % 3 * 2);
        nd_keyword_options keywords = {.struct_size = sizeof keywords,
                                       .top = 1 + 7 * i,
                                       .weighting = i % 2 ? ND_WEIGHTING_TABLE : ND_WEIGHTING_TF,
                                       .table = i % 2 ? table : NULL};
        checking t = {.c = &c, .options = &keywords, .analyzer = words_of(1)};
        nd_job_summary summary = {.struct_size = sizeof summary};
        nd_error error;
        if (nd_keywords(keywords_of(&o, &keywords), check_document, &t, &summary, &error) != ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(t.count, MOST);
        assert_int_equal(summary.documents, MOST);
        nd_analyzer_free(t.analyzer);
    }
    nd_weights_free(table);
    free_corpus(&c);
}

static void test_cancel(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 6, MOST);
    nd_keyword_options tf = {.struct_size = sizeof tf, .top = 4, .weighting = ND_WEIGHTING_TF};
    job_parts o = corpus_job(&c, 3);
    checking t = {.c = &c, .options = &tf, .analyzer = words_of(1), .stop_at = 17};
    assert_int_equal(nd_keywords(keywords_of(&o, &tf), check_document, &t, NULL, NULL),
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
    nd_keyword_options none = {.struct_size = sizeof none, .top = 0, .weighting = ND_WEIGHTING_TF};
    checking t = {.c = &c};
    assert_int_equal(nd_keywords(NULL, check_document, &t, NULL, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_keywords(keywords_of(&o, NULL), NULL, NULL, NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message,
                        "keywords go to fn or to options.output: at least one of them");
    assert_int_equal(nd_keywords(keywords_of(&o, &none), check_document, &t, NULL, &error),
                     ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "top must be"));
    assert_int_equal(nd_keywords(keywords_of(&o, NULL), check_document, &t, NULL, &error),
                     ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "a callback cannot be read twice, to count its words first: "
                                       "give a table of weights (idf), or weigh by tf alone");
    assert_int_equal(t.count, 0);
    free_corpus(&c);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 8, 20);
    char path[64];
    make_path(path);
    for (long left = 0;; left += 1 + left / 40) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_keyword_options tf = {.struct_size = sizeof tf, .top = 4, .weighting = ND_WEIGHTING_TF};
        job_parts o = corpus_job(&c, 2);
        checking t = {.c = &c, .options = &tf, .analyzer = words_of(1)};
        o.resources.allocator = &allocator;
        o.outputs.kept = path;
        nd_status status = nd_keywords(keywords_of(&o, &tf), check_document, &t, NULL, NULL);
        nd_analyzer_free(t.analyzer);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 5000);
    }
    unlink(path);
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keywords), cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

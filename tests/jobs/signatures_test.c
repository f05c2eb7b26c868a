/* The job that makes MinHash signatures, against nd_analyze and nd_minhash_sign for one text after
 * the other. */
#include "corpus_job.h"
#include "test.h"

#include "base/limits.h"

enum { MOST_PERMS = 1024 };

typedef struct checking {
    const corpus *c;
    nd_analyzer *analyzer;
    nd_minhash *minhash;
    size_t count, stop_at;
} checking;

static checking begin_checking(const corpus *c, const nd_analyzer_options *analyzer,
                               uint32_t perms) {
    checking t = {.c = c};
    assert_int_equal(nd_analyzer_create(analyzer, NULL, &t.analyzer, NULL), ND_OK);
    assert_int_equal(nd_minhash_create(perms, analyzer->seed, NULL, &t.minhash, NULL), ND_OK);
    return t;
}

static void end_checking(checking *t) {
    nd_analyzer_free(t->analyzer);
    nd_minhash_free(t->minhash);
}

/* nd_signed_fn */
static bool check_one(void *context, const nd_signed *given) {
    checking *t = context;
    size_t d = t->count++;
    nd_shingles shingles;
    uint32_t expected[MOST_PERMS];
    assert_int_equal(given->document, d);
    assert_int_equal(given->id_length, strlen(t->c->id[d]));
    assert_memory_equal(given->id, t->c->id[d], given->id_length);
    assert_int_equal(nd_analyze(t->analyzer, t->c->text[d], strlen(t->c->text[d]), &shingles, NULL),
                     ND_OK);
    nd_minhash_sign(t->minhash, shingles.hashes, shingles.count, expected);
    assert_memory_equal(given->signature, expected,
                        nd_minhash_perms(t->minhash) * sizeof *expected);
    assert_memory_equal(given->text_hash, shingles.text_hash, sizeof shingles.text_hash);
    return t->count != t->stop_at;
}

static void check_all(corpus *c, job_parts *o, uint32_t perms) {
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    checking t = begin_checking(c, &o->analyzer, perms);
    if (nd_signatures(signatures_of(o, perms), check_one, &t, &summary, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_int_equal(t.count, MOST);
    assert_int_equal(summary.documents, MOST);
    end_checking(&t);
}

static void test_signatures(void **state) {
    (void)state;
    static corpus c;
    static const uint32_t perms[] = {128, 1, 7, MOST_PERMS};
    static const nd_analyzer_kind kinds[] = {ND_WORDS, ND_CHARS, ND_SEGMENT};
    size_t kind_count = strstr(nd_features(), "icu") ? 3 : 2;
    make_corpus(&c, 5, MOST);
    for (uint32_t i = 0; i < 20; i++) {
        job_parts o = corpus_job(&c, 1 + i % 5);
        o.analyzer.kind = kinds[i % kind_count];
        o.analyzer.ngram = 1 + i % 7;
        o.analyzer.seed = i;
        check_all(&c, &o, perms[i % 4]);
    }
    if (strstr(nd_features(), "libstemmer")) {
        job_parts o = corpus_job(&c, 3);
        o.analyzer.stem = "english";
        check_all(&c, &o, 128);
    }
    free_corpus(&c);
}

static void test_defaults(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 6, MOST);
    job_parts o = corpus_job(&c, 1);
    checking t = begin_checking(&c, &o.analyzer, 128);
    nd_signatures_options options;
    nd_signatures_options_init(&options, sizeof options);
    options.input = &o.input;
    assert_int_equal(nd_signatures(&options, check_one, &t, NULL, NULL), ND_OK);
    assert_int_equal(t.count, MOST);
    end_checking(&t);
    free_corpus(&c);
}

static void test_cancel(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 6, MOST);
    job_parts o = corpus_job(&c, 3);
    checking t = begin_checking(&c, &o.analyzer, 16);
    t.stop_at = 17;
    assert_int_equal(nd_signatures(signatures_of(&o, 16), check_one, &t, NULL, NULL),
                     ND_ERR_CANCELLED);
    assert_int_equal(t.count, 17);
    end_checking(&t);
    free_corpus(&c);
}

static void test_arguments(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 7, 3);
    nd_error error;
    job_parts o = corpus_job(&c, 1);
    checking t = {.c = &c};
    assert_int_equal(nd_signatures(NULL, check_one, &t, NULL, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_signatures(signatures_of(&o, 128), NULL, NULL, NULL, &error),
                     ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "fn must not be NULL");
    for (uint32_t perms = 0; perms <= MOST_PERMS + 1; perms += MOST_PERMS + 1) {
        assert_int_equal(nd_signatures(signatures_of(&o, perms), check_one, &t, NULL, &error),
                         ND_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, "perms must be 1 to 1024"));
    }
    o.analyzer.ngram = 65;
    assert_int_equal(nd_signatures(signatures_of(&o, 128), check_one, &t, NULL, &error),
                     ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "ngram"));
    assert_int_equal(t.count, 0);
    assert_int_equal(c.next, 0);
    free_corpus(&c);
}

/* nd_record_fn; `context` counts. Every second record has no id, the others have an empty one. */
static int give_without_id(void *context, nd_record *out) {
    unsigned *next = context;
    *out = (nd_record){.text = "a text", .length = 6, .id = *next % 2 ? "" : NULL};
    return (*next)++ < 20;
}

/* nd_signed_fn; a document without an id has the number of its record, from 1. */
static bool check_id(void *context, const nd_signed *given) {
    char number[24] = "";
    if (given->document % 2 == 0)
        snprintf(number, sizeof number, "%u", (unsigned)given->document + 1);
    assert_non_null(given->id);
    assert_int_equal(given->id_length, strlen(number));
    assert_memory_equal(given->id, number, given->id_length);
    ++*(unsigned *)context;
    return true;
}

static void test_ids(void **state) {
    (void)state;
    unsigned next = 0, count = 0;
    job_parts o;
    job_parts_init(&o);
    o.input.records = give_without_id;
    o.input.records_context = &next;
    assert_int_equal(nd_signatures(signatures_of(&o, 4), check_id, &count, NULL, NULL), ND_OK);
    assert_int_equal(count, 20);
}

/* Half of the memory holds the signatures of the two threads with 128 values, and of one with
 * 1,024. */
static void test_memory_bounds_threads(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 8, 20);
    const uint32_t perms[] = {128, MOST_PERMS}, threads[] = {2, ND_LIMIT(1, 2)};
    for (size_t i = 0; i < 2; i++) {
        job_parts o = corpus_job(&c, 2);
        nd_job_summary summary = {.struct_size = sizeof summary};
        checking t = begin_checking(&c, &o.analyzer, perms[i]);
        o.resources.memory = UINT64_C(64) << 20;
        assert_int_equal(nd_signatures(signatures_of(&o, perms[i]), check_one, &t, &summary, NULL),
                         ND_OK);
        assert_int_equal(t.count, 20);
        assert_int_equal(summary.threads, threads[i]);
        end_checking(&t);
    }
    free_corpus(&c);
}

/* nd_signed_fn */
static bool ignore(void *context, const nd_signed *given) {
    return (void)context, (void)given, true;
}

static void test_memory_runs_out(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 9, 30);
    for (long left = 0;; left += 1 + left / 20) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        job_parts o = corpus_job(&c, 2);
        o.resources.allocator = &allocator;
        nd_status status = nd_signatures(signatures_of(&o, 128), ignore, NULL, NULL, NULL);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 100000);
    }
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_memory_bounds_threads),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

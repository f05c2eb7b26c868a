/* An index that grows in any steps, against one run over all its documents. */
#include "base/limits.h"
#include "job_parts.h"
#include "small_corpus.h"
#include "own_directory.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- the fate of each document */

typedef struct decided {
    bool kept[MOST];
    char evidence[MOST][24];
    uint64_t intersection[MOST], set_union[MOST];
    size_t first; /* number of the job's first document */
} decided;

static bool take_decision(void *context, const nd_decision *d) {
    decided *out = context;
    size_t i = out->first + d->document;
    out->kept[i] = d->kept;
    snprintf(out->evidence[i], sizeof out->evidence[i], "%.*s", (int)d->evidence_id_length,
             d->evidence_id);
    out->intersection[i] = d->kept ? 0 : d->intersection;
    out->set_union[i] = d->kept ? 0 : d->set_union;
    return true;
}

static void assert_same(const decided *a, const decided *b, size_t count) {
    for (size_t d = 0; d < count; d++) {
        assert_int_equal(a->kept[d], b->kept[d]);
        assert_string_equal(a->evidence[d], b->evidence[d]);
        assert_int_equal(a->intersection[d], b->intersection[d]);
        assert_int_equal(a->set_union[d], b->set_union[d]);
    }
}

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static job_parts options_of(corpus *c, const nd_index_options *index, decided *out) {
    job_parts o;
    job_parts_init(&o);
    o.input.records = give;
    o.input.records_context = c;
    o.similarity.perms = index->perms;
    o.similarity.threshold = index->threshold;
    o.similarity.recall = index->recall;
    o.analyzer.ngram = index->analyzer->ngram;
    o.outputs.on_decision = take_decision;
    o.outputs.context = out;
    o.resources.threads = 2;
    return o;
}

static void unique_ids(corpus *c) {
    for (size_t d = 0; d < c->count; d++) snprintf(c->id[d], sizeof c->id[d], "d%zu", d);
}

/* The result points to static memory. */
static nd_index_options small_options(uint64_t seed) {
    static nd_analyzer_options analyzer;
    nd_index_options o;
    nd_analyzer_options_init(&analyzer, sizeof analyzer);
    nd_index_options_init(&o, sizeof o);
    o.analyzer = &analyzer;
    o.perms = 64;
    o.recall = 0.99;
    o.threshold = random_below(&seed, 2) ? 0.8 : 0.5;
    analyzer.ngram = (uint32_t)random_below(&seed, 3) + 1;
    return o;
}

/* Adds documents [begin, end) as one batch. */
static void add_batch(const char *path, corpus *c, size_t begin, size_t end,
                      const nd_index_options *index, decided *out) {
    nd_error error;
    job_parts o = options_of(c, index, out);
    size_t count = c->count;
    o.index.path = path;
    o.input.records_stay = begin % 2; /* one way is as good as the other */
    out->first = begin;
    c->next = begin;
    c->count = end;
    must(nd_dedup(dedup_of(&o), NULL, &error), &error);
    c->count = count;
}

static void add_singly(const char *path, const corpus *c, size_t begin, size_t end, decided *out) {
    nd_error error;
    nd_index *x;
    nd_index_searcher *searcher;
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    nd_index_set_sync(x, ND_SYNC_BATCH);
    must(nd_index_searcher_create(x, &searcher, &error), &error);
    for (size_t d = begin; d < end; d++) {
        const nd_match *evidence;
        bool added;
        const nd_record document = {.text = c->text[d],
                                    .length = strlen(c->text[d]),
                                    .id = c->id[d],
                                    .id_length = strlen(c->id[d])};
        must(nd_index_add(x, searcher, &document, &added, &evidence, &error), &error);
        out->kept[d] = added;
        if (added) strcpy(out->evidence[d], c->id[d]);
        else
            snprintf(out->evidence[d], sizeof out->evidence[d], "%.*s", (int)evidence->id_length,
                     evidence->id);
        out->intersection[d] = added ? 0 : evidence->intersection;
        out->set_union[d] = added ? 0 : evidence->set_union;
    }
    must(nd_index_sync(x, &error), &error);
    nd_index_searcher_free(searcher);
    nd_index_close(x);
}

static void check_and_count(const char *path, size_t documents) {
    nd_error error;
    nd_index *x;
    nd_index_info info = {.struct_size = sizeof info};
    must(nd_index_open(path, ND_INDEX_READ, NULL, &x, &error), &error);
    must(nd_index_check(x, &error), &error);
    must(nd_index_describe(x, &info, &error), &error);
    assert_int_equal(info.documents, documents);
    nd_index_close(x);
}

/* Any mixture of batches, single documents and compactions gives the result of one run. */
static void test_any_steps(void **state) {
    (void)state;
    static corpus c;
    static decided wanted, got;
    nd_error error;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint64_t random = seed;
        nd_index_options options = small_options(seed);
        make_corpus(&c, seed, MOST / 2);
        unique_ids(&c);
        job_parts all = options_of(&c, &options, &wanted);
        c.next = 0;
        must(nd_dedup(dedup_of(&all), NULL, &error), &error);
        must(nd_index_create("x", &options, &error), &error);
        for (size_t begin = 0, end; begin < c.count; begin = end) {
            end = begin + 1 + random_below(&random, 60);
            if (end > c.count) end = c.count;
            if (random_below(&random, 2)) add_batch("x", &c, begin, end, &options, &got);
            else add_singly("x", &c, begin, end, &got);
            if (random_below(&random, 4) == 0) {
                nd_index *x;
                must(nd_index_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
                must(nd_index_compact(x, &error), &error);
                nd_index_close(x);
            }
        }
        assert_same(&wanted, &got, c.count);
        size_t kept = 0;
        for (size_t d = 0; d < c.count; d++) kept += wanted.kept[d];
        check_and_count("x", kept);
        remove_directory("x");
        free_corpus(&c);
    }
}

/* ---- an interrupted batch */

typedef struct interrupted {
    decided got;
    uint64_t left; /* documents that are reported before the run is interrupted */
    bool open;     /* the batch is given an open index */
} interrupted;

static bool take_and_end(void *context, const nd_decision *d) {
    interrupted *i = context;
    return i->left-- > 0 && take_decision(&i->got, d);
}

static void take_warning(void *context, const char *message) {
    snprintf(context, 300, "%s", message);
}

/* Adds or removes a document that is like no other and comes before all others. */
static void with_stranger(bool add) {
    static const char text[] =
        "nobody else speaks of quinces and of the seventeen lanterns behind the old mill at noon";
    const nd_record stranger = {
        .text = text, .length = strlen(text), .id = "stranger", .id_length = 8};
    nd_error error;
    nd_index *x;
    nd_index_searcher *searcher;
    bool done;
    must(nd_index_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
    must(nd_index_searcher_create(x, &searcher, &error), &error);
    if (add) must(nd_index_add(x, searcher, &stranger, &done, NULL, &error), &error);
    else must(nd_index_remove(x, "stranger", 8, &done, &error), &error);
    assert_true(done);
    if (!add) must(nd_index_compact(x, &error), &error);
    nd_index_searcher_free(searcher);
    nd_index_close(x);
}

/* One run of the documents from 40 on. True: the run reported that it continues an unfinished
 * batch. */
static bool run_batch(corpus *c, const nd_index_options *options, interrupted *run, uint64_t left,
                      nd_status wanted) {
    char warning[300] = "";
    nd_error error;
    job_parts o = options_of(c, options, NULL);
    if (run->open) must(nd_index_open("x", ND_INDEX_WRITE, NULL, &o.index.index, &error), &error);
    else o.index.path = "x";
    o.index.resume = true;
    o.outputs.on_decision = take_and_end;
    o.outputs.context = run;
    o.resources.on_warning = take_warning;
    o.resources.context = warning;
    run->got.first = c->next = 40;
    run->left = left;
    nd_status status = nd_dedup(dedup_of(&o), NULL, &error);
    nd_index_close(o.index.index);
    if (status != wanted) fail_msg("%s", error.message);
    return strstr(warning, "is continued") != NULL;
}

/* A batch that is run again gives the same result, whatever part of it was in the index already,
 * and even if numbers have changed since. */
static void test_continued(void **state) {
    (void)state;
    static corpus c;
    static decided wanted;
    static interrupted run;
    nd_error error;
    unsigned continued = 0;
    for (uint64_t seed = 100; seed <= 110; seed++) {
        uint64_t random = seed;
        nd_index_options options = small_options(seed);
        make_corpus(&c, seed, MOST / 2);
        unique_ids(&c);
        job_parts all = options_of(&c, &options, &wanted);
        c.next = 0;
        must(nd_dedup(dedup_of(&all), NULL, &error), &error);
        must(nd_index_create("x", &options, &error), &error);
        run.open = seed % 2;
        with_stranger(true);
        add_batch("x", &c, 0, 40, &options, &run.got);
        continued += run_batch(&c, &options, &run, random_below(&random, MOST / 2 - 40),
                               ND_ERR_CANCELLED);
        with_stranger(false);
        continued += run_batch(&c, &options, &run, random_below(&random, MOST / 2 - 40),
                               ND_ERR_CANCELLED);
        continued += run_batch(&c, &options, &run, MOST, ND_OK);
        assert_same(&wanted, &run.got, c.count);
        size_t kept = 0;
        for (size_t d = 0; d < c.count; d++) kept += wanted.kept[d];
        check_and_count("x", kept);
        remove_directory("x");
        free_corpus(&c);
    }
    /* With tiny limits there is a checkpoint after every block. */
    assert_in_range(continued, ND_LIMIT(0, 1), 33);
}

/* A different batch from callbacks is not mistaken for the unfinished one: its ids are there
 * already. */
static void test_not_continued(void **state) {
    (void)state;
    static corpus c;
    static interrupted run;
    static decided got;
    nd_error error;
    nd_index_options options = small_options(7);
    make_corpus(&c, 7, MOST / 2);
    unique_ids(&c);
    must(nd_index_create("x", &options, &error), &error);
    run_batch(&c, &options, &run, MOST / 2 - 60, ND_ERR_CANCELLED);
    job_parts o = options_of(&c, &options, &got);
    o.index.path = "x";
    got.first = c.next = 40;
    nd_status status = nd_dedup(dedup_of(&o), NULL, &error);
#if ND_TINY_LIMITS
    assert_int_equal(status, ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "already"));
#else
    assert_int_equal(status, ND_OK); /* there was no checkpoint */
#endif
    remove_directory("x");
    free_corpus(&c);
}

/* The first match of all is a document with an empty id. */
static void test_empty_id(void **state) {
    (void)state;
    static const char text[] = "six words that stand here alone";
    const nd_record document = {.text = text, .length = strlen(text), .id = "", .id_length = 0};
    nd_error error;
    nd_index *x;
    nd_index_searcher *searcher;
    const nd_match *matches;
    size_t count;
    bool added;
    must(nd_index_create("x", NULL, &error), &error);
    must(nd_index_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
    must(nd_index_searcher_create(x, &searcher, &error), &error);
    must(nd_index_add(x, searcher, &document, &added, NULL, &error), &error);
    assert_true(added);
    must(nd_index_search(searcher, text, strlen(text), ND_SEARCH_ALL, &matches, &count, &error),
         &error);
    assert_int_equal(count, 1);
    assert_non_null(matches[0].id);
    assert_int_equal(matches[0].id_length, 0);
    nd_index_searcher_free(searcher);
    nd_index_close(x);
    remove_directory("x");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_id), cmocka_unit_test(test_not_continued),
        cmocka_unit_test(test_any_steps), cmocka_unit_test(test_continued)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

/* An index in memory alone against one in a directory: the same calls give the same answers. */
#include "index/index.h"

#include "job_parts.h"
#include "own_directory.h"

#include <string.h>

/* Matches that both had, and ingest jobs that succeeded. */
static uint64_t matched, ingested;

enum { STEPS = 1500, MOST_DOCUMENTS = 600, WORDS = 12 };

typedef struct both {
    nd_index *index[2]; /* on disk, in memory */
    nd_index_searcher *searcher[2];
} both;

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static nd_index_options options_of(uint64_t seed) {
    static const nd_analyzer_options words = {sizeof words, .kind = ND_WORDS, .ngram = 1,
                                              .seed = 1};
    nd_index_options o;
    nd_index_options_init(&o, sizeof o);
    o.perms = 64;
    o.recall = 0.99;
    o.threshold = 0.5;
    o.analyzer = &words;
    o.sketch_only = seed % 2;
    return o;
}

/* nd_index_add, nd_index_replace */
typedef nd_status add_fn(nd_index *index, nd_index_searcher *searcher, const nd_record *document,
                         bool *added, const nd_match **evidence, nd_error *error);

static nd_index_info describe(nd_index *index) {
    nd_index_info info = {.struct_size = sizeof info};
    nd_error error;
    must(nd_index_describe(index, &info, &error), &error);
    return info;
}

static both open_both(const nd_index_options *options) {
    both b;
    nd_error error;
    must(nd_index_create("i", options, &error), &error);
    must(nd_index_open("i", ND_INDEX_WRITE, NULL, &b.index[0], &error), &error);
    nd_index_set_sync(b.index[0], ND_SYNC_OFF);
    must(nd_index_create_in_memory(options, NULL, &b.index[1], &error), &error);
    for (int i = 0; i < 2; i++)
        must(nd_index_searcher_create(b.index[i], &b.searcher[i], &error), &error);
    return b;
}

static void close_both(both *b) {
    for (int i = 0; i < 2; i++) {
        nd_index_searcher_free(b->searcher[i]);
        nd_index_close(b->index[i]);
    }
    remove_directory("i");
}

/* Texts of few words, so that many are near-duplicates. */
static size_t make_text(uint64_t *seed, char text[8 * WORDS]) {
    size_t length = 0;
    for (int w = 0; w < WORDS; w++)
        length += (size_t)snprintf(text + length, 8 * WORDS - length, "w%u ",
                                   (unsigned)random_below(seed, 40));
    return length;
}

static void assert_same_match(const nd_match *a, const nd_match *b) {
    assert_true(a->jaccard == b->jaccard && a->estimated == b->estimated);
    assert_int_equal(a->id_length, b->id_length);
    assert_memory_equal(a->id, b->id, a->id_length);
}

static void add(both *b, const char *id, uint64_t *seed) {
    char text[8 * WORDS];
    size_t length = make_text(seed, text);
    const nd_record record = {.text = text, .length = length, .id = id, .id_length = strlen(id)};
    add_fn *add_one = random_below(seed, 2) ? nd_index_replace : nd_index_add;
    bool added[2];
    const nd_match *evidence[2];
    nd_status status[2];
    nd_error error[2];
    for (int i = 0; i < 2; i++)
        status[i] = add_one(b->index[i], b->searcher[i], &record, &added[i], &evidence[i],
                            &error[i]);
    assert_int_equal(status[0], status[1]);
    if (status[0] != ND_OK) return; /* the id is there already */
    assert_int_equal(added[0], added[1]);
    if (!added[0]) assert_same_match(evidence[0], evidence[1]);
}

static void remove_id(both *b, const char *id) {
    bool found[2];
    nd_error error;
    for (int i = 0; i < 2; i++)
        must(nd_index_remove(b->index[i], id, strlen(id), &found[i], &error), &error);
    assert_int_equal(found[0], found[1]);
}

static void search(both *b, uint64_t *seed) {
    char text[8 * WORDS];
    size_t length = make_text(seed, text), count[2];
    nd_search_kind kind = (nd_search_kind)random_below(seed, ND_SEARCH_FIRST + 1);
    const nd_match *matches[2];
    nd_error error;
    for (int i = 0; i < 2; i++)
        must(nd_index_search(b->searcher[i], text, length, kind, &matches[i], &count[i], &error),
             &error);
    assert_int_equal(count[0], count[1]);
    assert_int_equal(nd_index_searcher_left_out(b->searcher[0]),
                     nd_index_searcher_left_out(b->searcher[1]));
    matched += count[0];
    for (size_t m = 0; m < count[0]; m++) assert_same_match(&matches[0][m], &matches[1][m]);
}

/* ---- many documents at once */

typedef struct feed {
    uint64_t seed;
    unsigned id, left;
    char text[8 * WORDS], digits[16];
    uint64_t told; /* a hash of the answers or decisions, in their order */
} feed;

/* nd_record_fn; ids ascend. */
static int give(void *context, nd_record *out) {
    feed *f = context;
    if (f->left == 0) return 0;
    f->left--;
    out->text = f->text;
    out->length = make_text(&f->seed, f->text);
    out->id = f->digits;
    out->id_length = (size_t)snprintf(f->digits, sizeof f->digits, "%u", f->id++);
    return 1;
}

static bool hash_answer(void *context, const nd_answer *answer) {
    feed *f = context;
    f->told = nd_mix64(f->told + answer->count);
    for (size_t m = 0; m < answer->count; m++)
        for (size_t i = 0; i < answer->matches[m].id_length; i++)
            f->told = nd_mix64(f->told + (unsigned char)answer->matches[m].id[i]);
    return true;
}

static void query(both *b, uint64_t *seed) {
    const feed all = {.seed = *seed, .left = 50};
    feed fed[2] = {all, all};
    nd_error error;
    for (int i = 0; i < 2; i++) {
        nd_input_options asked;
        nd_input_options_init(&asked, sizeof asked);
        asked.records = give;
        asked.records_context = &fed[i];
        nd_index_query_options options;
        nd_index_query_options_init(&options, sizeof options);
        options.input = &asked;
        must(nd_index_query(b->index[i], &options, hash_answer, &fed[i], NULL, &error), &error);
    }
    assert_true(fed[0].told == fed[1].told);
}

static bool hash_decision(void *context, const nd_decision *d) {
    feed *f = context;
    f->told = nd_mix64(f->told + d->kept * 2 + d->indexed + (d->evidence << 2));
    for (size_t i = 0; i < d->evidence_id_length; i++)
        f->told = nd_mix64(f->told + (unsigned char)d->evidence_id[i]);
    return true;
}

/* An ingest job on the open index. */
static void dedup(both *b, const nd_index_options *options, uint64_t *seed) {
    const feed all = {.seed = *seed,
                      .id = (unsigned)random_below(seed, MOST_DOCUMENTS),
                      .left = (unsigned)random_below(seed, 40)};
    bool replace = random_below(seed, 4);
    feed fed[2] = {all, all};
    nd_status status[2];
    nd_error error[2];
    for (int i = 0; i < 2; i++) {
        job_parts job;
        job_parts_init(&job);
        job.input.records = give;
        job.input.records_context = &fed[i];
        job.analyzer = *options->analyzer;
        job.similarity.perms = options->perms;
        job.similarity.recall = options->recall;
        job.similarity.threshold = options->threshold;
        job.index.index = b->index[i];
        job.index.replace = replace;
        job.index.sync = ND_SYNC_OFF;
        job.outputs.on_decision = hash_decision;
        job.outputs.context = &fed[i];
        status[i] = nd_dedup(dedup_of(&job), NULL, &error[i]);
    }
    assert_int_equal(status[0], status[1]);
    if (replace) must(status[0], &error[0]); /* else an id may be there already */
    if (status[0] == ND_OK) assert_true(fed[0].told == fed[1].told);
    ingested += status[0] == ND_OK;
}

static void check(both *b) {
    nd_index_info info[2];
    nd_error error;
    for (int i = 0; i < 2; i++) {
        must(nd_index_sync(b->index[i], &error), &error);
        must(nd_index_refresh(b->index[i], &error), &error);
        must(nd_index_check(b->index[i], &error), &error);
        info[i] = describe(b->index[i]);
    }
    assert_int_equal(info[0].documents, info[1].documents);
    assert_int_equal(info[1].segments, 0);
    assert_int_equal(info[0].options->perms, info[1].options->perms);
    assert_int_equal(info[1].options->analyzer->ngram, 1);
    assert_int_equal(info[0].plan.bands, info[1].plan.bands);
    assert_int_equal(info[0].plan.rows, info[1].plan.rows);
}

static void test_same_answers(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 4; round++) {
        uint64_t seed = round;
        const nd_index_options options = options_of(round);
        both b = open_both(&options);
        for (int step = 0; step < STEPS; step++) {
            char id[16];
            nd_error error;
            snprintf(id, sizeof id, "%u", (unsigned)random_below(&seed, MOST_DOCUMENTS));
            uint64_t kind = random_below(&seed, 400);
            if (kind < 200) add(&b, id, &seed);
            else if (kind < 320) remove_id(&b, id);
            else if (kind < 390) search(&b, &seed);
            else if (kind < 392) query(&b, &seed);
            else if (kind < 396) dedup(&b, &options, &seed);
            else if (kind < 398) check(&b);
            else
                for (int i = 0; i < 2; i++) must(nd_index_compact(b.index[i], &error), &error);
        }
        check(&b);
        close_both(&b);
    }
    assert_true(matched > STEPS / 10 && ingested > 20);
}

/* Removed documents give their memory back, without nd_index_compact. */
static void test_memory_of_removed(void **state) {
    (void)state;
    enum { ROUNDS = 2000 };
    nd_index *index;
    nd_index_searcher *searcher;
    nd_error error;
    const nd_index_options options = options_of(0);
    const nd_record record = {.text = "some text", .length = 9, .id = "id", .id_length = 2};
    must(nd_index_create_in_memory(&options, NULL, &index, &error), &error);
    must(nd_index_searcher_create(index, &searcher, &error), &error);
    for (int round = 0; round < ROUNDS; round++) {
        bool added, found;
        must(nd_index_add(index, searcher, &record, &added, NULL, &error), &error);
        assert_true(added);
        must(nd_index_remove(index, "id", 2, &found, &error), &error);
        assert_true(found);
        assert_true(describe(index).removed < 10);
    }
    nd_index_searcher_free(searcher);
    nd_index_close(index);
}

/* ---- memory runs out */

static nd_status use(nd_index *index, nd_error *error) {
    static const nd_record
        a = {.text = "one two three four five six", .length = 27, .id = "a", .id_length = 1},
        b = {.text = "seven eight nine ten", .length = 20, .id = "b", .id_length = 1};
    nd_index_searcher *searcher = NULL;
    const nd_match *matches;
    size_t count;
    bool added, found;
    nd_status status = nd_index_searcher_create(index, &searcher, error);
    if (status == ND_OK) status = nd_index_add(index, searcher, &a, &added, NULL, error);
    if (status == ND_OK) status = nd_index_add(index, searcher, &b, &added, NULL, error);
    if (status == ND_OK) status = nd_index_replace(index, searcher, &b, &added, NULL, error);
    if (status == ND_OK) status = nd_index_remove(index, "a", 1, &found, error);
    if (status == ND_OK)
        status = nd_index_search(searcher, b.text, b.length, ND_SEARCH_ALL, &matches, &count,
                                 error);
    if (status == ND_OK) assert_int_equal(count, 1);
    if (status == ND_OK) status = nd_index_compact(index, error);
    nd_index_searcher_free(searcher);
    return status;
}

/* Each request fails in turn: the call returns the failure, the index can be checked, and all
 * memory is given back. */
static void test_memory_runs_out(void **state) {
    (void)state;
    nd_status status = ND_ERR_MEMORY;
    for (long left = 0; status == ND_ERR_MEMORY; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_index *index = NULL;
        nd_error error;
        status = nd_index_create_in_memory(NULL, &allocator, &index, &error);
        if (status == ND_OK) status = use(index, &error);
        failing.left = FAILING_ALLOCATOR_NEVER;
        if (status != ND_OK && status != ND_ERR_MEMORY) fail_msg("%s", error.message);
        if (index) must(nd_index_check(index, &error), &error);
        nd_index_close(index);
        assert_int_equal(failing.live, 0);
        assert_true(left < 2000 && (status == ND_ERR_MEMORY || left > 30));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_answers),
                                       cmocka_unit_test(test_memory_of_removed),
                                       cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

/* An index of fingerprints in memory alone against one in a directory: the same calls give the same
 * answers, whether ids are numbers or not. */
#include "neardup.h"

#include "own_directory.h"

#include <string.h>

/* Matches and pairs that both had. */
static uint64_t matched, joined;

enum { ROUNDS = 4, STEPS = 1200, IDS = 500, CENTRES = 30, BITS = 64, K = 4 };

typedef struct both {
    nd_hamming_index *index[2]; /* on disk, in memory */
    nd_hamming_searcher *searcher[2];
    bool numbered;
    uint32_t next; /* number */
} both;

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static both open_both(bool numbered) {
    both b = {.numbered = numbered};
    nd_error error;
    nd_hamming_options options;
    nd_hamming_options_init(&options, sizeof options);
    options.k = K;
    options.numbered = numbered;
    must(nd_hamming_create("h", &options, &error), &error);
    must(nd_hamming_open("h", ND_INDEX_WRITE, NULL, &b.index[0], &error), &error);
    nd_hamming_set_sync(b.index[0], ND_SYNC_OFF);
    must(nd_hamming_create_in_memory(&options, NULL, &b.index[1], &error), &error);
    for (int i = 0; i < 2; i++)
        must(nd_hamming_searcher_create(b.index[i], &b.searcher[i], &error), &error);
    return b;
}

static void close_both(both *b) {
    for (int i = 0; i < 2; i++) {
        nd_hamming_searcher_free(b->searcher[i]);
        nd_hamming_close(b->index[i]);
    }
    remove_directory("h");
}

/* Near one of a few centres, so that many are near each other and some are equal. */
static nd_fingerprint random_fingerprint(uint64_t *seed) {
    uint64_t centre = random_below(seed, CENTRES);
    nd_fingerprint f = {random_next(&centre), 0};
    for (uint64_t flips = random_below(seed, 4); flips > 0; flips--)
        f.low ^= UINT64_C(1) << random_below(seed, BITS);
    return f;
}

typedef struct given_id {
    char bytes[16];
    size_t length;
} given_id;

static given_id id_of(uint64_t number) {
    given_id id;
    id.length = (size_t)snprintf(id.bytes, sizeof id.bytes, "%u", (unsigned)number);
    return id;
}

/* ---- changes */

static void assert_same_status(const nd_status status[2], const nd_error error[2]) {
    assert_int_equal(status[0], status[1]);
    if (status[0] != ND_OK) assert_int_equal(error[0].status, error[1].status);
}

/* Numbers ascend; some are given, some are the next. Other ids may be there already. */
static void add(both *b, uint64_t *seed) {
    const nd_fingerprint f = random_fingerprint(seed);
    bool replace = !b->numbered && random_below(seed, 2), given = random_below(seed, 2);
    if (b->numbered && given) b->next += (uint32_t)random_below(seed, 3);
    const given_id id = id_of(b->numbered ? b->next : random_below(seed, IDS));
    const char *bytes = b->numbered && !given ? NULL : id.bytes;
    nd_status status[2];
    nd_error error[2];
    for (int i = 0; i < 2; i++)
        status[i] = replace ? nd_hamming_replace(b->index[i], bytes, id.length, f, &error[i])
                            : nd_hamming_add(b->index[i], bytes, id.length, f, &error[i]);
    assert_same_status(status, error);
    if (b->numbered || replace) must(status[0], &error[0]);
    b->next++;
}

static void remove_id(both *b, uint64_t *seed) {
    const given_id id = id_of(random_below(seed, b->numbered ? b->next + 1 : IDS));
    bool found[2];
    nd_error error;
    for (int i = 0; i < 2; i++)
        must(nd_hamming_remove(b->index[i], id.bytes, id.length, &found[i], &error), &error);
    assert_int_equal(found[0], found[1]);
}

/* nd_fingerprint_source_fn */
typedef struct feed {
    const both *b;
    uint64_t seed;
    uint64_t left, first; /* ids from `first` on, where they are not numbers */
    given_id id;
} feed;

static int give(void *context, nd_fingerprinted *out) {
    feed *f = context;
    if (f->left == 0) return 0;
    f->left--;
    *out = (nd_fingerprinted){.fingerprint = random_fingerprint(&f->seed)};
    if (f->b->numbered) return 1; /* the next number */
    f->id = id_of(f->first++);
    out->id = f->id.bytes;
    out->id_length = f->id.length;
    return 1;
}

static void load(both *b, uint64_t *seed, uint64_t count) {
    const feed all = {.b = b, .seed = *seed, .left = count, .first = random_below(seed, IDS)};
    const nd_hamming_load_options options = {sizeof options,
                                             .replace = !b->numbered && random_below(seed, 4)};
    nd_status status[2];
    nd_error error[2];
    nd_job_summary summary[2] = {{.struct_size = sizeof *summary},
                                 {.struct_size = sizeof *summary}};
    for (int i = 0; i < 2; i++) {
        feed f = all;
        const nd_fingerprint_source source = {sizeof source, .next = give, .context = &f};
        status[i] = nd_hamming_load(b->index[i], &source, &options, &summary[i], &error[i]);
    }
    assert_same_status(status, error);
    if (b->numbered || options.replace) must(status[0], &error[0]);
    if (status[0] != ND_OK) return; /* an id is there already */
    assert_int_equal(summary[0].documents, count);
    assert_int_equal(summary[1].documents, count);
    b->next += (uint32_t)count;
}

/* ---- answers */

static void assert_same_match(const nd_hamming_match *a, const nd_hamming_match *b) {
    assert_int_equal(a->id_length, b->id_length);
    assert_memory_equal(a->id, b->id, a->id_length);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->distance, b->distance);
    assert_true(a->fingerprint.low == b->fingerprint.low && b->fingerprint.high == 0);
}

/* Also above the index's own k. Which ones ND_HAMMING_ANY meets first is left open. */
static void search(both *b, uint64_t *seed) {
    const nd_fingerprint query = random_fingerprint(seed);
    nd_hamming_search_options options;
    nd_hamming_search_options_init(&options, sizeof options);
    options.k = (uint32_t)random_below(seed, K + 4);
    options.kind = (nd_hamming_kind)random_below(seed, ND_HAMMING_COUNT + 1);
    options.limit = 1 + random_below(seed, 5);
    const nd_hamming_match *matches[2];
    uint64_t count[2];
    nd_error error;
    for (int i = 0; i < 2; i++)
        must(nd_hamming_search(b->searcher[i], query, &options, &matches[i], &count[i], &error),
             &error);
    assert_int_equal(count[0], count[1]);
    matched += count[0];
    if (options.kind == ND_HAMMING_COUNT) return;
    for (uint64_t m = 0; m < count[0]; m++) {
        if (options.kind != ND_HAMMING_ANY) assert_same_match(&matches[0][m], &matches[1][m]);
        assert_int_equal(matches[1][m].distance, nd_distance(query, matches[1][m].fingerprint));
        assert_true(matches[1][m].distance <= options.k);
    }
}

/* nd_hamming_answer_fn: folds all answers, in their order, into one number. */
static bool hash_answer(void *context, const nd_hamming_answer *answer) {
    uint64_t *hash = context;
    *hash = nd_mix64(*hash + answer->count);
    for (uint64_t m = 0; m < answer->count; m++)
        *hash = nd_mix64(*hash + answer->matches[m].distance + answer->matches[m].number +
                         (unsigned char)answer->matches[m].id[0]);
    return true;
}

static bool hash_pair(void *context, const nd_hamming_pair *pair) {
    uint64_t *hash = context;
    *hash = nd_mix64(*hash + pair->distance);
    for (size_t i = 0; i < pair->id_a_length; i++)
        *hash = nd_mix64(*hash + (unsigned char)pair->id_a[i]);
    for (size_t i = 0; i < pair->id_b_length; i++)
        *hash = nd_mix64(*hash + (unsigned char)pair->id_b[i]);
    return true;
}

static void query_many(both *b, uint64_t *seed) {
    const feed all = {.b = b, .seed = *seed, .left = 200};
    uint64_t hash[2] = {0};
    nd_job_summary summary[2] = {{.struct_size = sizeof *summary},
                                 {.struct_size = sizeof *summary}};
    nd_error error;
    for (int i = 0; i < 2; i++) {
        feed f = all;
        const nd_fingerprint_source source = {sizeof source, .next = give, .context = &f};
        const nd_hamming_query_options options = {sizeof options, .source = &source};
        must(nd_hamming_query(b->index[i], &options, hash_answer, &hash[i], &summary[i], &error),
             &error);
    }
    assert_true(hash[0] == hash[1]);
    assert_int_equal(summary[0].pairs, summary[1].pairs);
}

/* The index with itself, in both ways, and with the other one. */
static void join(both *b) {
    nd_hamming_join_options options;
    nd_hamming_join_options_init(&options, sizeof options);
    nd_error error;
    for (options.kind = ND_JOIN_PAIRS; options.kind <= ND_JOIN_GROUPS; options.kind++) {
        uint64_t hash[2] = {0};
        nd_job_summary summary = {.struct_size = sizeof summary};
        for (int i = 0; i < 2; i++) {
            const nd_hamming_side side = {.index = b->index[i]};
            must(nd_hamming_join(&side, NULL, &options, hash_pair, &hash[i], &summary, &error),
                 &error);
        }
        assert_true(hash[0] == hash[1]);
        joined += summary.pairs;
    }
    uint64_t hash[2] = {0};
    options.kind = ND_JOIN_PAIRS;
    options.k = 0;
    for (int i = 0; i < 2; i++) {
        const nd_hamming_side one = {.index = b->index[i]}, other = {.index = b->index[!i]};
        must(nd_hamming_join(&one, &other, &options, hash_pair, &hash[i], NULL, &error), &error);
    }
    assert_true(hash[0] == hash[1]);
}

static nd_hamming_info describe(nd_hamming_index *index) {
    nd_hamming_info info = {.struct_size = sizeof info};
    nd_error error;
    must(nd_hamming_describe(index, &info, &error), &error);
    return info;
}

static void check(both *b) {
    nd_error error;
    for (int i = 0; i < 2; i++) {
        must(nd_hamming_sync(b->index[i], &error), &error);
        must(nd_hamming_refresh(b->index[i], &error), &error);
        must(nd_hamming_check(b->index[i], &error), &error);
    }
    const nd_hamming_info on_disk = describe(b->index[0]), in_memory = describe(b->index[1]);
    assert_int_equal(on_disk.fingerprints, in_memory.fingerprints);
    assert_true(in_memory.segments == 0 && in_memory.table_bytes == 0);
    assert_string_equal(in_memory.design, "");
    assert_int_equal(in_memory.options->k, K);
    assert_int_equal(in_memory.options->numbered, b->numbered);
}

static void compact(both *b) {
    nd_error error;
    for (int i = 0; i < 2; i++) must(nd_hamming_compact(b->index[i], &error), &error);
    assert_int_equal(describe(b->index[1]).removed, 0);
}

/* ---- tests */

static void step(both *b, uint64_t *seed) {
    uint64_t kind = random_below(seed, 400);
    if (kind < 200) add(b, seed);
    else if (kind < 290) remove_id(b, seed);
    else if (kind < 384) search(b, seed);
    else if (kind < 390) load(b, seed, random_below(seed, 30));
    else if (kind < 392) query_many(b, seed);
    else if (kind < 394) join(b);
    else if (kind < 398) check(b);
    else compact(b);
}

static void test_same_answers(void **state) {
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round;
        both b = open_both(round % 2);
        for (int i = 0; i < STEPS; i++) step(&b, &seed);
        check(&b);
        close_both(&b);
    }
    assert_true(matched > STEPS && joined > STEPS);
}

/* More at once than a log takes: on disk they become a segment. */
static void test_many(void **state) {
    (void)state;
    for (int numbered = 0; numbered < 2; numbered++) {
        uint64_t seed = 9;
        both b = open_both(numbered);
        load(&b, &seed, 0);
        for (int part = 0; part < 2; part++) load(&b, &seed, 3000);
        assert_true(describe(b.index[0]).segments > 0);
        assert_true(describe(b.index[1]).fingerprints >= 3000);
        for (int i = 0; i < 200; i++) {
            remove_id(&b, &seed);
            search(&b, &seed);
        }
        query_many(&b, &seed);
        join(&b);
        check(&b);
        compact(&b);
        query_many(&b, &seed);
        check(&b);
        close_both(&b);
    }
}

/* A load that fails leaves nothing. */
static void test_failed_load(void **state) {
    (void)state;
    static const uint64_t words[] = {1, 2, 3};
    nd_hamming_index *index;
    nd_error error;
    must(nd_hamming_create_in_memory(NULL, NULL, &index, &error), &error);
    const both b = {.numbered = false};
    feed f = {.b = &b, .seed = 1, .left = 50};
    const nd_fingerprint_source source = {sizeof source, .next = give, .context = &f},
                                positions = {sizeof positions, .words = words, .count = 3};
    must(nd_hamming_load(index, &source, NULL, NULL, &error), &error);
    f = (feed){.b = &b, .seed = 2, .left = 50, .first = 49}; /* the first of them is there */
    assert_int_equal(nd_hamming_load(index, &source, NULL, NULL, &error), ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "\"49\""));
    assert_int_equal(describe(index).fingerprints, 50);
    assert_int_equal(nd_hamming_load(index, &positions, NULL, NULL, &error), ND_ERR_ARGUMENT);
    assert_int_equal(describe(index).fingerprints, 50);
    must(nd_hamming_check(index, &error), &error);
    nd_hamming_close(index);
}

/* A callback of a load cannot change the index; it can search, and sees what was there before. */
typedef struct meddler {
    nd_hamming_index *index;
    nd_hamming_searcher *searcher;
    unsigned calls;
} meddler;

static int meddle(void *context, nd_fingerprinted *out) {
    meddler *m = context;
    const nd_hamming_match *matches;
    uint64_t count;
    bool found;
    nd_error error;
    assert_int_equal(nd_hamming_remove(m->index, "a", 1, &found, &error), ND_ERR_BUSY);
    assert_int_equal(nd_hamming_add(m->index, "z", 1, (nd_fingerprint){0, 0}, &error), ND_ERR_BUSY);
    must(nd_hamming_search(m->searcher, (nd_fingerprint){7, 0}, NULL, &matches, &count, &error),
         &error);
    assert_int_equal(count, 1);
    if (m->calls++ == 1) return 0;
    *out = (nd_fingerprinted){.id = "b", .id_length = 1, .fingerprint = {7, 0}};
    return 1;
}

static void test_callbacks(void **state) {
    (void)state;
    meddler m = {0};
    nd_error error;
    must(nd_hamming_create_in_memory(NULL, NULL, &m.index, &error), &error);
    must(nd_hamming_searcher_create(m.index, &m.searcher, &error), &error);
    must(nd_hamming_add(m.index, "a", 1, (nd_fingerprint){7, 0}, &error), &error);
    const nd_fingerprint_source source = {sizeof source, .next = meddle, .context = &m};
    must(nd_hamming_load(m.index, &source, NULL, NULL, &error), &error);
    assert_int_equal(describe(m.index).fingerprints, 2);
    nd_hamming_searcher_free(m.searcher);
    nd_hamming_close(m.index);
}

/* A join of an index in memory lets nobody change it; on disk it has a state of its own. */
typedef struct join_callback {
    nd_hamming_index *index;
    nd_status changed, joined;
    unsigned calls;
} join_callback;

static bool pass_pair(void *context, const nd_hamming_pair *pair) {
    return (void)context, (void)pair, true;
}

static bool change_while_joining(void *context, const nd_hamming_pair *pair) {
    join_callback *c = context;
    const nd_hamming_side side = {.index = c->index};
    assert_int_equal(pair->id_b_length, 1);
    c->calls++;
    c->changed = nd_hamming_add(c->index, "z", 1, (nd_fingerprint){7, 0}, NULL);
    c->joined = nd_hamming_join(&side, NULL, NULL, pass_pair, NULL, NULL, NULL);
    return true;
}

static void test_changes_while_joining(void **state) {
    (void)state;
    both b = open_both(false);
    nd_error error;
    for (int i = 0; i < 2; i++) {
        join_callback c = {.index = b.index[i]};
        const nd_hamming_side side = {.index = b.index[i]};
        must(nd_hamming_add(b.index[i], "a", 1, (nd_fingerprint){7, 0}, &error), &error);
        must(nd_hamming_add(b.index[i], "b", 1, (nd_fingerprint){7, 0}, &error), &error);
        must(nd_hamming_join(&side, NULL, NULL, change_while_joining, &c, NULL, &error), &error);
        assert_int_equal(c.calls, 1);
        assert_int_equal(c.changed, i == 0 ? ND_OK : ND_ERR_BUSY);
        assert_int_equal(c.joined, i == 0 ? ND_OK : ND_ERR_BUSY);
        assert_int_equal(describe(b.index[i]).fingerprints, i == 0 ? 3 : 2);
        must(nd_hamming_replace(b.index[i], "z", 1, (nd_fingerprint){7, 0}, &error), &error);
    }
    close_both(&b);
}

/* Removed fingerprints give their memory back, without nd_hamming_compact. */
static void test_memory_of_removed(void **state) {
    (void)state;
    enum { TIMES = 2000 };
    nd_hamming_index *index;
    nd_error error;
    must(nd_hamming_create_in_memory(NULL, NULL, &index, &error), &error);
    for (int i = 0; i < TIMES; i++) {
        bool found;
        must(nd_hamming_add(index, "id", 2, (nd_fingerprint){1, 0}, &error), &error);
        must(nd_hamming_remove(index, "id", 2, &found, &error), &error);
        assert_true(found);
        assert_true(describe(index).removed < 10);
    }
    nd_hamming_close(index);
}

/* ---- memory runs out */

static nd_status use(nd_hamming_index *index, const nd_allocator *allocator, nd_error *error) {
    const both b = {.numbered = false};
    feed f = {.b = &b, .seed = 3, .left = 20};
    const nd_fingerprint_source source = {sizeof source, .next = give, .context = &f};
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.allocator = allocator;
    resources.threads = 1;
    const nd_hamming_load_options options = {sizeof options, .resources = &resources,
                                             .replace = true};
    nd_hamming_join_options joining;
    nd_hamming_join_options_init(&joining, sizeof joining);
    joining.resources = &resources;
    const nd_hamming_side side = {.index = index};
    nd_hamming_searcher *searcher = NULL;
    const nd_hamming_match *matches;
    uint64_t count, hash;
    bool found;
    nd_status status = nd_hamming_searcher_create(index, &searcher, error);
    if (status == ND_OK) status = nd_hamming_add(index, "7", 1, (nd_fingerprint){1, 0}, error);
    if (status == ND_OK) status = nd_hamming_replace(index, "7", 1, (nd_fingerprint){3, 0}, error);
    if (status == ND_OK) status = nd_hamming_load(index, &source, &options, NULL, error);
    if (status == ND_OK) status = nd_hamming_remove(index, "7", 1, &found, error);
    if (status == ND_OK)
        status = nd_hamming_search(searcher, (nd_fingerprint){3, 0}, NULL, &matches, &count, error);
    if (status == ND_OK)
        status = nd_hamming_join(&side, NULL, &joining, hash_pair, &hash, NULL, error);
    if (status == ND_OK) status = nd_hamming_compact(index, error);
    nd_hamming_searcher_free(searcher);
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
        nd_hamming_index *index = NULL;
        nd_error error;
        status = nd_hamming_create_in_memory(NULL, &allocator, &index, &error);
        if (status == ND_OK) status = use(index, &allocator, &error);
        failing.left = FAILING_ALLOCATOR_NEVER;
        if (status != ND_OK && status != ND_ERR_MEMORY) fail_msg("%s", error.message);
        if (index) must(nd_hamming_check(index, &error), &error);
        nd_hamming_close(index);
        assert_int_equal(failing.live, 0);
        assert_true(left < 2000 && (status == ND_ERR_MEMORY || left > 30));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_answers),          cmocka_unit_test(test_many),
        cmocka_unit_test(test_failed_load),           cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_changes_while_joining), cmocka_unit_test(test_memory_of_removed),
        cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

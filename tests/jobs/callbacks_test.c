/* Callbacks that call the index that has called them. Searches and joins allow changes to the
 * index, a load rejects them, and no call waits for ever. */
#include "neardup.h"
#include "own_directory.h"

#include <string.h>
#include <unistd.h>

enum { MANY = 300, PATIENCE = 60 /* seconds */ };

static nd_error error;

static void good(nd_status status) {
    if (status != ND_OK) fail_msg("%s", error.message);
}

/* MANY fingerprints, each near the next, some of them in the write-ahead log. */
static nd_hamming_index *make(void) {
    nd_hamming_index *x;
    good(nd_hamming_create("x", NULL, &error));
    good(nd_hamming_open("x", ND_INDEX_WRITE, NULL, &x, &error));
    nd_hamming_set_sync(x, ND_SYNC_BATCH);
    for (uint64_t i = 0; i < MANY; i++) {
        char id[20];
        snprintf(id, sizeof id, "late%llu", (unsigned long long)i);
        good(nd_hamming_add(x, id, strlen(id), (nd_fingerprint){i << 32, 0}, &error));
        if (i == MANY - 5) good(nd_hamming_compact(x, &error));
    }
    return x;
}

static void end(nd_hamming_index *x) {
    good(nd_hamming_check(x, &error));
    nd_hamming_close(x);
    remove_directory("x");
}

/* Makes every kind of change, one call after the other. */
typedef struct changer {
    nd_hamming_index *index;
    uint64_t calls;
    nd_status wanted;
} changer;

static void change(changer *c) {
    char id[20];
    bool found;
    nd_status status;
    snprintf(id, sizeof id, "new%llu", (unsigned long long)c->calls);
    if (c->calls % 16 == 3) status = nd_hamming_compact(c->index, &error);
    else if (c->calls % 4 == 1) status = nd_hamming_remove(c->index, "late299", 7, &found, &error);
    else
        status = nd_hamming_add(c->index, id, strlen(id), (nd_fingerprint){c->calls << 32, 0},
                                &error);
    if (status != c->wanted)
        fail_msg("%d, not %d: %s", (int)status, (int)c->wanted,
                 status != ND_OK ? error.message : "done");
    /* A load that writes a segment makes everything durable at its end. */
    status = nd_hamming_sync(c->index, &error);
    if (status != ND_ERR_BUSY || c->wanted != ND_ERR_BUSY) good(status);
    c->calls++;
}

static bool change_at_pair(void *context, const nd_hamming_pair *pair) {
    (void)pair;
    if (((changer *)context)->calls < 60) change(context);
    else ((changer *)context)->calls++;
    return true;
}

static bool count_pair(void *context, const nd_hamming_pair *pair) {
    (void)pair;
    ++*(uint64_t *)context;
    return true;
}

static void test_join(void **state) {
    (void)state;
    nd_hamming_index *x = make();
    uint64_t pairs = 0;
    changer c = {.index = x};
    const nd_hamming_side side = {.index = x};
    nd_hamming_join_options o;
    nd_hamming_join_options_init(&o, sizeof o);
    o.k = 1;
    good(nd_hamming_join(&side, NULL, &o, count_pair, &pairs, NULL, &error));
    assert_true(pairs > 200);
    good(nd_hamming_join(&side, NULL, &o, change_at_pair, &c, NULL, &error));
    assert_int_equal(c.calls, pairs);
    c.calls = 1000;
    good(nd_hamming_join(&side, &side, &o, change_at_pair, &c, NULL, &error));
    end(x);
}

/* ---- a load */

typedef struct loader {
    changer changer;
    nd_hamming_searcher *searcher;
    uint64_t given;
} loader;

static int next(void *context, nd_fingerprinted *out) {
    loader *l = context;
    const nd_hamming_search_options equal = {.struct_size = sizeof equal, .limit = 1};
    const nd_hamming_match *matches;
    uint64_t count;
    static char id[20];
    if (l->given == 40) return 0;
    change(&l->changer);
    good(nd_hamming_search(l->searcher, (nd_fingerprint){UINT64_C(7) << 32, 0}, &equal, &matches,
                           &count, &error));
    assert_int_equal(count, 1);
    snprintf(id, sizeof id, "loaded%llu", (unsigned long long)l->given++);
    *out = (nd_fingerprinted){
        .id = id, .id_length = strlen(id), .fingerprint = {l->given << 40, 0}};
    return 1;
}

static bool change_at_progress(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    change(&((loader *)context)->changer);
    return true;
}

static void test_load(void **state) {
    (void)state;
    nd_hamming_index *x = make();
    loader l = {.changer = {.index = x, .wanted = ND_ERR_BUSY}};
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .next = next, .context = &l};
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.on_progress = change_at_progress;
    resources.context = &l;
    const nd_hamming_load_options o = {.struct_size = sizeof o, .resources = &resources};
    good(nd_hamming_searcher_create(x, &l.searcher, &error));
    good(nd_hamming_load(x, &source, &o, NULL, &error));
    nd_hamming_info info = {.struct_size = sizeof info};
    good(nd_hamming_describe(x, &info, &error));
    assert_int_equal(info.fingerprints, MANY + 40);
    nd_hamming_searcher_free(l.searcher);
    end(x);
}

/* ---- searches for many queries */

static bool change_at_answer(void *context, const nd_hamming_answer *answer) {
    (void)answer;
    change(context);
    return true;
}

static void test_hamming_query(void **state) {
    (void)state;
    nd_hamming_index *x = make();
    uint64_t words[MANY];
    changer c = {.index = x};
    for (uint64_t i = 0; i < MANY; i++) words[i] = i << 32;
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .words = words, .count = MANY};
    const nd_hamming_query_options o = {.struct_size = sizeof o, .source = &source};
    good(nd_hamming_query(x, &o, change_at_answer, &c, NULL, &error));
    assert_int_equal(c.calls, MANY);
    end(x);
}

typedef struct asker {
    nd_index *index;
    nd_index_searcher *searcher;
    unsigned given, answered;
} asker;

static int ask(void *context, nd_record *out) {
    asker *a = context;
    static char text[100];
    if (a->given == MANY) return 0;
    snprintf(text, sizeof text, "a text of some words number %u and no other of these", a->given++);
    *out = (nd_record){.id = "q", .id_length = 1, .text = text, .length = strlen(text)};
    return 1;
}

static bool add_at_answer(void *context, const nd_answer *answer) {
    asker *a = context;
    char text[100];
    bool added;
    (void)answer;
    size_t length = (size_t)snprintf(text, sizeof text, "text%u of%u its%u own%u and%u more%u",
                                     a->answered, a->answered, a->answered, a->answered,
                                     a->answered, a->answered);
    const nd_record document = {.text = text, .length = length, .id = text, .id_length = 8};
    good(nd_index_replace(a->index, a->searcher, &document, &added, NULL, &error));
    a->answered++;
    return true;
}

static void test_query(void **state) {
    (void)state;
    asker a = {0};
    nd_input_options input;
    nd_index_query_options o;
    nd_input_options_init(&input, sizeof input);
    nd_index_query_options_init(&o, sizeof o);
    input.records = ask;
    input.records_context = &a;
    o.input = &input;
    good(nd_index_create("x", NULL, &error));
    good(nd_index_open("x", ND_INDEX_WRITE, NULL, &a.index, &error));
    good(nd_index_searcher_create(a.index, &a.searcher, &error));
    good(nd_index_query(a.index, &o, add_at_answer, &a, NULL, &error));
    assert_int_equal(a.answered, MANY);
    nd_index_searcher_free(a.searcher);
    good(nd_index_check(a.index, &error));
    nd_index_close(a.index);
    remove_directory("x");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_join), cmocka_unit_test(test_load),
                                       cmocka_unit_test(test_hamming_query),
                                       cmocka_unit_test(test_query)};
    alarm(PATIENCE * 10);
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

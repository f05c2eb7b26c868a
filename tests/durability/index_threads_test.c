/* Many threads use one handle: two change documents (fingerprints are also loaded, several at a
 * time), two search, one compacts and checks, one searches in batches and joins. A reader has a
 * handle of its own. */
#include "durability/fingerprint_model.h"
#include "durability/image.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Documents that no thread changes, and the documents of the first thread that changes some. */
enum { STABLE = 8, MIDDLE = 19, CHANGES = 6000 };

static either_index *shared;
static unsigned changes; /* of each thread that changes documents */
static atomic_uint changers;
static atomic_ulong searches, compactions, reads, queries;
static row held = {.there = true}; /* each thread that changes documents has its own part */
static row any[TEXTS];

static bool is_over(void) { return atomic_load(&changers) == 0; }

static void sleep_ms(long ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL); }

static void perform(const operation *o, lookup *searcher) {
    nd_error error;
    if (o->kind == OPERATION_BATCH)
        must(fingerprint_load(o, shared->fingerprints, NULL, &error), &error);
    else must(operation_perform(o, &held, shared, searcher, &error), &error);
    for (unsigned d = o->document; d < o->document + o->count; d++) {
        bool there;
        uint8_t before = held.version[d];
        held.version[d] = o->kind == OPERATION_REMOVE ? 0 : o->version[d];
        if (before) must(document_find(searcher, d, before, &there, &error), &error);
        if (before && there) broken("version %u of %u is still there", before, d);
        if (held.version[d])
            must(document_find(searcher, d, held.version[d], &there, &error), &error);
        if (held.version[d] && !there) broken("version %u of %u is not there", held.version[d], d);
    }
}

static operation choose(unsigned first, unsigned end, uint64_t *seed) {
    unsigned d = first + (unsigned)random_below(seed, end - first);
    uint8_t version = (uint8_t)(held.version[d] % TEXTS + 1);
    operation o = operation_one(random_below(seed, 3) ? OPERATION_ADD : OPERATION_REMOVE, d,
                                version);
    bool load = content() != CONTENT_DOCUMENTS && random_below(seed, 20) == 0;
    if (load) o = operation_many(d, 1 + (unsigned)random_below(seed, end - d), version);
    for (unsigned i = d; load && i < d + o.count; i++)
        o.version[i] = (uint8_t)(held.version[i] % TEXTS + 1);
    operation_suit(&o, &held);
    return o;
}

static void *change(void *context) {
    unsigned first = context ? MIDDLE : STABLE, end = context ? EXTRA : MIDDLE;
    uint64_t seed = first;
    nd_error error;
    lookup *searcher;
    must(lookup_create(shared, &searcher, &error), &error);
    for (unsigned i = 0; i < changes; i++) {
        operation o = choose(first, end, &seed);
        perform(&o, searcher);
    }
    lookup_free(searcher);
    atomic_fetch_sub(&changers, 1);
    return NULL;
}

static void *search(void *context) {
    uint64_t seed = context ? 3 : 4;
    nd_error error;
    while (!is_over()) {
        lookup *searcher;
        must(lookup_create(shared, &searcher, &error), &error);
        for (unsigned i = 0; i < 50; i++) {
            bool there;
            unsigned d = (unsigned)random_below(&seed, EXTRA),
                     version = (unsigned)random_below(&seed, TEXTS) + 1;
            must(document_find(searcher, d, version, &there, &error), &error);
            if (d < STABLE && there != (version == 1))
                broken("version %u of %u is %sthere", version, d, there ? "" : "not ");
            atomic_fetch_add(&searches, 1);
        }
        const either_info info = either_describe(shared);
        if (info.documents < STABLE || info.documents > EXTRA)
            broken("%llu documents", (unsigned long long)info.documents);
        lookup_free(searcher);
    }
    return NULL;
}

static void *compact(void *context) {
    (void)context;
    nd_error error;
    while (!is_over()) {
        must(either_compact(shared, &error), &error);
        check_index(shared, false);
        must(either_sync(shared, &error), &error);
        atomic_fetch_add(&compactions, 1);
        sleep_ms(5);
    }
    return NULL;
}

static void *look_from_outside(void *context) {
    (void)context;
    nd_error error;
    either_index *x;
    must(either_open("x", ND_INDEX_READ, NULL, &x, &error), &error);
    while (!is_over()) {
        row found;
        must(either_refresh(x, &error), &error);
        must(row_observe(x, any, TEXTS, &found, &error), &error);
        for (unsigned d = 0; d < STABLE; d++)
            if (found.version[d] != 1) broken("a reader sees %s", row_text(&found));
        check_index(x, false);
        atomic_fetch_add(&reads, 1);
    }
    either_close(x);
    return NULL;
}

/* ---- queries in batches */

static int next_query(void *context, nd_record *out) {
    unsigned *next = context;
    if (*next == EXTRA) return 0;
    *out = (nd_record){.text = document_text(*next, 1)};
    out->length = strlen(out->text);
    ++*next;
    return 1;
}

static bool take_answer(void *context, const nd_answer *answer) {
    (void)context;
    if (answer->count > 1 || (answer->document < STABLE && answer->count == 0))
        broken("%zu answers", answer->count);
    return true;
}

static void query_fingerprints(void) {
    nd_error error;
    row stable = {.there = true};
    memset(stable.version, 1, STABLE);
    must(fingerprint_check_queries(shared->fingerprints, &stable, false, 2, NULL, &error), &error);
    must(fingerprint_check_join(shared->fingerprints, &stable, false, 2, NULL, &error), &error);
    atomic_fetch_add(&queries, 1);
}

static void *query(void *context) {
    (void)context;
    nd_error error;
    while (!is_over()) {
        if (content() != CONTENT_DOCUMENTS) {
            query_fingerprints();
            continue;
        }
        unsigned next = 0;
        nd_input_options query_input;
        nd_input_options_init(&query_input, sizeof query_input);
        query_input.records = next_query;
        query_input.records_context = &next;
        nd_resources resources;
        nd_resources_init(&resources, sizeof resources);
        resources.threads = 2;
        resources.work = ".";
        nd_index_query_options o;
        nd_index_query_options_init(&o, sizeof o);
        o.input = &query_input;
        o.resources = &resources;
        must(nd_index_query(shared->documents, &o, take_answer, NULL, NULL, &error), &error);
        atomic_fetch_add(&queries, 1);
        sleep_ms(5);
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    nd_error error;
    size_t length;
    row found;
    pthread_t threads[7];
    void *(*const work[])(void *) = {change, change, search, search, compact, look_from_outside,
                                     query};
    operation stable = operation_many(0, STABLE, 1);
    held = (row){.there = true};
    broken_ends_process();
    changes = CHANGES / (1 + test_sparsity() / 8) / (content() == CONTENT_DOCUMENTS ? 1 : 2);
    for (unsigned d = 0; d < DOCUMENTS; d++) document_id(d, &length);
    must(index_make("x", false, &error), &error);
    must(operation_perform_batch(&stable, &held, "x", NULL, &error), &error);
    operation_apply(&stable, &held);
    for (unsigned k = 0; k < TEXTS; k++) memset(any[k].version, (int)k + 1, DOCUMENTS);
    must(either_open("x", ND_INDEX_WRITE, NULL, &shared, &error), &error);
    atomic_store(&changers, 2);
    for (size_t t = 0; t < 7; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, work[t], t % 2 ? &length : NULL), 0);
    for (size_t t = 0; t < 7; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
    either_close(shared);
    must(either_open("x", ND_INDEX_READ, NULL, &shared, &error), &error);
    must(either_check(shared, &error), &error);
    must(row_observe(shared, any, TEXTS, &found, &error), &error);
    if (!row_equal(&found, &held))
        broken("the index holds %s, not %s", row_text(&found), row_text(&held));
    either_close(shared);
    remove_directory("x");
    print_message("%lu searches, %lu compactions, %lu reads, %lu queries\n", atomic_load(&searches),
                  atomic_load(&compactions), atomic_load(&reads), atomic_load(&queries));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    int failed = 0;
    for (content_kind kind = CONTENT_DOCUMENTS; kind < CONTENTS; kind++) {
        content_use(kind);
        failed += cmocka_run_group_tests_name(content_name(), tests, image_enter,
                                              leave_own_directory);
    }
    return failed;
}

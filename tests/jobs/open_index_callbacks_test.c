/* Callbacks of a job that use its open index: they may search it, and may not change it. */
#include "index_world.h"

#include <pthread.h>

/* What one kind of callback sees. Callbacks may run on any thread, so nothing is asserted there. */
typedef struct watcher {
    const batch *of;
    nd_index *index;
    nd_index_searcher *searcher;
    bool may_change, has_changed; /* to the state after the job */
    unsigned calls;
    char wrong[1200]; /* the first thing that was wrong; "": nothing */
} watcher;

enum { WATCHED = 3 }; /* documents that each call searches for */

static void complain(watcher *x, const char *what, const char *why) {
    if (!*x->wrong) snprintf(x->wrong, sizeof x->wrong, "%s: %s", what, why);
}

static void expect_busy(watcher *x, const char *what, nd_status status, const nd_error *failure) {
    if (status != ND_ERR_BUSY) complain(x, what, status == ND_OK ? "done" : failure->message);
}

/* nd_record_fn */
static int give_nothing(void *context, nd_record *out) { return (void)context, (void)out, 0; }

static void try_changes(watcher *x) {
    static const nd_record fresh = {
        .text = "words of no other text", .length = 22, .id = "fresh", .id_length = 5};
    const world *w = x->of->w;
    const char *id = w->live[0]->id;
    const nd_record again = {.text = fresh.text, .length = 22, .id = id, .id_length = strlen(id)};
    nd_error failure;
    job nested;
    bool done;
    make_job(&nested, x->of, ON_DISK);
    nested.parts.input.records = give_nothing;
    nested.parts.index.index = x->index;
    expect_busy(x, "add", nd_index_add(x->index, x->searcher, &fresh, &done, NULL, &failure),
                &failure);
    expect_busy(x, "replace",
                nd_index_replace(x->index, x->searcher, &again, &done, NULL, &failure), &failure);
    expect_busy(x, "remove", nd_index_remove(x->index, id, strlen(id), &done, &failure), &failure);
    expect_busy(x, "compact", nd_index_compact(x->index, &failure), &failure);
    if (x->calls % 16 == 1)
        expect_busy(x, "job", nd_dedup(dedup_of(&nested.parts), NULL, &failure), &failure);
    nd_status synced = nd_index_sync(x->index, &failure);
    if (synced != ND_OK && synced != ND_ERR_BUSY) complain(x, "sync", failure.message);
}

/* A search finds what the index had before the job, replaced documents, too, or, once it has found
 * something else, what the index has after it. */
static void watch(watcher *x) {
    const batch *b = x->of;
    const world *w = b->w;
    for (size_t i = 0; i < WATCHED; i++) {
        size_t place = x->calls * WATCHED + i;
        const document *query = i % 2 ? w->live[place % w->live_count]
                                      : b->documents[place % b->count];
        bool before = !x->has_changed && finds(w, x->searcher, query, w->live, w->live_count);
        if (before) continue;
        if (!x->may_change || !finds(w, x->searcher, query, b->live, b->live_count))
            complain(x, "search", query->id);
        x->has_changed = true;
    }
    x->calls++;
    try_changes(x);
}

typedef struct watched_job {
    job job;
    watcher records, decisions, progress;
    unsigned reports;
    nd_status of_other_thread;
} watched_job;

static void *add_on_thread(void *context) {
    watched_job *j = context;
    static const nd_record fresh = {
        .text = "words of another thread", .length = 23, .id = "other", .id_length = 5};
    nd_index_searcher *searcher;
    nd_error failure;
    bool done;
    j->of_other_thread = nd_index_searcher_create(j->records.index, &searcher, &failure);
    if (j->of_other_thread != ND_OK) return NULL;
    j->of_other_thread = nd_index_add(j->records.index, searcher, &fresh, &done, NULL, &failure);
    nd_index_searcher_free(searcher);
    return NULL;
}

/* nd_record_fn */
static int give_and_watch(void *context, nd_record *out) {
    watched_job *j = context;
    pthread_t thread;
    watch(&j->records);
    if (j->job.given == 2 && pthread_create(&thread, NULL, add_on_thread, j) == 0)
        pthread_join(thread, NULL);
    return give_document(&j->job, out);
}

/* nd_decision_fn */
static bool decide_and_watch(void *context, const nd_decision *d) {
    watched_job *j = context;
    watch(&j->decisions);
    if (!is_as_wanted(j->job.of, d)) complain(&j->decisions, "decision", "is another");
    j->job.decided++;
    return true;
}

/* nd_progress_fn. Of many calls some are enough. */
static bool progress_and_watch(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    watched_job *j = context;
    (void)stage, (void)done, (void)total;
    if (j->reports++ < 50 || j->reports % 8 == 0) watch(&j->progress);
    return true;
}

static void begin_watch(watcher *x, const batch *b, way of) {
    *x = (watcher){.of = b, .index = b->w->index[of]};
    good(nd_index_searcher_create(x->index, &x->searcher, &index_error));
}

static void end_watch(watcher *x) {
    assert_string_equal(x->wrong, "");
    assert_true(x->calls > 0);
    nd_index_searcher_free(x->searcher);
}

static void run_watched(const batch *b, way of, uint32_t threads) {
    static watched_job j;
    make_job(&j.job, b, of);
    j.of_other_thread = ND_OK;
    j.reports = 0;
    begin_watch(&j.records, b, of);
    begin_watch(&j.decisions, b, of);
    begin_watch(&j.progress, b, of);
    j.progress.may_change = true; /* while segments are merged, at the end */
    job_parts *p = &j.job.parts;
    p->input.records = give_and_watch;
    p->input.records_context = &j;
    p->outputs.on_decision = decide_and_watch;
    p->outputs.context = &j;
    p->resources.on_progress = progress_and_watch;
    p->resources.context = &j;
    p->resources.threads = threads;
    good(nd_dedup(dedup_of(p), NULL, &index_error));
    assert_int_equal(j.job.decided, b->count);
    assert_int_equal(j.of_other_thread, ND_ERR_BUSY);
    end_watch(&j.records);
    end_watch(&j.decisions);
    end_watch(&j.progress);
}

static bool replaces_some(const batch *b) {
    for (size_t i = 0; i < b->w->live_count; i++)
        if (is_replaced(b, b->w->live[i])) return true;
    return false;
}

/* Without `replace` a job adds documents at checkpoints already, on disk, where limits are tiny. */
static bool has_checkpoints(way of, bool replace) {
    return ND_LIMIT(false, true) && of != IN_MEMORY && !replace;
}

static void test_callbacks(void **state) {
    (void)state;
    static batch b;
    for (uint64_t seed = 60; seed < 68; seed++) {
        world *w = new_world(seed);
        bool replace = seed % 2;
        fill(w);
        do make_batch(w, &b, 24, replace);
        while (replace && !replaces_some(&b));
        for (way of = ON_DISK; of < WAYS; of++) {
            if (has_checkpoints(of, replace)) run_job(&b, of);
            else run_watched(&b, of, seed % 4 < 2 ? 1 : 3);
        }
        run_job(&b, BY_PATH);
        accept_batch(w, &b);
        check_all(w);
        for (way of = ON_DISK; of < WAYS; of++) change_and_restore(w->index[of]);
        free_world(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_callbacks)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

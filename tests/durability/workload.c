/* Runs of operations on an index: see workload.h. */
#include "durability/workload.h"

#include "base/limits.h"
#include "durability/fingerprint_model.h"
#include "durability/system.h"

#include <string.h>

/* ---- opening */

static void observe_one_of(either_index *x, const row *rows, size_t count, row *out) {
    nd_error error;
    must(row_observe(x, rows, count, out, &error), &error);
    for (size_t k = 0; k < count; k++)
        if (row_equal(out, &rows[k])) return;
    broken("the index holds %s, no state of %zu from\n%s to\n%s", row_text(out), count,
           row_text(&rows[0]), row_text(&rows[count - 1]));
}

void workload_open(const char *path, nd_index_mode mode, const row *rows, size_t count, row *out,
                   either_index **index) {
    nd_error error;
    either_index *x;
    nd_status status = either_open(path, mode, NULL, &x, &error);
    if (index) *index = NULL;
    *out = (row){0};
    if (status != ND_OK) {
        must_report(status, &error);
        if (rows->there) broken("the index is not opened: %s", error.message);
        return;
    }
    check_index(x, mode == ND_INDEX_READ);
    observe_one_of(x, rows, count, out);
    must(row_join(x, out, &error), &error);
    if (index) *index = x;
    else either_close(x);
}

/* ---- working */

typedef struct session {
    history *history;
    either_index *index;
    lookup *searcher;
    nd_sync sync;
    unsigned faults;
} session;

static void heal(session *s) {
    s->faults++;
    system_heal();
}

static void note(const history *h) { system_note(h->acknowledged, h->begun); }

static row *begin(history *h) {
    assert_true(h->begun + 1 < STEPS);
    h->begun++;
    h->rows[h->begun] = h->rows[h->begun - 1];
    return &h->rows[h->begun];
}

static void acknowledge(history *h) {
    h->acknowledged = h->begun;
    note(h);
}

/* Closing makes all changes durable, unless it fails, which is not reported. */
static void end_session(session *s) {
    nd_error error;
    if (!s->index) return;
    bool durable = either_sync(s->index, &error) == ND_OK;
    lookup_free(s->searcher);
    either_close(s->index);
    s->index = NULL;
    s->searcher = NULL;
    if (durable) acknowledge(s->history);
}

/* The content that a writer finds is durable. */
static bool begin_session(session *s, uint64_t *seed) {
    history *h = s->history;
    nd_error error;
    row found;
    nd_status status = either_open("x", ND_INDEX_WRITE, NULL, &s->index, &error);
    if (status != ND_OK) {
        must_report(status, &error);
        if (!system_failed()) broken("not opened: %s", error.message);
        s->index = NULL;
        return false;
    }
    must(lookup_create(s->index, &s->searcher, &error), &error);
    s->sync = (nd_sync)random_below(seed, 3);
    either_set_sync(s->index, s->sync);
    observe_one_of(s->index, h->rows + h->acknowledged, h->begun - h->acknowledged + 1, &found);
    *begin(h) = found;
    acknowledge(h);
    return true;
}

static void begin_session_surely(session *s, uint64_t *seed) {
    if (begin_session(s, seed)) return;
    heal(s);
    if (!begin_session(s, seed)) broken("not opened after a fault");
}

static void recover(session *s, nd_status status, const nd_error *error, uint64_t *seed) {
    must_report(status, error);
    if (!system_failed()) broken("status %d: %s", (int)status, error->message);
    lookup_free(s->searcher);
    either_close(s->index);
    s->index = NULL;
    s->searcher = NULL;
    heal(s);
    begin_session_surely(s, seed);
}

static void create(session *s) {
    history *h = s->history;
    nd_error error;
    *begin(h) = (row){.there = true};
    note(h);
    nd_status status = index_make("x", false, &error);
    if (status != ND_OK) {
        row found;
        must_report(status, &error);
        if (!system_failed()) broken("not made: %s", error.message);
        heal(s);
        workload_open("x", ND_INDEX_WRITE, h->rows, 2, &found, NULL);
        if (!found.there) must(index_make("x", false, &error), &error);
    }
    acknowledge(h);
}

static void operate(session *s, const operation *o, uint64_t *seed) {
    history *h = s->history;
    nd_error error;
    nd_status status;
    if (o->kind == OPERATION_BATCH) end_session(s);
    row *after = begin(h), before = *after;
    operation_apply(o, after);
    note(h);
    if (o->kind == OPERATION_BATCH) status = operation_perform_batch(o, &before, "x", NULL, &error);
    else status = operation_perform(o, &before, s->index, s->searcher, &error);
    if (status != ND_OK) {
        recover(s, status, &error, seed);
        return;
    }
    bool durable = s->sync == ND_SYNC_EACH ||
                   (o->kind != OPERATION_ADD && o->kind != OPERATION_REMOVE &&
                    o->kind != OPERATION_COPY);
    if (durable) acknowledge(h);
    if (o->kind == OPERATION_BATCH) begin_session_surely(s, seed);
}

bool workload_run(history *h, uint64_t seed, size_t operations) {
    session s = {.history = h};
    bool calm = seed % 2;
    *h = (history){0};
    note(h);
    create(&s);
    begin_session_surely(&s, &seed);
    for (size_t i = 0; i < operations; i++) {
        operation o = operation_random(&seed, &h->rows[h->begun], calm);
        operate(&s, &o, &seed);
    }
    end_session(&s);
    return s.faults > 0 || system_failed();
}

static void perform_all(const operation *o, size_t count, row *r) {
    nd_error error;
    either_index *x;
    lookup *searcher;
    must(either_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
    must(lookup_create(x, &searcher, &error), &error);
    for (size_t i = 0; i < count; i++) {
        must(operation_perform(&o[i], r, x, searcher, &error), &error);
        operation_apply(&o[i], r);
    }
    lookup_free(searcher);
    either_close(x);
}

/* Removed documents that still need room: one in the log, and those in segments that were not
 * rewritten since. */
enum {
    REMOVED = ND_LIMIT(4, 5),
    SEGMENTS = ND_LIMIT(1, 2),
    RECENT = ND_LIMIT(13, 2),
};

/* With small limits the larger segment of fingerprints has several tables. */
static void check_small(uint64_t segments, uint64_t log_documents, uint64_t removed) {
    nd_error error;
    either_index *x;
    must(either_open("x", ND_INDEX_READ, NULL, &x, &error), &error);
    const either_info info = either_describe(x);
    either_close(x);
    if (info.segments != segments || info.log_documents != log_documents || info.removed != removed)
        broken("not the small index that is wanted");
#if ND_TINY_LIMITS
    if (strcmp(info.design, "scan") == 0) broken("a segment with a single table");
#endif
}

/* With small limits batches become segments. Otherwise a compaction makes the first segment, and
 * there is no second one. */
static void make_small_fingerprints(row *r) {
    const operation batches[] = {operation_many(0, 12, 1), operation_many(12, 11, 1)};
    const operation early[] = {operation_one(OPERATION_REMOVE, 3, 0),
                               operation_one(OPERATION_REMOVE, 4, 0)};
    const operation late[] = {
        operation_one(OPERATION_REMOVE, 6, 0),  operation_one(OPERATION_ADD, 25, 1),
        operation_one(OPERATION_ADD, 26, 1),    operation_one(OPERATION_REMOVE, 25, 0),
        operation_one(OPERATION_REMOVE, 11, 0), operation_one(OPERATION_ADD, 11, 2)};
    nd_error error;
    must(fingerprint_build(&batches[0], "x", NULL, &error), &error);
    operation_apply(&batches[0], r);
    perform_all(early, 2, r);
    must(operation_perform_batch(&batches[1], r, "x", NULL, &error), &error);
    operation_apply(&batches[1], r);
    perform_all(late, 6, r);
    check_small(SEGMENTS, RECENT, 5);
}

void workload_small(bool sketch_only, row *out) {
    nd_error error;
    row r = {.there = true};
    operation batches[] = {operation_many(0, 4, 1), operation_many(4, 3, 1),
                           operation_many(7, 2, 1), operation_many(9, 1, 1)};
    /* The first of the last two makes a merge of four segments due. With small limits it is one of
     * all five, which links them, and the second batch has that done. */
    operation last[] = {operation_many(10, 3, 1), operation_many(17, 3, 1)};
    const operation early[] = {operation_one(OPERATION_REMOVE, 3, 0),
                               operation_one(OPERATION_REMOVE, 4, 0)};
    const operation late[] = {
        operation_one(OPERATION_ADD, 14, 1),    operation_one(OPERATION_ADD, 15, 1),
        operation_one(OPERATION_REMOVE, 14, 0), operation_one(OPERATION_REMOVE, 6, 0),
        operation_one(OPERATION_ADD, 11, 2),    operation_one(OPERATION_ADD, 16, 1)};
    if (content() != CONTENT_DOCUMENTS) {
        make_small_fingerprints(&r);
        *out = r;
        return;
    }
    must(index_make("x", sketch_only, &error), &error);
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        batches[i].segment = true;
        must(operation_perform_batch(&batches[i], &r, "x", NULL, &error), &error);
        operation_apply(&batches[i], &r);
    }
    perform_all(early, sizeof early / sizeof *early, &r);
    for (size_t i = 0; i < 2; i++) {
        last[i].segment = true;
        must(operation_perform_batch(&last[i], &r, "x", NULL, &error), &error);
        operation_apply(&last[i], &r);
    }
    perform_all(late, sizeof late / sizeof *late, &r);
    check_small(ND_LIMIT(3, 2), 3, REMOVED);
    *out = r;
}

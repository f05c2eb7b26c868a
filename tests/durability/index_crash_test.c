/* The machine dies at any moment. Whatever part of the changes is on the disk then, the index has
 * all acknowledged changes, and each other operation completely or not at all. index_crash_test
 * [SEED] */
#include "base/limits.h"
#include "durability/disk.h"
#include "durability/fingerprint_model.h"
#include "durability/image.h"
#include "durability/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t crashes;
static uint64_t first_seed = 1;

/* One of this many possible crashes is tried. Files are larger without small limits. */
static unsigned sparse(void) { return ND_LIMIT(3, 1) * test_sparsity(); }

typedef struct plan {
    unsigned at_edges, elsewhere; /* one of this many possible crashes is tried */
    unsigned nested;              /* one of this many recoveries is interrupted as well; 0: none */
    const operation *again;       /* the interrupted operation, which is done again; or NULL */
} plan;

static void replay(const system_recording *r, const row *rows, const plan *p, uint64_t *seed);

/* Makes an acknowledged change; sometimes it becomes one segment. */
static void change(either_index *x, const operation *o, const row *before, uint64_t *seed) {
    nd_error error;
    lookup *searcher;
    must(lookup_create(x, &searcher, &error), &error);
    must(operation_perform(o, before, x, searcher, &error), &error);
    lookup_free(searcher);
    if (random_below(seed, 4) == 0) must(either_compact(x, &error), &error);
}

/* Opens the state after the crash in "crash", and gives the batch again. */
static void repeat(const row *rows, size_t count, const operation *batch) {
    nd_error error;
    row found, after;
    operation o = *batch;
    o.resume = true;
    workload_open("crash", ND_INDEX_READ, rows, count, &found, NULL);
    after = found;
    operation_apply(&o, &after);
    must(operation_perform_batch(&o, &found, "crash", NULL, &error), &error);
    workload_open("crash", ND_INDEX_READ, &after, 1, &found, NULL);
}

/* Opens the state after the crash in "crash" for reading, then for writing, and makes more changes.
 */
static void go_on(const row *rows, size_t count, const plan *p, uint64_t *seed) {
    nd_error error;
    either_index *x;
    system_recording recording;
    row states[3], again, extended;
    bool nested = p->nested > 0 && random_below(seed, p->nested) == 0;
    workload_open("crash", ND_INDEX_READ, rows, count, &states[0], NULL);
    states[1] = states[0].there ? states[0] : (row){.there = true};
    states[2] = states[1];
    operation extra = operation_one(OPERATION_ADD, EXTRA, 1);
    operation_suit(&extra, &states[1]);
    operation_apply(&extra, &states[2]);
    if (nested) system_record("crash", &recording);
    system_note(0, 1);
    if (!states[0].there) must(index_make("crash", false, &error), &error);
    system_note(1, 2);
    workload_open("crash", ND_INDEX_WRITE, &states[1], 1, &again, &x);
    change(x, &extra, &again, seed);
    system_note(2, 2);
    either_close(x);
    if (nested) system_record_end();
    workload_open("crash", ND_INDEX_READ, &states[2], 1, &extended, NULL);
    if (!nested) return;
    replay(&recording, states, &(plan){.at_edges = 8, .elsewhere = 20}, seed);
    system_recording_free(&recording);
}

/* Whether a crash between two events is likely to find a fault. */
static bool is_edge(const system_event *before, const system_event *after) {
    bool ends = after->kind == EVENT_SYNC || after->kind == EVENT_SYNC_FAILED ||
                after->kind == EVENT_SYNC_NAMES || after->kind == EVENT_SYNC_PARENT;
    return ends || before->kind == EVENT_NOTE || before->kind == EVENT_REMOVE ||
           after->kind == EVENT_CREATE;
}

static void replay(const system_recording *r, const row *rows, const plan *p, uint64_t *seed) {
    disk *d = disk_create();
    size_t first = 0, last = 0;
    for (size_t i = 0; i < r->count; i++) {
        const system_event *e = &r->events[i];
        disk_apply(d, e);
        if (e->kind == EVENT_NOTE) {
            first = e->offset;
            last = e->size;
        }
        if (i < r->begin) continue;
        bool edge = i + 1 == r->count || is_edge(e, e + 1);
        for (int choice = 0; choice < DISK_CHOICES + 2; choice++) {
            if (random_below(seed, edge ? p->at_edges : p->elsewhere) != 0) continue;
            disk_crash(d, choice < DISK_CHOICES ? (disk_choice)choice : DISK_ANY, seed, "crash");
            crashes++;
            if (p->again) repeat(rows + first, last - first + 1, p->again);
            else go_on(rows + first, last - first + 1, p, seed);
        }
    }
    disk_free(d);
}

/* `failure`: the error of the nth of these calls. False: there are fewer calls. */
static bool run_and_replay(uint64_t seed, size_t operations, unsigned calls, long nth, int failure,
                           const plan *p) {
    static history h;
    system_recording recording;
    uint64_t random = seed;
    test_at("%s, seed %llu, call %ld", content_name(), (unsigned long long)seed, nth);
    system_record("x", &recording);
    if (calls) system_fail(calls, nth, 1, failure);
    bool failed = workload_run(&h, seed, operations);
    system_heal();
    system_record_end();
    replay(&recording, h.rows, p, &random);
    system_recording_free(&recording);
    remove_directory("x");
    remove_directory("crash");
    return failed;
}

static void test_crashes(void **state) {
    (void)state;
    const plan p = {.at_edges = 2 * sparse(), .elsewhere = 16 * sparse()};
    for (uint64_t seed = first_seed; seed < first_seed + 4; seed++)
        run_and_replay(seed, 40, 0, 0, 0, &p);
}

static void test_crashes_of_recovery(void **state) {
    (void)state;
    const plan p = {.at_edges = 24 * sparse(), .elsewhere = 240 * sparse(), .nested = 1};
    for (uint64_t seed = first_seed + 10; seed < first_seed + 14; seed++)
        run_and_replay(seed, 40, 0, 0, 0, &p);
}

static void test_crashes_after(unsigned calls, int failure, long step) {
    const plan p = {.at_edges = 50, .elsewhere = 400};
    for (uint64_t seed = first_seed + 20; seed < first_seed + 22; seed++)
        for (long nth = 0; run_and_replay(seed, 20, calls, nth, failure, &p); nth += step) continue;
}

/* After a failed sync the system drops the bytes that it should have written. */
static void test_crashes_after_failed_syncs(void **state) {
    (void)state;
    test_crashes_after(SYSTEM_SYNC, EIO, sparse());
}

/* The process is killed first. The next process sees all that was written, until the machine dies.
 */
static void test_crashes_after_deaths(void **state) {
    (void)state;
    test_crashes_after(SYSTEM_ALL, SYSTEM_DEAD, 2 * sparse());
}

/* A large batch may be added in parts; if it was interrupted, the same batch adds the rest.
 * Replaced documents are removed with the first part. */
static void test_crashes_of_batches(void **state) {
    (void)state;
    enum { PART = 16 };
    for (uint64_t seed = first_seed + 30; seed < first_seed + 34; seed++) {
        static history h;
        nd_error error;
        system_recording recording;
        uint64_t random = seed;
        test_at("batch %llu", (unsigned long long)seed);
        workload_run(&h, seed, 12);
        operation o = {.kind = OPERATION_BATCH, .document = (unsigned)random_below(&random, 5)};
        o.count = EXTRA - o.document;
        row rows[3] = {h.rows[h.begun], h.rows[h.begun], h.rows[h.begun]};
        for (unsigned d = o.document; d < EXTRA; d++)
            o.version[d] = (uint8_t)(rows[0].version[d] % TEXTS + 1);
        operation_apply(&o, &rows[2]);
        for (unsigned d = o.document; d < EXTRA; d++)
            rows[1].version[d] = d < o.document + PART ? o.version[d] : 0;
        system_record("x", &recording);
        system_note(0, 2);
        must(operation_perform_batch(&o, &rows[0], "x", NULL, &error), &error);
        system_note(2, 2);
        system_record_end();
        replay(&recording, rows,
               &(plan){.at_edges = test_sparsity(), .elsewhere = 2 * sparse(), .again = &o},
               &random);
        system_recording_free(&recording);
        remove_directory("x");
        remove_directory("crash");
    }
}

/* An index of fingerprints that is built has all of them, or does not exist. */
static void test_crashes_of_building(void **state) {
    (void)state;
    for (unsigned count = 2; count < EXTRA; count += 12) {
        nd_error error;
        system_recording recording;
        uint64_t random = first_seed + count;
        const operation o = operation_many(0, count, 1);
        row rows[2] = {{.there = false}, {.there = true}};
        operation_apply(&o, &rows[1]);
        test_at("%s, %u built", content_name(), count);
        system_record("x", &recording);
        system_note(0, 1);
        must(fingerprint_build(&o, "x", NULL, &error), &error);
        system_note(1, 1);
        system_record_end();
        replay(&recording, rows, &(plan){.at_edges = test_sparsity(), .elsewhere = 4 * sparse()},
               &random);
        system_recording_free(&recording);
        remove_directory("x");
        remove_directory("crash");
    }
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc > 1) first_seed = strtoull(argv[1], NULL, 10);
    for (content_kind kind = CONTENT_DOCUMENTS; kind < CONTENTS; kind++) {
        const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_crashes), cmocka_unit_test(test_crashes_of_recovery),
            cmocka_unit_test(test_crashes_after_failed_syncs),
            cmocka_unit_test(test_crashes_after_deaths),
            kind == CONTENT_DOCUMENTS
                ? (struct CMUnitTest)cmocka_unit_test(test_crashes_of_batches)
                : (struct CMUnitTest)cmocka_unit_test(test_crashes_of_building)};
        content_use(kind);
        failed += cmocka_run_group_tests_name(content_name(), tests, image_enter,
                                              leave_own_directory);
    }
    print_message("%zu crashes\n", crashes);
    return failed;
}

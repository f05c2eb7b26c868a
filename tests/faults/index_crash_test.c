/* The machine dies at any moment: whatever of the changes is on the disk then, the index holds all that was acknowledged, and each operation that was not wholly or not at all. */
#include "faults/disk.h"
#include "faults/image.h"
#include "faults/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SLOW = 4 };
#else
enum { SLOW = 1 };
#endif

static size_t crashes;

typedef struct plan {
    unsigned at_edges, elsewhere; /* one of so many possible crashes */
    unsigned nested;              /* one of so many recoveries is interrupted as well; 0: none */
} plan;

static void replay(const system_recording *r, const row *rows, const plan *p, uint64_t *seed);

/* A document more, which is acknowledged, and now and then all of it as one segment. */
static void extend(nd_index *x, const row *before, uint64_t *seed) {
    nd_error error;
    nd_searcher *searcher;
    operation o = {.kind = OPERATION_ADD, .document = EXTRA, .count = 1};
    o.version[EXTRA] = 1;
    must(nd_searcher_create(x, &searcher, &error), &error);
    must(operation_perform(&o, before, x, searcher, &error), &error);
    nd_searcher_free(searcher);
    if (random_below(seed, 4) == 0) must(nd_index_compact(x, &error), &error);
}

/* Opens what the crash has left in "crash" for reading, and then for writing, and goes on. */
static void go_on(const row *rows, size_t count, const plan *p, uint64_t *seed) {
    nd_error error;
    nd_index *x;
    system_recording recording;
    row states[3], again, extended;
    bool nested = p->nested > 0 && random_below(seed, p->nested) == 0;
    workload_open("crash", ND_INDEX_READ, rows, count, &states[0], NULL);
    states[1] = states[0].there ? states[0] : (row){.there = true};
    states[2] = states[1];
    states[2].version[EXTRA] = 1;
    if (nested) system_record("crash", &recording);
    system_note(0, 1);
    nd_index_options options = document_options(false);
    if (!states[0].there) must(nd_index_create("crash", &options, &error), &error);
    system_note(1, 2);
    workload_open("crash", ND_INDEX_WRITE, &states[1], 1, &again, &x);
    extend(x, &again, seed);
    system_note(2, 2);
    nd_index_close(x);
    if (nested) system_record_end();
    workload_open("crash", ND_INDEX_READ, &states[2], 1, &extended, NULL);
    if (!nested) return;
    replay(&recording, states, &(plan){8, 20, 0}, seed);
    system_recording_free(&recording);
}

/* Whether a crash between two events is likely to find something. */
static bool is_edge(const system_event *before, const system_event *after) {
    bool ends = after->kind == EVENT_SYNC || after->kind == EVENT_SYNC_FAILED || after->kind == EVENT_SYNC_NAMES || after->kind == EVENT_SYNC_PARENT;
    return ends || before->kind == EVENT_NOTE || before->kind == EVENT_REMOVE || after->kind == EVENT_CREATE;
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
            go_on(rows + first, last - first + 1, p, seed);
        }
    }
    disk_free(d);
}

static void run_and_replay(uint64_t seed, size_t operations, long failing_sync, const plan *p) {
    static history h;
    system_recording recording;
    uint64_t random = seed;
    test_at("seed %llu, sync %ld", (unsigned long long)seed, failing_sync);
    system_record("x", &recording);
    if (failing_sync >= 0) system_fail(SYSTEM_SYNC, failing_sync, 1, EIO);
    workload_run(&h, seed, operations);
    system_heal();
    system_record_end();
    replay(&recording, h.rows, p, &random);
    system_recording_free(&recording);
    image_remove("x");
    image_remove("crash");
}

static void test_crashes(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) run_and_replay(seed, 40, -1, &(plan){SLOW, 8 * SLOW, 0});
}

static void test_crashes_of_recovery(void **state) {
    (void)state;
    for (uint64_t seed = 11; seed <= 13; seed++) run_and_replay(seed, 40, -1, &(plan){16 * SLOW, 100 * SLOW, 1});
}

/* After a sync that failed the system forgets what was to be written. */
static void test_crashes_after_failed_syncs(void **state) {
    (void)state;
    for (long sync = 0; sync < 150; sync += SLOW) run_and_replay((uint64_t)sync + 21, 15, sync, &(plan){20, 200, 0});
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crashes), cmocka_unit_test(test_crashes_of_recovery),
                                       cmocka_unit_test(test_crashes_after_failed_syncs)};
    int result = cmocka_run_group_tests(tests, image_enter, image_leave);
    print_message("%zu crashes\n", crashes);
    return result;
}

/* The machine dies at any moment of a stream. Whatever part of the changes is on the disk then, all
 * answered documents are there; when the rest is sent again, the stream is as if nothing had
 * happened. stream_crash_test [SEED] */
#include "durability/disk.h"
#include "durability/documents.h"
#include "durability/image.h"
#include "durability/stream_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t crashes;
static uint64_t first_seed = 1;

/* One of this many possible crashes is tried; `nested`: recoveries are interrupted as well. */
typedef struct plan {
    unsigned at_edges, elsewhere;
    bool nested;
} plan;

static void replay(const system_recording *r, const plan *p, uint64_t *seed);

/* Opens the state after the crash in "crash" for reading, then for writing, and sends the rest. */
static void go_on(unsigned answered, unsigned begun, const plan *p, uint64_t *seed) {
    system_recording recording;
    stream_open_surely("crash", answered, begun);
    if (!p->nested) {
        stream_go_on("crash", answered, seed);
        return;
    }
    system_record("crash", &recording);
    system_note(answered, begun);
    stream_go_on("crash", answered, seed);
    system_record_end();
    replay(&recording, &(plan){.at_edges = 300, .elsewhere = 3000}, seed);
    system_recording_free(&recording);
}

static bool is_edge(const system_event *before, const system_event *after) {
    bool ends = after->kind == EVENT_SYNC || after->kind == EVENT_SYNC_FAILED ||
                after->kind == EVENT_SYNC_NAMES || after->kind == EVENT_SYNC_PARENT;
    return ends || before->kind == EVENT_REMOVE || before->kind == EVENT_RENAME ||
           after->kind == EVENT_CREATE;
}

static void replay(const system_recording *r, const plan *p, uint64_t *seed) {
    disk *d = disk_create();
    unsigned answered = 0, begun = 0;
    for (size_t i = 0; i < r->count; i++) {
        const system_event *e = &r->events[i];
        disk_apply(d, e);
        if (e->kind == EVENT_NOTE) {
            answered = (unsigned)e->offset;
            if (e->size > begun) begun = (unsigned)e->size;
        }
        if (i < r->begin) continue;
        bool edge = i + 1 == r->count || is_edge(e, e + 1);
        for (int choice = 0; choice < DISK_CHOICES + 2; choice++) {
            if (random_below(seed, edge ? p->at_edges : p->elsewhere) != 0) continue;
            test_at("%s, event %zu of %zu", stream_name(), i, r->count);
            disk_crash(d, choice < DISK_CHOICES ? (disk_choice)choice : DISK_ANY, seed, "crash");
            crashes++;
            go_on(answered, begun, p, seed);
        }
    }
    disk_free(d);
}

/* Makes a stream and adds documents in a few sessions; a fault ends one session. Returns whether
 * there was a fault. */
static bool run(unsigned calls, long nth, int failure, uint64_t *seed) {
    nd_error error;
    unsigned answered = 0;
    bool failed = false;
    if (calls) system_fail(calls, nth, 1, failure);
    for (unsigned sessions = 0; answered < ARRIVALS; sessions++) {
        nd_stream *s;
        nd_stream_options o = stream_options();
        unsigned to = answered + 1 + (unsigned)random_below(seed, ARRIVALS - answered),
                 from = answered;
        nd_status status = nd_stream_open("x", ND_INDEX_WRITE, &o, NULL, &s, &error);
        if (status == ND_OK) {
            status = stream_feed(s, from, to, seed, &answered, &error);
            nd_stream_close(s);
        }
        if (status == ND_OK) continue;
        must_report(status, &error);
        if (!system_failed()) broken("it fails: %s", error.message);
        failed = true;
        system_heal();
    }
    return failed;
}

static bool run_and_replay(uint64_t seed, unsigned calls, long nth, int failure, const plan *p) {
    system_recording recording;
    uint64_t random = seed;
    test_at("%s, seed %llu, call %ld", stream_name(), (unsigned long long)seed, nth);
    system_record("x", &recording);
    bool failed = run(calls, nth, failure, &random);
    system_heal();
    system_record_end();
    replay(&recording, p, &random);
    system_recording_free(&recording);
    remove_directory("x");
    remove_directory("crash");
    return failed;
}

static void each_kind(void (*test)(uint64_t seed)) {
    for (stream_kind kind = STREAM_FOLLOWS; kind < STREAM_KINDS; kind++) {
        for (uint64_t seed = first_seed; seed < first_seed + 2; seed++) {
            stream_use(kind, seed);
            test(seed);
            stream_end();
        }
    }
}

static void crash(uint64_t seed) {
    run_and_replay(seed, 0, 0, 0,
                   &(plan){.at_edges = 8 * stream_sparse(), .elsewhere = 80 * stream_sparse()});
}

static void test_crashes(void **state) {
    (void)state;
    each_kind(crash);
}

static void crash_recovery(uint64_t seed) {
    run_and_replay(seed, 0, 0, 0,
                   &(plan){.at_edges = 150 * stream_sparse(),
                           .elsewhere = 1500 * stream_sparse(),
                           .nested = true});
}

static void test_crashes_of_recovery(void **state) {
    (void)state;
    each_kind(crash_recovery);
}

/* After a failed sync the system drops the bytes that it should have written. A killed process
 * leaves its written bytes to the next process, until the machine dies. */
static void crash_after(uint64_t seed) {
    const plan p = {.at_edges = 100, .elsewhere = 1000};
    for (long nth = 0; run_and_replay(seed, SYSTEM_SYNC, nth, EIO, &p); nth += 7 * stream_sparse())
        continue;
    for (long nth = 0; run_and_replay(seed, SYSTEM_ALL, nth, SYSTEM_DEAD, &p);
         nth += 61 * stream_sparse())
        continue;
}

static void test_crashes_after_faults(void **state) {
    (void)state;
    each_kind(crash_after);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crashes),
                                       cmocka_unit_test(test_crashes_of_recovery),
                                       cmocka_unit_test(test_crashes_after_faults)};
    if (argc > 1) first_seed = strtoull(argv[1], NULL, 10);
    int failed = cmocka_run_group_tests(tests, image_enter, leave_own_directory);
    print_message("%zu crashes\n", crashes);
    return failed;
}

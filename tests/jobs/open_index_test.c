/* Jobs against open indexes and one that is named by its path: any batches with other changes
 * between them, batches given again, jobs that fail or are refused, two jobs at once. All decide as
 * the definition does (index_world.h). */
#include "index_world.h"

#include <pthread.h>

/* ---- any batches, with other changes between them */

static void test_few(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 18; seed++) {
        world *w = new_world(seed);
        open_all(w);
        for (int step = 0; step < 12; step++) {
            add_all(w, (size_t)random_below(&w->seed, random_below(&w->seed, 2) ? 4 : 30),
                    random_below(&w->seed, 2));
            if (random_below(&w->seed, 3) == 0) remove_one(w);
            if (random_below(&w->seed, 3) == 0) replace_one(w);
            if (random_below(&w->seed, 5) == 0) compact_all(w);
            if (random_below(&w->seed, 4) == 0) check_all(w);
        }
        check_all(w);
        free_world(w);
    }
}

static void test_many(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 3; seed++) {
        world *w = new_world(seed);
        open_all(w);
        add_all(w, LARGE, false);
        check_all(w);
        replace_one(w);
        add_all(w, LARGE / 2, true);
        check_all(w);
        add_all(w, 3, false);
        add_all(w, LARGE, false);
        check_all(w);
        free_world(w);
    }
}

/* What a job has added is there for another reader as soon as it has returned. */
static void test_reader(void **state) {
    (void)state;
    for (uint64_t seed = 30; seed < 36; seed++) {
        static batch b;
        world *w = new_world(seed);
        nd_index *reader;
        open_all(w);
        good(nd_index_open(directories[ON_DISK], ND_INDEX_READ, NULL, &reader, &index_error));
        for (int i = 0; i < 4; i++) {
            make_batch(w, &b, 1 + (size_t)random_below(&w->seed, 20), i % 2);
            run_job(&b, ON_DISK);
            accept_batch(w, &b);
            good(nd_index_refresh(reader, &index_error));
            check_index(w, reader);
        }
        nd_index_close(reader);
        free_world(w);
    }
}

/* ---- a batch that was added already */

static nd_status run_again(const batch *b, way of, bool resume) {
    job j;
    make_job(&j, b, of);
    j.parts.index.resume = resume;
    nd_status status = nd_dedup(dedup_of(&j.parts), NULL, &index_error);
    if (status == ND_OK) assert_int_equal(j.decided, b->count);
    return status;
}

static void test_resumed(void **state) {
    (void)state;
    static batch b;
    for (uint64_t seed = 40; seed < 52; seed++) {
        world *w = new_world(seed);
        open_all(w);
        add_all(w, 20, false);
        make_batch(w, &b, 1 + (size_t)random_below(&w->seed, 20), seed % 2);
        for (way of = 0; of < WAYS; of++) {
            run_job(&b, of);
            good(run_again(&b, of, true));
            if (!b.replace && b.live_count > w->live_count)
                assert_int_equal(run_again(&b, of, false), ND_ERR_ARGUMENT);
        }
        accept_batch(w, &b);
        check_all(w);
        free_world(w);
    }
}

/* ---- jobs that fail */

/* nd_record_fn: cancels after so many. */
static int give_and_cancel(void *context, nd_record *out) {
    job *j = context;
    return j->left-- == 0 ? -1 : give_document(j, out);
}

/* nd_record_fn: a text that is not UTF-8 after so many. */
static int give_and_spoil(void *context, nd_record *out) {
    job *j = context;
    int more = give_document(j, out);
    if (more && j->left-- == 0) out->text = "\xff", out->length = 1;
    return more;
}

/* nd_decision_fn */
static bool decide_and_cancel(void *context, const nd_decision *d) {
    return ((job *)context)->left-- > 0 && check_decision(context, d);
}

/* nd_progress_fn */
static bool progress_and_cancel(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    return ((job *)context)->left-- > 0;
}

/* Each makes the job fail after j->left steps of its kind. */
static void fail_records(job *j) { j->parts.input.records = give_and_cancel; }
static void fail_texts(job *j) { j->parts.input.records = give_and_spoil; }
static void fail_decisions(job *j) { j->parts.outputs.on_decision = decide_and_cancel; }
static void fail_progress(job *j) {
    j->parts.resources.on_progress = progress_and_cancel;
    j->parts.resources.context = j;
}
static void fail_memory(job *j) {
    j->memory = (failing_allocator){.left = j->left};
    j->allocator = failing_allocator_make(&j->memory);
    j->parts.resources.allocator = &j->allocator;
}
static void fail_memory_of_index(job *j) {
    failing_allocator *memory = j->parts.index.index ? j->allocator.context : NULL;
    memory->left = j->left;
}

static const struct failure {
    const char *name;
    void (*make)(job *j);
    nd_status wanted;
    unsigned least; /* times that a job fails so */
} failures[] = {{"records", fail_records, ND_ERR_CANCELLED, 10},
                {"texts", fail_texts, ND_ERR_INPUT, 10},
                {"decisions", fail_decisions, ND_ERR_CANCELLED, 10},
                {"progress", fail_progress, ND_ERR_CANCELLED, 3},
                {"memory", fail_memory, ND_ERR_MEMORY, 20},
                {"memory of the index", fail_memory_of_index, ND_ERR_MEMORY, 1}};
enum { FAILURES = sizeof failures / sizeof *failures };

/* After a failure that may have stopped all changes of an index on disk: it is as it was, or as it
 * is after the job. Returns whether it has the batch. */
static bool reopen(world *w, const batch *b) {
    nd_index_info info = {.struct_size = sizeof info};
    nd_index_close(w->index[ON_DISK]);
    good(nd_index_open(directories[ON_DISK], ND_INDEX_WRITE, &w->allocator, &w->index[ON_DISK],
                       &index_error));
    good(nd_index_describe(w->index[ON_DISK], &info, &index_error));
    nd_index_searcher *searcher;
    good(nd_index_searcher_create(w->index[ON_DISK], &searcher, &index_error));
    bool has = true;
    for (size_t i = 0; i < b->live_count; i++)
        has = has && finds(w, searcher, b->live[i], b->live, b->live_count);
    nd_index_searcher_free(searcher);
    if (has) assert_int_equal(info.documents, b->live_count);
    return has;
}

/* The job fails later and later, until it succeeds. */
static void fail_often(world *w, const batch *b, way of, const struct failure *f) {
    unsigned failed = 0;
    bool may_stop = of == ON_DISK && f->make == fail_memory_of_index;
    for (long left = 0;; left += 1 + left / 12) {
        job j;
        make_job(&j, b, of);
        j.left = left;
        j.allocator = w->allocator;
        f->make(&j);
        nd_status status = nd_dedup(dedup_of(&j.parts), NULL, &index_error);
        w->memory.left = FAILING_ALLOCATOR_NEVER;
        assert_int_equal(j.memory.live, 0);
        if (status == ND_OK) break;
        if (status != f->wanted)
            fail_msg("%s, after %ld: %d: %s", f->name, left, (int)status, index_error.message);
        failed++;
        if (may_stop && reopen(w, b)) break;
        check_index(w, w->index[of]);
        change_and_restore(w->index[of]);
    }
    if (failed < f->least) fail_msg("%s: fails %u times only", f->name, failed);
}

static void test_failures(void **state) {
    (void)state;
    static batch b;
    for (uint64_t seed = 80; seed < 80 + 2 * FAILURES; seed++) {
        const struct failure *f = &failures[seed % FAILURES];
        world *w = new_world(seed);
        fill(w);
        bool replace = seed / FAILURES % 2 || ND_LIMIT(false, true);
        make_batch(w, &b, 14, replace);
        for (way of = ON_DISK; of < WAYS; of++) fail_often(w, &b, of, f);
        run_job(&b, BY_PATH);
        accept_batch(w, &b);
        check_all(w);
        free_world(w);
    }
}

/* ---- what is refused */

static void refuse(job *j, nd_index *index, const char *words) {
    assert_int_equal(nd_dedup(dedup_of(&j->parts), NULL, &index_error), ND_ERR_ARGUMENT);
    if (!strstr(index_error.message, words))
        fail_msg("\"%s\" does not say \"%s\"", index_error.message, words);
    change_and_restore(index);
}

static void test_refusals(void **state) {
    (void)state;
    static batch b;
    world *w = new_world(1);
    job j;
    nd_index *reader;
    open_all(w);
    add_all(w, 5, false);
    make_batch(w, &b, 5, false);
    for (way of = ON_DISK; of < WAYS; of++) {
        nd_index *index = w->index[of];
        make_job(&j, &b, of);
        j.parts.index.path = directories[BY_PATH];
        refuse(&j, index, "a path or an open index, and not both");
        make_job(&j, &b, of);
        j.parts.survivors.group = ND_GROUP_COMPONENT;
        refuse(&j, index, "it must be greedy");
        make_job(&j, &b, of);
        j.parts.similarity.sketch = ND_SKETCH_SIMHASH;
        refuse(&j, index, "with one, sketch must be ND_SKETCH_MINHASH");
        make_job(&j, &b, of);
        j.parts.similarity.threshold = 0.75;
        refuse(&j, index,
               of == ON_DISK ? "on-disk: made with threshold"
                             : "an index in memory: made with threshold");
        make_job(&j, &b, of);
        strcpy(((document *)b.documents[3])->id, b.documents[1]->id);
        refuse(&j, index, "in an index each document has its own");
        strcpy(((document *)b.documents[3])->id, w->live[0]->id);
        make_job(&j, &b, of);
        refuse(&j, index, "already");
        check_index(w, index);
    }
    good(nd_index_open(directories[BY_PATH], ND_INDEX_READ, NULL, &reader, &index_error));
    make_job(&j, &b, ON_DISK);
    j.parts.index.index = reader;
    refuse(&j, w->index[ON_DISK], "opened for reading");
    nd_index_close(reader);
    free_world(w);
}

/* ---- two jobs at once: one after the other, or the second is refused */

static void *run_on_thread(void *context) {
    job *j = context;
    nd_error failure;
    j->left = (long)nd_dedup(dedup_of(&j->parts), NULL, &failure);
    return NULL;
}

/* nd_decision_fn: nothing is known of the order. */
static bool count_kept(void *context, const nd_decision *d) {
    ((job *)context)->decided += d->kept;
    return true;
}

static void test_two_jobs(void **state) {
    (void)state;
    static batch b[2];
    for (uint64_t seed = 100; seed < 110; seed++) {
        world *w = new_world(seed);
        way of = seed % 2 ? ON_DISK : IN_MEMORY;
        job jobs[2];
        pthread_t threads[2];
        nd_index_info info = {.struct_size = sizeof info};
        size_t kept = 0;
        open_all(w);
        for (int i = 0; i < 2; i++) {
            make_batch(w, &b[i], 40, false);
            make_job(&jobs[i], &b[i], of);
            jobs[i].parts.outputs.on_decision = count_kept;
        }
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, run_on_thread, &jobs[i]), 0);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < 2; i++) {
            assert_true(jobs[i].left == ND_OK || jobs[i].left == ND_ERR_BUSY);
            if (jobs[i].left == ND_OK) kept += jobs[i].decided;
        }
        assert_true(jobs[0].left == ND_OK || jobs[1].left == ND_OK);
        good(nd_index_describe(w->index[of], &info, &index_error));
        assert_int_equal(info.documents, kept);
        good(nd_index_check(w->index[of], &index_error));
        free_world(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),      cmocka_unit_test(test_many),
        cmocka_unit_test(test_reader),   cmocka_unit_test(test_resumed),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_two_jobs)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

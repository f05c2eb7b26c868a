/* Every request for memory and every system call fails in turn, in each operation of an index. The
 * failure is reported, nothing leaks, and the index is then in the state before or after the
 * operation, both on the same handle and when it is opened again. */
#include "durability/fingerprint_model.h"
#include "durability/image.h"
#include "durability/system.h"
#include "durability/workload.h"

#include "base/status.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static size_t trials;

/* ---- memory */

/* From the nth request on, `times` requests are refused. A merge may request memory on its own
 * thread while the test goes on. */
typedef struct memory {
    atomic_long nth, times, requested, refused, live;
} memory;

static bool refuse(memory *m) {
    long n = m->requested++, nth = m->nth;
    if (n < nth || n - nth >= m->times) return false;
    m->refused++;
    return true;
}

static void *allocate(void *context, size_t size) {
    memory *m = context;
    void *p = refuse(m) ? NULL : malloc(size);
    m->live += p != NULL;
    return p;
}

static void *reallocate(void *context, void *old, size_t size) {
    memory *m = context;
    if (refuse(m)) return NULL;
    void *p = realloc(old, size);
    if (!old) m->live += p != NULL;
    return p;
}

static void release(void *context, void *p) {
    memory *m = context;
    m->live--;
    free(p);
}

/* ---- the operations that fail */

typedef enum act {
    ACT_CREATE,
    ACT_BUILD,
    ACT_OPEN,
    ACT_CHANGE,
    ACT_BATCH,
    ACT_SEARCH,
    ACT_CHECK,
    ACT_QUERY,
    ACT_JOIN,
    ACT_REFRESH
} act;

typedef struct scenario {
    const char *name;
    act act;
    nd_index_mode mode;
    operation operation;
    const struct start *start;
} scenario;

typedef struct subject {
    const scenario *scenario;
    memory memory;
    nd_allocator allocator;
    either_index *index;
    lookup *searcher;
    row before, after;
    nd_error error;
} subject;

/* The state of the index at the beginning. */
typedef struct start {
    image image;
    row row;
} start;

static long files_before, maps_before;
static start whole, torn, full;

/* Makes an index whose log ends with an incomplete record. */
static void make_torn(void) {
    nd_error error;
    either_index *x;
    lookup *searcher;
    operation o = operation_one(OPERATION_ADD, 7, 2);
    torn.row = whole.row;
    must(either_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
    must(lookup_create(x, &searcher, &error), &error);
    system_fail(SYSTEM_ALL, 0, 1, SYSTEM_DEAD);
    assert_int_equal(operation_perform(&o, &torn.row, x, searcher, &error), ND_ERR_IO);
    lookup_free(searcher);
    either_close(x);
    system_heal();
    image_load(&torn.image, "x");
}

/* Makes a log so large that one more document turns it into a segment. */
#ifdef ND_TINY_LIMITS
static operation make_full(void) {
    nd_error error;
    either_index *x;
    lookup *searcher;
    either_info info = {0}, last;
    full.row = whole.row;
    image_store(&whole.image, "x");
    for (unsigned d = 0;; d = (d + 1) % EXTRA) {
        operation o = operation_one(OPERATION_ADD, d, (uint8_t)(full.row.version[d] % TEXTS + 1));
        operation_suit(&o, &full.row);
        must(either_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
        must(lookup_create(x, &searcher, &error), &error);
        last = either_describe(x);
        image_free(&full.image);
        image_load(&full.image, "x");
        must(operation_perform(&o, &full.row, x, searcher, &error), &error);
        info = either_describe(x);
        lookup_free(searcher);
        either_close(x);
        if (info.generation > last.generation) return o;
        operation_apply(&o, &full.row);
    }
}
#endif

/* ---- performing an operation */

typedef struct question {
    unsigned requested, answers;
} question;

/* Asks for a document that is there, and for one that is not. */
static int next_query(void *context, nd_record *out) {
    question *q = context;
    if (q->requested == 2) return 0;
    *out = (nd_record){.id = "q", .id_length = 1, .text = document_text(8, q->requested++ ? 3 : 1)};
    out->length = strlen(out->text);
    return 1;
}

static bool take_answer(void *context, const nd_answer *answer) {
    question *q = context;
    if (answer->document != q->answers || answer->count != (q->answers == 0))
        broken("%zu matches for question %u", answer->count, q->answers);
    q->answers++;
    return true;
}

static nd_status query(subject *s) {
    if (content() != CONTENT_DOCUMENTS)
        return fingerprint_check_queries(s->index->fingerprints, &s->before, true, 1, &s->allocator,
                                         &s->error);
    question q = {0};
    nd_input_options requested;
    nd_input_options_init(&requested, sizeof requested);
    requested.records = next_query;
    requested.records_context = &q;
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.threads = 1;
    resources.work = ".";
    resources.allocator = &s->allocator;
    nd_index_query_options o;
    nd_index_query_options_init(&o, sizeof o);
    o.input = &requested;
    o.resources = &resources;
    ND_TRY(nd_index_query(s->index->documents, &o, take_answer, &q, NULL, &s->error));
    if (q.answers != 2) broken("%u answers", q.answers);
    return ND_OK;
}

static nd_status search(subject *s) {
    row found;
    ND_TRY(row_observe(s->index, &s->before, 1, &found, &s->error));
    if (!row_equal(&found, &s->before))
        broken("found %s, not %s", row_text(&found), row_text(&s->before));
    return ND_OK;
}

static nd_status open_subject(subject *s) {
    nd_status status = either_open("x", s->scenario->mode, &s->allocator, &s->index, &s->error);
    if (status == ND_OK) status = lookup_create(s->index, &s->searcher, &s->error);
    return status;
}

static void close_subject(subject *s) {
    lookup_free(s->searcher);
    either_close(s->index);
    s->index = NULL;
    s->searcher = NULL;
}

static nd_status act_now(subject *s) {
    switch (s->scenario->act) {
    case ACT_CREATE: return index_make("x", false, &s->error);
    case ACT_BUILD:
        return fingerprint_build(&s->scenario->operation, "x", &s->allocator, &s->error);
    case ACT_OPEN: close_subject(s); return open_subject(s);
    case ACT_CHANGE:
        return operation_perform(&s->scenario->operation, &s->before, s->index, s->searcher,
                                 &s->error);
    case ACT_BATCH:
        return operation_perform_batch(&s->scenario->operation, &s->before, "x", &s->allocator,
                                       &s->error);
    case ACT_SEARCH: return search(s);
    case ACT_CHECK: return either_check(s->index, &s->error);
    case ACT_QUERY: return query(s);
    case ACT_JOIN:
        return fingerprint_check_join(s->index->fingerprints, &s->before, true, 1, &s->allocator,
                                      &s->error);
    default: return either_refresh(s->index, &s->error);
    }
}

/* ---- one trial */

typedef struct fault {
    const char *name;
    bool memory;
    unsigned calls;
    long times;
    int failure;
    bool harmless; /* the operation must succeed nevertheless */
} fault;

static void begin_trial(subject *s, const scenario *of) {
    *s = (subject){.scenario = of, .memory = {.nth = SYSTEM_ALWAYS}};
    s->allocator = (nd_allocator){&s->memory, allocate, reallocate, release};
    files_before = system_open_files();
    maps_before = system_maps();
    remove_directory("x");
    if (of->act > ACT_BUILD) {
        image_store(&of->start->image, "x");
        s->before = of->start->row;
    }
    s->after = s->before;
    s->after.there = true;
    if (of->act == ACT_CHANGE || of->act == ACT_BATCH || of->act == ACT_BUILD)
        operation_apply(&of->operation, &s->after);
    if (of->act == ACT_CHANGE || of->act >= ACT_SEARCH) must(open_subject(s), &s->error);
    system_heal();
}

static nd_status add_extra(subject *s, const row *held) {
    operation extra = operation_one(OPERATION_ADD, EXTRA, 1);
    nd_status status = operation_perform(&extra, held, s->index, s->searcher, &s->error);
    if (status != ND_OK) must_report(status, &s->error);
    return status;
}

/* Observes the handle: it has the state before or after, or it accepts no more changes. False: no
 * further check is possible. */
static bool look_at_handle(subject *s, row *held) {
    row known[2] = {s->before, s->after};
    nd_status status = row_observe(s->index, known, 2, held, &s->error);
    if (status != ND_OK) {
        must_report(status, &s->error);
        return false;
    }
    if (row_equal(held, &s->before) || row_equal(held, &s->after)) return true;
    if (add_extra(s, held) == ND_OK) broken("the handle holds %s, and goes on", row_text(held));
    return false;
}

/* Continues on the same handle, without faults: the failed operation again, if it has not been
 * done, and another change. Both succeed, or are rejected. Returns the number of rows that are
 * possible then. */
static size_t go_on(subject *s, row *rows) {
    row held;
    operation extra = operation_one(OPERATION_ADD, EXTRA, 1);
    rows[0] = s->before;
    rows[1] = s->after;
    if (!s->index || !s->searcher || !look_at_handle(s, &held)) return 2;
    if (row_equal(&held, &s->before)) {
        nd_status status = act_now(s);
        if (status == ND_OK) held = rows[0] = s->after;
        else must_report(status, &s->error);
    }
    if (!s->index || !s->searcher || s->scenario->mode != ND_INDEX_WRITE ||
        add_extra(s, &held) != ND_OK)
        return 2;
    operation_apply(&extra, &held);
    rows[0] = held;
    return 1;
}

static void end_trial(subject *s, const row *rows, size_t count) {
    row found;
    close_subject(s);
    if (s->memory.live != 0) broken("%ld pieces of memory are not given back", s->memory.live);
    if (system_open_files() != files_before)
        broken("%ld files are left open", system_open_files() - files_before);
    if (system_maps() != maps_before) broken("%ld maps are left", system_maps() - maps_before);
    workload_open("x", ND_INDEX_READ, rows, count, &found, NULL);
    row now = found;
    if (now.there) workload_open("x", ND_INDEX_WRITE, &now, 1, &found, NULL);
}

/* The same if there is no handle. An index that was not built does not exist, if the process could
 * still remove it. */
static size_t repeat(subject *s, const fault *f, row *rows) {
    row known[2] = {s->before, s->after};
    bool none = s->scenario->act == ACT_BUILD && f->times == 1;
    workload_open("x", ND_INDEX_WRITE, known, none ? 1 : 2, &s->before, NULL);
    bool again = s->scenario->act == ACT_BATCH &&
                 !(content() == CONTENT_NUMBERS && row_equal(&s->before, &s->after));
    if (!s->before.there || again) must(act_now(s), &s->error);
    rows[0] = s->after;
    return 1;
}

/* False: there are fewer requests or calls. */
static bool try_fault(const scenario *of, const fault *f, long nth) {
    subject s;
    row rows[2];
    test_at("%s, %s %ld", of->name, f->name, nth);
    begin_trial(&s, of);
    if (f->memory) {
        s.memory.requested = 0;
        s.memory.nth = nth;
        s.memory.times = f->times;
    } else {
        system_fail(f->calls, nth, f->times, f->failure);
    }
    nd_status status = act_now(&s);
    bool failed = f->memory ? s.memory.refused > 0 : system_failed() != 0;
    s.memory.nth = SYSTEM_ALWAYS;
    system_heal();
    if (status != ND_OK) must_report(status, &s.error);
    if (status != ND_OK && (f->harmless || !failed)) broken("it fails: %s", s.error.message);
    size_t count = 1;
    if (status == ND_OK) rows[0] = s.after;
    else if (of->act == ACT_CREATE || of->act == ACT_BATCH || of->act == ACT_BUILD)
        count = repeat(&s, f, rows);
    else count = go_on(&s, rows);
    end_trial(&s, rows, count);
    trials++;
    return failed;
}

static size_t scenario_count;
static scenario scenarios[32];

static void add_scenario(const char *name, act a, nd_index_mode mode, operation o,
                         const start *from) {
    scenarios[scenario_count++] = (scenario){name, a, mode, o, from};
}

/* A document in the log. */
static unsigned late(void) { return content() == CONTENT_DOCUMENTS ? 15 : 26; }

/* Adds the operations that replace documents. Numeric ids have none. */
static void add_replacements(void) {
    const nd_index_mode w = ND_INDEX_WRITE;
    if (content() == CONTENT_NUMBERS) return;
    add_scenario("replace one of a segment", ACT_CHANGE, w, operation_one(OPERATION_ADD, 1, 2),
                 &whole);
    add_scenario("replace one of the log", ACT_CHANGE, w, operation_one(OPERATION_ADD, late(), 2),
                 &whole);
    add_scenario("batch", ACT_BATCH, w, operation_many(8, 6, 3), &whole);
    if (content() == CONTENT_FINGERPRINTS)
        add_scenario("large batch", ACT_BATCH, w, operation_many(16, 15, 3), &whole);
}

static void add_fingerprint_scenarios(void) {
    const operation none = {0};
    add_scenario("build", ACT_BUILD, ND_INDEX_WRITE, operation_many(0, 14, 1), &whole);
    add_scenario("batch to the log", ACT_BATCH, ND_INDEX_WRITE, operation_many(27, 4, 1), &whole);
    add_scenario("join", ACT_JOIN, ND_INDEX_READ, none, &whole);
}

static void make_scenarios(void) {
    const operation none = {0};
    const nd_index_mode r = ND_INDEX_READ, w = ND_INDEX_WRITE;
    scenario_count = 0;
    add_scenario("create", ACT_CREATE, w, none, &whole);
    add_scenario("open to read", ACT_OPEN, r, none, &whole);
    add_scenario("open to write", ACT_OPEN, w, none, &whole);
    add_scenario("open to read, torn", ACT_OPEN, r, none, &torn);
    add_scenario("open to write, torn", ACT_OPEN, w, none, &torn);
    add_scenario("add", ACT_CHANGE, w, operation_one(OPERATION_ADD, 28, 1), &whole);
    if (content() != CONTENT_NUMBERS)
        add_scenario("add a long id", ACT_CHANGE, w, operation_one(OPERATION_ADD, 23, 1), &whole);
    add_scenario("add a duplicate", ACT_CHANGE, w, operation_one(OPERATION_COPY, 1, 0), &whole);
    add_replacements();
    add_scenario("remove from a segment", ACT_CHANGE, w, operation_one(OPERATION_REMOVE, 1, 0),
                 &whole);
    add_scenario("remove from the log", ACT_CHANGE, w, operation_one(OPERATION_REMOVE, late(), 0),
                 &whole);
    add_scenario("sync", ACT_CHANGE, w, operation_one(OPERATION_SYNC, 1, 0), &whole);
    add_scenario("compact", ACT_CHANGE, w, operation_one(OPERATION_COMPACT, 1, 0), &whole);
    add_scenario("search", ACT_SEARCH, r, none, &whole);
    add_scenario("check", ACT_CHECK, w, none, &whole);
    add_scenario("check to read", ACT_CHECK, r, none, &whole);
    add_scenario("query", ACT_QUERY, r, none, &whole);
    if (content() != CONTENT_DOCUMENTS) add_fingerprint_scenarios();
#ifdef ND_TINY_LIMITS
    add_scenario("add to a full log", ACT_CHANGE, w, make_full(), &full);
#endif
    add_scenario("refresh", ACT_REFRESH, r, none, &whole);
}

static void try_faults(const fault *faults, size_t count) {
    /* Strides are random: a constant stride would leave out the same calls each time. Their mean is
     * half of the sparsity, and grows with the number of calls. */
    uint64_t seed = 1, stride = test_sparsity();
    for (size_t i = 0; i < scenario_count; i++)
        for (size_t f = 0; f < count; f++) {
            if (faults[f].memory && scenarios[i].act == ACT_CREATE) continue;
            for (long nth = 0; try_fault(&scenarios[i], &faults[f], nth);)
                nth += (1 + (long)random_below(&seed, stride)) * (1 + nth / 60 * 3);
        }
}

static void test_memory(void **state) {
    (void)state;
    const fault faults[] = {{.name = "request", .memory = true, .times = 1},
                            {.name = "requests from", .memory = true, .times = SYSTEM_ALWAYS}};
    try_faults(faults, 2);
}

static void test_system(void **state) {
    (void)state;
    const fault faults[] = {
        {.name = "call", .calls = SYSTEM_ALL, .times = 1, .failure = EIO},
        {.name = "calls from", .calls = SYSTEM_ALL, .times = SYSTEM_ALWAYS, .failure = EIO},
        {.name = "disk full at",
         .calls = SYSTEM_ALL,
         .times = SYSTEM_ALWAYS,
         .failure = SYSTEM_FULL},
        {.name = "death at", .calls = SYSTEM_ALL, .times = SYSTEM_ALWAYS, .failure = SYSTEM_DEAD}};
    try_faults(faults, 4);
}

/* Interrupted and short calls are continued. */
static void test_interrupted(void **state) {
    (void)state;
    const unsigned moves = SYSTEM_READ | SYSTEM_WRITE;
    const fault faults[] = {
        {.name = "interrupted",
         .calls = moves | SYSTEM_RESIZE | SYSTEM_LOCK,
         .times = 1,
         .failure = EINTR,
         .harmless = true},
        {.name = "short", .calls = moves, .times = 1, .failure = SYSTEM_SHORT, .harmless = true},
        {.name = "all short from",
         .calls = moves,
         .times = SYSTEM_ALWAYS,
         .failure = SYSTEM_SHORT,
         .harmless = true},
    };
    try_faults(faults, 3);
}

/* After a failed sync of the log the handle accepts no more changes, and does not sync again as if
 * the sync had succeeded; searches still work. */
static void test_failed_sync_is_final(void **state) {
    (void)state;
    const scenario *of = NULL;
    const operation changes[] = {
        operation_one(OPERATION_ADD, 21, 1), operation_one(OPERATION_REMOVE, 1, 0),
        operation_one(OPERATION_COMPACT, 0, 0), operation_one(OPERATION_SYNC, 0, 0)};
    for (size_t i = 0; i < scenario_count; i++) {
        subject s;
        of = &scenarios[i];
        if (of->act != ACT_CHANGE || of->operation.kind > OPERATION_REMOVE ||
            of->operation.kind == OPERATION_COPY || of->start == &full)
            continue;
        for (int batch = 0; batch < 2; batch++) {
            test_at("%s, sync", of->name);
            begin_trial(&s, of);
            if (batch) either_set_sync(s.index, ND_SYNC_BATCH);
            system_fail(SYSTEM_SYNC, 0, 1, EIO);
            nd_status status = act_now(&s);
            if (batch && status == ND_OK) status = either_sync(s.index, &s.error);
            must_report(status, &s.error);
            assert_int_equal(system_failed(), SYSTEM_SYNC);
            system_heal();
            for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
                status = operation_perform(&changes[c], &s.after, s.index, s.searcher, &s.error);
                must_report(status, &s.error);
            }
            row known[2] = {s.before, s.after}, held;
            look_at_handle(&s, &held);
            must(either_check(s.index, &s.error), &s.error);
            assert_int_equal(system_count(SYSTEM_SYNC | SYSTEM_WRITE), 0);
            end_trial(&s, known, 2);
        }
    }
}

static int begin_tests(void **state) {
    if (image_enter(state) != 0) return -1;
    workload_small(false, &whole.row);
    image_load(&whole.image, "x");
    make_torn();
    make_scenarios();
    return 0;
}

static int end_tests(void **state) {
    remove_directory("x");
    image_free(&whole.image);
    image_free(&torn.image);
    image_free(&full.image);
    return leave_own_directory(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_system),
                                       cmocka_unit_test(test_interrupted),
                                       cmocka_unit_test(test_failed_sync_is_final)};
    int failed = 0;
    for (content_kind kind = CONTENT_DOCUMENTS; kind < CONTENTS; kind++) {
        content_use(kind);
        failed += cmocka_run_group_tests_name(content_name(), tests, begin_tests, end_tests);
    }
    print_message("%zu trials\n", trials);
    return failed;
}

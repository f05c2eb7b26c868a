/* Every request for memory and every system call fails in turn, while a stream is made, resumed,
 * fed, saved and observed. The failure is reported, nothing leaks, and all answered documents are
 * there. When the rest is sent again, the stream is as if nothing had happened. */
#include "durability/documents.h"
#include "durability/image.h"
#include "durability/stream_model.h"
#include "durability/system.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

static size_t trials;

/* ---- memory: from the nth request on `times` of them are refused */

typedef struct memory {
    long nth, times;
    atomic_long requested, refused, live;
} memory;

static bool refuse(memory *m) {
    long n = atomic_fetch_add(&m->requested, 1);
    bool refused = n >= m->nth && n - m->nth < m->times;
    m->refused += refused;
    return refused;
}

static void *allocate(void *context, size_t size) {
    memory *m = context;
    void *p = refuse(m) ? NULL : malloc(size);
    m->live += p != NULL;
    return p;
}

static void *reallocate(void *context, void *old, size_t size) {
    memory *m = context;
    void *p = refuse(m) ? NULL : realloc(old, size);
    m->live += !old && p;
    return p;
}

static void release(void *context, void *p) {
    ((memory *)context)->live--;
    free(p);
}

/* ---- the actions that fail */

typedef struct fault {
    const char *name;
    bool memory;
    unsigned calls;
    long times;
    int failure;
} fault;

static const fault faults[] = {
    {.name = "request for memory", .memory = true, .times = 1},
    {.name = "request for memory, and all after it", .memory = true, .times = SYSTEM_ALWAYS},
    {.name = "call", .calls = SYSTEM_ALL, .times = 1, .failure = EIO},
    {.name = "call on a full disk", .calls = SYSTEM_ALL, .times = 1, .failure = SYSTEM_FULL},
    {.name = "call of a killed process", .calls = SYSTEM_ALL, .times = 1, .failure = SYSTEM_DEAD},
    {.name = "call, cut short",
     .calls = SYSTEM_READ | SYSTEM_WRITE,
     .times = 1,
     .failure = SYSTEM_SHORT},
};

typedef struct scenario {
    const char *name;
    unsigned before; /* documents in the stream at the beginning; 0: there is no stream */
    nd_index_mode mode;
    unsigned to;
} scenario;

enum { TAKEN_UP = 60 };
static const scenario scenarios[] = {{"made", 0, ND_INDEX_WRITE, 5},
                                     {"taken up", TAKEN_UP, ND_INDEX_WRITE, ARRIVALS},
                                     {"read", TAKEN_UP, ND_INDEX_READ, TAKEN_UP}};

static image start;

static nd_stream *open_surely(void) {
    nd_error error;
    nd_stream *s;
    nd_stream_options o = stream_options();
    must(nd_stream_open("x", ND_INDEX_WRITE, &o, NULL, &s, &error), &error);
    return s;
}

static void make_start(void) {
    nd_error error;
    uint64_t seed = 1;
    unsigned answered;
    nd_stream *s = open_surely();
    must(stream_feed(s, 0, TAKEN_UP, &seed, &answered, &error), &error);
    nd_stream_close(s);
    image_load(&start, "x");
}

/* After a failure all changes fail. */
static void must_fail(nd_stream *s) {
    nd_error error;
    nd_status status = nd_stream_sync(s, &error);
    if (status != ND_OK) {
        must_report(status, &error);
        const nd_record late = {.text = "a", .length = 1, .id = "late", .id_length = 4};
        must_report(nd_stream_add(s, &late, NULL, &error), &error);
    }
}

static nd_status act(const scenario *of, const nd_allocator *allocator, unsigned *answered,
                     nd_error *error) {
    nd_stream *s;
    nd_stream_options o = stream_options();
    uint64_t seed = 2;
    unsigned count;
    nd_status status = nd_stream_open("x", of->mode, &o, allocator, &s, error);
    if (status != ND_OK) return status;
    if (of->mode == ND_INDEX_WRITE)
        status = stream_feed(s, of->before, of->to, &seed, answered, error);
    if (status != ND_OK) must_fail(s);
    else status = stream_observe(s, &count, error);
    nd_stream_close(s);
    return status;
}

/* Returns whether there are so many requests or calls. */
static bool try_fault(const scenario *of, const fault *f, long nth) {
    nd_error error;
    memory m = {.nth = f->memory ? nth : SYSTEM_ALWAYS, .times = f->times};
    const nd_allocator allocator = {&m, allocate, reallocate, release};
    unsigned answered = of->before;
    uint64_t seed = (uint64_t)nth;
    test_at("%s, %s, %s %ld", stream_name(), of->name, f->name, nth);
    remove_directory("x");
    if (of->before > 0) image_store(&start, "x");
    long files = system_open_files(), maps = system_maps();
    if (!f->memory) system_fail(f->calls, nth, f->times, f->failure);
    nd_status status = act(of, &allocator, &answered, &error);
    bool failed = f->memory ? m.refused > 0 : system_failed() != 0;
    system_heal();
    if (status != ND_OK) must_report(status, &error);
    if (status != ND_OK && (!failed || f->failure == SYSTEM_SHORT))
        broken("it fails: %s", error.message);
    if (m.live != 0) broken("%ld pieces of memory are not given back", m.live);
    if (system_open_files() != files || system_maps() != maps)
        broken("files or maps are left open");
    stream_open_surely("x", answered, of->to);
    stream_go_on("x", answered, &seed);
    trials++;
    return failed;
}

static void try_faults(bool of_memory) {
    for (stream_kind kind = STREAM_FOLLOWS; kind < STREAM_KINDS; kind++) {
        stream_use(kind, 1);
        make_start();
        for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++) {
            for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
                uint64_t seed = f;
                if (faults[f].memory != of_memory) continue;
                /* All of them if there are few, otherwise some. */
                for (long nth = 0; try_fault(&scenarios[s], &faults[f], nth);)
                    nth += 1 + (long)random_below(&seed, (uint64_t)(nth / 8 + stream_sparse()));
            }
        }
        image_free(&start);
        remove_directory("x");
        stream_end();
    }
}

static void test_memory(void **state) {
    (void)state;
    try_faults(true);
}

static void test_system(void **state) {
    (void)state;
    try_faults(false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_system)};
    int failed = cmocka_run_group_tests(tests, image_enter, leave_own_directory);
    print_message("%zu trials\n", trials);
    return failed;
}

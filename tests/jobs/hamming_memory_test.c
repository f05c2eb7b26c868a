/* Searching, many queries at once, and joins, with memory that ends at every request in turn: what
 * is refused is told as that, nothing is kept, and the same call succeeds afterwards. */
#include "own_directory.h"
#include "test.h"

#include "neardup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUILT = 200, COUNT = 230, BITS = 64, K = 3, QUERIES = 20 };

static char directory[] = "hamming-memory-XXXXXX";
/* The index has a memory of its own, and every job has another one. */
static failing_allocator index_memory = {.left = FAILING_ALLOCATOR_NEVER},
                         job_memory = {.left = FAILING_ALLOCATOR_NEVER};
static nd_allocator index_allocator, allocator;
static nd_index *opened;
static nd_error error;

static void good(nd_status status) {
    if (status != ND_OK) fail_msg("%s", error.message);
}

static nd_fingerprint fingerprint_of(unsigned i) {
    uint64_t seed = i % 3 ? i : i / 2;
    nd_fingerprint f = {random_next(&seed), 0};
    if (i % 4 == 0) f.low ^= 1;
    return f;
}

typedef struct feed {
    unsigned next, end;
    char id[24];
} feed;

static int give(void *context, nd_fingerprinted *out) {
    feed *f = context;
    if (f->next == f->end) return 0;
    out->fingerprint = fingerprint_of(f->next);
    out->id = f->id;
    out->id_length = (size_t)snprintf(f->id, sizeof f->id, "item %u", f->next++);
    return 1;
}

/* ---- what is tried; *found: of what was told, which is the same each time */

typedef nd_status work(uint32_t threads, uint64_t *found);

static nd_status search(uint32_t threads, uint64_t *found) {
    nd_finder *finder;
    const nd_hamming_match *matches;
    uint64_t count;
    (void)threads;
    nd_status status = nd_finder_create(opened, &finder, &error);
    if (status != ND_OK) return status;
    for (unsigned i = 0; status == ND_OK && i < QUERIES; i++) {
        nd_find_kind kind = (nd_find_kind)(i % 4);
        status = nd_find(finder, fingerprint_of(11 * i), K, kind, 2, &matches, &count, &error);
        if (status == ND_OK) *found += count;
    }
    nd_finder_free(finder);
    return status;
}

static bool take_answer(void *context, const nd_hamming_answer *answer) {
    *(uint64_t *)context += answer->count;
    return true;
}

static nd_status query(uint32_t threads, uint64_t *found) {
    feed f = {.next = 0, .end = COUNT};
    nd_fingerprint_source source = {.next = give, .context = &f};
    nd_job_options options;
    nd_job_options_init(&options);
    options.threads = threads;
    options.allocator = &allocator;
    return nd_hamming_query(opened, &source, K, ND_FIND_ALL, 0, &options, take_answer, found, NULL,
                            &error);
}

static bool take_pair(void *context, const nd_join_pair *pair) {
    *(uint64_t *)context += pair->distance + 1;
    return true;
}

static nd_join_options join_options(uint32_t threads) {
    nd_join_options options;
    nd_join_options_init(&options);
    options.bits = BITS;
    options.k = K;
    options.threads = threads;
    options.memory = 1 << 20;
    options.work = directory;
    options.allocator = &allocator;
    return options;
}

static nd_status join(uint32_t threads, uint64_t *found) {
    nd_hamming_side side = {.index = opened};
    nd_join_options options = join_options(threads);
    return nd_join(&side, NULL, &options, take_pair, found, NULL, &error);
}

static nd_status join_groups(uint32_t threads, uint64_t *found) {
    nd_hamming_side side = {.index = opened};
    nd_join_options options = join_options(threads);
    options.groups = true;
    return nd_join(&side, NULL, &options, take_pair, found, NULL, &error);
}

static nd_status join_two(uint32_t threads, uint64_t *found) {
    feed f = {.next = 100, .end = COUNT};
    nd_fingerprint_source source = {.next = give, .context = &f};
    nd_hamming_side a = {.source = &source}, b = {.index = opened};
    nd_join_options options = join_options(threads);
    return nd_join(&a, &b, &options, take_pair, found, NULL, &error);
}

static nd_status build(uint32_t threads, uint64_t *found) {
    nd_job_options options;
    feed f = {.next = 0, .end = BUILT};
    nd_fingerprint_source source = {.next = give, .context = &f};
    char path[64];
    (void)threads;
    nd_job_options_init(&options);
    options.allocator = &allocator;
    snprintf(path, sizeof path, "%s/built", directory);
    nd_status status = nd_hamming_build(path, NULL, &source, &options, NULL, &error);
    *found = 1;
    if (status != ND_OK) return status;
    remove_directory(path);
    return ND_OK;
}

/* ---- one after the other */

/* Until the call succeeds, all of its requests from one on are refused. Returns how many calls
 * failed. */
static unsigned try_memory(const char *name, work *of, uint32_t threads, failing_allocator *memory,
                           uint64_t wanted) {
    long index_live = index_memory.live, job_live = job_memory.live;
    uint64_t found = 0;
    unsigned failures = 0;
    nd_status status = ND_ERR_MEMORY;
    for (long left = 0; status != ND_OK; left += 1 + left / 300) {
        found = 0;
        memory->left = left;
        status = of(threads, &found);
        memory->left = FAILING_ALLOCATOR_NEVER;
        if (index_memory.live != index_live || job_memory.live != job_live)
            fail_msg("%s: memory is kept after request %ld", name, left);
        failures += status != ND_OK;
        if (status != ND_OK && (status != ND_ERR_MEMORY || error.status != status ||
                                strchr(error.message, '\n') || strlen(error.message) < 5))
            fail_msg("%s: status %d after request %ld: %s", name, (int)status, left, error.message);
    }
    if (found != wanted)
        fail_msg("%s: %u is found, not %u", name, (unsigned)found, (unsigned)wanted);
    return failures;
}

static void try_all(const char *name, work *of, uint32_t threads) {
    uint64_t wanted = 0, found = 0;
    good(of(threads, &wanted));
    assert_true(wanted > 0);
    unsigned failures = try_memory(name, of, threads, &index_memory, wanted) +
                        try_memory(name, of, threads, &job_memory, wanted);
    assert_true(failures > 3);
    good(of(threads, &found));
    assert_true(found == wanted);
}

static void test_finder(void **state) {
    (void)state;
    try_all("searches", search, 1);
}

static void test_queries(void **state) {
    (void)state;
    try_all("queries", query, 1);
    try_all("queries of 3 threads", query, 3);
}

static void test_joins(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads < 4; threads += 2) {
        try_all("a join", join, threads);
        try_all("groups", join_groups, threads);
        try_all("a join of two", join_two, threads);
    }
}

static void test_builds(void **state) {
    (void)state;
    try_all("building", build, 1);
}

/* A segment, and a log with a removal. */
static int begin(void **state) {
    (void)state;
    feed built = {.next = 0, .end = BUILT}, late = {.next = BUILT, .end = COUNT};
    nd_fingerprint_source source = {.next = give, .context = &built};
    bool found;
    nd_job_options options;
    nd_job_options_init(&options);
    options.allocator = &allocator;
    index_allocator = failing_allocator_make(&index_memory);
    allocator = failing_allocator_make(&job_memory);
    make_directory(directory);
    good(nd_hamming_build(directory, NULL, &source, NULL, NULL, &error));
    good(nd_index_open(directory, ND_INDEX_WRITE, &index_allocator, &opened, &error));
    source.context = &late;
    good(nd_hamming_load(opened, &source, &options, NULL, &error));
    good(nd_index_remove(opened, "item 7", 6, &found, &error));
    return 0;
}

static int end(void **state) {
    (void)state;
    nd_index_close(opened);
    assert_int_equal(index_memory.live, 0);
    assert_int_equal(job_memory.live, 0);
    remove_directory(directory);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_finder),
                                       cmocka_unit_test(test_queries), cmocka_unit_test(test_joins),
                                       cmocka_unit_test(test_builds)};
    return cmocka_run_group_tests(tests, begin, end);
}

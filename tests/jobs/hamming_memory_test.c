/* Searches, batches of queries and joins, while each request for memory fails in turn. The failure
 * is reported as such, no memory is kept, and the same call succeeds afterwards. */
#include "own_directory.h"
#include "test.h"

#include "neardup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUILT = 200, COUNT = 230, BITS = 64, K = 3, QUERIES = 20 };

static char directory[] = "hamming-memory-XXXXXX";
/* The index has one allocator, and every job has another one. */
static failing_allocator index_memory = {.left = FAILING_ALLOCATOR_NEVER},
                         job_memory = {.left = FAILING_ALLOCATOR_NEVER};
static nd_allocator index_allocator, allocator;
static nd_hamming_index *opened;
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

/* Resources of a job; valid until the next call. */
static nd_resources *resources_of(uint32_t threads) {
    static nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.memory = UINT64_C(64) << 20;
    resources.threads = threads;
    resources.work = directory;
    resources.allocator = &allocator;
    return &resources;
}

/* ---- the calls; *found: a sum over the reported results, which is the same each time */

typedef nd_status work(uint32_t threads, uint64_t *found);

static nd_status search(uint32_t threads, uint64_t *found) {
    nd_hamming_searcher *searcher;
    const nd_hamming_match *matches;
    uint64_t count;
    (void)threads;
    nd_status status = nd_hamming_searcher_create(opened, &searcher, &error);
    if (status != ND_OK) return status;
    for (unsigned i = 0; status == ND_OK && i < QUERIES; i++) {
        const nd_hamming_search_options options = {
            .struct_size = sizeof options, .k = K, .kind = (nd_hamming_kind)(i % 4), .limit = 2};
        status = nd_hamming_search(searcher, fingerprint_of(11 * i), &options, &matches, &count,
                                   &error);
        if (status == ND_OK) *found += count;
    }
    nd_hamming_searcher_free(searcher);
    return status;
}

static bool take_answer(void *context, const nd_hamming_answer *answer) {
    *(uint64_t *)context += answer->count;
    return true;
}

static nd_status query(uint32_t threads, uint64_t *found) {
    feed f = {.next = 0, .end = COUNT};
    nd_fingerprint_source source = {.struct_size = sizeof source, .next = give, .context = &f};
    const nd_hamming_query_options options = {
        .struct_size = sizeof options, .source = &source, .resources = resources_of(threads)};
    return nd_hamming_query(opened, &options, take_answer, found, NULL, &error);
}

static bool take_pair(void *context, const nd_hamming_pair *pair) {
    *(uint64_t *)context += pair->distance + 1;
    return true;
}

static nd_hamming_join_options join_options(uint32_t threads) {
    nd_hamming_join_options options;
    nd_hamming_join_options_init(&options, sizeof options);
    options.bits = BITS;
    options.k = K;
    options.resources = resources_of(threads);
    return options;
}

static nd_status join(uint32_t threads, uint64_t *found) {
    nd_hamming_side side = {.index = opened};
    nd_hamming_join_options options = join_options(threads);
    return nd_hamming_join(&side, NULL, &options, take_pair, found, NULL, &error);
}

static nd_status join_groups(uint32_t threads, uint64_t *found) {
    nd_hamming_side side = {.index = opened};
    nd_hamming_join_options options = join_options(threads);
    options.kind = ND_JOIN_GROUPS;
    return nd_hamming_join(&side, NULL, &options, take_pair, found, NULL, &error);
}

static nd_status join_two(uint32_t threads, uint64_t *found) {
    feed f = {.next = 100, .end = COUNT};
    nd_fingerprint_source source = {.struct_size = sizeof source, .next = give, .context = &f};
    nd_hamming_side a = {.source = &source}, b = {.index = opened};
    nd_hamming_join_options options = join_options(threads);
    return nd_hamming_join(&a, &b, &options, take_pair, found, NULL, &error);
}

static nd_status build(uint32_t threads, uint64_t *found) {
    feed f = {.next = 0, .end = BUILT};
    nd_fingerprint_source source = {.struct_size = sizeof source, .next = give, .context = &f};
    char path[64];
    snprintf(path, sizeof path, "%s/built", directory);
    nd_status status = nd_hamming_build(path, NULL, &source, resources_of(threads), NULL, &error);
    *found = 1;
    if (status != ND_OK) return status;
    remove_directory(path);
    return ND_OK;
}

/* ---- one request after the other */

/* Refuses all requests of a call from the first on, then from the second on, and so forth, until
 * the call succeeds. Returns the number of failed calls. */
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

static void test_searches(void **state) {
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

/* ---- an index in memory: a load that fails leaves nothing of it, and the index can be changed */

static nd_status load_some(nd_hamming_index *x, unsigned begin, unsigned end) {
    feed f = {.next = begin, .end = end};
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .next = give, .context = &f};
    const nd_hamming_load_options options = {.struct_size = sizeof options, .replace = true};
    return nd_hamming_load(x, &source, &options, NULL, &error);
}

/* The index has the first `count`, with their fingerprints, and can be changed. */
static void check_loaded(nd_hamming_index *x, unsigned count) {
    const nd_hamming_search_options equal = {.struct_size = sizeof equal};
    nd_hamming_info info = {.struct_size = sizeof info};
    nd_hamming_searcher *searcher;
    bool done;
    good(nd_hamming_describe(x, &info, &error));
    assert_int_equal(info.fingerprints, count);
    good(nd_hamming_check(x, &error));
    good(nd_hamming_searcher_create(x, &searcher, &error));
    for (unsigned i = 0; i < count; i++) {
        const nd_hamming_match *matches;
        uint64_t found;
        bool has = false;
        char id[24];
        size_t length = (size_t)snprintf(id, sizeof id, "item %u", i);
        good(nd_hamming_search(searcher, fingerprint_of(i), &equal, &matches, &found, &error));
        for (uint64_t m = 0; m < found; m++)
            has |= matches[m].id_length == length && memcmp(matches[m].id, id, length) == 0;
        assert_true(has);
    }
    nd_hamming_searcher_free(searcher);
    good(nd_hamming_add(x, "another", 7, (nd_fingerprint){1, 0}, &error));
    good(nd_hamming_remove(x, "another", 7, &done, &error));
    assert_true(done);
}

static void test_load_in_memory(void **state) {
    (void)state;
    enum { BEFORE = 50, AFTER = 3000 };
    nd_hamming_index *x;
    unsigned failures = 0;
    nd_status status = ND_ERR_MEMORY;
    long live = index_memory.live;
    good(nd_hamming_create_in_memory(NULL, &index_allocator, &x, &error));
    good(load_some(x, 0, BEFORE));
    for (long left = 0; status != ND_OK; left += 1 + left / 20) {
        index_memory.left = left;
        status = load_some(x, BEFORE / 2, AFTER); /* a half of the first are replaced */
        index_memory.left = FAILING_ALLOCATOR_NEVER;
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        failures++;
        check_loaded(x, BEFORE);
    }
    assert_true(failures > 2);
    check_loaded(x, AFTER);
    nd_hamming_close(x);
    assert_int_equal(index_memory.live, live);
}

/* Makes a segment, and a log with a removal. */
static int begin(void **state) {
    (void)state;
    index_allocator = failing_allocator_make(&index_memory);
    allocator = failing_allocator_make(&job_memory);
    feed built = {.next = 0, .end = BUILT}, late = {.next = BUILT, .end = COUNT};
    nd_fingerprint_source source = {.struct_size = sizeof source, .next = give, .context = &built};
    bool found;
    const nd_hamming_load_options options = {.struct_size = sizeof options,
                                             .resources = resources_of(1)};
    make_directory(directory);
    good(nd_hamming_build(directory, NULL, &source, NULL, NULL, &error));
    good(nd_hamming_open(directory, ND_INDEX_WRITE, &index_allocator, &opened, &error));
    source.context = &late;
    good(nd_hamming_load(opened, &source, &options, NULL, &error));
    good(nd_hamming_remove(opened, "item 7", 6, &found, &error));
    return 0;
}

static int end(void **state) {
    (void)state;
    nd_hamming_close(opened);
    assert_int_equal(index_memory.live, 0);
    assert_int_equal(job_memory.live, 0);
    remove_directory(directory);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_searches),
                                       cmocka_unit_test(test_queries), cmocka_unit_test(test_joins),
                                       cmocka_unit_test(test_builds),
                                       cmocka_unit_test(test_load_in_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}

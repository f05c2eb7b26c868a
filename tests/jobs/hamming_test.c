/* An index of fingerprints through its public calls, against a scan of all fingerprints.
 * Fingerprints are added one by one or loaded, removed, replaced, compacted and opened again;
 * searches find the same ones in the promised order. */
#include "own_directory.h"
#include "test.h"

#include "base/limits.h"
#include "neardup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 700, ROUNDS = 40, QUERIES = 25 };

typedef struct entry {
    char id[32];
    nd_fingerprint fingerprint;
    bool there;
} entry;

typedef struct world {
    char directory[32];
    nd_hamming_index *index;
    nd_hamming_searcher *searcher;
    uint32_t bits, k;
    bool numbered, in_memory;
    uint64_t seed;
    entry entries[MOST]; /* in the order in which they are added */
    size_t count;
} world;

static nd_error error;

static void good(nd_status status) {
    if (status != ND_OK) fail_msg("%s", error.message);
}

static void expect_failure(nd_status status, nd_status wanted, const char *words) {
    assert_int_equal(status, wanted);
    if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

/* ---- a world and its changes */

static void open_world(world *w) {
    good(nd_hamming_open(w->directory, ND_INDEX_WRITE, NULL, &w->index, &error));
    nd_hamming_set_sync(w->index, ND_SYNC_BATCH);
    good(nd_hamming_searcher_create(w->index, &w->searcher, &error));
}

static void close_world(world *w) {
    nd_hamming_searcher_free(w->searcher);
    nd_hamming_close(w->index);
}

/* Makes the index, and opens it. */
static void create_world(world *w) {
    const nd_hamming_options options = {
        .struct_size = sizeof options, .bits = w->bits, .k = w->k, .numbered = w->numbered};
    if (w->in_memory) {
        good(nd_hamming_create_in_memory(&options, NULL, &w->index, &error));
        good(nd_hamming_searcher_create(w->index, &w->searcher, &error));
        return;
    }
    make_directory(w->directory);
    good(nd_hamming_create(w->directory, &options, &error));
    expect_failure(nd_hamming_create(w->directory, &options, &error), ND_ERR_IO, "already");
    open_world(w);
}

/* An index in memory would be lost. */
static void reopen_world(world *w) {
    if (w->in_memory) return;
    close_world(w);
    open_world(w);
}

static nd_fingerprint some_fingerprint(world *w) {
    nd_fingerprint f = {random_next(&w->seed), random_next(&w->seed)};
    if (w->count > 0 && random_below(&w->seed, 3))
        f = w->entries[random_below(&w->seed, w->count)].fingerprint;
    for (uint64_t flips = random_below(&w->seed, w->k + 3); flips > 0; flips--) {
        uint64_t bit = random_below(&w->seed, w->bits);
        if (bit < 64) f.low ^= UINT64_C(1) << bit;
        else f.high ^= UINT64_C(1) << (bit - 64);
    }
    if (w->bits <= 64) f.high = 0;
    if (w->bits < 64) f.low &= (UINT64_C(1) << w->bits) - 1;
    return f;
}

/* Makes the next entry of the model; it is not in the index yet. */
static entry *new_entry(world *w) {
    entry *e = &w->entries[w->count];
    *e = (entry){.fingerprint = some_fingerprint(w), .there = true};
    snprintf(e->id, sizeof e->id, w->numbered ? "%zu" : "item\t%zu", w->count++);
    return e;
}

static void add_one(world *w) {
    entry *e = new_entry(w);
    bool given = !w->numbered || random_below(&w->seed, 2);
    good(nd_hamming_add(w->index, given ? e->id : NULL, strlen(e->id), e->fingerprint, &error));
}

/* Entries [*context, count) as a source. */
typedef struct feed {
    world *w;
    size_t next;
} feed;

static int give(void *context, nd_fingerprinted *out) {
    feed *f = context;
    if (f->next == f->w->count) return 0;
    const entry *e = &f->w->entries[f->next++];
    out->id = f->w->numbered && f->next % 2 ? NULL : e->id;
    out->id_length = strlen(e->id);
    out->fingerprint = e->fingerprint;
    return 1;
}

/* The same entries; if ids are numbers, as an array. */
static nd_fingerprint_source source_of(world *w, feed *f) {
    static uint64_t words[2 * MOST];
    size_t each = w->bits > 64 ? 2 : 1;
    if (!w->numbered || random_below(&w->seed, 2))
        return (nd_fingerprint_source){
            .struct_size = sizeof(nd_fingerprint_source), .next = give, .context = f};
    for (size_t i = f->next; i < w->count; i++) {
        words[(i - f->next) * each] = w->entries[i].fingerprint.low;
        if (each > 1) words[(i - f->next) * each + 1] = w->entries[i].fingerprint.high;
    }
    return (nd_fingerprint_source){
        .struct_size = sizeof(nd_fingerprint_source), .words = words, .count = w->count - f->next};
}

static void load_some(world *w, size_t count) {
    feed f = {w, w->count};
    nd_job_summary summary = {.struct_size = sizeof summary};
    for (size_t i = 0; i < count && w->count < MOST; i++) new_entry(w);
    nd_fingerprint_source source = source_of(w, &f);
    size_t loaded = w->count - f.next;
    good(nd_hamming_load(w->index, &source, NULL, &summary, &error));
    assert_int_equal(summary.documents, loaded);
}

/* Returns the entry with an id; NULL: none. */
static entry *holder(world *w, const char *id) {
    for (size_t i = 0; i < w->count; i++)
        if (w->entries[i].there && strcmp(w->entries[i].id, id) == 0) return &w->entries[i];
    return NULL;
}

static void remove_one(world *w) {
    bool found;
    const char *id = w->entries[random_below(&w->seed, w->count)].id;
    entry *e = holder(w, id);
    good(nd_hamming_remove(w->index, id, strlen(id), &found, &error));
    assert_int_equal(found, e != NULL);
    if (e) e->there = false;
}

/* The entry moves to the end, with another fingerprint. */
static void replace_one(world *w) {
    char id[sizeof w->entries->id];
    memcpy(id, w->entries[random_below(&w->seed, w->count)].id, sizeof id);
    entry *old = holder(w, id), *e = new_entry(w);
    memcpy(e->id, id, sizeof id);
    if (old)
        expect_failure(nd_hamming_add(w->index, id, strlen(id), e->fingerprint, &error),
                       ND_ERR_ARGUMENT, "already");
    if (random_below(&w->seed, 2)) {
        feed f = {w, w->count - 1};
        nd_fingerprint_source source = {.struct_size = sizeof source, .next = give, .context = &f};
        const nd_hamming_load_options options = {.struct_size = sizeof options, .replace = true};
        good(nd_hamming_load(w->index, &source, &options, NULL, &error));
    } else {
        good(nd_hamming_replace(w->index, id, strlen(id), e->fingerprint, &error));
    }
    if (old) old->there = false;
}

/* ---- searches */

typedef struct expectation {
    size_t order[MOST]; /* entries within k: the nearest first, then in the order of adding */
    size_t count;
} expectation;

static void expect(const world *w, nd_fingerprint query, uint32_t k, expectation *x) {
    x->count = 0;
    for (uint32_t distance = 0; distance <= k; distance++)
        for (size_t i = 0; i < w->count; i++)
            if (w->entries[i].there && nd_distance(w->entries[i].fingerprint, query) == distance)
                x->order[x->count++] = i;
}

static void assert_is(const nd_hamming_match *m, const entry *e, nd_fingerprint query) {
    assert_int_equal(m->id_length, strlen(e->id));
    assert_memory_equal(m->id, e->id, m->id_length);
    assert_int_equal(m->distance, nd_distance(e->fingerprint, query));
    assert_true(m->fingerprint.low == e->fingerprint.low &&
                m->fingerprint.high == e->fingerprint.high);
}

static void check_any(world *w, const nd_hamming_match *matches, uint64_t count,
                      nd_fingerprint query, uint32_t k) {
    for (uint64_t m = 0; m < count; m++) {
        char id[sizeof w->entries->id] = "";
        memcpy(id, matches[m].id, matches[m].id_length);
        const entry *e = holder(w, id);
        assert_true(e && matches[m].distance <= k);
        assert_is(&matches[m], e, query);
        if (m > 0) assert_true(matches[m - 1].distance <= matches[m].distance);
        for (uint64_t other = 0; other < m; other++)
            assert_true(matches[other].id_length != matches[m].id_length ||
                        memcmp(matches[other].id, matches[m].id, matches[m].id_length) != 0);
    }
}

static const nd_hamming_match *search(world *w, nd_fingerprint query, uint32_t k,
                                      nd_hamming_kind kind, uint64_t limit, uint64_t *count) {
    const nd_hamming_search_options options = {
        .struct_size = sizeof options, .k = k, .kind = kind, .limit = limit};
    const nd_hamming_match *matches;
    good(nd_hamming_search(w->searcher, query, &options, &matches, count, &error));
    return matches;
}

static void check_query(world *w, nd_fingerprint query, uint32_t k) {
    static expectation x;
    const nd_hamming_match *matches;
    uint64_t count, limit = 1 + random_below(&w->seed, 5);
    expect(w, query, k, &x);
    matches = search(w, query, k, ND_HAMMING_ALL, 0, &count);
    assert_int_equal(count, x.count);
    for (size_t i = 0; i < x.count; i++) assert_is(&matches[i], &w->entries[x.order[i]], query);
    assert_null(search(w, query, k, ND_HAMMING_COUNT, 0, &count));
    assert_int_equal(count, x.count);
    matches = search(w, query, k, ND_HAMMING_NEAREST, limit, &count);
    assert_int_equal(count, x.count < limit ? x.count : limit);
    for (size_t i = 0; i < count; i++) assert_is(&matches[i], &w->entries[x.order[i]], query);
    matches = search(w, query, k, ND_HAMMING_ANY, limit, &count);
    assert_int_equal(count, x.count < limit ? x.count : limit);
    check_any(w, matches, count, query, k);
}

/* ---- many queries at once */

typedef struct reported {
    const world *w;
    uint64_t next, matches, limit;
    uint32_t k;
} reported;

static bool check_answer(void *context, const nd_hamming_answer *answer) {
    static expectation x;
    reported *t = context;
    assert_int_equal(answer->query, t->next++);
    expect(t->w, answer->fingerprint, t->k, &x);
    assert_int_equal(answer->count, x.count < t->limit ? x.count : t->limit);
    for (size_t i = 0; i < answer->count; i++)
        assert_is(&answer->matches[i], &t->w->entries[x.order[i]], answer->fingerprint);
    t->matches += answer->count;
    return true;
}

static nd_resources resources_of(uint32_t threads) {
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.threads = threads;
    return resources;
}

static void check_queries_within(world *w, uint32_t k, nd_hamming_kind kind, uint64_t limit,
                                 uint32_t threads) {
    feed f = {w, 0};
    reported t = {.w = w, .k = k, .limit = kind == ND_HAMMING_ALL ? UINT64_MAX : limit};
    const nd_fingerprint_source source = source_of(w, &f);
    const nd_hamming_search_options how = {
        .struct_size = sizeof how, .k = k, .kind = kind, .limit = limit};
    const nd_resources resources = resources_of(threads);
    const nd_hamming_query_options options = {
        .struct_size = sizeof options, .source = &source, .search = &how, .resources = &resources};
    nd_job_summary summary = {.struct_size = sizeof summary};
    good(nd_hamming_query(w->index, &options, check_answer, &t, &summary, &error));
    assert_int_equal(summary.documents, w->count);
    assert_int_equal(summary.pairs, t.matches);
}

/* Above the index's own k all fingerprints are compared. */
static uint32_t some_k(world *w) {
    return random_below(&w->seed, 2)
               ? w->k
               : (uint32_t)(w->k + random_below(&w->seed, w->bits / 4 - w->k + 1));
}

static void check_queries(world *w, uint32_t threads) {
    check_queries_within(w, w->k, ND_HAMMING_ALL, 0, threads);
    check_queries_within(w, some_k(w), ND_HAMMING_ALL, 0, threads);
    check_queries_within(w, some_k(w), ND_HAMMING_NEAREST, 1 + random_below(&w->seed, 3), threads);
}

/* ---- joins */

typedef struct pairs {
    const world *a, *b; /* b NULL: pairs of a alone */
    uint8_t *reported;  /* reported pairs: distance + 1, at index a * MOST + b */
    uint32_t k;
    size_t group[MOST]; /* for groups: the first member of each entry's group */
} pairs;

static size_t position_of(const world *w, const char *id, size_t length) {
    for (size_t i = 0; i < w->count; i++)
        if (w->entries[i].there && strlen(w->entries[i].id) == length &&
            memcmp(w->entries[i].id, id, length) == 0)
            return i;
    fail_msg("no entry has the id %.*s", (int)length, id);
    return 0;
}

static bool take_pair(void *context, const nd_hamming_pair *pair) {
    pairs *p = context;
    size_t a = position_of(p->a, pair->id_a, pair->id_a_length),
           b = position_of(p->b ? p->b : p->a, pair->id_b, pair->id_b_length);
    if (!p->b) assert_true(a < b);
    assert_int_equal(p->reported[a * MOST + b], 0);
    p->reported[a * MOST + b] = (uint8_t)(pair->distance + 1);
    return true;
}

static void check_pairs(const pairs *p) {
    const world *b = p->b ? p->b : p->a;
    for (size_t i = 0; i < p->a->count; i++)
        for (size_t j = p->b ? 0 : i + 1; j < b->count; j++) {
            uint32_t distance = nd_distance(p->a->entries[i].fingerprint,
                                            b->entries[j].fingerprint);
            bool there = p->a->entries[i].there && b->entries[j].there && distance <= p->k;
            assert_int_equal(p->reported[i * MOST + j], there ? distance + 1 : 0);
        }
}

static bool take_member(void *context, const nd_hamming_pair *pair) {
    pairs *p = context;
    p->group[position_of(p->a, pair->id_b, pair->id_b_length)] = position_of(p->a, pair->id_a,
                                                                             pair->id_a_length);
    return true;
}

/* Every entry's group is named by the least entry that can be reached from it. */
static void check_groups(const pairs *p) {
    size_t least[MOST];
    const world *w = p->a;
    for (size_t i = 0; i < w->count; i++) least[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < w->count; i++)
            for (size_t j = 0; j < w->count; j++) {
                bool near = w->entries[i].there && w->entries[j].there &&
                            nd_distance(w->entries[i].fingerprint, w->entries[j].fingerprint) <=
                                p->k;
                if (near && least[j] < least[i]) changed = true, least[i] = least[j];
            }
    }
    for (size_t i = 0; i < w->count; i++) assert_int_equal(p->group[i], least[i]);
}

/* Joins the index with itself, and with its entries as a source; and finds its groups. */
static void check_joins(world *w, uint32_t threads) {
    static uint8_t found[MOST * MOST];
    feed f = {w, 0};
    pairs p = {.a = w, .reported = found, .k = w->k};
    nd_fingerprint_source source = {.struct_size = sizeof source, .next = give, .context = &f};
    nd_hamming_side of_index = {.index = w->index}, of_source = {.source = &source};
    const nd_resources resources = resources_of(threads);
    nd_hamming_join_options options;
    nd_hamming_join_options_init(&options, sizeof options);
    options.bits = w->bits;
    options.k = w->k;
    options.resources = &resources;
    memset(found, 0, sizeof found);
    good(nd_hamming_join(&of_index, NULL, &options, take_pair, &p, NULL, &error));
    check_pairs(&p);
    for (size_t i = 0; i < w->count; i++) p.group[i] = i;
    options.kind = ND_JOIN_GROUPS;
    good(nd_hamming_join(&of_index, NULL, &options, take_member, &p, NULL, &error));
    check_groups(&p);
    if (w->numbered) return; /* the source's ids are its own positions */
    options.kind = ND_JOIN_PAIRS;
    memset(found, 0, sizeof found);
    static world all;
    all = *w;
    for (size_t i = 0; i < all.count; i++) {
        all.entries[i].there = true;
        snprintf(all.entries[i].id, sizeof all.entries->id, "source %zu", i);
    }
    f = (feed){&all, 0};
    p.b = w;
    p.a = &all;
    good(nd_hamming_join(&of_source, &of_index, &options, take_pair, &p, NULL, &error));
    check_pairs(&p);
}

static void check_all(world *w) {
    nd_hamming_info info = {.struct_size = sizeof info};
    size_t there = 0;
    for (size_t i = 0; i < w->count; i++) there += w->entries[i].there;
    good(nd_hamming_describe(w->index, &info, &error));
    assert_int_equal(info.fingerprints, there);
    assert_int_equal(info.options->bits, w->bits);
    assert_int_equal(info.options->k, w->k);
    assert_int_equal(info.options->numbered, w->numbered);
    good(nd_hamming_check(w->index, &error));
    for (int i = 0; i < QUERIES; i++)
        check_query(w, some_fingerprint(w), (uint32_t)random_below(&w->seed, some_k(w) + 1));
}

static void live(uint32_t bits, uint32_t k, bool numbered, bool in_memory) {
    static world w;
    w = (world){.directory = "hamming-XXXXXX",
                .bits = bits,
                .k = k,
                .numbered = numbered,
                .in_memory = in_memory,
                .seed = bits + k + numbered};
    create_world(&w);
    for (int round = 0; round < ROUNDS && w.count + 40 < MOST; round++) {
        for (uint64_t n = random_below(&w.seed, 12); n > 0; n--) add_one(&w);
        if (random_below(&w.seed, 3) == 0) load_some(&w, random_below(&w.seed, 25));
        for (uint64_t n = random_below(&w.seed, 5); n > 0 && w.count > 0; n--) remove_one(&w);
        if (!numbered && w.count > 0) replace_one(&w);
        if (random_below(&w.seed, 10) == 0) good(nd_hamming_compact(w.index, &error));
        if (random_below(&w.seed, 6) == 0) reopen_world(&w);
        if (random_below(&w.seed, 5) == 0) check_all(&w);
    }
    check_all(&w);
    check_queries(&w, 1);
    check_queries(&w, 3);
    check_joins(&w, 1);
    check_joins(&w, 3);
    close_world(&w);
    if (!in_memory) remove_directory(w.directory);
}

static void test_strings(void **state) {
    (void)state;
    live(16, 3, false, false);
    live(32, 8, false, false);
    live(64, 3, false, false);
    live(64, 8, false, false);
    live(128, 6, false, false);
}

static void test_numbers(void **state) {
    (void)state;
    live(16, 2, true, false);
    live(64, 3, true, false);
    live(64, 16, true, false);
    live(128, 32, true, false);
}

static void test_in_memory(void **state) {
    (void)state;
    live(64, 3, false, true);
    live(128, 6, false, true);
    live(16, 2, true, true);
    live(64, 16, true, true);
}

/* ---- rejected calls */

/* An index is opened only as the kind that it is. A rejected call keeps no lock. */
static void test_other_kind(void **state) {
    (void)state;
    char directory[] = "hamming-XXXXXX", path[64];
    nd_hamming_index *fingerprints;
    nd_index *documents;
    make_directory(directory);
    snprintf(path, sizeof path, "%s/fingerprints", directory);
    good(nd_hamming_create(path, NULL, &error));
    for (nd_index_mode mode = ND_INDEX_READ; mode <= ND_INDEX_WRITE; mode++)
        expect_failure(nd_index_open(path, mode, NULL, &documents, &error), ND_ERR_ARGUMENT,
                       "of fingerprints, not of documents");
    good(nd_hamming_open(path, ND_INDEX_WRITE, NULL, &fingerprints, &error));
    nd_hamming_close(fingerprints);
    snprintf(path, sizeof path, "%s/documents", directory);
    good(nd_index_create(path, NULL, &error));
    for (nd_index_mode mode = ND_INDEX_READ; mode <= ND_INDEX_WRITE; mode++)
        expect_failure(nd_hamming_open(path, mode, NULL, &fingerprints, &error), ND_ERR_ARGUMENT,
                       "of documents, not of fingerprints");
    good(nd_index_open(path, ND_INDEX_WRITE, NULL, &documents, &error));
    nd_index_close(documents);
    remove_directory(directory);
}

static void expect_rejected_search(nd_hamming_searcher *searcher, nd_fingerprint query, uint32_t k,
                                   nd_hamming_kind kind, const char *words) {
    const nd_hamming_search_options options = {.struct_size = sizeof options, .k = k, .kind = kind};
    const nd_hamming_match *matches;
    uint64_t count;
    expect_failure(nd_hamming_search(searcher, query, &options, &matches, &count, &error),
                   ND_ERR_ARGUMENT, words);
}

static void test_rejections(void **state) {
    (void)state;
    nd_hamming_index *index;
    nd_hamming_searcher *searcher;
    char directory[] = "hamming-XXXXXX", path[64];
    const nd_hamming_options odd = {.struct_size = sizeof odd, .bits = 48, .k = 3};
    const nd_hamming_options far = {.struct_size = sizeof far, .bits = 64, .k = 17};
    const nd_hamming_options made = {.struct_size = sizeof made, .bits = 32, .k = 3};
    make_directory(directory);
    snprintf(path, sizeof path, "%s/a", directory);
    expect_failure(nd_hamming_create(path, &odd, &error), ND_ERR_ARGUMENT, "not 48");
    expect_failure(nd_hamming_create(path, &far, &error), ND_ERR_ARGUMENT, "not 17");
    good(nd_hamming_create(path, &made, &error));
    good(nd_hamming_open(path, ND_INDEX_WRITE, NULL, &index, &error));
    expect_failure(nd_hamming_add(index, "a", 1, (nd_fingerprint){UINT64_C(1) << 32, 0}, &error),
                   ND_ERR_ARGUMENT, "have 32 bits");
    expect_failure(nd_hamming_add(index, NULL, 0, (nd_fingerprint){1, 0}, &error), ND_ERR_ARGUMENT,
                   "needs an id");
    good(nd_hamming_searcher_create(index, &searcher, &error));
    expect_rejected_search(searcher, (nd_fingerprint){1, 0}, 9, ND_HAMMING_ALL,
                           "0 to 8 for its 32 bits, not 9");
    expect_rejected_search(searcher, (nd_fingerprint){0, 1}, 3, ND_HAMMING_ALL, "have 32 bits");
    expect_rejected_search(searcher, (nd_fingerprint){1, 0}, 3, ND_HAMMING_ANY, "limit");
    nd_hamming_searcher_free(searcher);
    const uint64_t words[] = {1, UINT64_C(1) << 32};
    nd_fingerprint_source source = {.struct_size = sizeof source, .words = words, .count = 2};
    const nd_fingerprint_source two_ways = {
        .struct_size = sizeof two_ways, .path = "-", .words = words};
    const nd_fingerprint_source none = {.struct_size = sizeof none, .count = 2};
    expect_failure(nd_hamming_load(index, &source, NULL, NULL, &error), ND_ERR_ARGUMENT,
                   "needs an id");
    expect_failure(nd_hamming_load(index, &two_ways, NULL, NULL, &error), ND_ERR_ARGUMENT,
                   "or from an array");
    expect_failure(nd_hamming_load(index, &none, NULL, NULL, &error), ND_ERR_ARGUMENT,
                   "or from an array");
    nd_hamming_close(index);
    snprintf(path, sizeof path, "%s/c", directory);
    nd_hamming_options narrow = {
        .struct_size = sizeof narrow, .bits = 32, .k = 3, .numbered = true};
    expect_failure(nd_hamming_build(path, &narrow, &source, NULL, NULL, &error), ND_ERR_INPUT,
                   "the array: fingerprint 1 has more than 32 bits");
    source.count = 1;
    good(nd_hamming_build(path, &narrow, &source, NULL, NULL, &error));
    remove_directory(directory);
}

/* A load that is rejected leaves the index unchanged. */
static void test_failed_load(void **state) {
    (void)state;
    static world w;
    w = (world){.directory = "hamming-XXXXXX", .bits = 64, .k = 3, .seed = 5};
    create_world(&w);
    load_some(&w, 100);
    size_t before = w.count;
    for (int repeat = 0; repeat < 2; repeat++) {
        feed f = {&w, before};
        nd_fingerprint_source source = {.struct_size = sizeof source, .next = give, .context = &f};
        for (int i = 0; i < 50; i++) new_entry(&w);
        memcpy(w.entries[before + 40].id, w.entries[repeat ? before + 4 : 4].id,
               sizeof w.entries->id);
        expect_failure(nd_hamming_load(w.index, &source, NULL, NULL, &error), ND_ERR_ARGUMENT,
                       repeat ? "given twice: to fingerprints 5 and 41" : "already");
        w.count = before;
        check_all(&w);
    }
    close_world(&w);
    remove_directory(w.directory);
}

/* An index that is built has all of its source, or does not exist. */
static void test_build(void **state) {
    (void)state;
    static world w;
    w = (world){.directory = "hamming-XXXXXX", .bits = 64, .k = 3, .seed = 6};
    feed f = {&w, 0};
    nd_fingerprint_source source = {.struct_size = sizeof source, .next = give, .context = &f};
    nd_job_summary summary = {.struct_size = sizeof summary};
    make_directory(w.directory);
    for (int i = 0; i < 300; i++) new_entry(&w);
    memcpy(w.entries[200].id, w.entries[3].id, sizeof w.entries->id);
    expect_failure(nd_hamming_build(w.directory, NULL, &source, NULL, NULL, &error),
                   ND_ERR_ARGUMENT, "given twice: to fingerprints 4 and 201");
    expect_failure(nd_hamming_open(w.directory, ND_INDEX_READ, NULL, &w.index, &error), ND_ERR_IO,
                   "");
    snprintf(w.entries[200].id, sizeof w.entries->id, "another");
    f.next = 0;
    good(nd_hamming_build(w.directory, NULL, &source, NULL, &summary, &error));
    assert_int_equal(summary.documents, 300);
    f.next = 0;
    expect_failure(nd_hamming_build(w.directory, NULL, &source, NULL, NULL, &error), ND_ERR_IO,
                   "already");
    open_world(&w);
    check_all(&w);
    load_some(&w, 40);
    remove_one(&w);
    check_all(&w);
    close_world(&w);
    remove_directory(w.directory);
}

/* ---- more answers than fit in memory together */

enum {
    ALL = ND_LIMIT(64000, 240),
    EQUAL = ND_LIMIT(3000, 20),
    QUIET = ND_LIMIT(1400, 40),
    QUERY_COUNT = ND_LIMIT(2500, 100),
};
static const uint64_t centre = UINT64_C(0x5a5a5a5a00ff00ff);

/* A source of random fingerprints, then equal ones: the last EQUAL of ALL, or the queries behind
 * QUIET. */
typedef struct numbers {
    uint64_t next, count, equal_from, seed;
} numbers;

static int give_number(void *context, nd_fingerprinted *out) {
    numbers *n = context;
    if (n->next == n->count) return 0;
    *out = (nd_fingerprinted){
        .fingerprint = {n->next < n->equal_from ? random_next(&n->seed) : centre, 0}};
    n->next++;
    return 1;
}

typedef struct tally {
    uint64_t next, matches;
} tally;

static bool take(void *context, const nd_hamming_answer *answer) {
    tally *t = context;
    bool equal = answer->fingerprint.low == centre;
    assert_int_equal(answer->query, t->next++);
    assert_int_equal(answer->count, equal ? EQUAL : 0);
    for (size_t i = 0; i < answer->count; i++) {
        assert_int_equal(answer->matches[i].number, ALL - EQUAL + i);
        assert_int_equal(answer->matches[i].distance, 0);
    }
    char id[24];
    snprintf(id, sizeof id, "%llu", (unsigned long long)(t->next - 1));
    assert_int_equal(answer->id_length, strlen(id));
    assert_memory_equal(answer->id, id, answer->id_length);
    t->matches += answer->count;
    return true;
}

/* Queries with few answers let batches grow. The next batch, whose queries have many answers, still
 * returns all of them. */
static void test_many_answers(void **state) {
    (void)state;
    char directory[] = "hamming-XXXXXX";
    nd_hamming_options made = {.struct_size = sizeof made, .bits = 64, .k = 1, .numbered = true};
    nd_hamming_index *index;
    numbers stored = {0, ALL, ALL - EQUAL, 7};
    nd_fingerprint_source all = {
        .struct_size = sizeof all, .next = give_number, .context = &stored};
    make_directory(directory);
    good(nd_hamming_build(directory, &made, &all, NULL, NULL, &error));
    good(nd_hamming_open(directory, ND_INDEX_READ, NULL, &index, &error));
    for (uint32_t threads = 1; threads <= 2; threads++) {
        numbers queried = {0, QUERY_COUNT, QUIET, 8};
        tally t = {0};
        nd_fingerprint_source source = {
            .struct_size = sizeof source, .next = give_number, .context = &queried};
        const nd_hamming_search_options equal_or_near = {.struct_size = sizeof equal_or_near,
                                                         .k = 1};
        const nd_resources resources = resources_of(threads);
        const nd_hamming_query_options options = {.struct_size = sizeof options,
                                                  .source = &source,
                                                  .search = &equal_or_near,
                                                  .resources = &resources};
        good(nd_hamming_query(index, &options, take, &t, NULL, &error));
        assert_int_equal(t.next, QUERY_COUNT);
        assert_int_equal(t.matches, (uint64_t)(QUERY_COUNT - QUIET) * EQUAL);
    }
    nd_hamming_close(index);
    remove_directory(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),    cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_in_memory),  cmocka_unit_test(test_other_kind),
        cmocka_unit_test(test_rejections), cmocka_unit_test(test_failed_load),
        cmocka_unit_test(test_build),      cmocka_unit_test(test_many_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

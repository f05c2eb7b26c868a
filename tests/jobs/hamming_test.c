/* An index of fingerprints by its public calls: what is added one by one or loaded, removed,
 * replaced, compacted and opened again is found as a scan of all finds it, in the order that is
 * promised. */
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
    nd_index *index;
    nd_finder *finder;
    uint32_t bits, k;
    bool numbered;
    uint64_t seed;
    entry entries[MOST]; /* in the order of adding */
    size_t count;
} world;

static nd_error error;

static void good(nd_status status) {
    if (status != ND_OK) fail_msg("%s", error.message);
}

static void refused(nd_status status, nd_status wanted, const char *words) {
    assert_int_equal(status, wanted);
    if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

/* ---- a world and its changes */

static void open_world(world *w) {
    good(nd_index_open(w->directory, ND_INDEX_WRITE, NULL, &w->index, &error));
    nd_index_set_sync(w->index, ND_SYNC_BATCH);
    good(nd_finder_create(w->index, &w->finder, &error));
}

static void close_world(world *w) {
    nd_finder_free(w->finder);
    nd_index_close(w->index);
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

/* The next entry of the model; it is not in the index yet. */
static entry *new_entry(world *w) {
    entry *e = &w->entries[w->count];
    *e = (entry){.fingerprint = some_fingerprint(w), .there = true};
    snprintf(e->id, sizeof e->id, w->numbered ? "%zu" : "item\t%zu", w->count++);
    return e;
}

static void add_one(world *w) {
    entry *e = new_entry(w);
    bool given = !w->numbered || random_below(&w->seed, 2);
    good(nd_hamming_add(w->index, given ? e->id : NULL, strlen(e->id), e->fingerprint, false,
                        &error));
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

/* The same, or, where ids are numbers, an array. */
static nd_fingerprint_source source_of(world *w, feed *f) {
    static uint64_t words[2 * MOST];
    size_t each = w->bits > 64 ? 2 : 1;
    if (!w->numbered || random_below(&w->seed, 2))
        return (nd_fingerprint_source){.next = give, .context = f};
    for (size_t i = f->next; i < w->count; i++) {
        words[(i - f->next) * each] = w->entries[i].fingerprint.low;
        if (each > 1) words[(i - f->next) * each + 1] = w->entries[i].fingerprint.high;
    }
    return (nd_fingerprint_source){.words = words, .count = w->count - f->next};
}

static void load_some(world *w, size_t count) {
    feed f = {w, w->count};
    nd_job_summary summary;
    for (size_t i = 0; i < count && w->count < MOST; i++) new_entry(w);
    nd_fingerprint_source source = source_of(w, &f);
    size_t loaded = w->count - f.next;
    good(nd_hamming_load(w->index, &source, NULL, &summary, &error));
    assert_int_equal(summary.documents, loaded);
}

/* The entry that has an id; NULL: none. */
static entry *holder(world *w, const char *id) {
    for (size_t i = 0; i < w->count; i++)
        if (w->entries[i].there && strcmp(w->entries[i].id, id) == 0) return &w->entries[i];
    return NULL;
}

static void remove_one(world *w) {
    bool found;
    const char *id = w->entries[random_below(&w->seed, w->count)].id;
    entry *e = holder(w, id);
    good(nd_index_remove(w->index, id, strlen(id), &found, &error));
    assert_int_equal(found, e != NULL);
    if (e) e->there = false;
}

/* The entry comes again at the end, with another fingerprint. */
static void replace_one(world *w) {
    char id[sizeof w->entries->id];
    memcpy(id, w->entries[random_below(&w->seed, w->count)].id, sizeof id);
    entry *old = holder(w, id), *e = new_entry(w);
    memcpy(e->id, id, sizeof id);
    if (old)
        refused(nd_hamming_add(w->index, id, strlen(id), e->fingerprint, false, &error),
                ND_ERR_ARGUMENT, "already");
    if (random_below(&w->seed, 2)) {
        feed f = {w, w->count - 1};
        nd_fingerprint_source source = {.next = give, .context = &f};
        nd_job_options options;
        nd_job_options_init(&options);
        options.replace = true;
        good(nd_hamming_load(w->index, &source, &options, NULL, &error));
    } else {
        good(nd_hamming_add(w->index, id, strlen(id), e->fingerprint, true, &error));
    }
    if (old) old->there = false;
}

/* ---- what is found */

typedef struct expectation {
    size_t order[MOST]; /* entries within k, nearest first, then in the order of adding */
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

static void check_query(world *w, nd_fingerprint query, uint32_t k) {
    static expectation x;
    const nd_hamming_match *matches;
    uint64_t count, limit = 1 + random_below(&w->seed, 5);
    expect(w, query, k, &x);
    good(nd_find(w->finder, query, k, ND_FIND_ALL, 0, &matches, &count, &error));
    assert_int_equal(count, x.count);
    for (size_t i = 0; i < x.count; i++) assert_is(&matches[i], &w->entries[x.order[i]], query);
    good(nd_find(w->finder, query, k, ND_FIND_COUNT, 0, &matches, &count, &error));
    assert_int_equal(count, x.count);
    assert_null(matches);
    good(nd_find(w->finder, query, k, ND_FIND_NEAREST, limit, &matches, &count, &error));
    assert_int_equal(count, x.count < limit ? x.count : limit);
    for (size_t i = 0; i < count; i++) assert_is(&matches[i], &w->entries[x.order[i]], query);
    good(nd_find(w->finder, query, k, ND_FIND_ANY, limit, &matches, &count, &error));
    assert_int_equal(count, x.count < limit ? x.count : limit);
    check_any(w, matches, count, query, k);
}

/* ---- many queries at once */

typedef struct told {
    const world *w;
    uint64_t next, matches, limit;
    uint32_t k;
} told;

static bool tell(void *context, const nd_hamming_answer *answer) {
    static expectation x;
    told *t = context;
    assert_int_equal(answer->query, t->next++);
    expect(t->w, answer->fingerprint, t->k, &x);
    assert_int_equal(answer->count, x.count < t->limit ? x.count : t->limit);
    for (size_t i = 0; i < answer->count; i++)
        assert_is(&answer->matches[i], &t->w->entries[x.order[i]], answer->fingerprint);
    t->matches += answer->count;
    return true;
}

static void check_queries_within(world *w, uint32_t k, nd_find_kind kind, uint64_t limit,
                                 uint32_t threads) {
    feed f = {w, 0};
    told t = {.w = w, .k = k, .limit = kind == ND_FIND_ALL ? UINT64_MAX : limit};
    nd_fingerprint_source source = source_of(w, &f);
    nd_job_options options;
    nd_job_summary summary;
    nd_job_options_init(&options);
    options.threads = threads;
    good(nd_hamming_query(w->index, &source, k, kind, limit, &options, tell, &t, &summary, &error));
    assert_int_equal(summary.documents, w->count);
    assert_int_equal(summary.pairs, t.matches);
}

/* Above the index's own k all are compared. */
static uint32_t some_k(world *w) {
    return random_below(&w->seed, 2)
               ? w->k
               : (uint32_t)(w->k + random_below(&w->seed, w->bits / 4 - w->k + 1));
}

static void check_queries(world *w, uint32_t threads) {
    check_queries_within(w, w->k, ND_FIND_ALL, 0, threads);
    check_queries_within(w, some_k(w), ND_FIND_ALL, 0, threads);
    check_queries_within(w, some_k(w), ND_FIND_NEAREST, 1 + random_below(&w->seed, 3), threads);
}

/* ---- joins */

typedef struct pairs {
    const world *a, *b; /* b NULL: of a alone */
    uint8_t *told;      /* distance + 1, by a * MOST + b */
    uint32_t k;
    size_t group[MOST]; /* of groups: the first member */
} pairs;

static size_t place_of(const world *w, const char *id, size_t length) {
    for (size_t i = 0; i < w->count; i++)
        if (w->entries[i].there && strlen(w->entries[i].id) == length &&
            memcmp(w->entries[i].id, id, length) == 0)
            return i;
    fail_msg("no entry has the id %.*s", (int)length, id);
    return 0;
}

static bool take_pair(void *context, const nd_join_pair *pair) {
    pairs *p = context;
    size_t a = place_of(p->a, pair->id_a, pair->id_a_length),
           b = place_of(p->b ? p->b : p->a, pair->id_b, pair->id_b_length);
    if (!p->b) assert_true(a < b);
    assert_int_equal(p->told[a * MOST + b], 0);
    p->told[a * MOST + b] = (uint8_t)(pair->distance + 1);
    return true;
}

static void check_pairs(const pairs *p) {
    const world *b = p->b ? p->b : p->a;
    for (size_t i = 0; i < p->a->count; i++)
        for (size_t j = p->b ? 0 : i + 1; j < b->count; j++) {
            uint32_t distance = nd_distance(p->a->entries[i].fingerprint,
                                            b->entries[j].fingerprint);
            bool there = p->a->entries[i].there && b->entries[j].there && distance <= p->k;
            assert_int_equal(p->told[i * MOST + j], there ? distance + 1 : 0);
        }
}

static bool take_member(void *context, const nd_join_pair *pair) {
    pairs *p = context;
    p->group[place_of(p->a, pair->id_b, pair->id_b_length)] = place_of(p->a, pair->id_a,
                                                                       pair->id_a_length);
    return true;
}

/* Every entry has the least that can be reached from it. */
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

/* The index with itself, its entries as a source with it, and its groups. */
static void check_joins(world *w, uint32_t threads) {
    static uint8_t found[MOST * MOST];
    feed f = {w, 0};
    pairs p = {.a = w, .told = found, .k = w->k};
    nd_fingerprint_source source = {.next = give, .context = &f};
    nd_hamming_side of_index = {.index = w->index}, of_source = {.source = &source};
    nd_join_options options;
    nd_join_options_init(&options);
    options.bits = w->bits;
    options.k = w->k;
    options.threads = threads;
    memset(found, 0, sizeof found);
    good(nd_join(&of_index, NULL, &options, take_pair, &p, NULL, &error));
    check_pairs(&p);
    for (size_t i = 0; i < w->count; i++) p.group[i] = i;
    options.groups = true;
    good(nd_join(&of_index, NULL, &options, take_member, &p, NULL, &error));
    check_groups(&p);
    if (w->numbered) return; /* the source's ids are its own places */
    options.groups = false;
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
    good(nd_join(&of_source, &of_index, &options, take_pair, &p, NULL, &error));
    check_pairs(&p);
}

static void check_all(world *w) {
    nd_index_info info;
    size_t there = 0;
    for (size_t i = 0; i < w->count; i++) there += w->entries[i].there;
    nd_index_describe(w->index, &info);
    assert_int_equal(info.documents, there);
    assert_int_equal(info.hamming.bits, w->bits);
    assert_int_equal(info.hamming.numbered, w->numbered);
    good(nd_index_check(w->index, &error));
    for (int i = 0; i < QUERIES; i++)
        check_query(w, some_fingerprint(w), (uint32_t)random_below(&w->seed, some_k(w) + 1));
}

static void live(uint32_t bits, uint32_t k, bool numbered) {
    static world w;
    w = (world){.directory = "hamming-XXXXXX",
                .bits = bits,
                .k = k,
                .numbered = numbered,
                .seed = bits + k + numbered};
    nd_hamming_options options = {.bits = bits, .k = k, .numbered = numbered};
    make_directory(w.directory);
    good(nd_hamming_create(w.directory, &options, &error));
    refused(nd_hamming_create(w.directory, &options, &error), ND_ERR_IO, "already");
    open_world(&w);
    for (int round = 0; round < ROUNDS && w.count + 40 < MOST; round++) {
        for (uint64_t n = random_below(&w.seed, 12); n > 0; n--) add_one(&w);
        if (random_below(&w.seed, 3) == 0) load_some(&w, random_below(&w.seed, 25));
        for (uint64_t n = random_below(&w.seed, 5); n > 0 && w.count > 0; n--) remove_one(&w);
        if (!numbered && w.count > 0) replace_one(&w);
        if (random_below(&w.seed, 10) == 0) good(nd_index_compact(w.index, &error));
        if (random_below(&w.seed, 6) == 0) {
            close_world(&w);
            open_world(&w);
        }
        if (random_below(&w.seed, 5) == 0) check_all(&w);
    }
    check_all(&w);
    check_queries(&w, 1);
    check_queries(&w, 3);
    check_joins(&w, 1);
    check_joins(&w, 3);
    close_world(&w);
    remove_directory(w.directory);
}

static void test_strings(void **state) {
    (void)state;
    live(16, 3, false);
    live(32, 8, false);
    live(64, 3, false);
    live(64, 8, false);
    live(128, 6, false);
}

static void test_numbers(void **state) {
    (void)state;
    live(16, 2, true);
    live(64, 3, true);
    live(64, 16, true);
    live(128, 32, true);
}

/* ---- what is refused */

static void test_refusals(void **state) {
    (void)state;
    nd_index *index;
    nd_finder *finder;
    nd_searcher *searcher;
    const nd_hamming_match *matches;
    uint64_t count;
    char directory[] = "hamming-XXXXXX", path[64];
    nd_hamming_options odd = {.bits = 48, .k = 3}, far = {.bits = 64, .k = 17};
    make_directory(directory);
    snprintf(path, sizeof path, "%s/a", directory);
    refused(nd_hamming_create(path, &odd, &error), ND_ERR_ARGUMENT, "not 48");
    refused(nd_hamming_create(path, &far, &error), ND_ERR_ARGUMENT, "not 17");
    good(nd_hamming_create(path, &(nd_hamming_options){.bits = 32, .k = 3}, &error));
    good(nd_index_open(path, ND_INDEX_WRITE, NULL, &index, &error));
    refused(nd_searcher_create(index, &searcher, &error), ND_ERR_ARGUMENT,
            "of fingerprints, not of documents");
    refused(nd_hamming_add(index, "a", 1, (nd_fingerprint){UINT64_C(1) << 32, 0}, false, &error),
            ND_ERR_ARGUMENT, "have 32 bits");
    refused(nd_hamming_add(index, NULL, 0, (nd_fingerprint){1, 0}, false, &error), ND_ERR_ARGUMENT,
            "needs an id");
    good(nd_finder_create(index, &finder, &error));
    refused(nd_find(finder, (nd_fingerprint){1, 0}, 9, ND_FIND_ALL, 0, &matches, &count, &error),
            ND_ERR_ARGUMENT, "0 to 8 for its 32 bits, not 9");
    refused(nd_find(finder, (nd_fingerprint){0, 1}, 3, ND_FIND_ALL, 0, &matches, &count, &error),
            ND_ERR_ARGUMENT, "have 32 bits");
    refused(nd_find(finder, (nd_fingerprint){1, 0}, 3, ND_FIND_ANY, 0, &matches, &count, &error),
            ND_ERR_ARGUMENT, "limit");
    nd_finder_free(finder);
    const uint64_t words[] = {1, UINT64_C(1) << 32};
    nd_fingerprint_source source = {.words = words, .count = 2},
                          two_ways = {.path = "-", .words = words}, none = {.count = 2};
    refused(nd_hamming_load(index, &source, NULL, NULL, &error), ND_ERR_ARGUMENT, "needs an id");
    refused(nd_hamming_load(index, &two_ways, NULL, NULL, &error), ND_ERR_ARGUMENT,
            "or from an array");
    refused(nd_hamming_load(index, &none, NULL, NULL, &error), ND_ERR_ARGUMENT, "or from an array");
    nd_index_close(index);
    snprintf(path, sizeof path, "%s/c", directory);
    nd_hamming_options narrow = {.bits = 32, .k = 3, .numbered = true};
    refused(nd_hamming_build(path, &narrow, &source, NULL, NULL, &error), ND_ERR_INPUT,
            "the array: fingerprint 1 has more than 32 bits");
    source.count = 1;
    good(nd_hamming_build(path, &narrow, &source, NULL, NULL, &error));
    snprintf(path, sizeof path, "%s/b", directory);
    good(nd_index_create(path, NULL, &error));
    good(nd_index_open(path, ND_INDEX_WRITE, NULL, &index, &error));
    refused(nd_finder_create(index, &finder, &error), ND_ERR_ARGUMENT,
            "of documents, not of fingerprints");
    refused(nd_hamming_add(index, "a", 1, (nd_fingerprint){1, 0}, false, &error), ND_ERR_ARGUMENT,
            "of documents, not of fingerprints");
    nd_index_close(index);
    remove_directory(directory);
}

/* A load that is refused leaves the index as it was. */
static void test_failed_load(void **state) {
    (void)state;
    static world w;
    w = (world){.directory = "hamming-XXXXXX", .bits = 64, .k = 3, .seed = 5};
    make_directory(w.directory);
    good(nd_hamming_create(w.directory, NULL, &error));
    open_world(&w);
    load_some(&w, 100);
    size_t before = w.count;
    for (int repeat = 0; repeat < 2; repeat++) {
        feed f = {&w, before};
        nd_fingerprint_source source = {.next = give, .context = &f};
        for (int i = 0; i < 50; i++) new_entry(&w);
        memcpy(w.entries[before + 40].id, w.entries[repeat ? before + 4 : 4].id,
               sizeof w.entries->id);
        refused(nd_hamming_load(w.index, &source, NULL, NULL, &error), ND_ERR_ARGUMENT,
                repeat ? "given twice: to fingerprints 5 and 41" : "already");
        w.count = before;
        check_all(&w);
    }
    close_world(&w);
    remove_directory(w.directory);
}

/* An index that is built has all of its source, or is not there. */
static void test_build(void **state) {
    (void)state;
    static world w;
    w = (world){.directory = "hamming-XXXXXX", .bits = 64, .k = 3, .seed = 6};
    feed f = {&w, 0};
    nd_fingerprint_source source = {.next = give, .context = &f};
    nd_job_summary summary;
    make_directory(w.directory);
    for (int i = 0; i < 300; i++) new_entry(&w);
    memcpy(w.entries[200].id, w.entries[3].id, sizeof w.entries->id);
    refused(nd_hamming_build(w.directory, NULL, &source, NULL, NULL, &error), ND_ERR_ARGUMENT,
            "given twice: to fingerprints 4 and 201");
    refused(nd_index_open(w.directory, ND_INDEX_READ, NULL, &w.index, &error), ND_ERR_IO, "");
    snprintf(w.entries[200].id, sizeof w.entries->id, "another");
    f.next = 0;
    good(nd_hamming_build(w.directory, NULL, &source, NULL, &summary, &error));
    assert_int_equal(summary.documents, 300);
    f.next = 0;
    refused(nd_hamming_build(w.directory, NULL, &source, NULL, NULL, &error), ND_ERR_IO, "already");
    open_world(&w);
    check_all(&w);
    load_some(&w, 40);
    remove_one(&w);
    check_all(&w);
    close_world(&w);
    remove_directory(w.directory);
}

/* ---- more answers than are in memory together */

enum {
    ALL = ND_LIMIT(64000, 240),
    EQUAL = ND_LIMIT(3000, 20),
    QUIET = ND_LIMIT(1400, 40),
    ASKED = ND_LIMIT(2500, 100),
};
static const uint64_t centre = UINT64_C(0x5a5a5a5a00ff00ff);

/* A source of random fingerprints, then equal ones: the last `EQUAL` of ALL, or the queries behind
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

/* A lot that quiet ones before it have made large has all of the loud ones. */
static void test_many_answers(void **state) {
    (void)state;
    char directory[] = "hamming-XXXXXX";
    nd_hamming_options made = {.bits = 64, .k = 1, .numbered = true};
    nd_index *index;
    numbers stored = {0, ALL, ALL - EQUAL, 7};
    nd_fingerprint_source all = {.next = give_number, .context = &stored};
    make_directory(directory);
    good(nd_hamming_build(directory, &made, &all, NULL, NULL, &error));
    good(nd_index_open(directory, ND_INDEX_READ, NULL, &index, &error));
    for (uint32_t threads = 1; threads <= 2; threads++) {
        numbers asked = {0, ASKED, QUIET, 8};
        tally t = {0};
        nd_fingerprint_source source = {.next = give_number, .context = &asked};
        nd_job_options options;
        nd_job_options_init(&options);
        options.threads = threads;
        good(nd_hamming_query(index, &source, 1, ND_FIND_ALL, 0, &options, take, &t, NULL, &error));
        assert_int_equal(t.next, ASKED);
        assert_int_equal(t.matches, (uint64_t)(ASKED - QUIET) * EQUAL);
    }
    nd_index_close(index);
    remove_directory(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),  cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_failed_load),
        cmocka_unit_test(test_build),    cmocka_unit_test(test_many_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A small index of fingerprints, and its uses: see small_fingerprints.h. */
#include "small_fingerprints.h"

#include "small_content.h"
#include "target.h"

#include <stdio.h>
#include <string.h>

/* Fingerprints of the first segment, of the second one, and of the log. */
enum { FIRST = 16, SECOND = 11, RECENT = 3, ALL = FIRST + SECOND + RECENT, QUERIES = 6 };

/* Every fourth fingerprint equals another one, and the next one is near it. */
static nd_fingerprint fingerprint_of(unsigned i) {
    uint64_t seed = i % 4 == 3 ? i - 1 : i;
    nd_fingerprint f = {random_below(&seed, UINT64_MAX), 0};
    if (small_fingerprints_options().bits > 64) f.high = random_below(&seed, UINT64_MAX);
    if (i % 8 == 3) f.low ^= UINT64_C(1) << 40;
    return f;
}

static size_t id_of(unsigned i, char id[32]) {
    return (size_t)snprintf(id, 32, small_fingerprints_options().numbered ? "%u" : "item %u",
                            5 * i);
}

/* ---- searching */

/* Reads ids to their ends, for the sanitizers. */
static void read_ids(const nd_hamming_match *matches, uint64_t count) {
    volatile char read = 0;
    for (uint64_t m = 0; m < count; m++)
        for (size_t i = 0; i < matches[m].id_length; i++) read = matches[m].id[i];
    (void)read;
}

static void search(nd_hamming_searcher *searcher, nd_fingerprint query, uint32_t k) {
    nd_error error;
    const nd_hamming_match *matches;
    nd_hamming_search_options o = {.struct_size = sizeof o, .k = k, .limit = 2};
    uint64_t count, all;
    if (!small_fine(nd_hamming_search(searcher, query, &o, &matches, &all, &error), &error)) return;
    read_ids(matches, all);
    for (nd_hamming_kind kind = ND_HAMMING_ANY; kind <= ND_HAMMING_COUNT; kind++) {
        o.kind = kind;
        if (!small_fine(nd_hamming_search(searcher, query, &o, &matches, &count, &error), &error))
            continue;
        if (kind != ND_HAMMING_COUNT) read_ids(matches, count);
        uint64_t wanted = kind == ND_HAMMING_COUNT || all < 2 ? all : 2;
        if (small_is_whole() && count != wanted)
            target_fail("%u are found, and by search %d %u", (unsigned)all, (int)kind,
                        (unsigned)count);
    }
}

static nd_fingerprint query_of(unsigned i) {
    nd_fingerprint f = fingerprint_of(3 * i + 2);
    if (i % 2) f.low ^= 1;
    return f;
}

static int next_query(void *context, nd_fingerprinted *out) {
    unsigned *next = context;
    if (*next == QUERIES) return 0;
    *out = (nd_fingerprinted){.fingerprint = query_of((*next)++)};
    return 1;
}

/* `context`: the number of fingerprints. */
static bool take_answer(void *context, const nd_hamming_answer *answer) {
    *(uint64_t *)context += answer->count;
    read_ids(answer->matches, answer->count);
    return true;
}

static bool take_pair(void *context, const nd_hamming_pair *pair) {
    ++*(uint64_t *)context;
    read_ids(&(nd_hamming_match){.id = pair->id_b, .id_length = pair->id_b_length}, 1);
    return true;
}

static bool query(nd_hamming_index *x, uint64_t *found) {
    unsigned next = 0;
    nd_error error;
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .next = next_query, .context = &next};
    const nd_hamming_search_options search_options = {.struct_size = sizeof search_options,
                                                      .k = small_fingerprints_options().k};
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.threads = 1;
    const nd_hamming_query_options options = {.struct_size = sizeof options,
                                              .source = &source,
                                              .search = &search_options,
                                              .resources = &resources};
    return small_fine(nd_hamming_query(x, &options, take_answer, found, NULL, &error), &error);
}

/* Joins the index with the queries, or with itself. */
static bool join(const char *directory, nd_hamming_index *x, bool queries, uint64_t *found) {
    unsigned next = 0;
    nd_error error;
    nd_hamming_join_options options;
    nd_resources resources;
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .next = next_query, .context = &next};
    nd_hamming_side query_side = {.source = &source}, index = {.index = x};
    nd_hamming_join_options_init(&options, sizeof options);
    nd_resources_init(&resources, sizeof resources);
    options.bits = small_fingerprints_options().bits;
    options.k = small_fingerprints_options().k;
    options.resources = &resources;
    resources.memory = UINT64_C(64) << 20;
    resources.threads = 1;
    resources.work = directory;
    return small_fine(nd_hamming_join(queries ? &query_side : &index, queries ? &index : NULL,
                                      &options, take_pair, found, NULL, &error),
                      &error);
}

/* A join reads only the first table of a segment; queries read all tables. In a sound index both
 * find the same. */
static void query_and_join(const char *directory, nd_hamming_index *x) {
    uint64_t answers = 0, pairs = 0, own = 0;
    bool fine = query(x, &answers);
    fine = join(directory, x, true, &pairs) && fine;
    if (fine && small_is_whole() && answers != pairs)
        target_fail("queries find %u, and a join %u", (unsigned)answers, (unsigned)pairs);
    join(directory, x, false, &own);
}

static void search_all(const char *directory, nd_hamming_index *x) {
    nd_error error;
    nd_hamming_info info = {.struct_size = sizeof info};
    nd_hamming_searcher *searcher;
    if (!small_fine(nd_hamming_describe(x, &info, &error), &error)) return;
    if (!small_fine(nd_hamming_searcher_create(x, &searcher, &error), &error)) return;
    for (unsigned i = 0; i < QUERIES; i++)
        for (uint32_t k = 0; k <= small_fingerprints_options().k; k++)
            search(searcher, query_of(i), k);
    nd_hamming_searcher_free(searcher);
    query_and_join(directory, x);
}

/* ---- changing */

/* nd_hamming_add or nd_hamming_replace */
typedef nd_status adder(nd_hamming_index *, const char *, size_t, nd_fingerprint, nd_error *);

static void add(nd_hamming_index *x, unsigned i, adder *call) {
    nd_error error;
    char id[32];
    size_t length = id_of(i, id);
    small_fine(call(x, id, length, fingerprint_of(i), &error), &error);
}

static void remove_fingerprint(nd_hamming_index *x, unsigned i) {
    nd_error error;
    bool found;
    char id[32];
    size_t length = id_of(i, id);
    small_fine(nd_hamming_remove(x, id, length, &found, &error), &error);
}

typedef struct feed {
    unsigned next, end;
    char id[32];
} feed;

static int give(void *context, nd_fingerprinted *out) {
    feed *f = context;
    if (f->next == f->end) return 0;
    *out = (nd_fingerprinted){
        .fingerprint = fingerprint_of(f->next), .id = f->id, .id_length = id_of(f->next, f->id)};
    f->next++;
    return 1;
}

/* More than ten fingerprints become a segment. */
static void load(const char *directory, nd_hamming_index *x, unsigned begin, unsigned end) {
    nd_error error;
    nd_resources resources;
    feed f = {.next = begin, .end = end};
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .next = give, .context = &f};
    nd_resources_init(&resources, sizeof resources);
    resources.work = directory;
    resources.memory = UINT64_C(64) << 20;
    const nd_hamming_load_options options = {.struct_size = sizeof options,
                                             .resources = &resources,
                                             .replace = !small_fingerprints_options().numbered};
    small_fine(nd_hamming_load(x, &source, &options, NULL, &error), &error);
}

static nd_hamming_index *open_to_write(const char *directory) {
    nd_error error;
    nd_hamming_index *x;
    if (!small_fine(nd_hamming_open(directory, ND_INDEX_WRITE, NULL, &x, &error), &error))
        return NULL;
    nd_hamming_set_sync(x, ND_SYNC_BATCH);
    return x;
}

static void read_index(const char *directory) {
    nd_error error;
    nd_hamming_index *x;
    if (!small_fine(nd_hamming_open(directory, ND_INDEX_READ, NULL, &x, &error), &error)) return;
    search_all(directory, x);
    small_checked(nd_hamming_check(x, &error), &error);
    search_all(directory, x);
    small_fine(nd_hamming_refresh(x, &error), &error);
    nd_hamming_close(x);
}

/* Numeric ids reject a replacement, and an addition behind the highest possible number. */
static void change_index(const char *directory) {
    nd_error error;
    bool found, numbered = small_fingerprints_options().numbered;
    nd_hamming_index *x = open_to_write(directory);
    if (!x) return;
    if (!numbered) {
        add(x, ALL, nd_hamming_replace);
        add(x, 1, nd_hamming_replace);
    } else if (nd_hamming_add(x, NULL, 0, fingerprint_of(ALL), &error) != ND_OK &&
               strlen(error.message) < 5) {
        target_fail("no message");
    }
    remove_fingerprint(x, 0);
    remove_fingerprint(x, FIRST);
    small_fine(nd_hamming_remove(x, "no", 2, &found, &error), &error);
    if (!numbered) load(directory, x, ALL - RECENT, ALL + SECOND);
    nd_hamming_close(x);
    x = open_to_write(directory);
    if (!x) return;
    search_all(directory, x);
    small_fine(nd_hamming_compact(x, &error), &error);
    search_all(directory, x);
    small_fine(nd_hamming_check(x, &error), &error);
    nd_hamming_close(x);
}

void small_content_use(const char *directory) {
    read_index(directory);
    change_index(directory);
}

/* ---- making */

void small_content_make(const char *directory) {
    nd_error error;
    nd_hamming_options options = small_fingerprints_options();
    small_fine(nd_hamming_create(directory, &options, &error), &error);
    nd_hamming_index *x = open_to_write(directory);
    load(directory, x, 0, FIRST);
    remove_fingerprint(x, 5);
    load(directory, x, FIRST, FIRST + SECOND);
    for (unsigned i = FIRST + SECOND; i < ALL; i++) add(x, i, nd_hamming_add);
    remove_fingerprint(x, 9);
    remove_fingerprint(x, ALL - 2);
    nd_hamming_info info = {.struct_size = sizeof info};
    small_fine(nd_hamming_describe(x, &info, &error), &error);
    if (strcmp(info.design, "scan") == 0) target_fail("%s: a segment of a single table", directory);
    nd_hamming_close(x);
}

uint32_t small_content_first(void) { return FIRST; }

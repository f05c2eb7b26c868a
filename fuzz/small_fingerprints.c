#include "small_fingerprints.h"

#include "small_content.h"
#include "target.h"

#include <stdio.h>
#include <string.h>

/* Of the first segment, of the second one, and of the log. */
enum { FIRST = 16, SECOND = 11, RECENT = 3, ALL = FIRST + SECOND + RECENT, QUERIES = 6 };

/* Every fourth one equals another, and the next is near it. */
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

/* Ids are read to their ends, for the sanitizers to see. */
static void read_ids(const nd_hamming_match *matches, uint64_t count) {
    volatile char read = 0;
    for (uint64_t m = 0; m < count; m++)
        for (size_t i = 0; i < matches[m].id_length; i++) read = matches[m].id[i];
    (void)read;
}

static void search(nd_finder *finder, nd_fingerprint query, uint32_t k) {
    nd_error error;
    const nd_hamming_match *matches;
    uint64_t count, all;
    if (!small_fine(nd_find(finder, query, k, ND_FIND_ALL, 0, &matches, &all, &error), &error))
        return;
    read_ids(matches, all);
    for (nd_find_kind kind = ND_FIND_ANY; kind <= ND_FIND_COUNT; kind++) {
        if (!small_fine(nd_find(finder, query, k, kind, 2, &matches, &count, &error), &error))
            continue;
        if (kind != ND_FIND_COUNT) read_ids(matches, count);
        uint64_t wanted = kind == ND_FIND_COUNT || all < 2 ? all : 2;
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

static int ask(void *context, nd_fingerprinted *out) {
    unsigned *next = context;
    if (*next == QUERIES) return 0;
    *out = (nd_fingerprinted){.fingerprint = query_of((*next)++)};
    return 1;
}

/* `context`: how many there are. */
static bool take_answer(void *context, const nd_hamming_answer *answer) {
    *(uint64_t *)context += answer->count;
    read_ids(answer->matches, answer->count);
    return true;
}

static bool take_pair(void *context, const nd_join_pair *pair) {
    ++*(uint64_t *)context;
    read_ids(&(nd_hamming_match){.id = pair->id_b, .id_length = pair->id_b_length}, 1);
    return true;
}

static bool query(nd_index *x, uint64_t *found) {
    unsigned next = 0;
    nd_error error;
    nd_job_options options;
    nd_fingerprint_source source = {.next = ask, .context = &next};
    nd_job_options_init(&options);
    options.threads = 1;
    return small_fine(nd_hamming_query(x, &source, small_fingerprints_options().k, ND_FIND_ALL, 0,
                                       &options, take_answer, found, NULL, &error),
                      &error);
}

/* With the queries, or with itself. */
static bool join(const char *place, nd_index *x, bool queries, uint64_t *found) {
    unsigned next = 0;
    nd_error error;
    nd_join_options options;
    nd_fingerprint_source source = {.next = ask, .context = &next};
    nd_hamming_side asked = {.source = &source}, index = {.index = x};
    nd_join_options_init(&options);
    options.bits = small_fingerprints_options().bits;
    options.k = small_fingerprints_options().k;
    options.memory = 1 << 20;
    options.threads = 1;
    options.work = place;
    return small_fine(nd_join(queries ? &asked : &index, queries ? &index : NULL, &options,
                              take_pair, found, NULL, &error),
                      &error);
}

/* A join reads the first table of a segment alone, queries look into all of them: in what is whole
 * they find the same. */
static void query_and_join(const char *place, nd_index *x) {
    uint64_t answers = 0, pairs = 0, own = 0;
    bool fine = query(x, &answers);
    fine = join(place, x, true, &pairs) && fine;
    if (fine && small_is_whole() && answers != pairs)
        target_fail("queries find %u, and a join %u", (unsigned)answers, (unsigned)pairs);
    join(place, x, false, &own);
}

static void search_all(const char *place, nd_index *x) {
    nd_error error;
    nd_index_info info;
    nd_finder *finder;
    nd_index_describe(x, &info);
    if (!small_fine(nd_finder_create(x, &finder, &error), &error)) return;
    for (unsigned i = 0; i < QUERIES; i++)
        for (uint32_t k = 0; k <= small_fingerprints_options().k; k++)
            search(finder, query_of(i), k);
    nd_finder_free(finder);
    query_and_join(place, x);
}

/* ---- changing */

static void add(nd_index *x, unsigned i, bool replace) {
    nd_error error;
    char id[32];
    size_t length = id_of(i, id);
    small_fine(nd_hamming_add(x, id, length, fingerprint_of(i), replace, &error), &error);
}

static void take_away(nd_index *x, unsigned i) {
    nd_error error;
    bool found;
    char id[32];
    size_t length = id_of(i, id);
    small_fine(nd_index_remove(x, id, length, &found, &error), &error);
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

/* More than ten become a segment. */
static void load(const char *place, nd_index *x, unsigned begin, unsigned end) {
    nd_error error;
    nd_job_options options;
    feed f = {.next = begin, .end = end};
    nd_fingerprint_source source = {.next = give, .context = &f};
    nd_job_options_init(&options);
    options.work = place;
    options.memory = UINT64_C(64) << 20;
    options.replace = !small_fingerprints_options().numbered;
    small_fine(nd_hamming_load(x, &source, &options, NULL, &error), &error);
}

static nd_index *open_to_write(const char *place) {
    nd_error error;
    nd_index *x;
    if (!small_fine(nd_index_open(place, ND_INDEX_WRITE, NULL, &x, &error), &error)) return NULL;
    nd_index_set_sync(x, ND_SYNC_BATCH);
    return x;
}

static void read_index(const char *place) {
    nd_error error;
    nd_index *x;
    if (!small_fine(nd_index_open(place, ND_INDEX_READ, NULL, &x, &error), &error)) return;
    search_all(place, x);
    small_check(x);
    search_all(place, x);
    small_fine(nd_index_refresh(x, &error), &error);
    nd_index_close(x);
}

/* Replacing is refused where ids are numbers, and so is adding behind a number that is as high as
 * can be. */
static void change_index(const char *place) {
    nd_error error;
    bool found, numbered = small_fingerprints_options().numbered;
    nd_index *x = open_to_write(place);
    if (!x) return;
    if (!numbered) {
        add(x, ALL, true);
        add(x, 1, true);
    } else if (nd_hamming_add(x, NULL, 0, fingerprint_of(ALL), false, &error) != ND_OK &&
               strlen(error.message) < 5) {
        target_fail("no message");
    }
    take_away(x, 0);
    take_away(x, FIRST);
    small_fine(nd_index_remove(x, "no", 2, &found, &error), &error);
    if (!numbered) load(place, x, ALL - RECENT, ALL + SECOND);
    nd_index_close(x);
    x = open_to_write(place);
    if (!x) return;
    search_all(place, x);
    small_fine(nd_index_compact(x, &error), &error);
    search_all(place, x);
    small_fine(nd_index_check(x, &error), &error);
    nd_index_close(x);
}

void small_content_use(const char *place) {
    read_index(place);
    change_index(place);
}

/* ---- making */

void small_content_make(const char *place) {
    nd_error error;
    nd_hamming_options options = small_fingerprints_options();
    small_fine(nd_hamming_create(place, &options, &error), &error);
    nd_index *x = open_to_write(place);
    load(place, x, 0, FIRST);
    take_away(x, 5);
    load(place, x, FIRST, FIRST + SECOND);
    for (unsigned i = FIRST + SECOND; i < ALL; i++) add(x, i, false);
    take_away(x, 9);
    take_away(x, ALL - 2);
    nd_index_info info;
    nd_index_describe(x, &info);
    if (strcmp(info.design, "scan") == 0) target_fail("%s: a segment of a single table", place);
    nd_index_close(x);
}

uint32_t small_content_first(void) { return FIRST; }

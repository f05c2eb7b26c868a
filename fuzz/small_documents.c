#include "small_content.h"

#include <string.h>

/* ---- its documents */

static const char *const ids[] = {"mill",  "lantern",  "gone",  "quince",  "empty", "bridge",
                                  "clock", "gone too", "ferry", "orchard", "late",  "later"};
static const char *const texts[] = {
    "the old mill by the river was sold in spring to a family from the north",
    "seventeen lanterns burn behind the harbour wall and nobody can say who lights them",
    "this text is removed from the segment before anybody has looked for it",
    "木瓜在石墙边开花",
    "",
    "across the bridge one more road goes down to the sawmill",
    "the clock of the town hall stops whenever snow lies on its hands for more than one night",
    "this one comes with the batch and the log behind it removes it again",
    "two ferries a day",
    "apples and pears were brought home in baskets before the first frost came down from the hills",
    "what came last stands in the log alone",
    "and one behind it",
};
enum {
    TEXTS = sizeof texts / sizeof *texts,
    BATCH = 2,
    MERGED = 4 * BATCH,
    BATCHED = MERGED + BATCH
};

/* Near copies of some; and a text like none. */
static const char *const asked[] = {
    "the old mill by the river was sold in spring to a family from the south",
    "what came last stands in the log at last",
    "nothing that the index has is at all like this",
};
enum { ASKED = sizeof asked / sizeof *asked };

static nd_index_options settings(void) {
    nd_index_options o;
    nd_index_options_init(&o);
    o.perms = 16;
    o.threshold = 0.5;
    o.recall = 0.85;
    o.ngram = 2;
    return o;
}

/* The ids are read to their ends, for the sanitizers to see. */
static void search(nd_searcher *searcher, const char *text, nd_search_kind kind) {
    nd_error error;
    const nd_match *matches;
    size_t count;
    volatile char read;
    if (!small_fine(nd_search(searcher, text, strlen(text), kind, &matches, &count, &error),
                    &error))
        return;
    for (size_t m = 0; m < count; m++)
        for (size_t i = 0; i < matches[m].id_length; i++) read = matches[m].id[i];
    (void)read;
}

static void search_all(nd_index *x) {
    nd_error error;
    nd_index_info info;
    nd_searcher *searcher;
    nd_index_describe(x, &info);
    if (!small_fine(nd_searcher_create(x, &searcher, &error), &error)) return;
    for (size_t i = 0; i < TEXTS; i++) search(searcher, texts[i], ND_SEARCH_ALL);
    for (size_t i = 0; i < ASKED; i++)
        search(searcher, asked[i], i % 2 ? ND_SEARCH_BEST : ND_SEARCH_FIRST);
    nd_searcher_free(searcher);
}

static void add(nd_index *x, const char *id, const char *text, bool replace) {
    nd_error error;
    nd_searcher *searcher;
    bool added;
    if (!small_fine(nd_searcher_create(x, &searcher, &error), &error)) return;
    small_fine(nd_index_add(x, searcher, id, strlen(id), text, strlen(text), replace, &added, NULL,
                            &error),
               &error);
    nd_searcher_free(searcher);
}

static void take_away(nd_index *x, const char *id) {
    nd_error error;
    bool found;
    small_fine(nd_index_remove(x, id, strlen(id), &found, &error), &error);
}

/* Searched before it is checked, when nothing has been compared with its hash, and again when all
 * has. */
static void read_index(const char *place) {
    nd_error error;
    nd_index *x;
    if (!small_fine(nd_index_open(place, ND_INDEX_READ, NULL, &x, &error), &error)) return;
    search_all(x);
    small_check(x);
    search_all(x);
    small_fine(nd_index_refresh(x, &error), &error);
    nd_index_close(x);
}

static void change_index(const char *place) {
    nd_error error;
    nd_index *x;
    if (!small_fine(nd_index_open(place, ND_INDEX_WRITE, NULL, &x, &error), &error)) return;
    add(x, "fresh", asked[ASKED - 1], true);
    take_away(x, ids[0]);
    add(x, ids[1], texts[0], true);
    take_away(x, ids[BATCHED]);
    nd_index_close(x);
    if (!small_fine(nd_index_open(place, ND_INDEX_WRITE, NULL, &x, &error), &error)) return;
    search_all(x);
    small_fine(nd_index_compact(x, &error), &error);
    search_all(x);
    small_fine(nd_index_check(x, &error), &error);
    nd_index_close(x);
}

void small_content_use(const char *place) {
    read_index(place);
    change_index(place);
}

/* ---- its making */

static void open_to_write(const char *place, nd_index **x) {
    nd_error error;
    small_fine(nd_index_open(place, ND_INDEX_WRITE, NULL, x, &error), &error);
    nd_index_set_sync(*x, ND_SYNC_BATCH);
}

typedef struct batch {
    size_t next, end;
} batch;

static int give_batch(void *context, nd_record *out) {
    batch *b = context;
    size_t i = b->next;
    if (b->next++ == b->end) return 0;
    *out = (nd_record){texts[i], strlen(texts[i]), ids[i], strlen(ids[i]), 0.0};
    return 1;
}

/* A batch is a segment of its own, since it might replace documents. */
static void add_batch(const char *place, size_t begin) {
    nd_error error;
    nd_job_options job;
    nd_index_options o = settings();
    batch b = {begin, begin + BATCH};
    nd_job_options_init(&job);
    job.records = give_batch;
    job.records_context = &b;
    job.replace = true;
    job.perms = o.perms;
    job.threshold = o.threshold;
    job.recall = o.recall;
    job.ngram = o.ngram;
    job.index = place;
    job.work = place;
    job.threads = 1;
    small_fine(nd_dedup(&job, NULL, &error), &error);
}

void small_content_make(const char *place) {
    nd_error error;
    nd_index *x;
    nd_index_options o = settings();
    small_fine(nd_index_create(place, &o, &error), &error);
    for (size_t begin = 0; begin < BATCHED; begin += BATCH) {
        add_batch(place, begin);
        open_to_write(place, &x);
        if (begin + BATCH == MERGED / 2) take_away(x, "gone");
        nd_index_close(x);
    }
    open_to_write(place, &x);
    for (size_t i = BATCHED; i < TEXTS; i++) add(x, ids[i], texts[i], false);
    take_away(x, "gone too");
    take_away(x, "bridge");
    take_away(x, "later");
    nd_index_close(x);
}

uint32_t small_content_first(void) { return MERGED; }

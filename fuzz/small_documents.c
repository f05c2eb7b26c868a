/* A small index of documents, and its uses: see small_index.h. */
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

/* Near copies of some documents, and a text unlike all. */
static const char *const queries[] = {
    "the old mill by the river was sold in spring to a family from the south",
    "what came last stands in the log at last",
    "nothing that the index has is at all like this",
};
enum { QUERIES = sizeof queries / sizeof *queries };

/* The result points to static memory. */
static nd_index_options settings(void) {
    static nd_analyzer_options pairs_of_words;
    nd_index_options o;
    nd_analyzer_options_init(&pairs_of_words, sizeof pairs_of_words);
    nd_index_options_init(&o, sizeof o);
    pairs_of_words.ngram = 2;
    o.analyzer = &pairs_of_words;
    o.perms = 16;
    o.threshold = 0.5;
    o.recall = 0.85;
    return o;
}

/* Reads the ids to their ends, for the sanitizers. */
static void search(nd_index_searcher *searcher, const char *text, nd_search_kind kind) {
    nd_error error;
    const nd_match *matches;
    size_t count;
    volatile char read;
    if (!small_fine(nd_index_search(searcher, text, strlen(text), kind, &matches, &count, &error),
                    &error))
        return;
    for (size_t m = 0; m < count; m++)
        for (size_t i = 0; i < matches[m].id_length; i++) read = matches[m].id[i];
    (void)read;
}

static void search_all(nd_index *x) {
    nd_error error;
    nd_index_info info = {.struct_size = sizeof info};
    nd_index_searcher *searcher;
    if (!small_fine(nd_index_describe(x, &info, &error), &error)) return;
    if (!small_fine(nd_index_searcher_create(x, &searcher, &error), &error)) return;
    for (size_t i = 0; i < TEXTS; i++) search(searcher, texts[i], ND_SEARCH_ALL);
    for (size_t i = 0; i < QUERIES; i++)
        search(searcher, queries[i], i % 2 ? ND_SEARCH_BEST : ND_SEARCH_FIRST);
    nd_index_searcher_free(searcher);
}

/* nd_index_add or nd_index_replace */
typedef nd_status adder(nd_index *, nd_index_searcher *, const nd_record *, bool *,
                        const nd_match **, nd_error *);

static void add(nd_index *x, const char *id, const char *text, adder *call) {
    const nd_record document = {
        .text = text, .length = strlen(text), .id = id, .id_length = strlen(id)};
    nd_error error;
    nd_index_searcher *searcher;
    bool added;
    if (!small_fine(nd_index_searcher_create(x, &searcher, &error), &error)) return;
    small_fine(call(x, searcher, &document, &added, NULL, &error), &error);
    nd_index_searcher_free(searcher);
}

static void remove_document(nd_index *x, const char *id) {
    nd_error error;
    bool found;
    small_fine(nd_index_remove(x, id, strlen(id), &found, &error), &error);
}

/* Searches before the check, when no page has been verified, and again after it, when all have. */
static void read_index(const char *directory) {
    nd_error error;
    nd_index *x;
    if (!small_fine(nd_index_open(directory, ND_INDEX_READ, NULL, &x, &error), &error)) return;
    search_all(x);
    small_checked(nd_index_check(x, &error), &error);
    search_all(x);
    small_fine(nd_index_refresh(x, &error), &error);
    nd_index_close(x);
}

static void change_index(const char *directory) {
    nd_error error;
    nd_index *x;
    if (!small_fine(nd_index_open(directory, ND_INDEX_WRITE, NULL, &x, &error), &error)) return;
    add(x, "fresh", queries[QUERIES - 1], nd_index_replace);
    remove_document(x, ids[0]);
    add(x, ids[1], texts[0], nd_index_replace);
    remove_document(x, ids[BATCHED]);
    nd_index_close(x);
    if (!small_fine(nd_index_open(directory, ND_INDEX_WRITE, NULL, &x, &error), &error)) return;
    search_all(x);
    small_fine(nd_index_compact(x, &error), &error);
    search_all(x);
    small_fine(nd_index_check(x, &error), &error);
    nd_index_close(x);
}

void small_content_use(const char *directory) {
    read_index(directory);
    change_index(directory);
}

/* ---- its making */

static void open_to_write(const char *directory, nd_index **x) {
    nd_error error;
    small_fine(nd_index_open(directory, ND_INDEX_WRITE, NULL, x, &error), &error);
    nd_index_set_sync(*x, ND_SYNC_BATCH);
}

typedef struct batch {
    size_t next, end;
} batch;

static int give_batch(void *context, nd_record *out) {
    batch *b = context;
    size_t i = b->next;
    if (b->next++ == b->end) return 0;
    *out = (nd_record){
        .text = texts[i], .length = strlen(texts[i]), .id = ids[i], .id_length = strlen(ids[i])};
    return 1;
}

/* Each batch becomes a segment of its own, since it might replace documents. */
static void add_batch(const char *directory, size_t begin) {
    nd_error error;
    const nd_index_options o = settings();
    batch b = {begin, begin + BATCH};
    nd_input_options input;
    nd_similarity_options similarity;
    nd_resources resources;
    nd_input_options_init(&input, sizeof input);
    nd_similarity_options_init(&similarity, sizeof similarity);
    nd_resources_init(&resources, sizeof resources);
    input.records = give_batch;
    input.records_context = &b;
    similarity.analyzer = o.analyzer;
    similarity.perms = o.perms;
    similarity.threshold = o.threshold;
    similarity.recall = o.recall;
    resources.work = directory;
    resources.threads = 1;
    const nd_index_use index = {.struct_size = sizeof index, .path = directory, .replace = true};
    const nd_dedup_options job = {.struct_size = sizeof job,
                                  .input = &input,
                                  .similarity = &similarity,
                                  .index = &index,
                                  .resources = &resources};
    small_fine(nd_dedup(&job, NULL, &error), &error);
}

void small_content_make(const char *directory) {
    nd_error error;
    nd_index *x;
    nd_index_options o = settings();
    small_fine(nd_index_create(directory, &o, &error), &error);
    for (size_t begin = 0; begin < BATCHED; begin += BATCH) {
        add_batch(directory, begin);
        open_to_write(directory, &x);
        if (begin + BATCH == MERGED / 2) remove_document(x, "gone");
        nd_index_close(x);
    }
    open_to_write(directory, &x);
    for (size_t i = BATCHED; i < TEXTS; i++) add(x, ids[i], texts[i], nd_index_add);
    remove_document(x, "gone too");
    remove_document(x, "bridge");
    remove_document(x, "later");
    nd_index_close(x);
}

uint32_t small_content_first(void) { return MERGED; }

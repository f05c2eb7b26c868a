/* A query of a batch gives the answers that searches for its documents, one by one, give. */
#include "index/index.h"
#include "index/index_searcher.h"

#include "job_parts.h"
#include "own_directory.h"

#include <string.h>

enum {
    DOCUMENTS = ND_LIMIT(1500, 300),
    QUERIES = ND_LIMIT(2500, 400), /* several groups */
    WORDS = 12,
    ROOM = 8 * WORDS,
    MAX_COMPARE = 12 /* less than the documents of some large buckets */
};

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

/* Of few words, so that documents share keys by the dozen, and many are near-duplicates. */
static size_t make_text(uint64_t seed, char text[ROOM]) {
    size_t length = 0;
    for (int w = 0; w < WORDS; w++)
        length += (size_t)snprintf(text + length, ROOM - length, "w%u ",
                                   (unsigned)random_below(&seed, w < WORDS / 2 ? 4 : 40));
    return length;
}

static nd_index *make_index(const char *path, bool sketch_only) {
    static const nd_analyzer_options words = {sizeof words, .kind = ND_WORDS, .ngram = 1,
                                              .seed = 1};
    nd_index *index;
    nd_error error;
    nd_index_options o;
    nd_index_options_init(&o, sizeof o);
    o.perms = 64;
    o.recall = 0.99;
    o.threshold = 0.7;
    o.analyzer = &words;
    o.sketch_only = sketch_only;
    if (!path) {
        must(nd_index_create_in_memory(&o, NULL, &index, &error), &error);
        return index;
    }
    must(nd_index_create(path, &o, &error), &error);
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &index, &error), &error);
    nd_index_set_sync(index, ND_SYNC_OFF);
    return index;
}

/* Adds documents, of which a part goes to segments of their own, and removes some. */
static void fill(nd_index *index, bool segments) {
    nd_index_searcher *searcher;
    nd_error error;
    must(nd_index_searcher_create(index, &searcher, &error), &error);
    for (unsigned i = 0; i < DOCUMENTS; i++) {
        char text[ROOM], id[16];
        const nd_record record = {.text = text,
                                  .length = make_text(i, text),
                                  .id = id,
                                  .id_length = (size_t)snprintf(id, sizeof id, "%u", i)};
        bool added, found;
        must(nd_index_add(index, searcher, &record, &added, NULL, &error), &error);
        if (i % 7 == 0) must(nd_index_remove(index, id, strlen(id), &found, &error), &error);
        if (segments && i % (DOCUMENTS / 3) == DOCUMENTS / 4)
            must(nd_index_store_compact_levels(&index->shared, &error), &error);
    }
    nd_index_searcher_free(searcher);
}

/* ---- the batch, and the search for each of its documents */

typedef struct batch {
    unsigned given, answered;
    char text[ROOM];
    nd_index_searcher *searcher;
    nd_search_kind kind;
    uint64_t matches, left_out;
} batch;

static int give(void *context, nd_record *out) {
    batch *b = context;
    if (b->given == QUERIES) return 0;
    out->text = b->text;
    out->length = b->given % 11 == 0 ? 0 : make_text(b->given * 2, b->text);
    out->id = "q";
    out->id_length = 1;
    b->given++;
    return 1;
}

static bool compare(void *context, const nd_answer *answer) {
    batch *b = context;
    const nd_match *matches;
    size_t count, length;
    nd_error error;
    char text[ROOM];
    unsigned i = b->answered++;
    assert_int_equal(answer->document, i);
    length = i % 11 == 0 ? 0 : make_text(i * 2, text);
    must(nd_index_search(b->searcher, text, length, b->kind, &matches, &count, &error), &error);
    assert_int_equal(answer->count, count);
    assert_int_equal(answer->left_out, nd_index_searcher_left_out(b->searcher));
    for (size_t m = 0; m < count; m++) {
        assert_true(answer->matches[m].jaccard == matches[m].jaccard);
        assert_int_equal(answer->matches[m].id_length, matches[m].id_length);
        assert_memory_equal(answer->matches[m].id, matches[m].id, matches[m].id_length);
    }
    b->matches += count;
    b->left_out += answer->left_out;
    return true;
}

static void query(nd_index *index, nd_search_kind kind, uint32_t threads) {
    nd_error error;
    nd_input_options input;
    nd_resources resources;
    nd_index_query_options options;
    batch b = {.kind = kind};
    nd_input_options_init(&input, sizeof input);
    nd_resources_init(&resources, sizeof resources);
    nd_index_query_options_init(&options, sizeof options);
    input.records = give;
    input.records_context = &b;
    resources.threads = threads;
    options.input = &input;
    options.resources = &resources;
    options.kind = kind;
    options.max_compare = MAX_COMPARE;
    must(nd_index_searcher_make_for_texts(&index->shared, MAX_COMPARE, NULL, &nd_allocator_default,
                                          &b.searcher, &error),
         &error);
    must(nd_index_query(index, &options, compare, &b, NULL, &error), &error);
    assert_int_equal(b.answered, QUERIES);
    assert_true(b.matches > QUERIES / 10); /* near-duplicates were compared, */
    assert_true(b.left_out > 0);           /* and documents of large buckets */
    nd_index_searcher_free(b.searcher);
}

static void check(nd_index *index, bool segments) {
    nd_index_info info = {.struct_size = sizeof info};
    nd_error error;
    fill(index, segments);
    must(nd_index_describe(index, &info, &error), &error);
    assert_true(segments ? info.segments >= 2 && info.log_documents > 0 : info.segments == 0);
    query(index, ND_SEARCH_ALL, 1);
    query(index, ND_SEARCH_ALL, 2);
    query(index, ND_SEARCH_FIRST, 1);
    nd_index_close(index);
}

static void test_batch_as_one_by_one(void **state) {
    (void)state;
    for (int sketch_only = 0; sketch_only < 2; sketch_only++) {
        check(make_index("i", sketch_only), true);
        remove_directory("i");
        check(make_index(NULL, sketch_only), false);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batch_as_one_by_one)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

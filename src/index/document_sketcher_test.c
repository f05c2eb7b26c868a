/* Documents whose parts are computed in advance get the same answers as their texts. */
#include "index/document_sketcher.h"

#include "index/index.h"
#include "own_directory.h"

enum { DOCUMENTS = 600, WORDS = 60, BASES = 40 };

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

/* A text of some words of a base, a few of them replaced: many texts are near-duplicates. */
static size_t make_text(uint64_t *seed, char *text) {
    uint64_t base = random_below(seed, BASES), replaced = random_below(seed, 6);
    size_t size = 0, words = random_below(seed, 20) ? WORDS : random_below(seed, 3);
    for (size_t w = 0; w < words; w++) {
        bool other = random_below(seed, WORDS) < replaced;
        uint64_t word = other ? random_next(seed) : base * WORDS + w;
        size += (size_t)sprintf(text + size, "w%llx ", (unsigned long long)(word & 0xfffff));
    }
    return size;
}

static void check_same_answers(const nd_index_parts *parts, uint64_t seed) {
    nd_error error;
    nd_index *by_text, *by_parts;
    nd_index_searcher *text_searcher, *searcher;
    nd_document_sketcher *sketcher;
    int added = 0;
    must(nd_index_make("by_text", parts, NULL, &error), &error);
    must(nd_index_make("by_parts", parts, NULL, &error), &error);
    must(nd_index_open("by_text", ND_INDEX_WRITE, NULL, &by_text, &error), &error);
    must(nd_index_open("by_parts", ND_INDEX_WRITE, NULL, &by_parts, &error), &error);
    nd_index_set_sync(by_text, ND_SYNC_OFF);
    nd_index_set_sync(by_parts, ND_SYNC_OFF);
    must(nd_index_searcher_create(by_text, &text_searcher, &error), &error);
    must(nd_index_make_searcher(by_parts, &searcher, &error), &error);
    must(nd_document_sketcher_create(&by_parts->shared.settings, NULL, &nd_allocator_default,
                                     &sketcher, &error),
         &error);
    for (int i = 0; i < DOCUMENTS; i++) {
        char text[WORDS * 8 + 1], id[16];
        size_t length = make_text(&seed, text), id_length = (size_t)sprintf(id, "%d", i);
        bool is_new, also_new;
        const nd_match *evidence, *same;
        nd_stored_document document;
        nd_shingles shingles;
        const nd_record record = {.text = text, .length = length, .id = id, .id_length = id_length};
        must(nd_index_add(by_text, text_searcher, &record, &is_new, &evidence, &error), &error);
        must(nd_analyze(nd_document_sketcher_analyzer(sketcher), text, length, &shingles, &error),
             &error);
        must(nd_document_sketcher_make(sketcher, &shingles, &document, &error), &error);
        document.id = id;
        document.id_length = id_length;
        must(nd_index_add_document(by_parts, searcher, &document, &also_new, &same, &error),
             &error);
        assert_int_equal(is_new, also_new);
        added += is_new;
        if (is_new) continue;
        assert_int_equal(evidence->id_length, same->id_length);
        assert_memory_equal(evidence->id, same->id, same->id_length);
        assert_true(evidence->jaccard == same->jaccard);
        assert_int_equal(evidence->intersection, same->intersection);
        assert_int_equal(evidence->set_union, same->set_union);
    }
    assert_true(added > BASES && added < DOCUMENTS - BASES);
    nd_document_sketcher_free(sketcher);
    nd_index_searcher_free(text_searcher);
    nd_index_searcher_free(searcher);
    nd_index_close(by_text);
    nd_index_close(by_parts);
    remove_directory("by_text");
    remove_directory("by_parts");
}

static void test_same_answers(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        nd_index_parts parts;
        nd_error error;
        must(nd_index_options_read(NULL, &parts, &error), &error);
        parts.analyzer.ngram = (uint32_t)(1 + seed % 3);
        parts.options.sketch_only = seed % 2 == 0;
        check_same_answers(&parts, seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_answers)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}

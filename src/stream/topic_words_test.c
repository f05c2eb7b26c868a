/* The words that a document offers as topics, against weighing and sorting all its words. */
#include "stream/topic_words.h"

#include "terms/weight_table.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VOCABULARY = 4000, DOCUMENTS = ND_LIMIT(4000, 1000), MOST_WORDS = 200 };

typedef struct weighed {
    uint64_t weight, feature;
    size_t at; /* in the document's bytes */
} weighed;

static int heavier_first(const void *a, const void *b) {
    const weighed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Makes a document of distinct words: of a small number more often than of a large one, so there
 * are words of every frequency. Most words occur once. Returns the document's bytes. */
static size_t make_document(uint64_t *seed, unsigned char *bytes) {
    static uint32_t last[VOCABULARY];
    static uint32_t document;
    size_t size = 0, words = random_below(seed, MOST_WORDS);
    document++;
    for (size_t i = 0; i < words; i++) {
        uint32_t word = (uint32_t)random_below(seed, 1 + random_below(seed, VOCABULARY));
        uint32_t times = random_below(seed, 4) ? 1 : 1 + (uint32_t)random_below(seed, 300);
        if (last[word] == document) continue;
        last[word] = document;
        size_t length = (size_t)sprintf((char *)bytes + size + 3, "w%u", word);
        bytes[size] = (unsigned char)length;
        bytes[size + 1] = (unsigned char)times;
        bytes[size + 2] = (unsigned char)(times >> 8);
        size += 3 + length;
    }
    return size;
}

static void check_offers(nd_topic_words *w, const nd_arrival *document) {
    nd_topic_offer offers[ND_TOPIC_OFFERS];
    weighed all[MOST_WORDS];
    nd_arrival_word word;
    size_t count = nd_topic_words_count(w, document, offers), words = 0, expected = 0;
    uint64_t documents = nd_count_min_documents(w->counts);
    for (size_t at = 0, next = 0; nd_arrival_next_word(document, &next, &word); at = next) {
        uint64_t feature = nd_mix64(nd_hash_token(&w->key, word.bytes, word.length));
        uint64_t weight = (uint64_t)nd_idf_units(documents, nd_count_min_of(w->counts, feature)) *
                          word.times;
        all[words++] = (weighed){weight, feature, at};
    }
    qsort(all, words, sizeof *all, heavier_first);
    while (expected < words && expected < ND_TOPIC_OFFERS && all[expected].weight > 0) expected++;
    assert_int_equal(count, expected);
    for (size_t i = 0; i < count; i++) {
        assert_true(offers[i].feature == all[i].feature);
        assert_ptr_equal(offers[i].word.bytes, document->words + all[i].at + 3);
    }
}

static void test_offers(void **state) {
    (void)state;
    static unsigned char bytes[MOST_WORDS * 16];
    nd_topic_words w;
    nd_error error;
    uint64_t seed = 3;
    assert_int_equal(nd_topic_words_init(&w, 1, &nd_allocator_default, &error), ND_OK);
    for (int d = 0; d < DOCUMENTS; d++) {
        const nd_arrival document = {.words = bytes, .word_bytes = make_document(&seed, bytes)};
        check_offers(&w, &document);
    }
    nd_topic_words_free(&w);
}

/* A later word is in one document less than the word before it. So it is barely heavier, and must
 * take the place of the first. */
static void test_close_weights(void **state) {
    (void)state;
    enum { WORDS = ND_TOPIC_OFFERS + 1, ALL = 70000 };
    unsigned char bytes[WORDS * 4];
    nd_topic_words w;
    nd_error error;
    assert_int_equal(nd_topic_words_init(&w, 1, &nd_allocator_default, &error), ND_OK);
    for (size_t d = 0; d < ALL; d++) {
        nd_arrival document = {.words = bytes};
        for (size_t i = 0; i < WORDS && i <= d; i++, document.word_bytes += 4)
            memcpy(bytes + 4 * i, (const unsigned char[]){1, 1, 0, (unsigned char)('a' + i)}, 4);
        check_offers(&w, &document);
    }
    nd_topic_words_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_offers),
                                       cmocka_unit_test(test_close_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

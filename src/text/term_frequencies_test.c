/* The words of texts with their frequencies, against a list that is searched from its beginning. */
#include "text/term_frequencies.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct plain {
    unsigned char *entries; /* each of 80 bytes: length, bytes, and the times behind them */
    size_t count;
} plain;

enum { ENTRY = 80, TIMES_AT = 72, ROOM = 5000 };

static bool collect(void *context, const nd_token *token) {
    plain *p = context;
    uint32_t times = 1;
    if (token->length > ND_TERM_FREQUENCIES_LENGTH) return true;
    size_t i = 0;
    for (; i < p->count; i++) {
        const unsigned char *e = p->entries + i * ENTRY;
        if (e[0] == token->length && memcmp(e + 1, token->text, token->length) == 0) break;
    }
    if (i == ND_TERM_FREQUENCIES_WORDS) return true;
    unsigned char *e = p->entries + i * ENTRY;
    if (i < p->count) {
        memcpy(&times, e + TIMES_AT, sizeof times);
        times += times < 65535;
    } else {
        e[0] = (unsigned char)token->length;
        memcpy(e + 1, token->text, token->length);
        p->count++;
    }
    memcpy(e + TIMES_AT, &times, sizeof times);
    return true;
}

static nd_analyzer *make_analyzer(nd_analyzer_kind kind) {
    nd_analyzer_options options;
    nd_analyzer *analyzer = NULL;
    nd_analyzer_options_init(&options, sizeof options);
    options.kind = kind;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    return analyzer;
}

static nd_term_frequencies *make(void) {
    nd_term_frequencies *list = NULL;
    assert_int_equal(nd_term_frequencies_create(NULL, &nd_allocator_default, &list, NULL), ND_OK);
    return list;
}

static void check(nd_term_frequencies *list, nd_analyzer_kind kind, const char *text,
                  size_t length) {
    plain p = {calloc(ROOM, ENTRY), 0};
    nd_analyzer *analyzer = make_analyzer(kind);
    const nd_hash_key key = nd_hash_key_of(nd_analyzer_options_of(analyzer)->seed);
    nd_word_list words;
    nd_counted_words counted;
    size_t at = 0;
    assert_int_equal(nd_tokenize(analyzer, text, length, collect, &p, NULL), ND_OK);
    assert_int_equal(nd_analyzer_list_words(analyzer, text, length, &words, NULL), ND_OK);
    assert_int_equal(nd_term_frequencies_count(list, &words, &counted, NULL), ND_OK);
    assert_int_equal(counted.count, p.count);
    for (size_t i = 0; i < p.count; i++) {
        const unsigned char *e = p.entries + i * ENTRY;
        uint32_t times;
        memcpy(&times, e + TIMES_AT, sizeof times);
        const unsigned char *got = counted.bytes + at;
        assert_true(counted.size - at >= 3u + e[0]);
        assert_int_equal(got[0], e[0]);
        assert_int_equal(got[1] | got[2] << 8, times);
        assert_memory_equal(got + 3, e + 1, e[0]);
        assert_true(counted.hashes[i] == nd_hash_token(&key, e + 1, e[0]));
        at += 3u + e[0];
    }
    assert_int_equal(at, counted.size);
    nd_analyzer_free(analyzer);
    free(p.entries);
}

static void test_texts(void **state) {
    (void)state;
    static const char *const texts[] = {"", "...", "One two ONE, two one: three",
                                        "\u6f22\u5b57 \u6f22 e\u0301t\u00e9 \u00e9t\u00c9 <\u0338"};
    nd_term_frequencies *list = make();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check(list, ND_WORDS, texts[i], strlen(texts[i]));
        check(list, ND_CHARS, texts[i], strlen(texts[i]));
    }
    nd_term_frequencies_free(list);
}

/* Words of 1 to 70 bytes, each several times. */
static void test_lengths(void **state) {
    (void)state;
    nd_term_frequencies *list = make();
    char text[16000];
    size_t size = 0;
    for (size_t times = 0; times < 5; times++)
        for (size_t length = 1; length <= 70; length++) {
            memset(text + size, 'a', length);
            text[size + length - 1] = (char)('a' + times % 2);
            size += length;
            text[size++] = ' ';
        }
    check(list, ND_WORDS, text, size);
    nd_term_frequencies_free(list);
}

/* More distinct words than are counted, then a word more often than is counted, then few words. */
static void test_limits(void **state) {
    (void)state;
    nd_term_frequencies *list = make();
    char *text = malloc(200000);
    size_t size = 0;
    for (size_t i = 0; i < 2 * ND_TERM_FREQUENCIES_WORDS; i++)
        size += (size_t)sprintf(text + size, "w%zu %s", i * 7 % 5000, i % 3 ? "" : "w0 ");
    check(list, ND_WORDS, text, size);
    for (size = 0; size < 140000; size += 2) memcpy(text + size, "a ", 2);
    check(list, ND_WORDS, text, size);
    check(list, ND_WORDS, "few words", 9);
    free(text);
    nd_term_frequencies_free(list);
}

/* Words that have the same hash, and differ in one byte. */
static void test_equal_hashes(void **state) {
    (void)state;
    enum { WORDS = 64, LENGTH = 20 };
    static unsigned char bytes[WORDS * LENGTH + 16];
    uint64_t hashes[WORDS];
    size_t ends[WORDS];
    for (size_t i = 0; i < WORDS; i++) {
        memset(bytes + i * LENGTH, 'a', LENGTH);
        if (i / 2 < LENGTH) bytes[i * LENGTH + i / 2] = 'b';
        ends[i] = (i + 1) * LENGTH;
        hashes[i] = 7;
    }
    const nd_word_list words = {hashes, ends, bytes, WORDS};
    nd_counted_words counted;
    nd_term_frequencies *list = make();
    assert_int_equal(nd_term_frequencies_count(list, &words, &counted, NULL), ND_OK);
    assert_int_equal(counted.count, LENGTH + 1);
    for (size_t i = 0; i <= LENGTH; i++) {
        const unsigned char *got = counted.bytes + i * (3 + LENGTH);
        assert_int_equal(got[1], i < LENGTH ? 2 : WORDS - 2 * LENGTH);
        assert_memory_equal(got + 3, bytes + 2 * i * LENGTH, LENGTH);
    }
    nd_term_frequencies_free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_equal_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The analyzer against its definition; the reference for tokens is the scalar tokenizer, called by
 * nd_tokenize. */
#include "text/analyzer.h"

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 3;

static size_t below(size_t n) {
    return (size_t)(nd_mix64(random_state += UINT64_C(0x9e3779b97f4a7c15)) % n);
}

static nd_analyzer *make(nd_analyzer_kind kind, uint32_t ngram, uint64_t seed) {
    nd_analyzer *analyzer = NULL;
    nd_analyzer_options options = {sizeof options, .kind = kind, .ngram = ngram, .seed = seed};
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    return analyzer;
}

/* ---- the definition, written a second time */

typedef struct token_list {
    nd_hash_key key;
    uint64_t hashes[20000];
    size_t count;
} token_list;

static bool collect(void *context, const nd_token *token) {
    token_list *list = context;
    list->hashes[list->count++] = nd_hash_token(&list->key, token->text, token->length);
    return true;
}

static size_t plain_shingles(const uint64_t *tokens, size_t count, size_t n, uint64_t *out) {
    size_t shingles = count >= n ? count - n + 1 : 1, size = count >= n ? n : count;
    for (size_t i = 0; i < shingles; i++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < size; k++) sum = sum * UINT64_C(0x9e3779b97f4a7c15) + tokens[i + k];
        out[i] = nd_mix64(count >= n ? sum : sum + count * UINT64_C(0x3c6ef372fe94f82b));
    }
    return shingles;
}

/* shingle.h's formula, one lane after the other. */
static void plain_text_hash(const uint64_t *tokens, size_t count, uint64_t hash[2]) {
    static const uint64_t with[4] = {ND_HASH_C1, ND_HASH_C2, ND_HASH_C3, ND_HASH_C0};
    uint64_t lane[4] = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    for (size_t l = 0; l < 4; l++)
        for (size_t i = 0; i < count; i += 4) {
            size_t own = i + l, other = i + (l ^ 1);
            lane[l] = nd_fold_multiply(lane[l] ^ (own < count ? tokens[own] : 0),
                                       (other < count ? tokens[other] : 0) ^ with[l]);
        }
    hash[0] = nd_mix64(nd_fold_multiply(lane[0] ^ count, lane[3] ^ ND_HASH_C0) + lane[2]);
    hash[1] = nd_mix64(nd_fold_multiply(lane[1] ^ count, lane[2] ^ ND_HASH_C3) + lane[3]);
}

/* `expected`: what nd_tokenize gives. */
static void check_word_list(nd_analyzer *analyzer, const char *text, size_t length,
                            const token_list *expected) {
    nd_word_list got;
    assert_int_equal(nd_analyzer_list_words(analyzer, text, length, &got, NULL), ND_OK);
    assert_int_equal(got.count, expected->count);
    for (size_t i = 0, begin = 0; i < got.count; begin = got.ends[i++]) {
        assert_true(got.hashes[i] == expected->hashes[i]);
        assert_true(nd_hash_token(&expected->key, got.bytes + begin, got.ends[i] - begin) ==
                    got.hashes[i]);
    }
}

/* Both ways to the shingles of a text give the same. */
static void check_shingle_list(nd_analyzer *analyzer, const char *text, size_t length) {
    static uint64_t hashes[20000];
    nd_word_list words;
    nd_shingles got, expected;
    assert_int_equal(nd_analyze(analyzer, text, length, &expected, NULL), ND_OK);
    memcpy(hashes, expected.hashes, expected.count * sizeof *hashes);
    assert_int_equal(nd_analyzer_list_words(analyzer, text, length, &words, NULL), ND_OK);
    assert_int_equal(nd_analyzer_shingle_list(analyzer, text, length, &got, NULL), ND_OK);
    assert_int_equal(got.tokens, expected.tokens);
    assert_int_equal(got.count, expected.count);
    assert_memory_equal(got.hashes, hashes, got.count * sizeof *hashes);
    assert_memory_equal(got.text_hash, expected.text_hash, sizeof got.text_hash);
}

static void check_text(nd_analyzer *analyzer, const char *text, size_t length) {
    static token_list list;
    static uint64_t expected[20000];
    const nd_analyzer_options *options = nd_analyzer_options_of(analyzer);
    nd_error error;
    nd_shingles got;
    uint64_t hash[2];
    list.key = nd_hash_key_of(options->seed);
    list.count = 0;
    assert_int_equal(nd_tokenize(analyzer, text, length, collect, &list, &error), ND_OK);
    check_word_list(analyzer, text, length, &list);
    check_shingle_list(analyzer, text, length);
    assert_int_equal(nd_analyze(analyzer, text, length, &got, &error), ND_OK);
    assert_int_equal(got.tokens, list.count);
    if (list.count == 0) {
        assert_int_equal(got.count, 1);
        assert_true(got.hashes[0] == got.text_hash[0]);
        return;
    }
    assert_int_equal(got.count, plain_shingles(list.hashes, list.count, options->ngram, expected));
    assert_memory_equal(got.hashes, expected, got.count * 8);
    plain_text_hash(list.hashes, list.count, hash);
    assert_memory_equal(got.text_hash, hash, sizeof hash);
}

/* ---- words and seams */

/* Runs of ASCII of all lengths with characters of other kinds between: letters, marks (one composes
 * even with '<'), unspaced scripts, emoji. */
static size_t random_text(char *text, size_t limit) {
    static const char *const others[] = {"\u00e9",       "\u00df",       "\u0130", "e\u0301",
                                         "\u0301",       "<\u0338",      "\u6f22", "\u5b57\u3099",
                                         "\u0e01\u0e34", "\u00a0",       "\u2014", "\U0001f600",
                                         "\u0645\u064f", "\u0915\u094d", "\u200d", "\u1ea3",
                                         "\u304c",       "\u3002",       "\ud55c", "\u3005"};
    static const char ascii[] = "abcdefgh IJKLMNOP 0123_ <=>. ,;\n qrstuvwxyz ";
    size_t length = 0;
    while (length + 200 < limit) {
        for (size_t n = below(4) ? below(12) : below(190); n > 0; n--)
            text[length++] = ascii[below(sizeof ascii - 1)];
        for (size_t n = below(3); n > 0; n--) {
            const char *other = others[below(sizeof others / sizeof *others)];
            memcpy(text + length, other, strlen(other));
            length += strlen(other);
        }
    }
    return length;
}

/* Short runs of Han, ASCII and signs in turn; rarely a character that the kernel does not handle.
 */
static size_t random_han(char *text, size_t limit) {
    static const char *const signs[] = {"\u3002", "\uff0c", "\u3000",       "\u300a", "\uff1a",
                                        " ",      "\n",     "\u2014\u2014", "\u00b7", "\u00e9"};
    static const char *const rare[] = {"\u0301", "\ufe00", "\U000e0100", "\u200d",     "\u3099",
                                       "\u302a", "\u304b", "\u3400",     "\U00020000", "\u3007",
                                       "\uff21", "\uff11", "\uff3f",     "\uac00",     "<\u0338"};
    size_t length = 0;
    while (length + 200 < limit) {
        for (size_t n = below(9) ? below(12) : below(60); n > 0; n--) {
            uint32_t c = (uint32_t)(0x4e00 + below(0x5200));
            text[length++] = (char)(0xe0 | c >> 12);
            text[length++] = (char)(0x80 | (c >> 6 & 63));
            text[length++] = (char)(0x80 | (c & 63));
        }
        for (size_t n = below(3) ? 0 : below(9); n > 0; n--)
            text[length++] = "Kernel_2 x"[below(10)];
        const char *other = below(20) ? signs[below(sizeof signs / sizeof *signs)]
                                      : rare[below(sizeof rare / sizeof *rare)];
        if (below(2)) continue;
        memcpy(text + length, other, strlen(other));
        length += strlen(other);
    }
    return length;
}

static void test_seams(void **state) {
    (void)state;
    nd_analyzer *analyzer = make(ND_WORDS, 3, 11);
    for (size_t round = 0; round < 3000; round++) {
        char text[5000];
        size_t length = (round % 2 ? random_text
                                   : random_han)(text, 200 + below(round % 10 > 1 ? 600 : 4800));
        char *exact = malloc(length + 1); /* so that a sanitizer reports a read behind the end */
        memcpy(exact, text, length);
        check_text(analyzer, exact, length);
        free(exact);
    }
    nd_analyzer_free(analyzer);
}

static void test_other_byte_everywhere(void **state) {
    (void)state;
    nd_analyzer *analyzer = make(ND_WORDS, 2, 1);
    static const char *const others[] = {"\u00e9", "\u0338", "\u6f22", "\u6f22\u0301",
                                         "\u304b", "\uff0c", "\u2014"};
    for (size_t o = 0; o < 7; o++)
        for (size_t at = 0; at < 200; at++) {
            char text[210];
            for (size_t i = 0; i < sizeof text; i++)
                text[i] = i % 7 == 3 ? '<' : i % 50 == 0 ? ' ' : (char)('a' + i % 26);
            memcpy(text + at, others[o], strlen(others[o]));
            check_text(analyzer, text, sizeof text);
        }
    nd_analyzer_free(analyzer);
}

static void test_every_ngram(void **state) {
    (void)state;
    static const nd_analyzer_kind kinds[] = {ND_WORDS, ND_CHARS};
    for (size_t k = 0; k < 2; k++)
        for (uint32_t n = 1; n <= 64; n++) {
            nd_analyzer *analyzer = make(kinds[k], n, n);
            for (size_t words = 0; words < 70; words += 1 + below(3)) {
                char text[1000] = "";
                size_t length = 0;
                for (size_t w = 0; w < words; w++) {
                    const char *end = w % 5 ? " " : "\u00fc, ";
                    length += (size_t)snprintf(text + length, sizeof text - length, "%zu x%s",
                                               below(1000), end);
                }
                check_text(analyzer, text, length);
            }
            nd_analyzer_free(analyzer);
        }
}

static void analyze(nd_analyzer *analyzer, const char *text, nd_shingles *out) {
    assert_int_equal(nd_analyze(analyzer, text, strlen(text), out, NULL), ND_OK);
}

static void test_same_and_different(void **state) {
    (void)state;
    nd_analyzer *analyzer = make(ND_WORDS, 5, 1);
    nd_shingles first, got;
    analyze(analyzer, "The quick brown fox jumps over the lazy dog", &first);
    uint64_t hash[2] = {first.text_hash[0], first.text_hash[1]}, shingles[5];
    assert_int_equal(first.tokens, 9);
    assert_int_equal(first.count, 5);
    memcpy(shingles, first.hashes, sizeof shingles);
    analyze(analyzer, "  the QUICK, brown \"fox\" jumps\u2014over the lazy dog!\n", &got);
    assert_memory_equal(got.text_hash, hash, sizeof hash);
    assert_memory_equal(got.hashes, shingles, sizeof shingles);
    static const char *const others[] = {"quick the brown fox jumps over the lazy dog",
                                         "The quick brown fox jumps over the lazy",
                                         "dog",
                                         "The quick brown fox jumps over the lazy dog dog",
                                         "",
                                         ".",
                                         "the quick brown fox jumps over the lazy dot"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        analyze(analyzer, others[i], &got);
        assert_true(got.text_hash[0] != hash[0] && got.text_hash[1] != hash[1]);
    }
    nd_analyzer *short_one = make(ND_WORDS, 2, 1);
    analyze(analyzer, "one two", &got);
    uint64_t as_short = got.hashes[0];
    analyze(short_one, "one two", &got);
    assert_true(got.hashes[0] != as_short);
    assert_int_equal(nd_analyze(analyzer, NULL, 0, &got, NULL), ND_OK);
    assert_int_equal(got.tokens, 0);
    nd_analyzer_free(analyzer);
    nd_analyzer_free(short_one);
}

static void test_golden(void **state) {
    (void)state;
    static const uint64_t golden[3 + 2] = {
        UINT64_C(0xf7741b246dc2e643), UINT64_C(0x5899493fc02f4bd0), UINT64_C(0x3c57491db7a9a2b5),
        UINT64_C(0x187ad135601ebaa5), UINT64_C(0x1e9544589323cacf)};
    nd_analyzer *analyzer = make(ND_WORDS, 5, 1);
    nd_shingles got;
    analyze(analyzer, "Sphinx of black quartz, judge my extraordinarilylongword", &got);
    assert_int_equal(got.count, 3);
    assert_memory_equal(got.hashes, golden, 3 * 8);
    assert_memory_equal(got.text_hash, golden + 3, 2 * 8);
    nd_analyzer_free(analyzer);
}

/* ---- errors and memory */

static void test_options(void **state) {
    (void)state;
    nd_error error;
    nd_analyzer *analyzer = NULL;
    nd_analyzer_options options;
    nd_analyzer_options_init(&options, sizeof options);
    assert_true(options.kind == ND_WORDS && options.ngram == 5 && options.seed == 1);
    options.ngram = 0;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "ngram must be 1 to 64, not 0");
    options.ngram = 65;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_ERR_ARGUMENT);
    options.ngram = 64;
    options.kind = (nd_analyzer_kind)3;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "kind must be ND_WORDS (0) to ND_SEGMENT (2), not 3");
    assert_null(analyzer);
    assert_int_equal(nd_analyzer_create(NULL, NULL, &analyzer, &error), ND_OK);
    assert_int_equal(nd_analyzer_options_of(analyzer)->ngram, 5);
    nd_analyzer_free(analyzer);
    nd_analyzer_free(NULL);
}

static void test_not_utf8(void **state) {
    (void)state;
    static const char *const bad[] = {
        "\x80",         "\xff",         "\xc3",     "\xe2\x82",
        "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"};
    for (size_t round = 0; round < 2000; round++) {
        nd_analyzer *analyzer = make(round % 2 ? ND_WORDS : ND_CHARS, 5, 1);
        char text[1300], wanted[40];
        size_t length = random_text(text, 200 + below(1000)), at = below(length + 1);
        const char *sequence = bad[below(8)];
        memmove(text + at + strlen(sequence), text + at, length - at);
        memcpy(text + at, sequence, strlen(sequence));
        length += strlen(sequence);
        size_t valid = nd_utf8_valid_prefix(text, length);
        nd_error error;
        nd_shingles out = {.count = 77};
        token_list *list = calloc(1, sizeof *list);
        if (valid < length) {
            snprintf(wanted, sizeof wanted, "byte %zu", valid);
            assert_int_equal(nd_analyze(analyzer, text, length, &out, &error), ND_ERR_INPUT);
            const char *found = strstr(error.message, wanted);
            assert_non_null(found);
            assert_true(found[strlen(wanted)] < '0' || found[strlen(wanted)] > '9');
            assert_int_equal(out.count, 77);
            assert_int_equal(nd_tokenize(analyzer, text, length, collect, list, &error),
                             ND_ERR_INPUT);
        }
        free(list);
        nd_analyzer_free(analyzer);
    }
}

static bool stop_at_three(void *context, const nd_token *token) {
    (void)token;
    return ++*(int *)context < 3;
}

static void test_cancel(void **state) {
    (void)state;
    nd_analyzer *analyzer = make(ND_WORDS, 5, 1);
    int calls = 0;
    assert_int_equal(nd_tokenize(analyzer, "a b c d e", 9, stop_at_three, &calls, NULL),
                     ND_ERR_CANCELLED);
    assert_int_equal(calls, 3);
    nd_analyzer_free(analyzer);
}

/* Counts the allocations held, and fails the `fail_at`-th request. */
typedef struct meter {
    size_t held, requests, fail_at;
} meter;

static void *meter_reallocate(void *context, void *memory, size_t size) {
    meter *m = context;
    if (++m->requests == m->fail_at) return NULL;
    size_t *old = memory ? (size_t *)memory - 2 : NULL;
    if (old) m->held -= *old;
    size_t *block = realloc(old, size + 16);
    *block = size;
    m->held += size;
    return block + 2;
}

static void *meter_allocate(void *context, size_t size) {
    return meter_reallocate(context, NULL, size);
}

static void meter_release(void *context, void *memory) {
    if (!memory) return;
    size_t *block = (size_t *)memory - 2;
    ((meter *)context)->held -= *block;
    free(block);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    char text[3000];
    size_t length = random_text(text, sizeof text);
    bool done = false;
    for (size_t fail_at = 1; !done; fail_at++) {
        meter m = {0, 0, fail_at};
        const nd_allocator allocator = {&m, meter_allocate, meter_reallocate, meter_release};
        nd_analyzer *analyzer = NULL;
        nd_shingles out;
        nd_word_list words;
        nd_status status = nd_analyzer_create(NULL, &allocator, &analyzer, NULL);
        if (status == ND_OK) status = nd_analyzer_list_words(analyzer, text, length, &words, NULL);
        if (status == ND_OK) status = nd_analyze(analyzer, text, length, &out, NULL);
        done = status == ND_OK;
        if (!done) assert_int_equal(status, ND_ERR_MEMORY);
        /* The analyzer works after a failure. */
        if (analyzer && !done)
            assert_int_equal(nd_analyze(analyzer, text, length, &out, NULL), ND_OK);
        nd_analyzer_free(analyzer);
        assert_int_equal(m.held, 0);
        assert_true(done || m.requests >= fail_at);
    }
}

static void test_scratch_is_given_back(void **state) {
    (void)state;
    meter m = {0, 0, 0};
    const nd_allocator allocator = {&m, meter_allocate, meter_reallocate, meter_release};
    nd_analyzer *analyzer;
    nd_shingles out;
    size_t size = (size_t)6 << 20;
    char *text = malloc(size);
    for (size_t i = 0; i < size; i++) text[i] = i % 2 ? ' ' : 'a';
    assert_int_equal(nd_analyzer_create(NULL, &allocator, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_analyze(analyzer, text, size, &out, NULL), ND_OK);
    assert_int_equal(out.tokens, size / 2);
    assert_true(m.held >= size / 2 * 8);
    assert_int_equal(nd_analyze(analyzer, "a small text", 12, &out, NULL), ND_OK);
    assert_true(m.held < 100000);
    nd_word_list words;
    assert_int_equal(nd_analyzer_list_words(analyzer, text, size, &words, NULL), ND_OK);
    assert_int_equal(words.count, size / 2);
    assert_true(m.held >= size / 2 * 16);
    assert_int_equal(nd_analyzer_list_words(analyzer, "a small text", 12, &words, NULL), ND_OK);
    assert_int_equal(words.count, 3);
    assert_true(m.held < 100000);
    nd_analyzer_free(analyzer);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seams),
        cmocka_unit_test(test_other_byte_everywhere),
        cmocka_unit_test(test_every_ngram),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_same_and_different),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_not_utf8),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_scratch_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

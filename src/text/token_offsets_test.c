/* The tokens of token_offsets.h are the tokens that nd_analyze hashes, with their offsets. */
#include "text/token_offsets.h"

#include "test.h"

#include <string.h>

static const char *const texts[] = {"The quick brown fox, the lazy dog",
                                    "据美国媒体报道，51区雇员",
                                    "Stra\u00dfe ﬃ É é",
                                    "มนุษย์ทั้งหลาย",
                                    "🙂 👩‍👩‍👧",
                                    "",
                                    "x"};
enum { TEXTS = sizeof texts / sizeof *texts };

static void test_as_analyzed(void **state) {
    (void)state;
    for (int kind = ND_WORDS; kind <= ND_CHARS; kind++) {
        nd_analyzer_options options = {sizeof options, .kind = (nd_analyzer_kind)kind, .ngram = 1,
                                       .seed = 5};
        nd_analyzer *analyzer;
        nd_token_offsets tokens = {0};
        assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
        for (size_t t = 0; t < TEXTS; t++) {
            size_t before = tokens.count;
            nd_shingles shingles;
            assert_int_equal(nd_token_offsets_add(&tokens, analyzer, texts[t], strlen(texts[t]),
                                                  &nd_allocator_default, NULL),
                             ND_OK);
            assert_int_equal(nd_analyze(analyzer, texts[t], strlen(texts[t]), &shingles, NULL),
                             ND_OK);
            assert_int_equal(tokens.count - before, shingles.tokens);
            for (size_t i = 0; i < shingles.tokens; i++)
                assert_int_equal(tokens.hashes[before + i], shingles.hashes[i]);
        }
        if (kind == ND_WORDS) {
            const nd_text_range *fox = &tokens.places[3];
            assert_int_equal(fox->begin, 16);
            assert_int_equal(fox->end, 19);
        }
        assert_true(tokens.count > 30);
        nd_token_offsets_free(&tokens, &nd_allocator_default);
        nd_analyzer_free(analyzer);
    }
}

static void test_errors(void **state) {
    (void)state;
    nd_analyzer *analyzer;
    nd_token_offsets tokens = {0};
    nd_error error;
    failing_allocator memory = {.left = 1};
    nd_allocator allocator = failing_allocator_make(&memory);
    assert_int_equal(nd_analyzer_create(NULL, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_token_offsets_add(&tokens, analyzer, "a b", 3, &allocator, &error),
                     ND_ERR_MEMORY);
    nd_token_offsets_free(&tokens, &allocator);
    tokens = (nd_token_offsets){0};
    assert_int_equal(
        nd_token_offsets_add(&tokens, analyzer, "a \xff", 3, &nd_allocator_default, &error),
        ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 2");
    nd_token_offsets_free(&tokens, &nd_allocator_default);
    assert_int_equal(memory.live, 0);
    nd_analyzer_free(analyzer);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_analyzed),
                                       cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

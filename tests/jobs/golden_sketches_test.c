/* Sketches of the texts of tests/golden/sketches.txt, bit for bit. Bindings read the same file. */
#include "neardup.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERMS = 8 };

/* "817100 3524419 ..." */
static void check_signature(const char *text, const char *expected) {
    nd_analyzer *analyzer;
    nd_minhash *minhash;
    nd_shingles shingles;
    uint32_t signature[PERMS];
    char found[16 * PERMS] = "", *p = found;
    assert_int_equal(nd_analyzer_create(NULL, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_minhash_create(PERMS, 1, NULL, &minhash, NULL), ND_OK);
    assert_int_equal(nd_analyze(analyzer, text, strlen(text), &shingles, NULL), ND_OK);
    nd_minhash_sign(minhash, shingles.hashes, shingles.count, signature);
    for (int i = 0; i < PERMS; i++) p += sprintf(p, "%s%" PRIu32, i ? " " : "", signature[i]);
    assert_string_equal(found, expected);
    nd_minhash_free(minhash);
    nd_analyzer_free(analyzer);
}

/* 32 hexadecimal digits: the fingerprint of single words, each weighed by its occurrences. */
static void check_fingerprint(const char *text, const char *expected) {
    static const nd_analyzer_options words = {
        .struct_size = sizeof words, .kind = ND_WORDS, .ngram = 1, .seed = 1};
    nd_analyzer *analyzer;
    nd_simhash_options options;
    nd_fingerprint fingerprint;
    char found[33];
    nd_simhash_options_init(&options, sizeof options);
    options.bits = 128;
    assert_int_equal(nd_analyzer_create(&words, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_simhash_text(analyzer, &options, text, strlen(text), &fingerprint, NULL),
                     ND_OK);
    nd_fingerprint_format(fingerprint, 128, found);
    assert_string_equal(found, expected);
    nd_analyzer_free(analyzer);
}

static void test_golden(void **state) {
    (void)state;
    FILE *file = fopen(ND_TEST_DATA "/golden/sketches.txt", "r");
    char line[1000];
    size_t texts = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        line[strcspn(line, "\n")] = '\0';
        char *signature = strchr(line, '\t'), *fingerprint = strrchr(line, '\t');
        assert_true(signature && fingerprint != signature);
        *signature++ = *fingerprint++ = '\0';
        check_signature(line, signature);
        check_fingerprint(line, fingerprint);
        texts++;
    }
    fclose(file);
    assert_int_equal(texts, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

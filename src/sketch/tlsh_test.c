/* TLSH: golden digests of all variants, distances, text. tests/peers/tlsh_oracle.py compares with
 * another implementation. */
#include "neardup.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const nd_tlsh_variant variants[] = {ND_TLSH_128_1, ND_TLSH_128_3, ND_TLSH_256_1,
                                           ND_TLSH_256_3};

static void check_digest(nd_tlsh_variant variant, const char *text, const char *expected) {
    nd_tlsh made, read;
    char found[ND_TLSH_TEXT_ROOM];
    if (strcmp(expected, "TNULL") == 0) {
        assert_false(nd_tlsh_make(variant, text, strlen(text), &made));
        return;
    }
    assert_true(nd_tlsh_make(variant, text, strlen(text), &made));
    assert_int_equal(nd_tlsh_format(&made, found), strlen(expected));
    assert_string_equal(found, expected);
    assert_int_equal(nd_tlsh_parse(expected + 2, strlen(expected + 2), &read, NULL), ND_OK);
    assert_memory_equal(&read, &made, sizeof read);
}

static void test_golden(void **state) {
    (void)state;
    FILE *file = fopen(ND_TEST_DATA "/golden/tlsh.txt", "r");
    char line[2000], text[1000], digest[4][200];
    size_t texts = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        char *tab = strchr(line, '\t');
        assert_non_null(tab);
        snprintf(text, sizeof text, "%.*s", (int)(tab - line), line);
        assert_int_equal(
            sscanf(tab, "%199s %199s %199s %199s", digest[0], digest[1], digest[2], digest[3]), 4);
        for (size_t v = 0; v < 4; v++) check_digest(variants[v], text, digest[v]);
        texts++;
    }
    fclose(file);
    assert_int_equal(texts, 10);
}

static nd_tlsh digest_of(const char *text) {
    nd_tlsh made;
    assert_true(nd_tlsh_make(ND_TLSH_128_1, text, strlen(text), &made));
    return made;
}

/* The documentation of the crate tlsh2 has this distance. */
static void test_published_distance(void **state) {
    (void)state;
    nd_tlsh a = digest_of("Sed ut perspiciatis unde omnis iste natus"
                          "error sit voluptatem accusantium"),
            b = digest_of("odit aut fugit, sed quia consequuntur magni dolores");
    assert_int_equal(nd_tlsh_distance(&a, &b, true), 209);
    assert_int_equal(nd_tlsh_distance(&b, &a, true), 209);
    assert_int_equal(nd_tlsh_distance(&a, &a, true), 0);
}

/* Each part alone, at all differences. */
static void test_parts_of_distance(void **state) {
    (void)state;
    static const unsigned body[] = {0, 1, 2, 6};
    nd_tlsh a = {.variant = ND_TLSH_256_3}, b = a;
    for (unsigned d = 0; d < 256; d++) {
        unsigned least = d < 256 - d ? d : 256 - d;
        b.length_class = (uint8_t)d;
        assert_int_equal(nd_tlsh_distance(&a, &b, true), least <= 1 ? least : 12 * least);
        assert_int_equal(nd_tlsh_distance(&a, &b, false), 0);
    }
    b = a;
    for (unsigned d = 0; d < 16; d++) {
        unsigned least = d < 16 - d ? d : 16 - d;
        b.ratio1 = (uint8_t)d;
        b.ratio2 = (uint8_t)((16 - d) % 16);
        assert_int_equal(nd_tlsh_distance(&a, &b, true),
                         2 * (least <= 1 ? least : 12 * (least - 1)));
    }
    b = a;
    b.checksum[0] = b.checksum[2] = 9;
    assert_int_equal(nd_tlsh_distance(&a, &b, true), 1);
    for (unsigned x = 0; x < 4; x++)
        for (unsigned y = 0; y < 4; y++) {
            memset(a.body, (int)(0x55 * x), 64);
            memset(b.body, (int)(0x55 * y), 64);
            assert_int_equal(nd_tlsh_distance(&a, &b, true), 1 + 256 * body[x > y ? x - y : y - x]);
        }
    b.variant = ND_TLSH_256_1;
    assert_int_equal(nd_tlsh_distance(&a, &b, true), UINT32_MAX);
}

static void test_refusals(void **state) {
    (void)state;
    char bytes[100];
    nd_tlsh made;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * i * 37 + i);
    assert_false(nd_tlsh_make(ND_TLSH_128_1, bytes, 49, &made));
    assert_true(nd_tlsh_make(ND_TLSH_128_1, bytes, 50, &made));
    assert_false(nd_tlsh_make((nd_tlsh_variant)4, bytes, 50, &made));
    memset(bytes, 'a', sizeof bytes);
    assert_false(nd_tlsh_make(ND_TLSH_128_1, bytes, sizeof bytes, &made));
    nd_error error;
    assert_int_equal(nd_tlsh_parse("T1ab", 4, &made, &error), ND_ERR_INPUT);
    assert_string_equal(error.message,
                        "a TLSH digest has 70, 74, 134 or 138 hexadecimal digits, not 2");
    assert_int_equal(nd_tlsh_parse("T", 1, &made, &error), ND_ERR_INPUT);
    memset(bytes, 'f', sizeof bytes);
    assert_int_equal(nd_tlsh_parse(bytes, 74, &made, NULL), ND_OK);
    assert_int_equal(made.variant, ND_TLSH_128_3);
    bytes[69] = 'g';
    assert_int_equal(nd_tlsh_parse(bytes, 70, &made, &error), ND_ERR_INPUT);
    assert_non_null(strstr(error.message, "byte 69"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_published_distance),
        cmocka_unit_test(test_parts_of_distance),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The numbers of texts, and of random ones against a plain definition. */
#include "text/number_scan.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

/* The numbers, with a space between them. */
static void join_numbers(const char *text, size_t length, char *out, size_t size) {
    nd_number_scan scan = {.allocator = nd_allocator_default};
    size_t used = 0;
    bool found;
    out[0] = '\0';
    nd_number_scan_begin(&scan, text, length);
    for (;;) {
        assert_int_equal(nd_number_scan_next(&scan, &found, NULL), ND_OK);
        if (!found) break;
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", used > 0 ? " " : "",
                                 (int)scan.length, scan.number);
        assert_true(used < size);
    }
    nd_number_scan_free(&scan);
}

static void expect(const char *text, const char *numbers) {
    char found[200];
    join_numbers(text, strlen(text), found, sizeof found);
    assert_string_equal(found, numbers);
}

static void test_numbers(void **state) {
    (void)state;
    expect("", "");
    expect("no digits, no numbers: -, ./", "");
    expect("April 5", "5");
    expect("version 1.2, not 2.1.", "1.2 2.1");
    expect("04/05/2020 and 2020-05-04T12:30", "04/05/2020 2020-05-04 12:30");
    expect("1,000.50 EUR; -3; +49-30/12", "1,000.50 3 49-30/12");
    expect("1..2 3.-4 5, 6", "1 2 3 4 5 6");
    expect(".5.", "5");
    expect("a1b22c", "1 22");
    expect("x\u00b2 \u2460 \u00bd", ""); /* superscripts, circled and fractions are no digits */
}

static void test_scripts(void **state) {
    (void)state;
    expect("\uff11\uff0e\uff12", "1.2");
    expect("\u4ef7\u683c\uff15\u5143\uff0c\uff19\u5143", "5 9");
    expect("\u0665", "5");
    expect("\u0661\u066b\u0665 \u0661\u066c\u0660\u0660\u0660", "1.5 1,000");
    expect("\u0967\u0968/3", "12/3");
    expect("\u0e51\u0e52", "12");
    expect("\U0001d7cf\U0001d7d8", "10"); /* mathematical bold 1, double-struck 0 */
    expect("\u4e94\u4e5d", "");           /* Han numerals are words */
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The definition: a character belongs to a number if it is a digit, or a separator between two. */
static void define(const char *text, char *out) {
    bool inside = false;
    char *to = out;
    for (size_t i = 0; text[i]; i++) {
        bool belongs = is_digit(text[i]) || (i > 0 && strchr(".,:/-", text[i]) &&
                                             is_digit(text[i - 1]) && is_digit(text[i + 1]));
        if (belongs && !inside && to > out) *to++ = ' ';
        if (belongs) *to++ = text[i];
        inside = belongs;
    }
    *to = '\0';
}

static void test_random(void **state) {
    (void)state;
    static const char symbols[] = "0129.,:/-a ";
    uint64_t seed = 1;
    for (unsigned round = 0; round < test_rounds(20000); round++) {
        char text[24], defined[50], found[50];
        size_t length = random_below(&seed, sizeof text);
        for (size_t i = 0; i < length; i++) text[i] = symbols[random_below(&seed, 11)];
        text[length] = '\0';
        define(text, defined);
        join_numbers(text, length, found, sizeof found);
        assert_string_equal(found, defined);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_scripts),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "unicode/dominant_script.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static void test_scripts(void **state) {
    (void)state;
    static const struct {
        const char *text, *script;
    } cases[] = {
        {"", "none"},
        {"12 + 30 = 42 \xe2\x80\x94 !", "none"},
        {"The quick brown fox", "Latin"},
        {"\xc3\x9c\x62\x65r \xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", "Latin"},
        {"\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82, 2024", "Cyrillic"},
        {"\xce\xba\xce\xb1\xce\xbb\xce\xb7\xce\xbc\xce\xad\xcf\x81\xce\xb1", "Greek"},
        {"\xd8\xb3\xd9\x84\xd8\xa7\xd9\x85 ok", "Arabic"},
        {"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "Hebrew"},
        {"\xe0\xa4\xa8\xe0\xa4\xae\xe0\xa4\xb8\xe0\xa5\x8d\xe0\xa4\xa4\xe0\xa5\x87", "Devanagari"},
        {"\xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x8c\xe4\xb8\x96\xe7\x95\x8c", "Han"},
        {"\xe3\x81\x93\xe3\x82\x93\xe3\x81\xab\xe3\x81\xa1\xe3\x81\xaf\xe4\xb8\x96", "Kana"},
        {"\xec\x95\x88\xeb\x85\x95", "Hangul"},
        {"\xf0\xa0\x80\x80\xf0\xa0\x80\x81", "Han"},
        {"\xdc\x90\xdc\x92\xdc\x93", "other"}}; /* Syriac */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(
            nd_script_name(nd_dominant_script(cases[i].text, strlen(cases[i].text))),
            cases[i].script);
    for (nd_script s = ND_SCRIPT_NONE; s < ND_SCRIPTS; s++) assert_non_null(nd_script_name(s));
}

/* A long text is sampled: its first part does not decide alone, and a piece that begins or ends
 * inside a character is read up to the end of the text at most. */
static void test_samples(void **state) {
    (void)state;
    char text[4000];
    for (size_t length = 0; length < sizeof text; length += 7) {
        size_t latin = length / 4;
        memset(text, 'a', latin);
        for (size_t i = latin; i < length; i++) text[i] = "\xd0\xb6"[(i - latin) % 2];
        char *exact = malloc(length + (length == 0)); /* a sanitizer sees reads behind its end */
        memcpy(exact, text, length);
        nd_script script = nd_dominant_script(exact, length);
        if (length > 7) assert_string_equal(nd_script_name(script), "Cyrillic");
        free(exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scripts),
                                       cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

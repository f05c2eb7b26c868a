/* Sentences against examples written by hand, and against Unicode's own test (Debian's package
 * unicode-data). Random texts against ICU: sentence_breaks_icu_test.c. */
#include "test.h"

#include "neardup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- helpers */

/* The text with a bar behind each sentence. */
typedef struct marked {
    const char *text;
    char out[4000];
    size_t used, stop_at, sentences,
        end; /* stop_at: the callback stops at this sentence (from 1) */
} marked;

static bool mark(void *context, size_t begin, size_t end) {
    marked *m = context;
    assert_int_equal(begin, m->end);
    assert_true(begin < end);
    assert_true(m->used + end - begin + 2 < sizeof m->out);
    memcpy(m->out + m->used, m->text + begin, end - begin);
    m->used += end - begin;
    m->out[m->used++] = '|';
    m->end = end;
    return ++m->sentences != m->stop_at;
}

/* A copy of exactly its length, so that the sanitizer finds reads outside it. */
static void assert_sentences(const char *expected) {
    marked m = {.text = NULL};
    size_t length = 0;
    char *text = malloc(strlen(expected) + 1);
    for (const char *p = expected; *p; p++)
        if (*p != '|') text[length++] = *p;
    text = realloc(text, length ? length : 1);
    m.text = text;
    assert_int_equal(nd_sentences(text, length, mark, &m, NULL), ND_OK);
    m.out[m.used] = 0;
    assert_string_equal(m.out, expected);
    assert_int_equal(m.end, length);
    free(text);
}

/* ---- by hand */

static void test_by_hand(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "no end|",
        "One. |Two? |Three!|",
        "He said: \"Stop!\" |Then he left.|",
        "Costs 3.50 in the U.S. but 4 elsewhere, e.g. here. |See p.m. or a.m., etc. |Next.|",
        "Mr. |Brown.|",
        "etc.  3) (an item) more|", /* the letter a decides */
        "etc.  |3) (An item) more|",
        "Wait... what|",
        "Wait... |What|",
        "End. , no|",
        "line\n|line\r\n|line\r|line\n|\n|para\xe2\x80\xa9|line\xc2\x85|",
        "last. |5 6 7|",                  /* not decided at the end of the text */
        "你好。|世界！「|真的吗？」|好|", /* to these rules an opening bracket closes, too */
        "これは文です。|次の文。|",
        "यह वाक्य है। |दूसरा वाक्य।|",
        "هل هذا سؤال؟ |نعم.|",
        "Это предложение. |Второе!|",
        "Αυτό. |Εκείνο;|", /* the Greek question mark as a semicolon ends nothing, but here the text
                            */
        "ይህ ነው። |ሌላ።|",
        "Աա։ |Բբ։|",
        "ประโยคหนึ่ง ประโยคสอง\n|บรรทัดใหม่|",
        "នេះ។ ទៀត៕|", /* by these rules, marks of Khmer end no sentence */
        "👍🏽👩‍👩‍👧! |🎉|",
        "1. |2. |A|",
        "a.\xcc\x81\xe2\x81\xa0 b.\xcc\x81 |B|", /* marks and word joiners stay with the characters
                                                    before them */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_sentences(texts[i]);
}

static void test_rejected(void **state) {
    (void)state;
    nd_error error;
    marked m = {.text = "One. Two. \xff"};
    assert_int_equal(nd_sentences(m.text, 11, mark, &m, &error), ND_ERR_INPUT);
    assert_string_equal(error.message, "invalid UTF-8 at byte 10");
    assert_int_equal(m.sentences, 1);
    for (size_t stop = 1; stop <= 3; stop++) {
        marked stopped = {.text = "One. Two. 3", .stop_at = stop};
        assert_int_equal(nd_sentences(stopped.text, 11, mark, &stopped, &error), ND_ERR_CANCELLED);
        assert_string_equal(error.message, "the sentence callback asked to stop");
        assert_int_equal(stopped.sentences, stop);
    }
}

/* ---- by Unicode */

static size_t put_utf8(unsigned long cp, char *out) {
    if (cp < 0x80) return (size_t)sprintf(out, "%c", (int)cp);
    if (cp < 0x800)
        return (size_t)sprintf(out, "%c%c", (int)(0xc0 | cp >> 6), (int)(0x80 | (cp & 63)));
    if (cp < 0x10000)
        return (size_t)sprintf(out, "%c%c%c", (int)(0xe0 | cp >> 12), (int)(0x80 | (cp >> 6 & 63)),
                               (int)(0x80 | (cp & 63)));
    return (size_t)sprintf(out, "%c%c%c%c", (int)(0xf0 | cp >> 18), (int)(0x80 | (cp >> 12 & 63)),
                           (int)(0x80 | (cp >> 6 & 63)), (int)(0x80 | (cp & 63)));
}

/* A line alternates signs and code points: U+00F7 is a boundary, U+00D7 is none. */
static void check_line(const char *line) {
    char text[1000], expected[1000];
    size_t length = 0, used = 0;
    while (*line && *line != '#') {
        char *next;
        unsigned long cp = strtoul(line, &next, 16);
        if (next != line) {
            size_t width = put_utf8(cp, text + length);
            memcpy(expected + used, text + length, width);
            length += width;
            used += width;
            line = next;
        } else if (strncmp(line, "\xc3\xb7", 2) == 0 && length > 0) {
            expected[used++] = '|';
            line += 2;
        } else {
            line++;
        }
    }
    marked m = {.text = text};
    assert_int_equal(nd_sentences(text, length, mark, &m, NULL), ND_OK);
    assert_int_equal(m.used, used);
    assert_memory_equal(m.out, expected, used);
}

static void test_unicode(void **state) {
    (void)state;
    char line[4000];
    size_t checked = 0;
    FILE *file = fopen("/usr/share/unicode/auxiliary/SentenceBreakTest.txt", "r");
    if (!file) {
        print_message("unicode-data is not installed: SentenceBreakTest.txt is not read\n");
        skip();
    }
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(strstr(line, "SentenceBreakTest-" ND_UNICODE_VERSION));
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        check_line(line);
        checked++;
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(checked, 502);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand),
                                       cmocka_unit_test(test_rejected),
                                       cmocka_unit_test(test_unicode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

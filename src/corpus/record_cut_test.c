/* record_cut.h: the records of each format, in one piece and byte by byte, and what follows a
 * record that stays open. */
#include "corpus/record_cut.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

/* Writes each record as "<RECORD>", with '!' behind it if it has a fault. `step`: how many bytes
 * more are known at each call. */
static void cut_all(nd_input_format format, const char *bytes, size_t size, size_t step,
                    char *out) {
    nd_record_cutter cutter = {.format = format};
    size_t from = 0, known = step < size ? step : size;
    for (;;) {
        nd_cut cut;
        bool last = known == size;
        if (!nd_record_cut(&cutter, bytes, from, known, last, &cut)) {
            if (last) break;
            known = known + step < size ? known + step : size;
            continue;
        }
        assert_true(from <= cut.begin && cut.begin <= cut.end && cut.end <= cut.next);
        assert_true(cut.next <= known &&
                    (cut.next > from || cut.fault || format == ND_FORMAT_TEXT));
        from = cut.next;
        if (cut.blank) continue;
        out += sprintf(out, "<%.*s>%s", (int)(cut.end - cut.begin), bytes + cut.begin,
                       cut.fault ? "!" : "");
    }
    assert_int_equal(from, size);
    *out = '\0';
}

static void expect(nd_input_format format, const char *bytes, const char *wanted) {
    static char found[MOST];
    size_t size = strlen(bytes);
    for (size_t step = 1; step <= size + 1; step++) {
        /* Of its own size, so that a sanitizer sees a read behind it. */
        char *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        cut_all(format, copy, size, step, found);
        free(copy);
        assert_string_equal(found, wanted);
    }
}

static void test_lines(void **state) {
    (void)state;
    expect(ND_FORMAT_JSON_LINES, "", "");
    expect(ND_FORMAT_JSON_LINES, "{}\n\n \t\r\n{\"a\":1}\r\nx", "<{}><{\"a\":1}\r><x>");
}

static void test_text(void **state) {
    (void)state;
    expect(ND_FORMAT_TEXT, "", "<>");
    expect(ND_FORMAT_TEXT, "\na\nb\n", "<\na\nb\n>");
}

static void test_rows(void **state) {
    (void)state;
    expect(ND_FORMAT_CSV, "", "");
    expect(ND_FORMAT_CSV, "a,b\nc,d", "<a,b><c,d>");
    expect(ND_FORMAT_CSV, "a,b\r\n\n\"c\r\n\"\"d\",e\r\n", "<a,b\r><\"c\r\n\"\"d\",e\r>");
    expect(ND_FORMAT_CSV, "5\",\"\"\n\"\"\"\"\nx", "<5\",\"\"><\"\"\"\"><x>");
    expect(ND_FORMAT_CSV, "a\t\"b\nc,\"d\n\"", "<a\t\"b><c,\"d\n\">");
    expect(ND_FORMAT_TSV, "a\t\"b\nc\"\td\n", "<a\t\"b\nc\"\td>");
    /* The quote stays open: only the line where the row begins is lost. */
    expect(ND_FORMAT_CSV, "a,\"b\nc,d\ne,f", "<a,\"b>!<c,d><e,f>");
    expect(ND_FORMAT_CSV, "\"b\"\"", "<\"b\"\">!");
    expect(ND_FORMAT_CSV, "a,\"b\nc\n\"d\"\ne,f", "<a,\"b>!<c><\"d\"><e,f>");
}

static void test_values(void **state) {
    (void)state;
    expect(ND_FORMAT_JSON, "", "");
    expect(ND_FORMAT_JSON, " \n", "");
    expect(ND_FORMAT_JSON, "{}{\"a\":\n[1]} \x1E{\n}", "<{}><{\"a\":\n[1]}><{\n}>");
    expect(ND_FORMAT_JSON, "[]", "");
    expect(ND_FORMAT_JSON, "[{},\n{\"a\":\"]\\\"}\"},[1]\n]\n", "<{}><{\"a\":\"]\\\"}\"}><[1]>");
    expect(ND_FORMAT_JSON, "[1,\"a,]\",null][{}]", "<1><\"a,]\"><null><{}>");
    expect(ND_FORMAT_JSON, "{\"a\":\"\\\\\"}{}", "<{\"a\":\"\\\\\"}><{}>");
    /* One bad value does not lose the next one. */
    expect(ND_FORMAT_JSON, "[{\"a\":[1},{}]", "<{\"a\":[1}><{}>");
    expect(ND_FORMAT_JSON, "[{}{}]", "<{}><{}>!");
    expect(ND_FORMAT_JSON, "[{},{}", "<{}><{}><>!");
    expect(ND_FORMAT_JSON, "{} garbage {}", "<{}><garbage><{}>");
    expect(ND_FORMAT_JSON, "{\"a\n{}\n{}", "<{\"a>!<{}><{}>");
    expect(ND_FORMAT_JSON, "[{\"a\":{\n{\"b\":1},\n{}]", "<{\"a\":{>!<{\"b\":1}><{}>");
    expect(ND_FORMAT_JSON, "{", "<{>!");
}

static void test_deep_values(void **state) {
    (void)state;
    enum { DEPTH = 1500 };
    static char bytes[MOST], wanted[MOST];
    memset(bytes, '[', DEPTH);
    memset(bytes + DEPTH, ']', DEPTH);
    strcpy(bytes + 2 * DEPTH, ",{}");
    bytes[0] = '{';
    bytes[2 * DEPTH - 1] = '}';
    sprintf(wanted, "<%.*s><,><{}>", 2 * DEPTH, bytes);
    static char found[MOST];
    cut_all(ND_FORMAT_JSON, bytes, strlen(bytes), MOST, found);
    assert_string_equal(found, wanted);
}

/* Each of many records stays open: their ends are not looked for again and again. */
static void test_many_open_records(void **state) {
    (void)state;
    enum { LINES = 1 << 20, LINE = 5 };
    static char bytes[LINES * LINE + 10];
    for (size_t i = 0; i < LINES; i++) memcpy(bytes + i * LINE, "{\"[,\n", LINE);
    strcpy(bytes + LINES * LINE, "{}\n[{}]\n");
    nd_record_cutter cutter = {.format = ND_FORMAT_JSON};
    size_t from = 0, size = strlen(bytes), bad = 0, good = 0;
    for (nd_cut cut; nd_record_cut(&cutter, bytes, from, size, true, &cut); from = cut.next) {
        bad += cut.fault != NULL;
        good += !cut.blank && !cut.fault;
    }
    assert_int_equal(from, size);
    assert_true(bad >= LINES && good >= 2);
}

/* Closing brackets that close nothing do not look through all open ones. */
static void test_closing_brackets(void **state) {
    (void)state;
    enum { OPEN = 1000, CLOSED = 1 << 20 };
    static char bytes[OPEN + CLOSED + 1];
    memset(bytes, '[', OPEN);
    memset(bytes + OPEN, '}', CLOSED);
    nd_record_cutter cutter = {.format = ND_FORMAT_JSON, .in_array = true};
    nd_cut cut;
    assert_false(nd_record_cut(&cutter, bytes, 0, OPEN + CLOSED, false, &cut));
    assert_true(nd_record_cut(&cutter, bytes, 0, OPEN + CLOSED, true, &cut));
    assert_int_equal(cut.end, OPEN + CLOSED);
}

/* A record that comes in many pieces is read once. */
static void test_pieces(void **state) {
    (void)state;
    enum { SIZE = 4 << 20, PIECE = 16 };
    static const struct {
        nd_input_format format;
        const char *begin, *middle, *end;
    } records[] = {{ND_FORMAT_JSON, "{\"a\":[", "{\"b\":[1]},\n", "1]}"},
                   {ND_FORMAT_JSON, "\"", "\\\" \\\\ text\\n", "\""},
                   {ND_FORMAT_JSON, "1", "garbage?", "\n"},
                   {ND_FORMAT_JSON_LINES, "", "one line", "\n"},
                   {ND_FORMAT_CSV, "a,\"", "b \"\"c\"\"\n", "\",d\n"},
                   {ND_FORMAT_TSV, "a\t", "b,\" c\t", "d\n"}};
    char *bytes = malloc(SIZE + 100);
    assert_non_null(bytes);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        size_t size = 0;
        nd_record_cutter cutter = {.format = records[i].format};
        nd_cut cut;
        size += (size_t)sprintf(bytes, "%s", records[i].begin);
        while (size < SIZE) size += (size_t)sprintf(bytes + size, "%s", records[i].middle);
        size += (size_t)sprintf(bytes + size, "%s", records[i].end);
        for (size_t known = 0; known < size; known += PIECE)
            assert_false(nd_record_cut(&cutter, bytes, 0, known, false, &cut));
        assert_true(nd_record_cut(&cutter, bytes, 0, size, false, &cut));
        assert_true(cut.begin == 0 && cut.next + 1 >= size && !cut.fault);
    }
    free(bytes);
}

static void test_giving_up(void **state) {
    (void)state;
    nd_cut cut;
    nd_record_cutter csv = {.format = ND_FORMAT_CSV}, json = {.format = ND_FORMAT_JSON},
                     text = {.format = ND_FORMAT_TEXT};
    const char *row = "x\"a,b\nc";
    assert_true(nd_record_cut_line(&csv, row, 1, strlen(row), &cut));
    assert_true(cut.begin == 1 && cut.end == 5 && cut.next == 6 && cut.fault && !cut.blank);
    assert_true(nd_record_cut_line(&json, row, 1, strlen(row), &cut) && cut.fault);
    assert_false(nd_record_cut_line(&csv, row, 0, 5, &cut));
    assert_false(nd_record_cut_line(&text, row, 0, strlen(row), &cut));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_deep_values),
                                       cmocka_unit_test(test_many_open_records),
                                       cmocka_unit_test(test_closing_brackets),
                                       cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_giving_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

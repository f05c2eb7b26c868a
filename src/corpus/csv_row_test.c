/* csv_row.h: tables that a plain writer makes are read back. */
#include "corpus/csv_row.h"

#include "corpus/record_cut.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 4, LONGEST = 12, MOST = 1000 };

static const nd_allocator *memory(void) {
    static nd_allocator allocator;
    allocator = nd_allocator_or_default(NULL);
    return &allocator;
}

/* Appends a field, quoted where it must be, and sometimes where it need not be. */
static char *write_field(char *to, const char *content, char delimiter, bool quoted) {
    char special[] = {'"', '\n', '\r', delimiter, 0};
    if (!quoted && !strpbrk(content, special)) return to + sprintf(to, "%s", content);
    *to++ = '"';
    for (const char *at = content; *at; at++) {
        if (*at == '"') *to++ = '"';
        *to++ = *at;
    }
    *to++ = '"';
    return to;
}

static void random_field(uint64_t *seed, char *out) {
    static const char letters[] = "ab\"\n\r,\t ";
    size_t length = random_below(seed, LONGEST);
    for (size_t i = 0; i < length; i++) out[i] = letters[random_below(seed, sizeof letters - 1)];
    out[length] = '\0';
}

static bool is(const char *found, size_t length, const char *wanted) {
    return length == strlen(wanted) && memcmp(found, wanted, length) == 0;
}

static void check_row(const nd_csv_columns *columns, nd_csv_buffer *buffer, const char *row,
                      size_t length, char fields[COLUMNS][LONGEST + 1]) {
    nd_record_values values;
    char why[200], text[100];
    assert_int_equal(nd_csv_parse(columns, row, length, memory(), buffer, &values, why, sizeof why),
                     ND_CSV_FINE);
    /* The text is column 2, then column 0. */
    snprintf(text, sizeof text, "%s%s%s", fields[2], *fields[2] && *fields[0] ? "\n" : "",
             fields[0]);
    assert_true(is(values.text, values.text_length, text));
    if (*fields[3]) assert_true(is(values.id, values.id_length, fields[3]));
    else assert_null(values.id);
}

static void test_round_trips(void **state) {
    (void)state;
    const char *const texts[] = {"c", "a"};
    const nd_record_fields wanted = {texts, 2, "the, id", NULL, NULL, NULL};
    nd_csv_buffer buffer = {0};
    uint64_t seed = 5;
    for (unsigned round = 0; round < 3000; round++) {
        char delimiter = round % 2 ? ',' : '\t', row[MOST], *end = row;
        const char *header = delimiter == ',' ? "a,b,c,\"the, id\"\r" : "a\tb\tc\tthe, id";
        char fields[COLUMNS][LONGEST + 1];
        nd_csv_columns columns;
        assert_int_equal(nd_csv_columns_find(&wanted, delimiter, header, strlen(header), memory(),
                                             &columns, NULL),
                         ND_OK);
        for (size_t i = 0; i < COLUMNS; i++) {
            random_field(&seed, fields[i]);
            if (i > 0) *end++ = delimiter;
            end = write_field(end, fields[i], delimiter, random_below(&seed, 3) == 0);
        }
        if (random_below(&seed, 2)) *end++ = '\r';
        *end++ = '\n';
        nd_record_cutter cutter = {.format = delimiter == ',' ? ND_FORMAT_CSV : ND_FORMAT_TSV};
        nd_cut cut;
        assert_true(nd_record_cut(&cutter, row, 0, (size_t)(end - row), true, &cut));
        assert_true(cut.begin == 0 && row + cut.next == end);
        check_row(&columns, &buffer, row, cut.end, fields);
        nd_csv_columns_free(&columns, memory());
    }
    nd_release(memory(), buffer.bytes);
    nd_release(memory(), buffer.texts);
}

/* Reads a row whose text is column 2, id column 1 and priority column 3. */
static nd_csv_problem parse(const char *header, const char *row, nd_record_values *out, char *why) {
    static nd_csv_buffer buffer;
    const char *const texts[] = {header ? "text" : "2"};
    const nd_record_fields wanted = {texts, 1,   header ? "id" : "1", header ? "day" : "3",
                                     NULL,  NULL};
    nd_csv_columns columns;
    assert_int_equal(nd_csv_columns_find(&wanted, ',', header, header ? strlen(header) : 0,
                                         memory(), &columns, NULL),
                     ND_OK);
    assert_int_equal(nd_csv_by_number(&wanted), !header);
    nd_csv_problem problem = nd_csv_parse(&columns, row, strlen(row), memory(), &buffer, out, why,
                                          200);
    nd_csv_columns_free(&columns, memory());
    return problem;
}

static void test_values(void **state) {
    (void)state;
    static const char header[] = "id,text,day";
    nd_record_values v;
    char why[200];
    assert_int_equal(parse(header, "7,\"a \"\"b\"\"\",2026-01-01\r", &v, why), ND_CSV_FINE);
    assert_true(is(v.text, v.text_length, "a \"b\"") && is(v.id, v.id_length, "7"));
    assert_true(v.has_priority && v.priority == 1767225600);
    assert_int_equal(parse(header, ",,-2.5e1", &v, why), ND_CSV_FINE);
    assert_true(v.text_length == 0 && !v.id && v.has_priority && v.priority == -25);
    assert_int_equal(parse(header, "1,x,", &v, why), ND_CSV_FINE);
    assert_false(v.has_priority);
    assert_int_equal(parse(NULL, "1,x", &v, why), ND_CSV_FINE);
    assert_true(is(v.text, v.text_length, "x") && is(v.id, v.id_length, "1"));
}

static void expect_bad(const char *header, const char *row, const char *wanted) {
    nd_record_values v;
    char why[200];
    assert_int_equal(parse(header, row, &v, why), ND_CSV_BAD_ROW);
    assert_string_equal(why, wanted);
}

static void test_bad_rows(void **state) {
    (void)state;
    static const char header[] = "id,text,day";
    expect_bad(header, "1", "1 field, and the text is number 2");
    expect_bad(header, "1,x", "2 fields, and the header has 3");
    expect_bad(header, "1,x,2,3", "4 fields, and the header has 3");
    expect_bad(header, "1,x,soon", "field 3: a number or an ISO 8601 date was expected");
    expect_bad(header, "1,\"x\"y,2", "field 2: a delimiter is expected behind the closing quote");
    expect_bad(header, "1,\"x", "field 2: the quote is not closed");
}

static void test_same_cells(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {{"id,text", "id,text", true},
                {"id,text", "id,\"text\"\r", true},
                {"\"a,\"\"b\",c", "\"a,\"\"b\",\"c\"", true},
                {"a\"b", "\"a\"\"b\"", true},
                {"", "\"\"", true},
                {"id,text", "id,texts", false},
                {"id,text", "id", false},
                {"id,", "id", false},
                {"id,text", "id,text,", false},
                {"\"id,text\"", "id,text", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *a = rows[i].a, *b = rows[i].b;
        assert_int_equal(nd_csv_same_cells(a, strlen(a), b, strlen(b), ','), rows[i].same);
        assert_int_equal(nd_csv_same_cells(b, strlen(b), a, strlen(a), ','), rows[i].same);
    }
}

static void test_missing_column(void **state) {
    (void)state;
    const char *const texts[] = {"body"};
    const nd_record_fields wanted = {texts, 1, "id", NULL, NULL, NULL};
    nd_csv_columns columns;
    nd_error error;
    assert_int_equal(nd_csv_columns_find(&wanted, ',', "id,text", 7, memory(), &columns, &error),
                     ND_ERR_INPUT);
    assert_string_equal(error.message, "no column \"body\" in the header: id,text");
    nd_csv_columns_free(&columns, memory());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_values),
        cmocka_unit_test(test_bad_rows), cmocka_unit_test(test_same_cells),
        cmocka_unit_test(test_missing_column)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* json_simdjson.h and the files below it (json_diagnose.h, json_strings.h, iso_date.h): every
 * message, all kinds of invalid text, dates, numbers, long lines, random lines. */
#include "corpus/iso_date.h"
#include "corpus/json_simdjson.h"
#include "corpus/json_diagnose.h"
#include "corpus/json_strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#ifdef ND_WITH_SIMDJSON

typedef struct bench {
    nd_json_parser *parser;
    nd_record_values record;
    char why[300];
} bench;

static nd_json_parser *parser_for(const char *text, const char *id, const char *priority) {
    nd_record_fields fields = {&text, 1, id, priority, NULL, NULL};
    nd_json_parser *parser;
    assert_int_equal(nd_json_parser_create(&fields, NULL, &parser, NULL), ND_OK);
    return parser;
}

/* The line is on the heap with exactly the padding, so that the address sanitizer reports a read
 * behind it. The padding holds bytes that could be mistaken for more of the line. */
static char *padded(const char *line, size_t length) {
    char *copy = malloc(length + ND_JSON_PADDING);
    assert_non_null(copy);
    memcpy(copy, line, length);
    for (size_t i = 0; i < ND_JSON_PADDING; i++) copy[length + i] = "9\"}]\\x80"[i % 6];
    return copy;
}

/* The line is freed on return. The tests read the record afterwards, so a pointer of it into the
 * line would be reported. */
static nd_json_problem parse(bench *b, const char *line, size_t length) {
    char *copy = padded(line, length);
    b->why[0] = '\0';
    nd_json_problem problem = nd_json_parse(b->parser, copy, length, &b->record, b->why,
                                            sizeof b->why);
    free(copy);
    return problem;
}

static nd_json_problem parse_line(bench *b, const char *line) {
    return parse(b, line, strlen(line));
}

static void expect_problem(bench *b, const char *line, nd_json_problem problem, const char *why) {
    nd_json_problem is = parse_line(b, line);
    assert_string_equal(b->why, why);
    assert_int_equal(is, problem);
}

static void expect_bad(bench *b, const char *line, const char *why) {
    expect_problem(b, line, ND_JSON_BAD_RECORD, why);
}

static void expect_text(bench *b, const char *line, const char *text) {
    nd_json_problem problem = parse_line(b, line);
    assert_string_equal(b->why, "");
    assert_int_equal(problem, ND_JSON_FINE);
    assert_int_equal(b->record.text_length, strlen(text));
    assert_memory_equal(b->record.text, text, strlen(text));
}

static void expect_id(bench *b, const char *line, const char *id) {
    nd_json_problem problem = parse_line(b, line);
    assert_string_equal(b->why, "");
    assert_int_equal(problem, ND_JSON_FINE);
    if (!id) {
        assert_null(b->record.id);
        return;
    }
    assert_non_null(b->record.id);
    assert_int_equal(b->record.id_length, strlen(id));
    assert_memory_equal(b->record.id, id, strlen(id));
}

/* ---------------------------------------------------------------- values */

static void texts(void **state) {
    (void)state;
    bench b = {.parser = parser_for("text", NULL, NULL)};
    expect_text(&b, "{\"text\":\"hello\"}", "hello");
    expect_text(&b, "{\"text\":\"\"}", "");
    expect_text(&b, " \t{ \"a\" : [1,{\"text\":\"no\"}] , \"text\" : \"yes\" } \r\n", "yes");
    expect_text(&b, "{\"text\":\"first\",\"text\":\"second\"}", "first");
    expect_text(&b, "{\"te\\u0078t\":\"escaped name\"}", "escaped name");
    expect_text(&b, "{\"text\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "\"\\/\b\f\n\r\t");
    expect_text(&b, "{\"text\":\"\\u00e9\\u20ac\\ud83d\\ude00\\uFFFD\"}",
                "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd");
    expect_text(&b, "{\"text\":\"\\\\ud800\"}", "\\ud800");
    expect_text(&b, "{\"text\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\"}",
                "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
    expect_text(
        &b,
        "{\"a\":123456789012345678901234567890,\"b\":1e999,\"c\":-0,\"d\":[1E400],\"text\":\"t\"}",
        "t");
    assert_int_equal(parse_line(&b, "{\"text\":\"a\\u0000b\"}"), ND_JSON_FINE);
    assert_int_equal(b.record.text_length, 3);
    assert_memory_equal(b.record.text, "a\0b", 3);
    assert_null(b.record.id);
    assert_false(b.record.has_priority);
    nd_json_parser_free(b.parser);
}

static void wrong_texts(void **state) {
    (void)state;
    bench b = {.parser = parser_for("text", NULL, NULL)};
    expect_bad(&b, "{}", "no field \"text\"");
    expect_bad(&b, "{\"Text\":\"a\",\"a\":{\"text\":\"a\"}}", "no field \"text\"");
    expect_bad(&b, "{\"text\":null}", "field \"text\" is null, a string was expected");
    expect_bad(&b, "{\"text\":1}", "field \"text\" is a number, a string was expected");
    expect_bad(&b, "{\"text\":1.5}", "field \"text\" is a number, a string was expected");
    expect_bad(&b, "{\"text\":1e999}", "field \"text\" is a number, a string was expected");
    expect_bad(&b, "{\"text\":true}", "field \"text\" is true, a string was expected");
    expect_bad(&b, "{\"text\":false}", "field \"text\" is false, a string was expected");
    expect_bad(&b, "{\"text\":[\"a\"]}", "field \"text\" is an array, a string was expected");
    expect_bad(&b, "{\"text\":{}}", "field \"text\" is an object, a string was expected");
    expect_bad(&b, "[\"text\"]", "not a JSON object");
    expect_bad(&b, "\"text\"", "not a JSON object");
    expect_bad(&b, "12", "not a JSON object");
    expect_bad(&b, "null", "not a JSON object");
    nd_json_parser_free(b.parser);
}

static void pointers(void **state) {
    (void)state;
    bench b = {.parser = parser_for("/doc/text", "/ids/1", "/a~1b/m~0n")};
    expect_text(
        &b, "{\"doc\":{\"x\":1,\"text\":\"t\"},\"ids\":[7,\"eight\"],\"a/b\":{\"m~n\":2.5}}", "t");
    assert_int_equal(b.record.id_length, 5);
    assert_memory_equal(b.record.id, "eight", 5);
    assert_true(b.record.has_priority);
    assert_true(b.record.priority == 2.5);
    expect_bad(&b, "{\"doc\":{}}", "no value at \"/doc/text\"");
    expect_bad(&b, "{\"doc\":\"text\"}", "no value at \"/doc/text\"");
    expect_bad(&b, "{\"/doc/text\":\"text\"}", "no value at \"/doc/text\"");
    expect_bad(&b, "{\"doc\":{\"text\":null}}",
               "the value at \"/doc/text\" is null, a string was expected");
    expect_id(&b, "{\"doc\":{\"text\":\"t\"},\"ids\":[7]}", NULL);
    nd_json_parser_free(b.parser);
    static const struct {
        const char *pointer, *line, *text;
    } cases[] = {
        {"/a/0", "{\"a\":[\"zero\",\"one\"]}", "zero"},
        {"/a/2", "{\"a\":[[1,2,{\"b\":3}],{\"c\":[]},\"two\"]}", "two"},
        {"/a/0/0/b", "{\"a\":[[{\"b\":\"deep\"}]]}", "deep"},
        {"/a/3", "{\"a\":[1,2.5,-3,\"numbers\"]}", "numbers"},
        {"/", "{\"\":\"empty name\"}", "empty name"},
        {"/a/", "{\"a\":{\"\":\"empty name\"}}", "empty name"},
        {"/~01", "{\"~1\":\"tilde one\"}", "tilde one"},
        {"/0", "{\"0\":\"a name of digits\"}", "a name of digits"},
        {"/a/00", "{\"a\":[\"x\"]}", NULL},
        {"/a/-", "{\"a\":[\"x\"]}", NULL},
        {"/a/1", "{\"a\":[\"x\"]}", NULL},
        {"/a/-0", "{\"a\":[\"x\"]}", NULL},
        {"/a/", "{\"a\":[\"x\"]}", NULL},
        {"/a/4294967296", "{\"a\":[\"x\"]}", NULL},
        {"/a/0x", "{\"a\":[\"x\"]}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        b.parser = parser_for(cases[i].pointer, NULL, NULL);
        if (cases[i].text) expect_text(&b, cases[i].line, cases[i].text);
        else assert_int_equal(parse_line(&b, cases[i].line), ND_JSON_BAD_RECORD);
        nd_json_parser_free(b.parser);
    }
}

static void wrong_fields(void **state) {
    (void)state;
    nd_json_parser *parser = NULL;
    nd_error error;
    const char *const texts[] = {"text", "/a~"};
    nd_record_fields tilde = {texts, 1, "/a~2", NULL, NULL, NULL},
                     end = {texts, 2, NULL, NULL, NULL, NULL},
                     none = {texts, 0, "id", NULL, NULL, NULL};
    assert_int_equal(nd_json_parser_create(&tilde, NULL, &parser, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message,
                        "in the JSON Pointer \"/a~2\", '~' must be followed by 0 or 1");
    assert_int_equal(nd_json_parser_create(&end, NULL, &parser, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_json_parser_create(&none, NULL, &parser, &error), ND_ERR_ARGUMENT);
    assert_null(parser);
}

static void several_texts(void **state) {
    (void)state;
    const char *const texts[] = {"title", "/doc/body", "title"};
    static const struct {
        const char *line, *wanted; /* wanted NULL: a bad record */
    } cases[] = {{"{\"title\":\"T\",\"doc\":{\"body\":\"B\"}}", "T\nB\nT"},
                 {"{\"title\":\"\",\"doc\":{\"body\":\"B\"}}", "B"},
                 {"{\"doc\":{\"body\":\"B\"}}", "B"},
                 {"{\"title\":\"T\",\"doc\":null}", "T\nT"},
                 {"{\"title\":\"\"}", ""},
                 {"{\"title\":null}", NULL},
                 {"{\"doc\":{\"body\":[\"B\"]}}", NULL}};
    const nd_record_fields fields = {texts, 3, NULL, NULL, NULL, NULL};
    bench b;
    assert_int_equal(nd_json_parser_create(&fields, NULL, &b.parser, NULL), ND_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nd_json_problem problem = parse_line(&b, cases[i].line);
        assert_int_equal(problem, cases[i].wanted ? ND_JSON_FINE : ND_JSON_BAD_RECORD);
        if (!cases[i].wanted) continue;
        assert_int_equal(b.record.text_length, strlen(cases[i].wanted));
        assert_memory_equal(b.record.text, cases[i].wanted, b.record.text_length);
    }
    nd_json_parser_free(b.parser);
}

static void dotted_name(void **state) {
    (void)state;
    bench b = {.parser = parser_for("doc.body", NULL, NULL)};
    assert_int_equal(parse_line(&b, "{\"doc\":{\"body\":\"B\"}}"), ND_JSON_BAD_RECORD);
    assert_string_equal(b.why, "no field \"doc.body\" (a value inside an object is named by a JSON "
                               "Pointer: \"/doc/body\")");
    assert_int_equal(parse_line(&b, "{\"doc.body\":\"B\"}"), ND_JSON_FINE);
    nd_json_parser_free(b.parser);
}

static void ids(void **state) {
    (void)state;
    bench b = {.parser = parser_for("text", "id", NULL)};
    static const char *const numbers[] = {
        "0",
        "-0",
        "7",
        "-7",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775809",
        "123456789012345678901234567890123456789012345678901234567890",
        "1.50",
        "1e3",
        "1E+999",
        "0.0"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char line[300];
        snprintf(line, sizeof line,
                 "{\"a\":[1,-2.5,\"3 \\\" 4\",{\"5\":6e1}],\"id\":%s,\"b\":9,\"text\":\"t\"}",
                 numbers[i]);
        expect_id(&b, line, numbers[i]);
        snprintf(line, sizeof line,
                 "{\"text\":\"t\",\"a\":-77777777777777777777777777,\"id\" : %s }", numbers[i]);
        expect_id(&b, line, numbers[i]);
    }
    expect_id(&b, "{\"id\":\"x\\u00e9\",\"text\":\"t\"}", "x\xc3\xa9");
    expect_id(&b, "{\"id\":\"\",\"text\":\"t\"}", "");
    expect_id(&b, "{\"id\":null,\"text\":\"t\"}", NULL);
    expect_id(&b, "{\"text\":\"t\"}", NULL);
    expect_bad(&b, "{\"id\":true,\"text\":\"t\"}",
               "field \"id\" is true, a string or a number was expected");
    expect_bad(&b, "{\"id\":[1],\"text\":\"t\"}",
               "field \"id\" is an array, a string or a number was expected");
    expect_bad(&b, "{\"id\":{},\"text\":\"t\"}",
               "field \"id\" is an object, a string or a number was expected");
    nd_json_parser_free(b.parser);
}

static void priorities(void **state) {
    (void)state;
    bench b = {.parser = parser_for("text", NULL, "p")};
    static const struct {
        const char *value;
        double seconds;
    } fine[] = {{"3", 3},
                {"-2.5", -2.5},
                {"18446744073709551615", 18446744073709551615.0},
                {"-9223372036854775808", -9223372036854775808.0},
                {"100000000000000000000", 1e20},
                {"0", 0},
                {"1e-400", 0},
                {"\"1970\"", 0},
                {"\"2024-02-29T12:30:45.25Z\"", 1709209845.25}};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        char line[100];
        snprintf(line, sizeof line, "{\"text\":\"t\",\"x\":5,\"p\":%s}", fine[i].value);
        assert_int_equal(parse_line(&b, line), ND_JSON_FINE);
        assert_true(b.record.has_priority);
        assert_true(b.record.priority == fine[i].seconds);
    }
    assert_int_equal(parse_line(&b, "{\"text\":\"t\",\"p\":null}"), ND_JSON_FINE);
    assert_false(b.record.has_priority);
    assert_int_equal(parse_line(&b, "{\"text\":\"t\"}"), ND_JSON_FINE);
    assert_false(b.record.has_priority);
    expect_bad(&b, "{\"text\":\"t\",\"p\":\"yester\\nday\"}",
               "field \"p\" is \"yester\\nday\", a number or an ISO 8601 date was expected");
    expect_bad(&b, "{\"text\":\"t\",\"p\":\"12\"}",
               "field \"p\" is \"12\", a number or an ISO 8601 date was expected");
    expect_bad(&b, "{\"text\":\"t\",\"p\":false}",
               "field \"p\" is false, a number or an ISO 8601 date was expected");
    expect_bad(&b, "{\"text\":\"t\",\"p\":1e999}",
               "field \"p\" is a number beyond the range of a double");
    /* A message shows a long value without its middle, cut between characters. */
    char accents[2 * 33 + 1] = "", line[200], why[200];
    for (int i = 0; i < 33; i++) strcat(accents, "\xc3\xa9");
    snprintf(line, sizeof line, "{\"text\":\"t\",\"p\":\"%s\"}", accents);
    snprintf(why, sizeof why,
             "field \"p\" is \"%.28s ... %.28s\", a number or an ISO 8601 date was expected",
             accents, accents);
    expect_bad(&b, line, why);
    nd_json_parser_free(b.parser);
}

/* ---------------------------------------------------------------- not JSON */

static const struct {
    const char *line, *why;
} broken[] = {
    {"", "the line is empty"},
    {" \r\n", "the line is empty"},
    {"hello", "a value expected at byte 0, not 'h'"},
    {"{\"a\":1", "',' or '}' expected at byte 6, where the line ends"},
    {"{\"a\":1 \"b\":2}", "',' or '}' expected at byte 7, not '\"'"},
    {"{\"a\":[1 2]}", "',' or ']' expected at byte 8, not '2'"},
    {"{\"a\":[1,]}", "a value expected at byte 8, not ']'"},
    {"{\"a\":1,}", "a name in double quotes expected at byte 7, not '}'"},
    {"{a:1}", "a name in double quotes expected at byte 1, not 'a'"},
    {"{\"a\" 1}", "':' expected at byte 5, not '1'"},
    {"{\"a\":}", "a value expected at byte 5, not '}'"},
    {"{\"a\":1}}", "more text behind its end at byte 7"},
    {"{\"a\":1} {\"a\":1}", "more text behind its end at byte 8"},
    {"{\"a\":\"b", "the string that begins at byte 5 does not end"},
    {"{\"a\":\"b\\", "unknown escape at byte 7"},
    {"{\"a\":\"b\\x\"}", "unknown escape at byte 7"},
    {"{\"a\":\"b\\u12g4\"}", "unknown escape at byte 7"},
    {"{\"a\":\"b\tc\"}",
     "control character U+0009 at byte 7, which a string may hold only escaped"},
    {"{\"a\":\"b\nc\"}",
     "control character U+000A at byte 7, which a string may hold only escaped"},
    {"{\"a\":tru}", "a value expected at byte 5, not 't'"},
    {"{\"a\":nul", "a value expected at byte 5, not 'n'"},
    {"{\"a\":NaN}", "a value expected at byte 5, not 'N'"},
    {"{\"a\":01}", "the number at byte 5 begins with a 0"},
    {"{\"a\":-01}", "the number at byte 5 begins with a 0"},
    {"{\"a\":-}", "a digit expected at byte 6, not '}'"},
    {"{\"a\":1.}", "a digit expected at byte 7, not '}'"},
    {"{\"a\":1.5e}", "a digit expected at byte 9, not '}'"},
    {"{\"a\":1e+}", "a digit expected at byte 8, not '}'"},
    {"{\"a\":.5}", "a value expected at byte 5, not '.'"},
    {"{\"a\":+5}", "a value expected at byte 5, not '+'"},
    {"{\"a\":99999999999999999999,\"b\":1.x}", "a digit expected at byte 32, not 'x'"},
    {"{'a':1}", "a name in double quotes expected at byte 1, not '''"},
    {"\x01", "a value expected at byte 0, not the byte 0x01"},
    {"[", "a value expected at byte 1, where the line ends"},
    {"{", "a name in double quotes expected at byte 1, where the line ends"},
    {"[}", "a value expected at byte 1, not '}'"},
    {"{]", "a name in double quotes expected at byte 1, not ']'"},
};

static void not_json(void **state) {
    (void)state;
    bench b = {.parser = parser_for("text", NULL, NULL)};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "not JSON: %s", broken[i].why);
        expect_bad(&b, broken[i].line, expected);
    }
    /* A NUL is not white space, neither inside nor at the end. */
    assert_int_equal(parse(&b, "{\"text\":\0\"t\"}", 13), ND_JSON_BAD_RECORD);
    assert_string_equal(b.why, "not JSON: a value expected at byte 8, not the byte 0x00");
    assert_int_equal(parse(&b, "{\"text\":\"t\"}\0", 13), ND_JSON_BAD_RECORD);
    assert_string_equal(b.why, "not JSON: more text behind its end at byte 12");
    nd_json_parser_free(b.parser);
}

static void depth(void **state) {
    (void)state;
    bench b = {.parser = parser_for("text", NULL, NULL)};
    for (size_t levels = 1000; levels <= 1000000; levels += levels < 1100 ? 1 : 499450) {
        size_t length = 2 * levels + 20;
        char *line = malloc(length + 1);
        assert_non_null(line);
        int head = sprintf(line, "{\"text\":\"t\",\"a\":");
        memset(line + head, '[', levels);
        line[(size_t)head + levels] = '0';
        memset(line + (size_t)head + levels + 1, ']', levels);
        line[(size_t)head + 2 * levels + 1] = '}';
        nd_json_problem problem = parse(&b, line, (size_t)head + 2 * levels + 2);
        if (levels + 1 < ND_JSON_DEPTH) {
            assert_int_equal(problem, ND_JSON_FINE);
        } else {
            assert_int_equal(problem, ND_JSON_BAD_RECORD);
            assert_string_equal(
                b.why, "not JSON: more than 1023 levels of arrays and objects at byte 1038");
            /* The same line without its end. */
            assert_int_equal(parse(&b, line, (size_t)head + levels), ND_JSON_BAD_RECORD);
        }
        free(line);
    }
    nd_json_parser_free(b.parser);
}

/* ---------------------------------------------------------------- invalid text */

#define R "\xef\xbf\xbd"

/* `why`: the message if the string's content begins at byte 9; NULL: no fault. */
static const struct {
    const char *in, *out, *why;
} faults[] = {
    {"fine \xc3\xa9", "fine \xc3\xa9", NULL},
    {"\xff", R, "invalid UTF-8 at byte 9 of the record"},
    {"ab\x80", "ab" R, "invalid UTF-8 at byte 11 of the record"},
    {"\xc3", R, "invalid UTF-8 at byte 9 of the record"},
    {"\xc3z", R "z", "invalid UTF-8 at byte 9 of the record"},
    {"\xc0\xaf", R R, "invalid UTF-8 at byte 9 of the record"},
    {"\xc1\xbf", R R, "invalid UTF-8 at byte 9 of the record"},
    {"\xe0\x80\xaf", R R R, "invalid UTF-8 at byte 9 of the record"},
    {"\xe0\xa0z", R "z", "invalid UTF-8 at byte 9 of the record"},
    {"\xed\xa0\x80", R R R, "invalid UTF-8 at byte 9 of the record"},
    {"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80", NULL},
    {"\xf0\x80\x80\xaf", R R R R, "invalid UTF-8 at byte 9 of the record"},
    {"\xf0\x90\x80z", R "z", "invalid UTF-8 at byte 9 of the record"},
    {"\xf4\x8f\xbf", R, "invalid UTF-8 at byte 9 of the record"},
    {"\xf4\x90\x80\x80", R R R R, "invalid UTF-8 at byte 9 of the record"},
    {"\xf5\x80\xf8\xfe", R R R R, "invalid UTF-8 at byte 9 of the record"},
    {"\xc3\xa9\xe2\x82\xac\xe2\x82", "\xc3\xa9\xe2\x82\xac" R,
     "invalid UTF-8 at byte 14 of the record"},
    /* Unicode 15, table 3-11 */
    {"\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64", "a" R R R "b" R "c" R R "d",
     "invalid UTF-8 at byte 10 of the record"},
    {"01234567 01234567 \xff 01234567 01234567 \xfe",
     "01234567 01234567 " R " 01234567 01234567 " R, "invalid UTF-8 at byte 27 of the record"},
    {"\\ud83d\\ude00", "\\ud83d\\ude00", NULL},
    {"\\ud83d", "\\ufffd", "lone surrogate \\ud83d at byte 9 of the record"},
    {"\\uDE00", "\\ufffd", "lone surrogate \\uDE00 at byte 9 of the record"},
    {"a\\ud83dz", "a\\ufffdz", "lone surrogate \\ud83d at byte 10 of the record"},
    {"\\ud83d\\ud83d\\ude00", "\\ufffd\\ud83d\\ude00",
     "lone surrogate \\ud83d at byte 9 of the record"},
    {"\\ud83d\\ude00\\ude00", "\\ud83d\\ude00\\ufffd",
     "lone surrogate \\ude00 at byte 21 of the record"},
    {"\\ude00\\ud83d", "\\ufffd\\ufffd", "lone surrogate \\ude00 at byte 9 of the record"},
    {"\\udbff\\u0041", "\\ufffd\\u0041", "lone surrogate \\udbff at byte 9 of the record"},
    {"\\ud800\\ue000", "\\ufffd\\ue000", "lone surrogate \\ud800 at byte 9 of the record"},
    {"\\ud800\\n", "\\ufffd\\n", "lone surrogate \\ud800 at byte 9 of the record"},
    {"\\ud800\\\\udc00", "\\ufffd\\\\udc00", "lone surrogate \\ud800 at byte 9 of the record"},
    {"\\ud800 \\udc00", "\\ufffd \\ufffd", "lone surrogate \\ud800 at byte 9 of the record"},
    {"\\\\ud800", "\\\\ud800", NULL},
    {"\\\\\\ud800", "\\\\\\ufffd", "lone surrogate \\ud800 at byte 11 of the record"},
    {"\\\\\\\\ud800", "\\\\\\\\ud800", NULL},
    {"\\\"\\ud800", "\\\"\\ufffd", "lone surrogate \\ud800 at byte 11 of the record"},
    {"\\ud800\xff", "\\ufffd" R, "lone surrogate \\ud800 at byte 9 of the record"},
    {"\xff\\ud800", R "\\ufffd", "invalid UTF-8 at byte 9 of the record"},
};

static void text_faults(void **state) {
    (void)state;
    bench b = {.parser = parser_for("text", NULL, NULL)};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (int in_name = 0; in_name < 2; in_name++) {
            static const char *const formats[] = {"{\"text\":\"%s\"}",
                                                  "{\"a\":0,  \"%s\":1,\"text\":\"t\"}"};
            char line[200], expected[200];
            snprintf(line, sizeof line, formats[in_name], faults[i].in);
            snprintf(expected, sizeof expected, formats[in_name], faults[i].out);
            const char *why = faults[i].why;
            char shifted[200];
            if (why && in_name == 1) { /* the name begins at byte 10 */
                const char *at = strstr(why, " at byte ") + 9;
                snprintf(shifted, sizeof shifted, "%.*s%d of the record", (int)(at - why), why,
                         atoi(at) + 1);
                why = shifted;
            }
            expect_problem(&b, line, why ? ND_JSON_INVALID_TEXT : ND_JSON_FINE, why ? why : "");
            const char *repaired;
            size_t length;
            assert_int_equal(nd_json_repair(b.parser, line, strlen(line), &repaired, &length),
                             ND_JSON_FINE);
            assert_int_equal(length, strlen(expected));
            assert_memory_equal(repaired, expected, length);
            assert_int_equal(
                nd_json_parse(b.parser, repaired, length, &b.record, b.why, sizeof b.why),
                ND_JSON_FINE);
        }
    nd_json_parser_free(b.parser);
}

/* simdjson and json_strings.h agree on every pair of escapes from a set that has all edge cases. So
 * no escape passes that gives invalid UTF-8. */
static void surrogate_pairs(void **state) {
    (void)state;
    static const unsigned units[] = {0x0000, 0x0041, 0x07ff, 0x0800, 0xd7ff, 0xd800, 0xd801, 0xdbfe,
                                     0xdbff, 0xdc00, 0xdc01, 0xdffe, 0xdfff, 0xe000, 0xffff};
    bench b = {.parser = parser_for("text", NULL, NULL)};
    for (size_t i = 0; i < 15; i++)
        for (size_t j = 0; j < 15; j++) {
            unsigned x = units[i], y = units[j];
            char line[60];
            snprintf(line, sizeof line, "{\"text\":\"\\u%04x\\u%04X\"}", x, y);
            bool high_x = x >= 0xd800 && x < 0xdc00, low_x = x >= 0xdc00 && x < 0xe000,
                 low_y = y >= 0xdc00 && y < 0xe000;
            bool high_y = y >= 0xd800 && y < 0xdc00, fine = !low_x && !high_y && high_x == low_y;
            assert_int_equal(parse_line(&b, line), fine ? ND_JSON_FINE : ND_JSON_INVALID_TEXT);
        }
    nd_json_parser_free(b.parser);
}

/* ---------------------------------------------------------------- dates */

static void dates(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } fine[] = {{"1970-01-01T00:00:00Z", 0},
                {"1970-01-01", 0},
                {"1970-01-02", 86400},
                {"1969-12-31T23:59:59Z", -1},
                {"2000-02-29", 951782400},
                {"2024", 1704067200},
                {"2024-03", 1709251200},
                {"2024-03-01 00:00", 1709251200},
                {"2024-03-01T01:00+01:00", 1709251200},
                {"2024-03-01T01:00+0100", 1709251200},
                {"2024-03-01T01:00+01", 1709251200},
                {"2024-02-29T20:30-03:30", 1709251200},
                {"2024-02-29T23:59:60Z", 1709251200},
                {"2024-03-01T00:00:00.5Z", 1709251200.5},
                {"2024-03-01T00:00:00,250Z", 1709251200.25},
                {"2024-03-01T00:00:00.000000000000000000000000Z", 1709251200},
                {"1600-01-01", -11676096000},
                {"0000-01-01", -62167219200},
                {"9999-12-31T23:59:59Z", 253402300799}};
    static const char *const wrong[] = {"",
                                        "24",
                                        "202",
                                        "20240",
                                        "2024-",
                                        "2024-13",
                                        "2024-00",
                                        "2024-1",
                                        "2024-01-",
                                        "2024-01-32",
                                        "2024-01-00",
                                        "2023-02-29",
                                        "1900-02-29",
                                        "2024-04-31",
                                        "2024-01-01T",
                                        "2024-01-01T24:00",
                                        "2024-01-01T1:00",
                                        "2024-01-01T10:60",
                                        "2024-01-01T10:00:61",
                                        "2024-01-01T10:00:00.",
                                        "2024-01-01T10:00Zx",
                                        "2024-01-01T10:00+1",
                                        "2024-01-01T10:00+24:00",
                                        "2024-01-01T10:00+10:60",
                                        "2024-01-01T10:00+10:",
                                        "2024T10:00",
                                        "2024-01T10:00",
                                        "2024-01-01Z",
                                        " 2024",
                                        "2024 ",
                                        "-2024",
                                        "2024/01/01",
                                        "2024-01-01  10:00",
                                        "yesterday"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        double seconds = -7;
        assert_true(nd_iso_date_parse(fine[i].text, strlen(fine[i].text), &seconds));
        assert_true(seconds == fine[i].seconds);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double seconds = -7;
        assert_false(nd_iso_date_parse(wrong[i], strlen(wrong[i]), &seconds));
        assert_true(seconds == -7);
    }
}

/* Each day of 800 years is 86,400 seconds after the day before. */
static void calendar(void **state) {
    (void)state;
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    double expected = -11676096000.0;
    for (int year = 1600; year < 2400; year++)
        for (int month = 1; month <= 12; month++) {
            int days = lengths[month - 1] +
                       (month == 2 && ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0));
            for (int day = 1; day <= days + 1; day++) {
                char text[40];
                double seconds;
                int length = snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
                assert_int_equal(nd_iso_date_parse(text, (size_t)length, &seconds), day <= days);
                if (day > days) continue;
                assert_true(seconds == expected);
                expected += 86400;
            }
        }
}

/* ---------------------------------------------------------------- long and random lines, memory */

static void long_lines(void **state) {
    (void)state;
    bench b = {.parser = parser_for("text", "id", NULL)};
    static const size_t lengths[] = {100,      70u << 20, 65536, 5u << 20, (4u << 20) + 40,
                                     3u << 20, 10};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t length = lengths[i];
        char *line = malloc(length + 200);
        assert_non_null(line);
        size_t at = (size_t)sprintf(line, "{\"id\":99999999999999999999,\"text\":\"");
        memset(line + at, 'x', length);
        line[at + length - 1] = 'y';
        size_t end = at + length + (size_t)sprintf(line + at + length, "\"}");
        memset(line + end, ' ', ND_JSON_PADDING);
        assert_int_equal(nd_json_parse(b.parser, line, end, &b.record, b.why, sizeof b.why),
                         ND_JSON_FINE);
        assert_int_equal(b.record.text_length, length);
        assert_int_equal(b.record.text[0], 'x');
        assert_int_equal(b.record.text[length - 1], 'y');
        assert_memory_equal(b.record.id, "99999999999999999999", 20);
        line[at + length - 2] = (char)0xff;
        assert_int_equal(nd_json_parse(b.parser, line, end, &b.record, b.why, sizeof b.why),
                         ND_JSON_INVALID_TEXT);
        const char *repaired;
        size_t repaired_length;
        assert_int_equal(nd_json_repair(b.parser, line, end, &repaired, &repaired_length),
                         ND_JSON_FINE);
        assert_int_equal(repaired_length, end + 2);
        free(line);
    }
    nd_json_parser_free(b.parser);
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

/* A line changed at random is read or rejected, and nothing worse happens. simdjson and
 * json_diagnose.h agree about which lines are JSON. */
static void mutations(void **state) {
    (void)state;
    static const char line[] = "{\"id\":12345678901234567890123,\"text\":\"a \\ud83d\\ude00 \\\\ "
                               "\\n\xc3\xa9\xe2\x82\xac\","
                               "\"p\":\"2024-01-01T10:00Z\","
                               "\"x\":[1,-2.5e3,{\"y\":null,\"z\":[true,false,[]]}]}";
    static const char special[] = "{}[]\",:\\0123456789eE+-.utfn \xff\xc3\xed\xa0\x80\t";
    bench b = {.parser = parser_for("text", "id", "p")};
    uint64_t seed = 7;
    size_t seen[4] = {0};
    for (int round = 0; round < 200000; round++) {
        char changed[sizeof line];
        memcpy(changed, line, sizeof line);
        size_t length = sizeof line - 1;
        for (uint64_t changes = next_random(&seed) % 4; changes > 0; changes--) {
            size_t at = next_random(&seed) % length;
            if (next_random(&seed) % 3) {
                changed[at] = special[next_random(&seed) % (sizeof special - 1)];
            } else {
                memmove(changed + at, changed + at + 1, length - at);
                length--;
            }
        }
        nd_json_problem problem = parse(&b, changed, length);
        seen[problem]++;
        assert_true(problem == ND_JSON_FINE || b.why[0]);
        char why[200];
        bool fault = nd_json_fault(changed, length, why, sizeof why);
        size_t at = 0, size;
        bool text_fault = nd_json_text_fault(changed, length, &at, &size) != ND_TEXT_FINE;
        if (problem == ND_JSON_FINE) assert_false(fault);
        assert_int_equal(problem == ND_JSON_INVALID_TEXT, text_fault);
        if (problem == ND_JSON_BAD_RECORD)
            assert_int_equal(strncmp(b.why, "not JSON: ", 10) == 0, fault);
        if (problem == ND_JSON_INVALID_TEXT) {
            const char *repaired;
            assert_int_equal(nd_json_repair(b.parser, changed, length, &repaired, &length),
                             ND_JSON_FINE);
            at = 0;
            assert_int_equal(nd_json_text_fault(repaired, length, &at, &size), ND_TEXT_FINE);
            assert_int_not_equal(
                nd_json_parse(b.parser, repaired, length, &b.record, b.why, sizeof b.why),
                ND_JSON_INVALID_TEXT);
        }
    }
    for (int i = 0; i < 3; i++) assert_true(seen[i] > 1000);
    nd_json_parser_free(b.parser);
}

static void every_allocation(void **state) {
    (void)state;
    failing_allocator failing = {0};
    nd_allocator allocator = failing_allocator_make(&failing);
    const char *const texts[] = {"/a/text"};
    nd_record_fields fields = {texts, 1, "id", "p", NULL, "/l"};
    nd_status status = ND_ERR_MEMORY;
    bench b = {0};
    for (size_t allowed = 0; status != ND_OK; allowed++) {
        failing.left = (long)allowed;
        status = nd_json_parser_create(&fields, &allocator, &b.parser, NULL);
        assert_true(status == ND_OK || status == ND_ERR_MEMORY);
        assert_true(allowed < 20);
    }
    failing.left = 0;
    assert_int_equal(parse_line(&b, "{\"id\":1e999,\"a\":{\"text\":\"t\"}}"), ND_JSON_NO_MEMORY);
    const char *repaired;
    size_t length;
    assert_int_equal(nd_json_repair(b.parser, "{}", 2, &repaired, &length), ND_JSON_NO_MEMORY);
    failing.left = 10;
    assert_int_equal(parse_line(&b, "{\"id\":1e999,\"a\":{\"text\":\"t\"}}"), ND_JSON_FINE);
    nd_json_parser_free(b.parser);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(wrong_texts),
        cmocka_unit_test(pointers),
        cmocka_unit_test(wrong_fields),
        cmocka_unit_test(several_texts),
        cmocka_unit_test(dotted_name),
        cmocka_unit_test(ids),
        cmocka_unit_test(priorities),
        cmocka_unit_test(not_json),
        cmocka_unit_test(depth),
        cmocka_unit_test(text_faults),
        cmocka_unit_test(surrogate_pairs),
        cmocka_unit_test(dates),
        cmocka_unit_test(calendar),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(mutations),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void no_simdjson(void **state) {
    (void)state;
    const char *const texts[] = {"text"};
    nd_record_fields fields = {.texts = texts, .text_count = 1};
    nd_json_parser *parser = NULL;
    nd_error error;
    assert_int_equal(nd_json_parser_create(&fields, NULL, &parser, &error), ND_ERR_UNSUPPORTED);
    assert_string_equal(error.message, "this build has no simdjson: JSON Lines cannot be read");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_simdjson)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

/* The reader of plain records against simdjson: a parser that also wants a priority, which no
 * record here has, does not use the reader. */
#include "corpus/json_plain.h"

#include "corpus/json_simdjson.h"
#include "kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#ifdef ND_WITH_SIMDJSON

static const char *text_name = "text", *id_name = "id";
static nd_json_parser *parser;
static size_t read_plainly, good;

/* The buffer and the line are on the heap with exactly their sizes. */
static void check(const char *line, size_t length) {
    char *copy = malloc(length + ND_JSON_PADDING), *own = malloc(length + !length),
         *buffer = malloc(nd_json_plain_room(length)), why[300];
    nd_record_values wanted, got;
    memcpy(copy, line, length);
    memset(copy + length, ' ', ND_JSON_PADDING);
    memcpy(own, line, length);
    bool fine = nd_json_parse(parser, copy, length, &wanted, why, sizeof why) == ND_JSON_FINE;
    bool plain = nd_json_plain_read(text_name, id_name, own, length, buffer, &got);
    free(own);
    if (plain && !fine) fail_msg("%.*s: %s", (int)length, line, why);
    read_plainly += plain;
    good += fine;
    if (plain) {
        assert_int_equal(got.text_length, wanted.text_length);
        assert_memory_equal(got.text, wanted.text, got.text_length);
        assert_int_equal(got.id != NULL, wanted.id != NULL);
        assert_int_equal(got.id_length, wanted.id_length);
        if (got.id) assert_memory_equal(got.id, wanted.id, got.id_length);
        assert_false(got.has_priority || got.is_protected);
    }
    free(copy);
    free(buffer);
}

/* Whether the record, which is good, is read plainly, or left to the parser. */
static void expect(const char *line, bool plain) {
    read_plainly = good = 0;
    check(line, strlen(line));
    assert_int_equal(good, 1);
    assert_int_equal(read_plainly, plain);
}

static void test_records(void **state) {
    (void)state;
    expect("{\"text\":\"a\"}", true);
    expect(" {\t\"id\" : \"1\" ,\r\n\"text\" : \"\" } ", true);
    expect("{\"te\\u0078t\":\"\\u00e9\\ud83d\\ude00\\u0000\\\\\\n\",\"id\":null}", true);
    expect("{\"a\":{\"text\":1,\"b\":[[],{},[1,-2.5e+3,\"x\"],true]},\"text\":\"a\",\"id\":-0}",
           true);
    expect("{\"text\":\"a\",\"text\":5,\"id\":123456789012345678901234567890,\"id\":{}}", true);
    expect("{\"x\":1e999,\"text\":\"\xC3\xA9\",\"id\":0.50}", true);
    char deep[200] = "{\"text\":\"a\",\"a\":";
    for (int i = 0; i < 40; i++) strcat(deep, "[");
    for (int i = 0; i < 40; i++) strcat(deep, "]");
    strcat(deep, "}");
    expect(deep, false);
}

/* Good records with bytes changed, taken out and put in, of which many stay JSON. */
static void test_random(void **state) {
    (void)state;
    static const char *const seeds[] = {
        "{\"id\":\"a\\n1\",\"text\":\"One \\\"two\\\", three \\\\ four\\u00e9 five "
        "\\ud83d\\ude00.\"}",
        "{\"meta\":{\"a\":[1,2.5e-3,{\"text\":\"no\"},[]],\"b\":null},\"text\":\"caf\xC3\xA9\","
        "\"id\":17}",
        " { \"text\" : \"x\" , \"id\" : null , \"t\" : true , \"f\" : false , \"n\" : -0.0E+1 } ",
        "{\"text\":"
        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\\\\\\\bb\\\\\"}",
        "{\"id\":\"\\u0438\\u043c\\u044f\",\"text\":\"\\u042d\\u0442\\u043e \\u2014 "
        "\\u4e2d\\u6587, \\ud83d\\ude00\\u0020"
        "\\u0442\\u0435\\u043a\\u0441\\u0442\\n\\u0020\\u0000\\u007f.\"}"};
    static const char bytes[] = "\"\\{}[]:,0123456789eE+-.utfnbr/ \t\n\x01\x80\xC3\xA9\xED\xA0xidt";
    uint64_t seed = 3;
    read_plainly = good = 0;
    for (int round = 0; round < 200000; round++) {
        char line[400];
        strcpy(line, seeds[random_below(&seed, 5)]);
        size_t length = strlen(line);
        for (uint64_t n = random_below(&seed, 4); n > 0; n--) {
            size_t at = random_below(&seed, length);
            char byte = bytes[random_below(&seed, sizeof bytes - 1)];
            uint64_t kind = random_below(&seed, 4);
            if (kind == 0) memmove(line + at, line + at + 1, --length - at);
            if (kind == 1) line[at] = byte;
            if (kind < 2) continue;
            size_t count = kind == 2 ? 1 : 1 + random_below(&seed, 20);
            memmove(line + at + count, line + at, length - at);
            memset(line + at, byte, count);
            length += count;
        }
        check(line, length);
    }
    assert_true(good > 60000 && read_plainly > good - good / 100);
}

static void test_fields(void **state) {
    (void)state;
    const char *const one[] = {"text"}, *const two[] = {"text", "title"},
                      *const inside[] = {"/a/b"};
    bool fast = nd_kernel_get()->json_string != nd_json_string_by_words;
    assert_int_equal(nd_json_plain_serves(&(nd_record_fields){.texts = one, .text_count = 1}),
                     fast);
    assert_int_equal(
        nd_json_plain_serves(&(nd_record_fields){.texts = one, .text_count = 1, .id = "id"}), fast);
    assert_false(nd_json_plain_serves(&(nd_record_fields){.texts = two, .text_count = 2}));
    assert_false(nd_json_plain_serves(&(nd_record_fields){.texts = inside, .text_count = 1}));
    assert_false(
        nd_json_plain_serves(&(nd_record_fields){.texts = one, .text_count = 1, .id = "/id"}));
    assert_false(nd_json_plain_serves(
        &(nd_record_fields){.texts = one, .text_count = 1, .priority = "date"}));
    assert_false(nd_json_plain_serves(
        &(nd_record_fields){.texts = one, .text_count = 1, .label = "language"}));
}

static int begin(void **state) {
    (void)state;
    const nd_record_fields fields = {
        .texts = &text_name, .text_count = 1, .id = id_name, .priority = "no such member"};
    return nd_json_parser_create(&fields, NULL, &parser, NULL) == ND_OK ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    nd_json_parser_free(parser);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_records),
                                       cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_fields)};
    return cmocka_run_group_tests(tests, begin, end);
}

#else
int main(void) { return 0; }
#endif

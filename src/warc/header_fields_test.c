/* header_fields.h and http_message.h: fields in all their forms, status lines, media types. */
#include "warc/header_fields.h"

#include "test.h"
#include "warc/http_message.h"

#include <stdio.h>
#include <string.h>

static nd_span span(const char *text) { return (nd_span){text, strlen(text)}; }

static void assert_span(nd_span is, const char *wanted) {
    assert_int_equal(is.length, strlen(wanted));
    if (is.length > 0) assert_memory_equal(is.bytes, wanted, is.length);
}

static void test_end(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t end;
    } cases[] = {{"", SIZE_MAX},
                 {"a: b\r\n", SIZE_MAX},
                 {"a: b\r\n\r", SIZE_MAX},
                 {"\n", 1},
                 {"\r\nx", 2},
                 {"a: b\r\n\r\nx", 8},
                 {"a: b\n\nx", 6},
                 {"a: b\r\n\nx", 7},
                 {"a\n\r\r\n", SIZE_MAX},
                 {"a: b\r\nc: d\r\n\r\n", 14}};
    bool another;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = strlen(cases[i].bytes);
        assert_int_equal(nd_header_end(cases[i].bytes, 0, size, "WARC/1.", &another), cases[i].end);
        assert_false(another);
    }
    assert_int_equal(nd_header_end("a: b\nWARC/1.0\n\n", 0, 15, "WARC/1.", &another), SIZE_MAX);
    assert_true(another);
}

/* Writes "name=value;" for each field. */
static void expect_fields(const char *bytes, const char *wanted) {
    char found[400], *out = found;
    size_t at = 0, stop = strlen(bytes);
    nd_span name, value;
    while (nd_header_next(bytes, &at, stop, &name, &value))
        out += sprintf(out, "%.*s=%.*s;", (int)name.length, name.bytes, (int)value.length,
                       value.bytes);
    *out = '\0';
    assert_string_equal(found, wanted);
}

static void test_fields(void **state) {
    (void)state;
    expect_fields("", "");
    expect_fields("\r\nA: b\r\n", "");
    expect_fields("A: b\r\nC:d\nE : f: g \r\n\r\nH: i", "A=b;C=d;E=f: g;");
}

static void test_folding(void **state) {
    (void)state;
    expect_fields("A:\r\n b\r\nC: d", "A=b;C=d;");
    expect_fields("A: b\r\n\tc\r\nD: e\r\n", "A=b\r\n\tc;D=e;");
    expect_fields("no colon\r\nA: b", "A=b;");
    expect_fields(": b\r\nA:", "=b;A=;");
    expect_fields(" A : b \r\n", "A=b;");
}

static void test_spans(void **state) {
    (void)state;
    nd_span rest;
    assert_true(nd_span_is(span("CONTENT-Type"), "content-type"));
    assert_false(nd_span_is(span("content-types"), "content-type"));
    assert_false(nd_span_begins(span("conten"), "content"));
    assert_false(nd_span_is(span("content\x94type"), "content-type"));
    assert_span(nd_span_trim(span(" \r\n a b\t ")), "a b");
    assert_span(nd_span_trim(span(" \r\n")), "");
    assert_span(nd_span_split(span("a;b;c"), ';', &rest), "a");
    assert_span(rest, "b;c");
    assert_span(nd_span_split(span("a"), ';', &rest), "a");
    assert_span(rest, "");
    assert_span(nd_span_split((nd_span){0}, ';', &rest), "");
}

static void test_message(void **state) {
    (void)state;
    nd_http_message m;
    const char *good = "HTTP/1.1  200 OK\r\ncontent-TYPE: text/html\r\nContent-Encoding: br\r\n"
                       "Transfer-Encoding: chunked\r\nX: y\r\n\r\nbody";
    assert_true(nd_http_read(good, strlen(good), &m));
    assert_int_equal(m.status, 200);
    assert_span(m.media, "text/html");
    assert_span(m.encoding, "br");
    assert_span(m.transfer, "chunked");
    assert_string_equal(good + m.body, "body");
    static const char *const also[] = {"HTTP/1.0 200", "http/2 200\n", "HTTP/1.1 200 \r\nA: b"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(nd_http_read(also[i], strlen(also[i]), &m));
        assert_true(m.status == 200 && m.body == strlen(also[i]));
    }
    static const char *const bad[] = {
        "",           "HTTP/1.1",     "HTTP/1.1 20",  "HTTP/1.1 2000",
        "HTTP/1.1 x", "HTTP/1.1 099", "<html>200 OK", "\r\nHTTP/1.1 200"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(nd_http_read(bad[i], strlen(bad[i]), &m));
}

static void test_media(void **state) {
    (void)state;
    assert_span(nd_media_type(span("text/html; charset=utf-8")), "text/html");
    assert_span(nd_media_type(span(" text/html ;")), "text/html");
    assert_span(nd_media_charset(span("text/html; charset=utf-8")), "utf-8");
    assert_span(nd_media_charset(span("text/html;a=b; CHARSET = \"latin1\" ;c")), "latin1");
    assert_span(nd_media_charset(span("text/html; charset=")), "");
    assert_span(nd_media_charset(span("text/html")), "");
    static const char *const texts[] = {"text/html", "TEXT/plain", "application/xhtml+xml",
                                        "text/markdown"};
    static const char *const others[] = {
        "", "text", "text/css", "Text/JavaScript", "application/json", "image/png"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(nd_media_is_text(span(texts[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(nd_media_is_text(span(others[i])));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end),     cmocka_unit_test(test_fields),
        cmocka_unit_test(test_folding), cmocka_unit_test(test_spans),
        cmocka_unit_test(test_message), cmocka_unit_test(test_media),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

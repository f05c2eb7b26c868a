/* warc_cut.h: the records of good and bad files, in one piece and byte by byte. */
#include "warc/warc_cut.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

static const char kinds[] = "DIQMVRSPNO"; /* by nd_warc_kind */

/* Writes each record as "D12" (its kind and the bytes of its block), or "!" for a bad one. `step`:
 * how many bytes more are known at each call. `limit`: as a reader with a limit does, gives up on
 * records of which so many bytes are known. */
static void cut_all(const char *bytes, size_t size, size_t step, size_t limit, char *out) {
    nd_warc_cutter cutter = {0};
    size_t from = 0, known = step < size ? step : size;
    for (;;) {
        nd_warc_cut cut;
        bool last = known == size;
        bool found = nd_warc_cut_record(&cutter, bytes, from, known, last, &cut);
        if (!found && !last && known - from > limit)
            found = nd_warc_cut_over(&cutter, bytes, from, known, &cut);
        if (!found) {
            if (last) break;
            known = known + step < size ? known + step : size;
            continue;
        }
        assert_true(from <= cut.begin && cut.begin <= cut.end && cut.end <= cut.next);
        assert_true(from < cut.next && cut.next <= known);
        from = cut.next;
        if (cut.blank) continue;
        nd_warc_header header;
        const char *why;
        if (cut.fault) out += sprintf(out, "! ");
        else {
            assert_int_equal(nd_warc_header_read(cutter.arc, bytes, cut.begin, size, &header, &why),
                             ND_WARC_WHOLE);
            size_t block = cut.end > cut.begin ? cut.end - header.end : 0;
            out += sprintf(out, "%c%zu ", kinds[cut.kind], block);
        }
    }
    assert_int_equal(from, size);
    *out = '\0';
}

static void expect(const char *bytes, const char *wanted) {
    static char found[MOST];
    size_t size = strlen(bytes);
    for (size_t step = 1; step <= size + 1; step++) {
        /* Of its own size, so that a sanitizer sees a read behind it. */
        char *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        cut_all(copy, size, step, SIZE_MAX, found);
        free(copy);
        assert_string_equal(found, wanted);
    }
}

#define RECORD(type, fields, length, block)                                                        \
    "WARC/1.0\r\nWARC-Type: " type "\r\n" fields "Content-Length: " length "\r\n\r\n" block
#define END "\r\n\r\n"
#define TEXT(length, block) RECORD("conversion", "Content-Type: text/plain\r\n", length, block)
#define HTTP(length, block) RECORD("response", "Content-Type: application/http\r\n", length, block)

static void test_good(void **state) {
    (void)state;
    expect("", "");
    expect("\r\n\n", "");
    expect(TEXT("4", "text") END TEXT("0", "") END, "D4 D0 ");
    expect(TEXT("4", "text"), "D4 ");
    expect(TEXT("4", "text") "\r\n" TEXT("4", "text") "\n\n\n", "D4 D4 ");
    expect(TEXT("4", "text") TEXT("2", "ab") END, "D4 D2 ");
    expect(
        "WARC/1.1\nwarc-TYPE:conversion\ncontent-type:\n\ttext/plain\nCONTENT-LENGTH: 1\n\nx\n\n",
        "D1 ");
    /* A block that has records in it. */
    expect(TEXT("84", TEXT("4", "text")) END TEXT("1", "x") END, "D84 D1 ");
}

static void test_kinds(void **state) {
    (void)state;
    expect(RECORD("warcinfo", "", "1", "x") END RECORD("request", "", "1", "x")
               END RECORD("metadata", "", "1", "x") END RECORD("revisit", "", "1", "x")
                   END RECORD("continuation", "", "1", "x") END,
           "I1 Q1 M1 V1 O1 ");
    expect(HTTP("15", "HTTP/1.1 302 x\n") END HTTP("12", "HTTP/1.0 404")
               END HTTP("40", "HTTP/1.1 200 OK\r\nContent-Type:image/gif\r\n")
                   END HTTP("41", "HTTP/1.1 200 OK\r\nContent-Type: text/css;\r\n")
                       END HTTP("44", "HTTP/1.1 200 OK\r\nContent-Type: text/html; x\r\n") END,
           "R15 S12 P40 N41 D44 ");
    /* Without a type of its own, that of the archive; without HTTP, told when it is read. */
    expect(HTTP("15", "HTTP/1.1 200 OK") END HTTP("3", "abc") END, "N15 D3 ");
    expect(RECORD("response",
                  "Content-Type: application/http\r\nWARC-Identified-Payload-Type: text/html\r\n",
                  "15", "HTTP/1.1 200 OK") END,
           "D15 ");
    expect(RECORD("resource", "Content-Type: image/png\r\n", "1", "x")
               END RECORD("response", "Content-Type: text/dns\r\n", "1", "x") END,
           "P1 O1 ");
}

static void test_bad(void **state) {
    (void)state;
    const char *const bad[] = {TEXT("3", "text"),
                               TEXT("9", "text"),
                               TEXT("400", "text"),
                               TEXT("18446744073709551615", "text"),
                               TEXT("99999999999999999999", "text"),
                               TEXT("-4", "text"),
                               TEXT("", "text"),
                               "WARC/1.0\r\nContent-Length: 4\r\n\r\ntext",
                               "WARC/1.0\r\nWARC-Type: conversion\r\n\r\ntext",
                               "WARC/1.0\r\nWARC-Type: conversion\r\n",
                               "WARC/1.0 \r\n",
                               "WARC/2.0\r\n",
                               "no record",
                               "WARC/1.WARC/1."};
    static char bytes[MOST], wanted[100];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sprintf(bytes, "%s\r\n\r\n%s\r\n\r\n", bad[i], TEXT("2", "ab"));
        expect(bytes, "! D2 ");
        sprintf(bytes, "%s\r\n\r\n%s\r\n\r\n%s", TEXT("2", "ab"), bad[i], TEXT("1", "c"));
        expect(bytes, "D2 ! D1 ");
        sprintf(wanted, "D2 !%s", " ");
        sprintf(bytes, "%s\r\n\r\n%s", TEXT("2", "ab"), bad[i]);
        expect(bytes, wanted);
    }
}

static void test_arc(void **state) {
    (void)state;
#define VERSION "filedesc://x 0.0.0.0 20080430204825 text/plain 9\n1 0 test\n\n"
#define ARC(uri, length, block) uri " 1.2.3.4 20080430204825 text/html " length "\n" block "\n"
    expect(VERSION ARC("http://a/", "15", "HTTP/1.1 404 No") ARC("dns:a", "2", "ab"), "I9 S15 O2 ");
    expect(VERSION ARC("http://a/ b", "42", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
           "I9 D42 ");
    /* A wrong length, no length, a line that is none. */
    expect(VERSION ARC("http://a/", "20", "HTTP/1.1 404 No") ARC("http://b/", "12", "HTTP/1.1 302"),
           "I9 ! R12 ");
    expect(VERSION ARC("http://a/", "", "HTTP/1.1 404 No") ARC("http://b/", "12", "HTTP/1.1 302"),
           "I9 ! R12 ");
    expect(VERSION "a line\n" ARC("http://b/", "12", "HTTP/1.1 302"), "! R12 ");
#undef VERSION
#undef ARC
}

static void test_over(void **state) {
    (void)state;
    enum { LONG = 3 * ND_HEADER_BYTES };
    static char bytes[2 * LONG], found[MOST];
    static const char *const types[] = {"text/plain", "image/png"};
    for (size_t t = 0; t < 2; t++) {
        /* A right length, and one beyond the end of the file. */
        for (int wrong = 0; wrong < 2; wrong++) {
            size_t size = (size_t)sprintf(bytes,
                                          "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: %s\r\n"
                                          "Content-Length: %d\r\n\r\n",
                                          types[t], LONG * (wrong ? 1000 : 1));
            memset(bytes + size, 'x', LONG);
            size += LONG;
            size += (size_t)sprintf(bytes + size, "\r\n\r\n%s\r\n\r\n", TEXT("2", "ab"));
            for (size_t step = 1000; step < 30000; step += 7000) {
                cut_all(bytes, size, step, 2 * ND_HEADER_BYTES, found);
                assert_string_equal(found, t == 0 ? "D0 D2 " : "P0 D2 ");
            }
            cut_all(bytes, size, 1000, SIZE_MAX, found);
            assert_string_equal(found, wrong ? "! D2 " : t == 0 ? "D196608 D2 " : "P196608 D2 ");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good), cmocka_unit_test(test_kinds), cmocka_unit_test(test_bad),
        cmocka_unit_test(test_arc),  cmocka_unit_test(test_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

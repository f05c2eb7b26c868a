/* http_payload.h: chunks and codings, whole, cut off everywhere, damaged and over the limit. zlib
 * and hand-made bytes are the oracle. */
#include "warc/http_payload.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ND_WITH_ZLIB
#include <zlib.h>
#endif

enum { ROOM = 20000 };

static nd_payload_decoder decoder;
static nd_span result;

static nd_span span(const char *text) { return (nd_span){text, strlen(text)}; }

/* Decodes a copy of its own size, so that a sanitizer sees a read behind it. */
static nd_payload_problem decode(const char *transfer, const char *encoding, nd_span body,
                                 size_t limit, bool cut_off) {
    static char *copy;
    const nd_http_message m = {.transfer = span(transfer), .encoding = span(encoding)};
    free(copy);
    copy = malloc(body.length + !body.length);
    assert_non_null(copy);
    if (body.length > 0) memcpy(copy, body.bytes, body.length);
    return nd_payload_decode(&decoder, &m, (nd_span){copy, body.length}, limit, cut_off,
                             &nd_allocator_default, &result);
}

static void expect(const char *transfer, const char *encoding, nd_span body, const char *wanted) {
    assert_int_equal(decode(transfer, encoding, body, ROOM, false), ND_PAYLOAD_FINE);
    assert_int_equal(result.length, strlen(wanted));
    if (result.length > 0) assert_memory_equal(result.bytes, wanted, result.length);
}

static void test_chunks(void **state) {
    (void)state;
    expect("", "", span("text"), "text");
    expect("chunked", "", span("4\r\ntext\r\n0\r\n\r\n"), "text");
    expect("CHUNKED", "", span("4;x=y\r\ntext\r\n000A \r\n0123456789\r\n0\r\nA: b\r\n\r\n"),
           "text0123456789");
    expect("chunked", "", span("1\na\n1\nb\n0\n\n"), "ab");
    expect("chunked", "identity", span("0\r\n\r\n"), "");
    /* Joined already. */
    expect("chunked", "", span("text"), "text");
    expect("chunked", "", span(""), "");
    expect("chunked", "", span("5\r\ntext and more"), "5\r\ntext and more");
    expect("chunked", "", span("ffffffffffffffffffff\r\ntext"), "ffffffffffffffffffff\r\ntext");
    /* Cut off. */
    const char *whole = "4\r\ntext\r\n2\r\nab\r\n0\r\n\r\n";
    for (size_t size = 5; size < 16; size++) {
        nd_span begin = {whole, size};
        assert_int_equal(decode("chunked", "", begin, ROOM, false), ND_PAYLOAD_DAMAGED);
        assert_int_equal(decode("chunked", "", begin, ROOM, true), ND_PAYLOAD_FINE);
        assert_true(result.length <= 6 && memcmp(result.bytes, "textab", result.length) == 0);
    }
    assert_int_equal(decode("chunked", "", span(whole), 5, false), ND_PAYLOAD_OVER);
    assert_int_equal(decode("", "compress", span("text"), ROOM, false), ND_PAYLOAD_UNKNOWN);
    assert_int_equal(decode("gzip, x", "", span("text"), ROOM, false), ND_PAYLOAD_UNKNOWN);
}

#ifdef ND_WITH_ZLIB

/* Compresses with a header of gzip (bits 31) or zlib (15), or none (-15). */
static nd_span deflated(nd_span text, int bits, char *to) {
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (z_const Bytef *)(uintptr_t)text.bytes;
    stream.avail_in = (uInt)text.length;
    stream.next_out = (Bytef *)to;
    stream.avail_out = ROOM;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&stream), Z_OK);
    return (nd_span){to, ROOM - stream.avail_out};
}

static void make_text(char *text) {
    uint64_t seed = 1;
    for (size_t i = 0; i + 1 < ROOM / 2; i++) text[i] = (char)('a' + random_below(&seed, 20));
    text[ROOM / 2 - 1] = '\0';
}

static void test_zlib(void **state) {
    (void)state;
    static char text[ROOM], packed[ROOM], twice[ROOM], chunked[2 * ROOM];
    make_text(text);
    const struct {
        const char *name;
        int bits;
    } codings[] = {
        {"gzip", 31}, {"x-gzip", 31}, {"deflate", 15}, {"deflate", -15}, {"deflate", 31}};
    for (size_t c = 0; c < sizeof codings / sizeof *codings; c++) {
        nd_span body = deflated(span(text), codings[c].bits, packed);
        expect("", codings[c].name, body, text);
        assert_int_equal(decode("", codings[c].name, body, strlen(text), false), ND_PAYLOAD_FINE);
        assert_int_equal(decode("", codings[c].name, body, strlen(text) - 1, false),
                         ND_PAYLOAD_OVER);
        for (size_t size = 20; size < body.length; size += 97) {
            nd_span begin = {packed, size};
            assert_int_equal(decode("", codings[c].name, begin, ROOM, true), ND_PAYLOAD_FINE);
            assert_true(result.length < strlen(text) || size + 8 >= body.length);
            /* Of raw deflate that is damaged at once, the bytes are taken as they are. */
            if (codings[c].bits == -15) continue;
            assert_int_equal(decode("", codings[c].name, begin, ROOM, false), ND_PAYLOAD_DAMAGED);
        }
    }
    /* One coding in another, and chunks around them. */
    nd_span inner = deflated(span(text), 15, packed), outer = deflated(inner, 31, twice);
    expect("", "deflate, gzip", outer, text);
    size_t head = (size_t)sprintf(chunked, "%zx\r\n", outer.length);
    memcpy(chunked + head, twice, outer.length);
    memcpy(chunked + head + outer.length, "\r\n0\r\n\r\n", 8);
    expect("chunked", " deflate ,gzip", (nd_span){chunked, head + outer.length + 7}, text);
    /* Two members; bytes behind the last one. */
    nd_span first = deflated(span("one "), 31, packed);
    nd_span second = deflated(span("two"), 31, packed + first.length);
    memcpy(packed + first.length + second.length, "\r\n", 2);
    expect("", "gzip", (nd_span){packed, first.length + second.length}, "one two");
    expect("", "gzip", (nd_span){packed, first.length + second.length + 2}, "one two");
    /* Decoded already. */
    expect("", "gzip", span("text"), "text");
    expect("", "deflate", span("<html>"), "<html>");
    expect("", "deflate", span("The text"), "The text");
}

#else

static void test_zlib(void **state) {
    (void)state;
    assert_int_equal(decode("", "gzip", span("\x1f\x8b\x08..."), ROOM, false), ND_PAYLOAD_UNKNOWN);
}

#endif

static void test_brotli(void **state) {
    (void)state;
    /* An uncompressed meta-block of 4 bytes, and an empty last one (RFC 7932, 9.2). */
    const nd_span body = {"\x30\x00\x10text\x03", 8};
#ifdef ND_WITH_BROTLI
    expect("", "br", body, "text");
    assert_int_equal(decode("", "br", body, 3, false), ND_PAYLOAD_OVER);
    assert_int_equal(decode("", "br", (nd_span){body.bytes, 6}, ROOM, false), ND_PAYLOAD_DAMAGED);
    assert_int_equal(decode("", "br", (nd_span){body.bytes, 6}, ROOM, true), ND_PAYLOAD_FINE);
    assert_int_equal(result.length, 3);
    expect("", "br", span("<html>"), "<html>");
#else
    assert_int_equal(decode("", "br", body, ROOM, false), ND_PAYLOAD_UNKNOWN);
#endif
}

static void free_decoder(void) { nd_payload_decoder_free(&decoder, &nd_allocator_default); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chunks), cmocka_unit_test(test_zlib),
                                       cmocka_unit_test(test_brotli)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_decoder();
    return failed;
}

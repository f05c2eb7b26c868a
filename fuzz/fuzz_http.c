/* The first byte says whether the end of the body is missing; the bytes behind it are an HTTP
 * response, whose payload is decoded. It is within its limit; and one that fits a smaller limit is
 * the same. */
#include "target.h"

#include "warc/http_payload.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 20000, SMALL = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *given, size_t size) {
    nd_http_message message;
    nd_payload_decoder decoder = {0}, other = {0};
    nd_span payload, again;
    if (size == 0) return 0;
    char *bytes = malloc(size);
    if (!bytes) target_fail("no memory");
    memcpy(bytes, given + 1, size - 1);
    bool cut_off = given[0] % 2 == 1;
    if (nd_http_read(bytes, size - 1, &message)) {
        if (message.status < 100 || message.status > 999 || message.body > size - 1)
            target_fail("status %u, body at %zu", message.status, message.body);
        (void)nd_media_is_text(nd_media_type(message.media));
        (void)nd_media_charset(message.media);
        const nd_span body = {bytes + message.body, size - 1 - message.body};
        nd_payload_problem found = nd_payload_decode(&decoder, &message, body, LIMIT, cut_off,
                                                     &nd_allocator_default, &payload),
                           small = nd_payload_decode(&other, &message, body, SMALL, cut_off,
                                                     &nd_allocator_default, &again);
        bool coded = message.transfer.length > 0 || message.encoding.length > 0;
        if (found == ND_PAYLOAD_FINE && payload.length > (coded ? (size_t)LIMIT : size) &&
            payload.length > body.length)
            target_fail("a payload of %zu bytes is over the limit", payload.length);
        if (small == ND_PAYLOAD_FINE &&
            (found != ND_PAYLOAD_FINE || again.length != payload.length ||
             (again.length > 0 && memcmp(again.bytes, payload.bytes, again.length) != 0)))
            target_fail("a small limit gives another payload");
    }
    nd_payload_decoder_free(&decoder, &nd_allocator_default);
    nd_payload_decoder_free(&other, &nd_allocator_default);
    free(bytes);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    return mutate_bytes(bytes, size, most, &random);
}

#define HEAD "\0HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\"x\"\r\n"

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    static const char chunks[] = HEAD
        "Transfer-Encoding: chunked\r\n\r\n4;x\r\ntext\r\n1\na\n0\r\n\r\n";
    static const char gzip[] = HEAD
        "Content-Encoding: "
        "gzip\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\xff\x2b\x49\xad\x28\x01\0\xc2\x8c\x47"
        "\x96\x04\0\0\0";
    static const char zlib[] = HEAD
        "Content-Encoding: identity, deflate\r\n\r\n\x78\x9c\x2b\x49\xad\x28\x01\0\x04\x5d\x01\xc2";
    static const char br[] = HEAD "Content-Encoding: br\r\n\r\n\x30\0\x10text\x03";
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    target_write_seed(seeds, "chunks", chunks, sizeof chunks - 1);
    target_write_seed(seeds, "gzip", gzip, sizeof gzip - 1);
    target_write_seed(seeds, "zlib", zlib, sizeof zlib - 1);
    target_write_seed(seeds, "br", br, sizeof br - 1);
    exit(0);
}

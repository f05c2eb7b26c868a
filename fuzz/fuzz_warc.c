/* A file of WARC or ARC. It has the same records in one piece and in pieces; a record that is good
 * when it is cut is the same one when it is read alone, with its media type and its text. */
#include "target.h"

#include "warc/warc_cut.h"
#include "warc/warc_record.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 1000 };

/* Cuts a file of which `step` bytes more are known each time; returns the number of records. */
static size_t cut(const char *bytes, size_t size, size_t step, nd_warc_cut *out) {
    nd_warc_cutter cutter = {0};
    size_t from = 0, count = 0, known = step < size ? step : size;
    for (;;) {
        nd_warc_cut one;
        if (!nd_warc_cut_record(&cutter, bytes, from, known, known == size, &one)) {
            if (known == size) break;
            known = size - known < step ? size : known + step;
            continue;
        }
        if (one.begin < from || one.end < one.begin || one.next < one.end || one.next > known ||
            one.next <= from)
            target_fail("a record of [%zu, %zu), and the next one at %zu", one.begin, one.end,
                        one.next);
        from = one.next;
        if (!one.blank && count < MOST_RECORDS) out[count++] = one;
    }
    if (from != size) target_fail("%zu bytes are left", size - from);
    return count;
}

/* Reads a record alone, in memory of its own size. */
static void read_alone(const char *bytes, const nd_warc_cut *one) {
    size_t length = one->end - one->begin;
    char *copy = malloc(length + !length);
    nd_warc_record record;
    if (!copy) target_fail("no memory");
    memcpy(copy, bytes + one->begin, length);
    const char *why = nd_warc_record_read(copy, length, &record);
    if (record.header.end + record.header.length != length)
        target_fail("a record of %zu bytes has other ones alone", length);
    if (nd_warc_kind_of(&record.header, record.block.bytes, record.block.length) != one->kind)
        target_fail("a record has another kind alone");
    if (one->kind == ND_WARC_DOCUMENT && !why && record.http.status != 200 &&
        nd_warc_has_http(&record.header))
        target_fail("a document with the status %u", record.http.status);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *given, size_t size) {
    static nd_warc_cut whole[MOST_RECORDS], parts[MOST_RECORDS];
    char *bytes = malloc(size + !size);
    if (!bytes) target_fail("no memory");
    if (size > 0) memcpy(bytes, given, size);
    size_t count = cut(bytes, size, size + 1, whole), steps[] = {1, 7, size / 3 + 1};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        if (cut(bytes, size, steps[s], parts) != count)
            target_fail("%zu records in one piece, others by %zu bytes", count, steps[s]);
        for (size_t i = 0; i < count; i++)
            if (parts[i].begin != whole[i].begin || parts[i].end != whole[i].end ||
                parts[i].kind != whole[i].kind || parts[i].fault != whole[i].fault)
                target_fail("record %zu is another one by %zu bytes", i, steps[s]);
    }
    for (size_t i = 0; i < count; i++)
        if (!whole[i].fault) read_alone(bytes, &whole[i]);
    free(bytes);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    return mutate_bytes(bytes, size, most, &random);
}

#define RECORD(type, fields, length, block)                                                        \
    "WARC/1.0\r\nWARC-Type: " type "\r\n" fields "Content-Length: " length "\r\n\r\n" block        \
    "\r\n\r\n"

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    static const char warc[] = RECORD("warcinfo", "WARC-Record-ID: <urn:x>\r\n", "1", "x")
        RECORD("request", "", "2", "ab")
            RECORD("response", "Content-Type: application/http\r\n", "44",
                   "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")
                RECORD("conversion", "Content-Type:\r\n text/plain\r\n", "4", "text");
    static const char bad[] = RECORD("conversion", "Content-Type: text/plain\r\n", "9", "text")
        RECORD("conversion", "Content-Type: text/plain\r\n", "400", "text")
            RECORD("conversion", "Content-Type: text/plain\r\n", "x", "text")
                RECORD("resource", "Content-Type: image/png\r\n", "1", "x");
    static const char arc[] = "filedesc://x 0.0.0.0 20080430204825 text/plain 9\n1 0 test\n\n"
                              "http://a/ b 1.2.3.4 20080430204825 text/html 15\nHTTP/1.1 404 No\n"
                              "http://a/ 1.2.3.4 20080430204825 text/html 9\nHTTP/1.1 404 No\n"
                              "dns:a 1.2.3.4 20080430204825 text/dns 1\nx\n";
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    target_write_seed(seeds, "warc", warc, sizeof warc - 1);
    target_write_seed(seeds, "bad", bad, sizeof bad - 1);
    target_write_seed(seeds, "arc", arc, sizeof arc - 1);
    exit(0);
}

/* The bytes are a file of fingerprints; the first byte chooses the format and the number of bits.
 * Every fingerprint read fits in its bits. The rows, written to a file and read again, are the
 * same. */
#include "hamming_index/fingerprint_reader.h"
#include "sketch/fingerprint.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t widths[] = {16, 32, 64, 128};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* ---- the target */

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

static void append(text *t, const char *bytes, size_t size) {
    if (t->size + size > t->room) {
        t->room = 2 * (t->size + size);
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes) target_fail("no memory");
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static void append_row(text *t, const nd_fingerprinted *given, uint32_t bits) {
    char digits[33];
    for (size_t i = 0; i < given->id_length; i++) {
        char c = given->id[i];
        const char *escaped = c == '\t'   ? "\\t"
                              : c == '\n' ? "\\n"
                              : c == '\r' ? "\\r"
                              : c == '\\' ? "\\\\"
                                          : NULL;
        append(t, escaped ? escaped : &c, escaped ? 2 : 1);
    }
    nd_fingerprint_format(given->fingerprint, bits, digits);
    append(t, "\t", 1);
    append(t, digits, strlen(digits));
    append(t, "\n", 1);
}

/* Reads everything and writes it to *out as rows. False: the file was rejected. */
static bool read_all(const char *path, nd_fingerprint_file format, uint32_t bits, text *out) {
    nd_error error;
    nd_fingerprint_reader *in = NULL;
    nd_fingerprint_source source = {.struct_size = sizeof source, .path = path, .format = format};
    const nd_stream_in_options input = {.allocator = &nd_allocator_default};
    nd_status status = nd_fingerprint_reader_open(&source, bits, &input, &in, &error);
    bool more = status == ND_OK;
    while (more) {
        nd_fingerprinted given;
        status = nd_fingerprint_reader_next(in, &given, &more, &error);
        more = more && status == ND_OK;
        if (more && !nd_fingerprint_fits(given.fingerprint, bits))
            target_fail("more than %u bits", bits);
        if (more && !given.id != (format != ND_FINGERPRINTS_HEX))
            target_fail("an id where none is, or none where one is");
        if (more) append_row(out, &given, bits);
    }
    target_check_error(status, &error);
    nd_fingerprint_reader_close(in);
    return status == ND_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    text rows = {0}, again = {0};
    if (size == 0) return 0;
    uint32_t bits = widths[bytes[0] % WIDTHS];
    nd_fingerprint_file format = (nd_fingerprint_file)(bytes[0] / WIDTHS % 3);
    if (read_all(target_file(bytes + 1, size - 1), format, bits, &rows)) {
        if (!read_all(target_file(rows.bytes, rows.size), ND_FINGERPRINTS_HEX, bits, &again))
            target_fail("written rows are rejected");
        if (again.size != rows.size ||
            (rows.size > 0 && memcmp(again.bytes, rows.bytes, rows.size) != 0))
            target_fail("rows are read otherwise");
    }
    free(rows.bytes);
    free(again.bytes);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    return mutate_bytes(bytes, size, most, &random);
}

/* ---- seeds */

static void write_seed(const char *directory, const char *name, uint32_t width,
                       nd_fingerprint_file format, const char *bytes, size_t size) {
    uint8_t seed[200] = {(uint8_t)(width + WIDTHS * format)};
    memcpy(seed + 1, bytes, size);
    target_write_seed(directory, name, seed, size + 1);
}

static void write_seeds(const char *directory) {
    static const char rows[] =
        "item 1\t0123456789abcdef\n\\ttab\\\\\tFEDCBA9876543210\n\t0000000000000000\n";
    static const char narrow[] = "a\t00ff\nb\t1234";
    static const char raw[32] = "\1\2\3\4\0\0\0\0\377\377\0\0\0\0\0\0\20\40\60";
    write_seed(directory, "rows", 2, ND_FINGERPRINTS_HEX, rows, sizeof rows - 1);
    write_seed(directory, "narrow", 0, ND_FINGERPRINTS_HEX, narrow, sizeof narrow - 1);
    write_seed(directory, "u64", 1, ND_FINGERPRINTS_U64, raw, sizeof raw);
    write_seed(directory, "u128", 3, ND_FINGERPRINTS_U128, raw, sizeof raw);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    write_seeds(seeds);
    exit(0);
}

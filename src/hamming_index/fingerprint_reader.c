#include "hamming_index/fingerprint_reader.h"

#include "base/argument.h"
#include "base/bits.h"
#include "base/options.h"
#include "sketch/fingerprint.h"
#include "io/line_in.h"

#include <inttypes.h>
#include <string.h>

enum { RAW_BYTES = 1 << 16 };

struct nd_fingerprint_reader {
    nd_allocator allocator;
    nd_fingerprint_source source; /* its path is not used after opening */
    const char *name;             /* name of the source in messages */
    uint32_t bits;
    uint64_t position; /* position of the next fingerprint */
    nd_stream_in *stream;
    nd_line_in lines;
    char *id; /* the id of a row, without its escapes */
    size_t id_capacity;
    unsigned char *raw; /* RAW_BYTES bytes of the file; bytes [raw_at, raw_size) are not used yet */
    size_t raw_at, raw_size;
};

static nd_status check(const nd_fingerprint_source *source, uint32_t bits, nd_error *error) {
    if ((source->path != NULL) + (source->next != NULL) + (source->words != NULL) != 1)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "fingerprints come from a path, from a callback or from an array");
    if (!source->path) return ND_OK;
    ND_CHECK_ENUM(source->format, "format", ND_FINGERPRINTS_HEX, ND_FINGERPRINTS_U128, error);
    if (source->format == ND_FINGERPRINTS_U64 && bits > 64)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: format u64 holds no fingerprints of %u bits, u128 does", source->path,
                       bits);
    if (source->format == ND_FINGERPRINTS_U128 && bits <= 64)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: format u128 holds fingerprints of 128 bits, not of %u", source->path,
                       bits);
    return ND_OK;
}

nd_status nd_fingerprint_source_read(const nd_fingerprint_source *given, nd_fingerprint_source *out,
                                     nd_error *error) {
    *out = (nd_fingerprint_source){0};
    ND_TRY(nd_need(given, "source", error));
    return ND_READ_OPTIONS(given, out, "nd_fingerprint_source", error);
}

nd_status nd_fingerprint_reader_open(const nd_fingerprint_source *source, uint32_t bits,
                                     const nd_stream_in_options *input, nd_fingerprint_reader **out,
                                     nd_error *error) {
    ND_TRY(check(source, bits, error));
    const nd_allocator allocator = nd_allocator_or_default(input->allocator);
    nd_fingerprint_reader *in = nd_allocate_zero(&allocator, 1, sizeof *in);
    if (!in) return nd_fail_memory(error, sizeof *in, "a file of fingerprints");
    *in = (nd_fingerprint_reader){.allocator = allocator,
                                  .source = *source,
                                  .bits = bits,
                                  .name = source->next ? "the callback" : "the array"};
    nd_status status = ND_OK;
    if (source->path) {
        in->name = strcmp(source->path, "-") == 0 ? "standard input" : source->path;
        status = nd_stream_in_open(source->path, input, &in->stream, error);
    }
    if (status == ND_OK && source->path && source->format == ND_FINGERPRINTS_HEX)
        nd_line_in_open(&in->lines, in->stream, &allocator);
    if (status == ND_OK && source->path && source->format != ND_FINGERPRINTS_HEX) {
        in->raw = nd_allocate(&allocator, RAW_BYTES, 1);
        if (!in->raw) status = nd_fail_memory(error, RAW_BYTES, "a file of fingerprints");
    }
    if (status != ND_OK) {
        nd_fingerprint_reader_close(in);
        return status;
    }
    *out = in;
    return ND_OK;
}

void nd_fingerprint_reader_close(nd_fingerprint_reader *in) {
    if (!in) return;
    if (in->stream && in->source.format == ND_FINGERPRINTS_HEX) nd_line_in_close(&in->lines);
    if (in->stream) nd_stream_in_close(in->stream);
    nd_release(&in->allocator, in->id);
    nd_release(&in->allocator, in->raw);
    nd_allocator allocator = in->allocator;
    nd_release(&allocator, in);
}

bool nd_fingerprint_reader_is_rereadable(const nd_fingerprint_reader *in) {
    return in->source.words || (in->stream && in->source.format != ND_FINGERPRINTS_HEX &&
                                nd_stream_in_is_file(in->stream));
}

/* ---- rows */

/* Copies an id without its escapes (doc/internals/formats.md, "Tables"). False: an escape is not
 * valid. */
static bool unescape(nd_fingerprint_reader *in, const char *text, size_t length, size_t *size) {
    *size = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '\\') {
            if (++i == length) return false;
            c = text[i] == 't'    ? '\t'
                : text[i] == 'n'  ? '\n'
                : text[i] == 'r'  ? '\r'
                : text[i] == '\\' ? '\\'
                                  : '\0';
            if (c == '\0') return false;
        }
        in->id[(*size)++] = c;
    }
    return true;
}

static nd_status next_row(nd_fingerprint_reader *in, nd_fingerprinted *out, bool *more,
                          nd_error *error) {
    const char *line;
    size_t length;
    ND_TRY(nd_line_in_next(&in->lines, &line, &length, error));
    *more = line != NULL;
    if (!line) return ND_OK;
    const char *tab = length > 0 ? memchr(line, '\t', length) : NULL;
    size_t id_length = tab ? (size_t)(tab - line) : 0, digits = tab ? length - id_length - 1 : 0;
    if (!tab || nd_fingerprint_parse(tab + 1, digits, in->bits, &out->fingerprint, NULL) != ND_OK)
        return nd_fail(error, ND_ERR_INPUT,
                       "%s:%" PRIu64 ": expected an id, a tab and %u hexadecimal digits (%u bits)",
                       in->name, in->lines.number, in->bits / 4, in->bits);
    out->id = line;
    out->id_length = id_length;
    if (!memchr(line, '\\', id_length)) return ND_OK;
    if (!nd_reserve(&in->allocator, &in->id, &in->id_capacity, id_length))
        return nd_fail_memory(error, id_length, "an id");
    out->id = in->id;
    if (unescape(in, line, id_length, &out->id_length)) return ND_OK;
    return nd_fail(error, ND_ERR_INPUT,
                   "%s:%" PRIu64
                   ": in the id a backslash is followed by none of t, n, r and backslash",
                   in->name, in->lines.number);
}

/* ---- raw numbers */

/* Returns the bytes of a raw fingerprint. */
static size_t size_of(const nd_fingerprint_reader *in) { return in->bits > 64 ? 16 : 8; }

static nd_fingerprint load_raw(const unsigned char *p, size_t size) {
    return (nd_fingerprint){nd_load_le64(p), size > 8 ? nd_load_le64(p + 8) : 0};
}

static nd_status next_raw(nd_fingerprint_reader *in, nd_fingerprinted *out, bool *more,
                          nd_error *error) {
    size_t size = size_of(in);
    if (in->raw_at == in->raw_size) {
        in->raw_at = 0;
        ND_TRY(nd_stream_in_read(in->stream, in->raw, RAW_BYTES, &in->raw_size, error));
    }
    *more = in->raw_size > in->raw_at;
    if (!*more) return ND_OK;
    if (in->raw_size - in->raw_at < size)
        return nd_fail(error, ND_ERR_INPUT,
                       "%s: ends within fingerprint %" PRIu64 " (of %zu bytes each)", in->name,
                       in->position, size);
    out->fingerprint = load_raw(in->raw + in->raw_at, size);
    in->raw_at += size;
    return ND_OK;
}

/* ---- an array */

static nd_fingerprint word_at(const nd_fingerprint_reader *in, uint64_t position) {
    const uint64_t *words = in->source.words;
    return in->bits > 64 ? (nd_fingerprint){words[2 * position], words[2 * position + 1]}
                         : (nd_fingerprint){words[position], 0};
}

static nd_status next_word(const nd_fingerprint_reader *in, nd_fingerprinted *out, bool *more) {
    *more = in->position < in->source.count;
    if (*more) out->fingerprint = word_at(in, in->position);
    return ND_OK;
}

/* ---- all sources */

static nd_status next_given(nd_fingerprint_reader *in, nd_fingerprinted *out, bool *more,
                            nd_error *error) {
    int result = in->source.next(in->source.context, out);
    *more = result > 0;
    return result < 0 ? nd_fail(error, ND_ERR_CANCELLED, "cancelled") : ND_OK;
}

static nd_status fail_too_many_bits(const nd_fingerprint_reader *in, nd_error *error) {
    return nd_fail(error, ND_ERR_INPUT, "%s: fingerprint %" PRIu64 " has more than %u bits",
                   in->name, in->position, in->bits);
}

nd_status nd_fingerprint_reader_next(nd_fingerprint_reader *in, nd_fingerprinted *out, bool *more,
                                     nd_error *error) {
    *out = (nd_fingerprinted){.document = in->position};
    if (in->source.words) ND_TRY(next_word(in, out, more));
    else if (in->source.next) ND_TRY(next_given(in, out, more, error));
    else if (in->source.format == ND_FINGERPRINTS_HEX) ND_TRY(next_row(in, out, more, error));
    else ND_TRY(next_raw(in, out, more, error));
    if (!*more) return ND_OK;
    if (!nd_fingerprint_fits(out->fingerprint, in->bits)) return fail_too_many_bits(in, error);
    out->document = in->position++;
    return ND_OK;
}

nd_status nd_fingerprint_reader_read(nd_fingerprint_reader *in, nd_fingerprint *out, size_t most,
                                     size_t *count, nd_error *error) {
    const size_t size = size_of(in);
    for (*count = 0; *count < most;) {
        uint64_t ready = in->source.words ? in->source.count - in->position
                                          : (in->raw_size - in->raw_at) / size;
        if (ready == 0) {
            nd_fingerprinted given;
            bool more;
            ND_TRY(nd_fingerprint_reader_next(in, &given, &more, error));
            if (!more) return ND_OK;
            out[(*count)++] = given.fingerprint;
            continue;
        }
        size_t some = most - *count < ready ? most - *count : (size_t)ready;
        for (size_t i = 0; i < some; i++, in->position++) {
            nd_fingerprint f = in->source.words ? word_at(in, in->position)
                                                : load_raw(in->raw + in->raw_at + i * size, size);
            if (!nd_fingerprint_fits(f, in->bits)) return fail_too_many_bits(in, error);
            out[(*count)++] = f;
        }
        if (!in->source.words) in->raw_at += some * size;
    }
    return ND_OK;
}

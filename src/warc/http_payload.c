#include "warc/http_payload.h"

#include <limits.h>
#include <string.h>

#ifdef ND_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef ND_WITH_BROTLI
#include <brotli/decode.h>
#endif

/* More codings than MOST_CODINGS are an attack: each of them reads the whole payload. */
enum { FIRST_ROOM = 1 << 16, MOST_CODINGS = 8 };

/* One coding at work. */
typedef struct coding {
    nd_span in;
    size_t limit;
    bool cut_off;
    char **bytes; /* the output */
    size_t *capacity, size;
    const nd_allocator *allocator;
} coding;

#if defined(ND_WITH_ZLIB) || defined(ND_WITH_BROTLI)
/* Makes room for more output. */
static nd_payload_problem grow(coding *c) {
    size_t want = *c->capacity < FIRST_ROOM ? FIRST_ROOM : *c->capacity + 1;
    if (c->size < *c->capacity) return ND_PAYLOAD_FINE;
    if (c->size > c->limit) return ND_PAYLOAD_OVER;
    return nd_reserve(c->allocator, c->bytes, c->capacity, want) ? ND_PAYLOAD_FINE
                                                                 : ND_PAYLOAD_NO_MEMORY;
}
#endif

/* ---- chunked (RFC 9112, 7.1) */

/* Reads the size of a chunk and moves *at behind its line. False: there is none. */
static bool read_chunk_size(nd_span in, size_t *at, uint64_t *size) {
    const char *newline = memchr(in.bytes + *at, '\n', in.length - *at);
    size_t digits = 0;
    *size = 0;
    for (; newline && in.bytes + *at < newline; (*at)++, digits++) {
        char byte = in.bytes[*at], letter = (char)(byte | 0x20);
        unsigned digit = byte >= '0' && byte <= '9'       ? (unsigned)(byte - '0')
                         : letter >= 'a' && letter <= 'f' ? (unsigned)(letter - 'a' + 10)
                                                          : 16;
        if (digit == 16) break;
        if (digits >= 15) return false;
        *size = *size * 16 + digit;
    }
    if (!newline || digits == 0) return false;
    char behind = in.bytes[*at]; /* a blank, an extension, or the end of the line */
    *at = (size_t)(newline - in.bytes) + 1;
    return strchr("\r\n ;\t", behind) && behind != 0;
}

/* Whether the body begins with a chunk, and its end is where the chunk says. */
static bool is_chunked(nd_span body) {
    size_t at = 0;
    uint64_t size;
    if (body.length == 0 || !read_chunk_size(body, &at, &size)) return false;
    return size >= body.length - at || strchr("\r\n", body.bytes[at + (size_t)size]);
}

static nd_payload_problem join_chunks(coding *c) {
    nd_payload_problem missing = c->cut_off ? ND_PAYLOAD_FINE : ND_PAYLOAD_DAMAGED;
    if (!nd_reserve(c->allocator, c->bytes, c->capacity, c->in.length)) return ND_PAYLOAD_NO_MEMORY;
    for (size_t at = 0;;) {
        uint64_t size;
        if (at >= c->in.length || !read_chunk_size(c->in, &at, &size)) return missing;
        if (size == 0) return c->size > c->limit ? ND_PAYLOAD_OVER : ND_PAYLOAD_FINE;
        size_t left = c->in.length - at, taken = size < left ? (size_t)size : left;
        memcpy(*c->bytes + c->size, c->in.bytes + at, taken);
        c->size += taken;
        if (taken == left) return missing;
        at += taken;
        if (c->in.bytes[at] == '\r') at++;
        if (at < c->in.length && c->in.bytes[at] == '\n') at++;
    }
}

/* ---- gzip and deflate */

/* The codings of zlib, by the first bytes: "deflate" is written with zlib's header and without. */
typedef enum zlib_coding { ZLIB_NONE, ZLIB_GZIP, ZLIB_ZLIB, ZLIB_RAW } zlib_coding;

static zlib_coding zlib_coding_of(nd_span body, bool deflate) {
    const unsigned char *first = (const unsigned char *)body.bytes;
    if (body.length < 2) return ZLIB_NONE;
    if (first[0] == 0x1f && first[1] == 0x8b) return ZLIB_GZIP;
    if (!deflate) return ZLIB_NONE;
    bool header = (first[0] & 0x0f) == 8 && (first[0] * 256 + first[1]) % 31 == 0;
    /* The first block of a text is no stored one, and its type is not the reserved one. */
    bool raw = (first[0] >> 1 & 3) == 1 || (first[0] >> 1 & 3) == 2;
    return header ? ZLIB_ZLIB : raw && first[0] != '<' ? ZLIB_RAW : ZLIB_NONE;
}

#ifdef ND_WITH_ZLIB

static void *allocate_for_zlib(void *allocator, uInt count, uInt size) {
    return nd_allocate(allocator, count, size);
}

static void release_for_zlib(void *allocator, void *memory) { nd_release(allocator, memory); }

static nd_payload_problem inflate_all(coding *c, z_stream *stream) {
    stream->next_in = (z_const Bytef *)(uintptr_t)c->in.bytes;
    stream->avail_in = (uInt)c->in.length;
    for (;;) {
        nd_payload_problem problem = grow(c);
        if (problem != ND_PAYLOAD_FINE) return problem;
        size_t room = *c->capacity - c->size;
        stream->next_out = (Bytef *)*c->bytes + c->size;
        stream->avail_out = room < INT_MAX ? (uInt)room : INT_MAX;
        uInt before = stream->avail_out;
        int result = inflate(stream, Z_NO_FLUSH);
        c->size += before - stream->avail_out;
        /* Several members stand for their texts, one behind the other. */
        if (result == Z_STREAM_END && stream->avail_in > 18 && stream->next_in[0] == 0x1f &&
            stream->next_in[1] == 0x8b)
            result = inflateReset(stream);
        else if (result == Z_STREAM_END)
            return c->size > c->limit ? ND_PAYLOAD_OVER : ND_PAYLOAD_FINE;
        if (result == Z_MEM_ERROR) return ND_PAYLOAD_NO_MEMORY;
        if (result == Z_BUF_ERROR && stream->avail_in == 0 && stream->avail_out > 0)
            return c->cut_off ? ND_PAYLOAD_FINE : ND_PAYLOAD_DAMAGED;
        if (result != Z_OK && result != Z_BUF_ERROR) return ND_PAYLOAD_DAMAGED;
    }
}

static nd_payload_problem decode_zlib(coding *c, zlib_coding kind) {
    nd_allocator allocator = *c->allocator;
    z_stream stream = {
        .zalloc = allocate_for_zlib, .zfree = release_for_zlib, .opaque = &allocator};
    int bits = kind == ZLIB_GZIP ? MAX_WBITS + 16 : kind == ZLIB_ZLIB ? MAX_WBITS : -MAX_WBITS;
    if (c->in.length > INT_MAX) return ND_PAYLOAD_OVER;
    if (inflateInit2(&stream, bits) != Z_OK) return ND_PAYLOAD_NO_MEMORY;
    nd_payload_problem problem = inflate_all(c, &stream);
    inflateEnd(&stream);
    return problem;
}

#else

static nd_payload_problem decode_zlib(coding *c, zlib_coding kind) {
    (void)c;
    (void)kind;
    return ND_PAYLOAD_UNKNOWN;
}

#endif

/* ---- br */

#ifdef ND_WITH_BROTLI

static void *allocate_for_brotli(void *allocator, size_t size) {
    return nd_allocate(allocator, size, 1);
}

static void release_for_brotli(void *allocator, void *memory) { nd_release(allocator, memory); }

static nd_payload_problem decode_brotli(coding *c) {
    nd_allocator allocator = *c->allocator;
    BrotliDecoderState *state = BrotliDecoderCreateInstance(allocate_for_brotli, release_for_brotli,
                                                            &allocator);
    if (!state) return ND_PAYLOAD_NO_MEMORY;
    const uint8_t *in = (const uint8_t *)c->in.bytes;
    size_t left = c->in.length;
    nd_payload_problem problem;
    BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
    while ((problem = grow(c)) == ND_PAYLOAD_FINE &&
           result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
        uint8_t *out = (uint8_t *)*c->bytes + c->size;
        size_t room = *c->capacity - c->size;
        result = BrotliDecoderDecompressStream(state, &left, &in, &room, &out, NULL);
        c->size = *c->capacity - room;
    }
    BrotliDecoderDestroyInstance(state);
    if (problem != ND_PAYLOAD_FINE) return problem;
    bool whole = result == BROTLI_DECODER_RESULT_SUCCESS ||
                 (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT && c->cut_off);
    if (c->size > c->limit) return ND_PAYLOAD_OVER;
    return whole ? ND_PAYLOAD_FINE : ND_PAYLOAD_DAMAGED;
}

#else

static nd_payload_problem decode_brotli(coding *c) {
    (void)c;
    return ND_PAYLOAD_UNKNOWN;
}

#endif

/* ---- all codings */

/* Decodes one coding. *done false: the body does not have it. That raw deflate and br are there is
 * a guess, for they have no mark: where they fail at once, the body is taken as it is. */
static nd_payload_problem decode(coding *c, nd_span name, bool *done) {
    bool gzip = nd_span_is(name, "gzip") || nd_span_is(name, "x-gzip"),
         deflate = nd_span_is(name, "deflate");
    zlib_coding zlib = gzip || deflate ? zlib_coding_of(c->in, deflate) : ZLIB_NONE;
    bool chunked = nd_span_is(name, "chunked") && is_chunked(c->in);
    bool br = nd_span_is(name, "br") && c->in.length > 0 && c->in.bytes[0] != '<';
    bool plain = gzip || deflate || name.length == 0 || nd_span_is(name, "chunked") ||
                 nd_span_is(name, "br") || nd_span_is(name, "identity");
    nd_payload_problem problem = chunked             ? join_chunks(c)
                                 : zlib != ZLIB_NONE ? decode_zlib(c, zlib)
                                 : br                ? decode_brotli(c)
                                 : plain             ? ND_PAYLOAD_FINE
                                                     : ND_PAYLOAD_UNKNOWN;
    *done = chunked || zlib != ZLIB_NONE || br;
    if (problem != ND_PAYLOAD_DAMAGED || !(br || zlib == ZLIB_RAW) || c->size > 0) return problem;
    *done = false;
    return ND_PAYLOAD_FINE;
}

/* Takes the last name of a list off it. */
static nd_span take_last(nd_span *list) {
    size_t at = list->length;
    while (at > 0 && list->bytes[at - 1] != ',') at--;
    nd_span last = {list->bytes + at, list->length - at};
    list->length = at > 0 ? at - 1 : 0;
    return nd_span_trim(last);
}

nd_payload_problem nd_payload_decode(nd_payload_decoder *decoder, const nd_http_message *message,
                                     nd_span body, size_t limit, bool cut_off,
                                     const nd_allocator *allocator, nd_span *out) {
    nd_span lists[] = {message->transfer, message->encoding};
    *out = body;
    for (size_t i = 0, steps = 0, names = 0; i < 2;) {
        if (lists[i].length == 0) {
            i++;
            continue;
        }
        if (++names > MOST_CODINGS) return ND_PAYLOAD_DAMAGED;
        coding c = {.in = *out,
                    .limit = limit,
                    .cut_off = cut_off,
                    .bytes = &decoder->buffers[steps % 2].bytes,
                    .capacity = &decoder->buffers[steps % 2].capacity,
                    .allocator = allocator};
        bool done;
        nd_payload_problem problem = decode(&c, take_last(&lists[i]), &done);
        if (problem != ND_PAYLOAD_FINE) return problem;
        if (!done) continue;
        *out = (nd_span){*c.bytes, c.size};
        steps++;
    }
    return ND_PAYLOAD_FINE;
}

const char *nd_payload_fault(nd_payload_problem problem) {
    switch (problem) {
    case ND_PAYLOAD_FINE: return "";
    case ND_PAYLOAD_OVER: return "the payload, decoded, is over the limit of a record";
    case ND_PAYLOAD_DAMAGED: return "the payload's coding is damaged, or its end is missing";
    case ND_PAYLOAD_UNKNOWN: return "the payload has a coding that this build does not read";
    case ND_PAYLOAD_NO_MEMORY: break;
    }
    return "out of memory for the payload";
}

void nd_payload_decoder_free(nd_payload_decoder *decoder, const nd_allocator *allocator) {
    for (size_t i = 0; i < 2; i++) nd_release(allocator, decoder->buffers[i].bytes);
    *decoder = (nd_payload_decoder){0};
}

/* This file reads the headers and trailers of the members byte by byte (RFC 1952); ISA-L or zlib
 * inflates the deflate data between them as a raw stream. So every member's CRC and length are
 * checked in one place, and the end of a buffer may fall anywhere.
 *
 * ISA-L reads ahead into a 64-bit register. At the end of a member the whole bytes that are left in
 * it are put back into the source. */
#include "io/gzip_in.h"

#if defined(ND_WITH_ISAL) || defined(ND_WITH_ZLIB)

#ifdef ND_WITH_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

enum {
    header_crc = 2,
    header_extra = 4,
    header_name = 8,
    header_comment = 16,
    header_reserved = 0xe0
};

/* The part of the file that the next byte belongs to. */
typedef enum gzip_state { AT_MEMBER, IN_DATA, AT_TRAILER, AT_END } gzip_state;

struct nd_gzip_in {
    nd_allocator allocator;
    nd_byte_source *source;
    gzip_state state;
    bool any_member;    /* a member has been read to its end */
    uint64_t member;    /* where the latest one begins */
    uint64_t delivered; /* bytes of its output so far */
    uint32_t crc;       /* of the member's output so far */
    uint32_t length;    /* of the member's output so far, modulo 2^32 */
    uint32_t crc_head;  /* of the member's header so far */
#ifdef ND_WITH_ISAL
    struct inflate_state inflate;
#else
    z_stream inflate;
#endif
};

static nd_status damaged(const nd_gzip_in *gzip, nd_error *error, const char *what) {
    return nd_fail(error, ND_ERR_INPUT, "%s: damaged gzip stream at compressed byte %llu: %s",
                   gzip->source->name, (unsigned long long)nd_byte_source_offset(gzip->source),
                   what);
}

static nd_status truncated(const nd_gzip_in *gzip, nd_error *error) {
    return nd_fail(error, ND_ERR_INPUT, "%s: truncated gzip stream at compressed byte %llu",
                   gzip->source->name, (unsigned long long)gzip->source->position);
}

/* ---------------------------------------------------------------- the two engines */

static uint32_t checksum(uint32_t crc, const unsigned char *bytes, size_t size) {
#ifdef ND_WITH_ISAL
    return crc32_gzip_refl(crc, bytes, size);
#else
    return (uint32_t)crc32_z(crc, bytes, size);
#endif
}

#ifdef ND_WITH_ISAL

static nd_status engine_open(nd_gzip_in *gzip, nd_error *error) {
    (void)error;
    isal_inflate_init(&gzip->inflate);
    return ND_OK;
}

static void engine_close(nd_gzip_in *gzip) { (void)gzip; }

static void engine_restart(nd_gzip_in *gzip) {
    isal_inflate_init(&gzip->inflate);
    gzip->inflate.crc_flag = ISAL_DEFLATE;
}

enum { LONGEST_MATCH = 258 }; /* RFC 1951 */

static const char *engine_problem(int result) {
    switch (result) {
    case ISAL_INVALID_BLOCK: return "invalid block";
    case ISAL_INVALID_SYMBOL: return "invalid symbol";
    case ISAL_INVALID_LOOKBACK: return "a match reaches too far back";
    default: return "invalid data";
    }
}

/* Inflates from the source's buffer until it is empty, `out` is full or the data end. */
static nd_status engine_step(nd_gzip_in *gzip, unsigned char *out, uint32_t size, uint32_t *got,
                             bool *ended, nd_error *error) {
    struct inflate_state *state = &gzip->inflate;
    nd_byte_source *source = gzip->source;
    state->next_in = source->buffer + source->begin;
    state->avail_in = (uint32_t)(source->end - source->begin);
    state->next_out = out;
    state->avail_out = size;
    int result = isal_inflate(state);
    source->begin = source->end - state->avail_in;
    *got = size - state->avail_out;
    *ended = state->block_state == ISAL_BLOCK_FINISH;
    /* ISA-L counts such a match, but has not written it. */
    if (result == ISAL_INVALID_LOOKBACK) *got -= *got < LONGEST_MATCH ? *got : LONGEST_MATCH;
    if (result < 0) return damaged(gzip, error, engine_problem(result));
    if (*ended) {
        uint64_t bits = state->read_in >> (state->read_in_length & 7);
        size_t bytes = (size_t)(state->read_in_length >> 3);
        unsigned char left[8];
        for (size_t i = 0; i < bytes; i++) left[i] = (unsigned char)(bits >> (8 * i));
        nd_byte_source_put_back(source, left, bytes);
    }
    return ND_OK;
}

#else

static nd_status engine_open(nd_gzip_in *gzip, nd_error *error) {
    gzip->inflate = (z_stream){0};
    if (inflateInit2(&gzip->inflate, -MAX_WBITS) != Z_OK)
        return nd_fail(error, ND_ERR_MEMORY, "out of memory for zlib's decompressor");
    return ND_OK;
}

static void engine_close(nd_gzip_in *gzip) { inflateEnd(&gzip->inflate); }

static void engine_restart(nd_gzip_in *gzip) { inflateReset(&gzip->inflate); }

static nd_status engine_step(nd_gzip_in *gzip, unsigned char *out, uint32_t size, uint32_t *got,
                             bool *ended, nd_error *error) {
    z_stream *state = &gzip->inflate;
    nd_byte_source *source = gzip->source;
    state->next_in = source->buffer + source->begin;
    state->avail_in = (uInt)(source->end - source->begin);
    state->next_out = out;
    state->avail_out = size;
    int result = inflate(state, Z_NO_FLUSH);
    source->begin = source->end - state->avail_in;
    *got = size - state->avail_out;
    *ended = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR)
        return nd_fail(error, ND_ERR_MEMORY, "out of memory for zlib's decompressor");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return damaged(gzip, error, state->msg ? state->msg : "invalid data");
    return ND_OK;
}

#endif

/* ---------------------------------------------------------------- headers and trailers */

static nd_status take_byte(nd_gzip_in *gzip, unsigned *byte, nd_error *error) {
    bool more;
    ND_TRY(nd_byte_source_fill(gzip->source, &more, error));
    if (!more) return truncated(gzip, error);
    unsigned char c = gzip->source->buffer[gzip->source->begin++];
    gzip->crc_head = checksum(gzip->crc_head, &c, 1);
    *byte = c;
    return ND_OK;
}

/* Reads a number of `count` bytes, the lowest byte first. */
static nd_status take_number(nd_gzip_in *gzip, int count, uint32_t *number, nd_error *error) {
    *number = 0;
    for (int i = 0; i < count; i++) {
        unsigned byte = 0;
        ND_TRY(take_byte(gzip, &byte, error));
        *number |= (uint32_t)byte << (8 * i);
    }
    return ND_OK;
}

static nd_status skip_bytes(nd_gzip_in *gzip, uint32_t count, nd_error *error) {
    for (unsigned byte; count > 0; count--) ND_TRY(take_byte(gzip, &byte, error));
    return ND_OK;
}

static nd_status skip_text(nd_gzip_in *gzip, nd_error *error) {
    unsigned byte;
    do ND_TRY(take_byte(gzip, &byte, error));
    while (byte != 0);
    return ND_OK;
}

/* Reads the header behind the two magic bytes: method, flags, and the fields that the flags
 * announce. */
static nd_status take_header(nd_gzip_in *gzip, nd_error *error) {
    unsigned method, flags;
    ND_TRY(take_byte(gzip, &method, error));
    if (method != 8) return damaged(gzip, error, "unknown compression method");
    ND_TRY(take_byte(gzip, &flags, error));
    if (flags & header_reserved) return damaged(gzip, error, "unknown header flags");
    ND_TRY(skip_bytes(gzip, 6, error)); /* time, extra flags, system */
    if (flags & header_extra) {
        uint32_t size;
        ND_TRY(take_number(gzip, 2, &size, error));
        ND_TRY(skip_bytes(gzip, size, error));
    }
    if (flags & header_name) ND_TRY(skip_text(gzip, error));
    if (flags & header_comment) ND_TRY(skip_text(gzip, error));
    if (flags & header_crc) {
        uint32_t is = gzip->crc_head & 0xffff, wanted;
        ND_TRY(take_number(gzip, 2, &wanted, error));
        if (is != wanted) return damaged(gzip, error, "the header's checksum does not match");
    }
    engine_restart(gzip);
    gzip->crc = 0;
    gzip->length = 0;
    gzip->state = IN_DATA;
    return ND_OK;
}

static nd_status take_trailer(nd_gzip_in *gzip, nd_error *error) {
    uint32_t crc, length;
    ND_TRY(take_number(gzip, 4, &crc, error));
    ND_TRY(take_number(gzip, 4, &length, error));
    if (crc != gzip->crc) return damaged(gzip, error, "the checksum does not match");
    if (length != gzip->length) return damaged(gzip, error, "the length does not match");
    gzip->any_member = true;
    gzip->state = AT_MEMBER;
    return ND_OK;
}

/* Skips zeros, which must go on to the end of the file. */
static nd_status take_padding(nd_gzip_in *gzip, nd_error *error) {
    nd_byte_source *source = gzip->source;
    for (;;) {
        bool more;
        ND_TRY(nd_byte_source_fill(source, &more, error));
        if (!more) break;
        while (source->begin < source->end && source->buffer[source->begin] == 0) source->begin++;
        if (source->begin < source->end)
            return damaged(gzip, error, "neither zeros nor another member behind the last one");
    }
    gzip->state = AT_END;
    return ND_OK;
}

/* Reads between members: the start of another member, padding, or the end. */
static nd_status take_start(nd_gzip_in *gzip, nd_error *error) {
    bool more;
    gzip->member = nd_byte_source_offset(gzip->source);
    gzip->delivered = 0;
    ND_TRY(nd_byte_source_fill(gzip->source, &more, error));
    if (!more) {
        gzip->state = AT_END;
        return ND_OK;
    }
    unsigned char first = gzip->source->buffer[gzip->source->begin];
    if (first == 0 && gzip->any_member) return take_padding(gzip, error);
    if (first != 0x1f)
        return damaged(gzip, error, "neither zeros nor another member behind the last one");
    unsigned byte;
    gzip->crc_head = 0;
    ND_TRY(take_byte(gzip, &byte, error));
    ND_TRY(take_byte(gzip, &byte, error));
    if (byte != 0x8b)
        return damaged(gzip, error, "neither zeros nor another member behind the last one");
    return take_header(gzip, error);
}

/* ---------------------------------------------------------------- reading */

static nd_status take_data(nd_gzip_in *gzip, unsigned char *out, size_t size, size_t *got,
                           nd_error *error) {
    uint32_t step = size < (size_t)1 << 30 ? (uint32_t)size : (uint32_t)1 << 30, made = 0;
    bool ended = false, more = true;
    nd_status status = engine_step(gzip, out, step, &made, &ended, error);
    gzip->crc = checksum(gzip->crc, out, made);
    gzip->length += made;
    gzip->delivered += made;
    *got = made;
    if (status != ND_OK) return status;
    if (ended) {
        gzip->state = AT_TRAILER;
        return ND_OK;
    }
    if (made == step) return ND_OK;
    /* The output has room left, so the engine needs more input. */
    status = nd_byte_source_fill(gzip->source, &more, error);
    return status == ND_OK && !more ? truncated(gzip, error) : status;
}

nd_status nd_gzip_in_read_member(nd_gzip_in *gzip, void *buffer, size_t size, size_t *got,
                                 bool *ended, nd_error *error) {
    unsigned char *out = buffer;
    *got = 0;
    *ended = false;
    nd_status status = ND_OK;
    while (status == ND_OK && (*got < size || gzip->state == AT_TRAILER) && gzip->state != AT_END &&
           !*ended) {
        size_t made = 0;
        if (gzip->state == AT_MEMBER) status = take_start(gzip, error);
        else if (gzip->state == IN_DATA)
            status = take_data(gzip, out + *got, size - *got, &made, error);
        else {
            status = take_trailer(gzip, error);
            *ended = status == ND_OK;
        }
        *got += made;
    }
    return status;
}

nd_status nd_gzip_in_read(nd_gzip_in *gzip, void *buffer, size_t size, size_t *got,
                          nd_error *error) {
    unsigned char *out = buffer;
    bool ended = true;
    nd_status status = ND_OK;
    for (*got = 0; status == ND_OK && *got < size && ended;) {
        size_t made;
        status = nd_gzip_in_read_member(gzip, out + *got, size - *got, &made, &ended, error);
        *got += made;
    }
    return status;
}

nd_status nd_gzip_in_open(nd_byte_source *source, const nd_allocator *allocator, nd_gzip_in **out,
                          nd_error *error) {
    nd_gzip_in *gzip = nd_allocate(allocator, 1, sizeof *gzip);
    if (!gzip) return nd_fail_memory(error, sizeof *gzip, "a gzip decompressor");
    gzip->allocator = *allocator;
    gzip->source = source;
    gzip->state = AT_MEMBER;
    gzip->any_member = false;
    gzip->member = gzip->delivered = 0;
    nd_status status = engine_open(gzip, error);
    if (status != ND_OK) {
        nd_release(allocator, gzip);
        return status;
    }
    *out = gzip;
    return ND_OK;
}

void nd_gzip_in_close(nd_gzip_in *gzip) {
    if (!gzip) return;
    nd_allocator allocator = gzip->allocator;
    engine_close(gzip);
    nd_release(&allocator, gzip);
}

uint64_t nd_gzip_in_member(const nd_gzip_in *gzip, uint64_t *delivered) {
    *delivered = gzip->delivered;
    return gzip->member;
}

#else

nd_status nd_gzip_in_open(nd_byte_source *source, const nd_allocator *allocator, nd_gzip_in **out,
                          nd_error *error) {
    (void)allocator;
    (void)out;
    return nd_fail(error, ND_ERR_UNSUPPORTED,
                   "%s: this build has neither ISA-L nor zlib: gzip cannot be read", source->name);
}

void nd_gzip_in_close(nd_gzip_in *gzip) { (void)gzip; }

nd_status nd_gzip_in_read(nd_gzip_in *gzip, void *buffer, size_t size, size_t *got,
                          nd_error *error) {
    (void)gzip;
    (void)buffer;
    (void)size;
    *got = 0;
    return nd_fail(error, ND_ERR_UNSUPPORTED,
                   "this build has neither ISA-L nor zlib: gzip cannot be read");
}

nd_status nd_gzip_in_read_member(nd_gzip_in *gzip, void *buffer, size_t size, size_t *got,
                                 bool *ended, nd_error *error) {
    *ended = false;
    return nd_gzip_in_read(gzip, buffer, size, got, error);
}

uint64_t nd_gzip_in_member(const nd_gzip_in *gzip, uint64_t *delivered) {
    (void)gzip;
    *delivered = 0;
    return 0;
}

#endif

/* ---- behind damage */

static bool begins_member(const unsigned char *bytes) { return nd_gzip_begins_member(bytes); }

static nd_status read_first(void *decoder, nd_byte_source *source, const nd_allocator *allocator,
                            char *first, size_t size, size_t *got, nd_error *error) {
    (void)decoder;
    bool ended;
    nd_error ignored;
    nd_gzip_in *gzip = NULL;
    ND_TRY(nd_gzip_in_open(source, allocator, &gzip, error));
    (void)!nd_gzip_in_read_member(gzip, first, size, got, &ended, &ignored);
    nd_gzip_in_close(gzip);
    return ND_OK;
}

const nd_member_kind nd_gzip_member_kind = {
    .head = ND_GZIP_HEADER, .begins = begins_member, .read_first = read_first};

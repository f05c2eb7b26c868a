#include "io/gzip_members.h"

#include "base/limits.h"
#include "io/gzip_in.h"

/* What libdeflate refuses, nd_gzip_in must read. */
#if defined(ND_WITH_DEFLATE) && (defined(ND_WITH_ISAL) || defined(ND_WITH_ZLIB))
#define BY_LIBDEFLATE
#include <libdeflate.h>
#endif

enum { ROOM = ND_LIMIT(512 << 10, 300) };

/* Makes room for more output than there is. */
static nd_status make_room(nd_gzip_output *out, size_t most, nd_error *error) {
    if (out->capacity > most) return nd_fail(error, ND_ERR_INPUT, "more output than is wanted");
    return nd_reserve(out->allocator, &out->bytes, &out->capacity, out->capacity + ROOM)
               ? ND_OK
               : nd_fail_memory(error, out->capacity + ROOM, "decompressed members");
}

#ifdef BY_LIBDEFLATE

/* The flag of a header that has a checksum, which libdeflate does not compare. */
enum { FLAGS_AT = 3, HAS_CHECKSUM = 2 };

bool nd_gzip_members_are_fast(void) { return true; }

/* A member that does not fit is decoded again, from its beginning, into more room. */
static nd_status decode_member(struct libdeflate_decompressor *decompressor,
                               const unsigned char *in, size_t size, size_t most,
                               nd_gzip_output *out, size_t *used, nd_error *error) {
    size_t made = 0;
    if (size > FLAGS_AT && (in[FLAGS_AT] & HAS_CHECKSUM))
        return nd_fail(error, ND_ERR_INPUT, "a header with a checksum");
    for (;;) {
        enum libdeflate_result result = libdeflate_gzip_decompress_ex(
            decompressor, in, size, out->bytes + out->size, out->capacity - out->size, used, &made);
        out->size += made;
        if (result == LIBDEFLATE_SUCCESS) return ND_OK;
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
            return nd_fail(error, ND_ERR_INPUT, "a damaged member");
        ND_TRY(make_room(out, most, error));
    }
}

nd_status nd_gzip_members_decode(unsigned char *in, size_t size, size_t most, nd_gzip_output *out,
                                 nd_error *error) {
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor) return nd_fail_memory(error, size, "a gzip decompressor");
    nd_status status = out->capacity == 0 ? make_room(out, most, error) : ND_OK;
    for (size_t at = 0, used = 0; status == ND_OK && at < size; at += used)
        status = decode_member(decompressor, in + at, size - at, most, out, &used, error);
    libdeflate_free_decompressor(decompressor);
    return status;
}

#else

bool nd_gzip_members_are_fast(void) { return false; }

/* Zeros behind the last member are left to the caller, who knows whether they may be there. */
static nd_status decode_all(nd_byte_source *source, nd_gzip_in *gzip, size_t most,
                            nd_gzip_output *out, nd_error *error) {
    bool ended = false;
    for (size_t got = 1; !ended || source->begin < source->end; out->size += got) {
        if (got == 0 && !ended) return nd_fail(error, ND_ERR_INPUT, "no member");
        if (out->size == out->capacity) ND_TRY(make_room(out, most, error));
        ND_TRY(nd_gzip_in_read_member(gzip, out->bytes + out->size, out->capacity - out->size, &got,
                                      &ended, error));
    }
    return ND_OK;
}

nd_status nd_gzip_members_decode(unsigned char *in, size_t size, size_t most, nd_gzip_output *out,
                                 nd_error *error) {
    nd_byte_source source = {.fd = -1,
                             .name = "",
                             .ended = true,
                             .buffer = in - ND_SOURCE_SLACK,
                             .begin = ND_SOURCE_SLACK,
                             .end = ND_SOURCE_SLACK + size};
    nd_gzip_in *gzip = NULL;
    ND_TRY(nd_gzip_in_open(&source, out->allocator, &gzip, error));
    nd_status status = decode_all(&source, gzip, most, out, error);
    nd_gzip_in_close(gzip);
    return status;
}

#endif

#include "io/zstd_in.h"

#ifdef ND_WITH_ZSTD

#include <zstd.h>
#include <zstd_errors.h>

struct nd_zstd_in {
    nd_allocator allocator;
    nd_byte_source *source;
    bool inside; /* a frame has begun and not ended */
    bool ended;
    ZSTD_DCtx *context;
};

nd_status nd_zstd_in_open(nd_byte_source *source, const nd_allocator *allocator, nd_zstd_in **out, nd_error *error) {
    nd_zstd_in *zstd = nd_allocate(allocator, 1, sizeof *zstd);
    if (!zstd) return nd_fail_memory(error, sizeof *zstd, "a Zstandard decompressor");
    *zstd = (nd_zstd_in){.allocator = *allocator, .source = source, .context = ZSTD_createDCtx()};
    if (!zstd->context) {
        nd_zstd_in_close(zstd);
        return nd_fail(error, ND_ERR_MEMORY, "out of memory for libzstd's decompressor");
    }
    /* Frames may name a window of up to 2 GiB (zstd --long=31, common for dumps); libzstd alone would refuse those above 128 MiB. */
    ZSTD_bounds window = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    if (!ZSTD_isError(window.error)) ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax, window.upperBound);
    *out = zstd;
    return ND_OK;
}

void nd_zstd_in_close(nd_zstd_in *zstd) {
    if (!zstd) return;
    nd_allocator allocator = zstd->allocator;
    ZSTD_freeDCtx(zstd->context);
    nd_release(&allocator, zstd);
}

static nd_status failed(const nd_zstd_in *zstd, size_t result, nd_error *error) {
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) return nd_fail(error, ND_ERR_MEMORY, "out of memory for libzstd's decompressor");
    return nd_fail(error, ND_ERR_INPUT, "%s: damaged Zstandard stream at compressed byte %llu: %s", zstd->source->name,
                   (unsigned long long)nd_byte_source_offset(zstd->source), ZSTD_getErrorName(result));
}

nd_status nd_zstd_in_read(nd_zstd_in *zstd, void *buffer, size_t size, size_t *got, nd_error *error) {
    nd_byte_source *source = zstd->source;
    ZSTD_outBuffer out = {buffer, size, 0};
    nd_status status = ND_OK;
    while (status == ND_OK && out.pos < out.size && !zstd->ended) {
        if (zstd->inside || source->begin < source->end) {
            ZSTD_inBuffer in = {source->buffer, source->end, source->begin};
            size_t result = ZSTD_decompressStream(zstd->context, &out, &in);
            source->begin = in.pos;
            if (ZSTD_isError(result)) {
                status = failed(zstd, result, error);
                break;
            }
            zstd->inside = result != 0;
            if (out.pos == out.size) break;
        }
        /* There is room left, so libzstd has given all that it can from what it has. */
        bool more;
        status = nd_byte_source_fill(source, &more, error);
        if (status != ND_OK || more) continue;
        zstd->ended = true;
        if (zstd->inside)
            status = nd_fail(error, ND_ERR_INPUT, "%s: truncated Zstandard stream at compressed byte %llu", source->name,
                             (unsigned long long)source->position);
    }
    *got = out.pos;
    return status;
}

#else

nd_status nd_zstd_in_open(nd_byte_source *source, const nd_allocator *allocator, nd_zstd_in **out, nd_error *error) {
    (void)allocator;
    (void)out;
    return nd_fail(error, ND_ERR_UNSUPPORTED, "%s: this build has no libzstd: Zstandard cannot be read", source->name);
}

void nd_zstd_in_close(nd_zstd_in *zstd) { (void)zstd; }

nd_status nd_zstd_in_read(nd_zstd_in *zstd, void *buffer, size_t size, size_t *got, nd_error *error) {
    (void)zstd;
    (void)buffer;
    (void)size;
    *got = 0;
    return nd_fail(error, ND_ERR_UNSUPPORTED, "this build has no libzstd: Zstandard cannot be read");
}

#endif

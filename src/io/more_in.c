/* All three have one loop: a step of the library takes bytes of the source and gives bytes of the
 * output, until it needs more input, or the output is full. */
#include "io/more_in.h"

#ifdef ND_WITH_BZIP2
#include <bzlib.h>
#endif
#ifdef ND_WITH_LZMA
#include <lzma.h>
#endif
#ifdef ND_WITH_LZ4
#include <lz4frame.h>
#endif

/* A decoder, its input and its output. */
typedef struct step {
    const unsigned char *in;
    unsigned char *out;
    size_t in_size, out_size; /* bytes that are left of both */
    bool last;                /* no further input comes */
} step;

typedef enum outcome { GOES_ON, STREAM_ENDS, DAMAGED, NEEDS_MEMORY, TOO_LARGE } outcome;

/* The functions of a library. */
typedef struct library {
    const char *name; /* of the format */
    bool (*begin)(nd_more_in *in);
    outcome (*decode)(nd_more_in *in, step *s);
    void (*end)(nd_more_in *in);
} library;

struct nd_more_in {
    nd_allocator allocator;
    nd_byte_source *source;
    const library *library;
    uint64_t window; /* most bytes of the decoder's memory */
    bool began;      /* the library's state exists */
    bool inside;     /* a stream has begun and not ended */
    bool ended;
    bool refused; /* nd_more_in_refused */
    union {
#ifdef ND_WITH_BZIP2
        bz_stream bzip2;
#endif
#ifdef ND_WITH_LZMA
        lzma_stream lzma;
#endif
#ifdef ND_WITH_LZ4
        LZ4F_dctx *lz4;
#endif
        char none;
    } state;
};

/* ---- bzip2 */

#ifdef ND_WITH_BZIP2
static bool begin_bzip2(nd_more_in *in) {
    in->state.bzip2 = (bz_stream){.opaque = NULL};
    return BZ2_bzDecompressInit(&in->state.bzip2, 0, 0) == BZ_OK;
}

static unsigned int at_most_32_bits(size_t size) {
    return size < UINT32_MAX ? (unsigned int)size : UINT32_MAX;
}

static outcome decode_bzip2(nd_more_in *in, step *s) {
    bz_stream *z = &in->state.bzip2;
    unsigned int input = at_most_32_bits(s->in_size), output = at_most_32_bits(s->out_size);
    z->next_in = (char *)(uintptr_t)s->in;
    z->avail_in = input;
    z->next_out = (char *)s->out;
    z->avail_out = output;
    int result = BZ2_bzDecompress(z);
    s->in += input - z->avail_in;
    s->in_size -= input - z->avail_in;
    s->out += output - z->avail_out;
    s->out_size -= output - z->avail_out;
    if (result == BZ_MEM_ERROR) return NEEDS_MEMORY;
    if (result == BZ_STREAM_END) return STREAM_ENDS;
    return result == BZ_OK ? GOES_ON : DAMAGED;
}

static void end_bzip2(nd_more_in *in) { BZ2_bzDecompressEnd(&in->state.bzip2); }
#endif

/* ---- xz */

#ifdef ND_WITH_LZMA
static bool begin_xz(nd_more_in *in) {
    in->state.lzma = (lzma_stream)LZMA_STREAM_INIT;
    return lzma_stream_decoder(&in->state.lzma, in->window, LZMA_CONCATENATED) == LZMA_OK;
}

static outcome decode_xz(nd_more_in *in, step *s) {
    lzma_stream *z = &in->state.lzma;
    z->next_in = s->in;
    z->avail_in = s->in_size;
    z->next_out = s->out;
    z->avail_out = s->out_size;
    lzma_ret result = lzma_code(z, s->last ? LZMA_FINISH : LZMA_RUN);
    s->in = z->next_in;
    s->in_size = z->avail_in;
    s->out = z->next_out;
    s->out_size = z->avail_out;
    switch (result) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: return GOES_ON;
    case LZMA_STREAM_END: return STREAM_ENDS;
    case LZMA_MEM_ERROR: return NEEDS_MEMORY;
    case LZMA_MEMLIMIT_ERROR: return TOO_LARGE;
    default: return DAMAGED;
    }
}

static void end_xz(nd_more_in *in) { lzma_end(&in->state.lzma); }
#endif

/* ---- LZ4 */

#ifdef ND_WITH_LZ4
static bool begin_lz4(nd_more_in *in) {
    return !LZ4F_isError(LZ4F_createDecompressionContext(&in->state.lz4, LZ4F_VERSION));
}

static outcome decode_lz4(nd_more_in *in, step *s) {
    size_t input = s->in_size, output = s->out_size;
    size_t result = LZ4F_decompress(in->state.lz4, s->out, &output, s->in, &input, NULL);
    if (LZ4F_isError(result)) return DAMAGED;
    s->in += input;
    s->in_size -= input;
    s->out += output;
    s->out_size -= output;
    return result == 0 ? STREAM_ENDS : GOES_ON;
}

static void end_lz4(nd_more_in *in) { LZ4F_freeDecompressionContext(in->state.lz4); }
#endif

/* ---- all */

static const library *library_of(nd_compression compression) {
    static const library libraries[] = {
#ifdef ND_WITH_BZIP2
        [ND_COMPRESSION_BZIP2] = {"bzip2", begin_bzip2, decode_bzip2, end_bzip2},
#endif
#ifdef ND_WITH_LZMA
        [ND_COMPRESSION_XZ] = {"xz", begin_xz, decode_xz, end_xz},
#endif
#ifdef ND_WITH_LZ4
        [ND_COMPRESSION_LZ4] = {"LZ4", begin_lz4, decode_lz4, end_lz4},
#endif
        [ND_COMPRESSION_NONE] = {.name = NULL},
    };
    size_t index = compression;
    bool has = index < sizeof libraries / sizeof *libraries && libraries[index].name;
    return has ? &libraries[index] : NULL;
}

nd_status nd_more_in_open(nd_byte_source *source, nd_compression compression, uint64_t memory,
                          const nd_allocator *allocator, nd_more_in **out, nd_error *error) {
    /* xz -9 needs 65 MiB. */
    const uint64_t usual = UINT64_C(72) << 20;
    const library *found = library_of(compression);
    if (!found)
        return nd_fail(error, ND_ERR_UNSUPPORTED, "%s: this build cannot read %s: it has no %s",
                       source->name, nd_compression_title(compression),
                       nd_compression_library(compression));
    nd_more_in *in = nd_allocate_zero(allocator, 1, sizeof *in);
    if (!in) return nd_fail_memory(error, sizeof *in, "a decompressor");
    in->allocator = *allocator;
    in->source = source;
    in->library = found;
    in->window = memory > 0 ? memory / ND_WINDOW_SHARE : usual;
    in->began = found->begin(in);
    if (!in->began) {
        nd_more_in_close(in);
        return nd_fail(error, ND_ERR_MEMORY, "out of memory for a decompressor of %s", found->name);
    }
    *out = in;
    return ND_OK;
}

void nd_more_in_close(nd_more_in *in) {
    if (!in) return;
    nd_allocator allocator = in->allocator;
    if (in->began) in->library->end(in);
    nd_release(&allocator, in);
}

bool nd_more_in_refused(const nd_more_in *in) { return in->refused; }

static nd_status failed(nd_more_in *in, outcome why, nd_error *error) {
    const char *name = in->library->name;
    in->refused = why == TOO_LARGE;
    if (why == NEEDS_MEMORY)
        return nd_fail(error, ND_ERR_MEMORY, "out of memory for a decompressor of %s", name);
    if (why == TOO_LARGE)
        return nd_fail(error, ND_ERR_INPUT,
                       "%s: the dictionary of an %s stream takes more than an eighth of the "
                       "memory, %llu MiB",
                       in->source->name, name, (unsigned long long)in->window >> 20);
    return nd_fail(error, ND_ERR_INPUT, "%s: damaged %s stream at compressed byte %llu",
                   in->source->name, name, (unsigned long long)nd_byte_source_offset(in->source));
}

/* Begins the next stream, if there is one. */
static nd_status next_stream(nd_more_in *in, nd_error *error) {
    in->library->end(in);
    in->began = in->library->begin(in);
    return in->began ? ND_OK : failed(in, NEEDS_MEMORY, error);
}

nd_status nd_more_in_read(nd_more_in *in, void *buffer, size_t size, size_t *got, nd_error *error) {
    nd_byte_source *source = in->source;
    step s = {.out = buffer, .out_size = size};
    nd_status status = ND_OK;
    while (status == ND_OK && s.out_size > 0 && !in->ended) {
        bool more = true;
        status = nd_byte_source_fill(source, &more, error);
        if (status != ND_OK) break;
        in->ended = !more && !in->inside;
        if (in->ended) break;
        s.in = source->buffer + source->begin;
        s.in_size = source->end - source->begin;
        s.last = !more;
        size_t room = s.out_size;
        outcome result = in->library->decode(in, &s);
        in->inside = result != STREAM_ENDS;
        source->begin = source->end - s.in_size;
        if (result == STREAM_ENDS) status = next_stream(in, error);
        else if (result != GOES_ON) status = failed(in, result, error);
        else if (!more && s.out_size == room)
            status = nd_fail(error, ND_ERR_INPUT, "%s: truncated %s stream at compressed byte %llu",
                             source->name, in->library->name, (unsigned long long)source->position);
    }
    *got = size - s.out_size;
    return status;
}

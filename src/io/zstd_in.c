#include "io/zstd_in.h"

#include "io/compression.h"

#ifdef ND_WITH_ZSTD

#include <zstd.h>
#include <zstd_errors.h>

#include <string.h>

/* Bytes of a frame's header that give its window (RFC 8878, 3.1.1.1): magic number, descriptor, and
 * either the window, or dictionary id and content size. */
enum { HEAD = 4 + 1 + 4 + 8 };

/* The window limit without a job: zstd -19 writes windows up to it. */
enum { USUAL_WINDOW_LOG = 23 };

struct nd_zstd_in {
    nd_allocator allocator;
    nd_byte_source *source;
    bool begun;  /* the first frame has been looked at: it may be a dictionary */
    bool inside; /* a frame has begun and not ended */
    bool ended;
    bool window_refused;
    uint64_t memory;          /* of the job, bytes; 0: there is no job */
    int window_log;           /* binary logarithm of the window limit */
    unsigned char head[HEAD]; /* first bytes of the current frame */
    size_t head_size;
    uint64_t frame;     /* the compressed offset where the latest frame begins */
    uint64_t delivered; /* bytes of it so far */
    ZSTD_DCtx *context;
};

/* The binary logarithm of the largest window that this memory allows and libzstd accepts. */
static int window_log_in(uint64_t memory) {
    ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    int log = USUAL_WINDOW_LOG;
    if (memory > 0)
        for (log = bounds.lowerBound;
             log < bounds.upperBound && UINT64_C(1) << (log + 1) <= memory / ND_WINDOW_SHARE;)
            log++;
    return log;
}

nd_status nd_zstd_in_open(nd_byte_source *source, uint64_t memory, const nd_allocator *allocator,
                          nd_zstd_in **out, nd_error *error) {
    nd_zstd_in *zstd = nd_allocate(allocator, 1, sizeof *zstd);
    if (!zstd) return nd_fail_memory(error, sizeof *zstd, "a Zstandard decompressor");
    *zstd = (nd_zstd_in){.allocator = *allocator,
                         .source = source,
                         .memory = memory,
                         .window_log = window_log_in(memory),
                         .context = ZSTD_createDCtx()};
    if (!zstd->context) {
        nd_zstd_in_close(zstd);
        return nd_fail(error, ND_ERR_MEMORY, "out of memory for libzstd's decompressor");
    }
    /* Frames may name a window of up to 2 GiB (zstd --long=31, common for dumps). */
    ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax, zstd->window_log);
    *out = zstd;
    return ND_OK;
}

void nd_zstd_in_close(nd_zstd_in *zstd) {
    if (!zstd) return;
    nd_allocator allocator = zstd->allocator;
    ZSTD_freeDCtx(zstd->context);
    nd_release(&allocator, zstd);
}

static void keep_head(nd_zstd_in *zstd, size_t end) {
    for (size_t i = zstd->source->begin; i < end && zstd->head_size < HEAD; i++)
        zstd->head[zstd->head_size++] = zstd->source->buffer[i];
}

/* The window of a frame, bytes. A frame of a single segment has its content as its window. */
static uint64_t window_of(const unsigned char *head) {
    static const unsigned dictionary_sizes[] = {0, 1, 2, 4};
    unsigned descriptor = head[4], size = 1u << (descriptor >> 6);
    uint64_t content = 0;
    if (!(descriptor >> 5 & 1))
        return (UINT64_C(1) << (10 + (head[5] >> 3))) / 8 * (8 + (head[5] & 7));
    const unsigned char *field = head + 5 + dictionary_sizes[descriptor & 3];
    for (unsigned i = 0; i < size; i++) content |= (uint64_t)field[i] << (8 * i);
    return content;
}

static nd_status refuse_window(nd_zstd_in *zstd, nd_error *error) {
    enum { MIB = 20 };
    zstd->window_refused = true;
    keep_head(zstd, zstd->source->end);
    uint64_t window = window_of(zstd->head), needed = 1;
    const uint64_t round_up = (UINT64_C(1) << MIB) - 1;
    while (needed < window && needed <= UINT64_MAX / 4 / ND_WINDOW_SHARE) needed *= 2;
    unsigned long long window_mib = (window + round_up) >> MIB,
                       limit = UINT64_C(1) << zstd->window_log >> MIB;
    if (zstd->memory == 0)
        return nd_fail(error, ND_ERR_INPUT,
                       "%s: the window of a Zstandard frame takes %llu MiB; at most %llu MiB for "
                       "such a file, as zstd -19 writes it without --long",
                       zstd->source->name, window_mib, limit);
    return nd_fail(error, ND_ERR_INPUT,
                   "%s: the window of a Zstandard frame takes %llu MiB of memory, and at most an "
                   "eighth of it may: %llu MiB; it can be read with a memory of %llu MiB",
                   zstd->source->name, window_mib, limit,
                   (unsigned long long)(needed >> MIB) * ND_WINDOW_SHARE);
}

static nd_status failed(nd_zstd_in *zstd, size_t result, nd_error *error) {
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
        return refuse_window(zstd, error);
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return nd_fail(error, ND_ERR_MEMORY, "out of memory for libzstd's decompressor");
    return nd_fail(error, ND_ERR_INPUT, "%s: damaged Zstandard stream at compressed byte %llu: %s",
                   zstd->source->name, (unsigned long long)nd_byte_source_offset(zstd->source),
                   ZSTD_getErrorName(result));
}

/* ---- the dictionary in front */

static const unsigned char dictionary_frame[] = {0x5d, 0x2a, 0x4d, 0x18},
                           dictionary_mark[] = {0x37, 0xa4, 0x30, 0xec},
                           frame_mark[] = {0x28, 0xb5, 0x2f, 0xfd};

/* A dictionary while it is loaded. */
typedef struct dictionary {
    unsigned char *bytes;
    size_t size, capacity;
} dictionary;

static nd_status damaged_dictionary(const nd_zstd_in *zstd, const char *reason, nd_error *error) {
    return nd_fail(error, ND_ERR_INPUT, "%s: the dictionary in front of the Zstandard frames: %s",
                   zstd->source->name, reason);
}

/* Takes `size` bytes of the source. */
static nd_status take_bytes(nd_zstd_in *zstd, size_t size, dictionary *out, nd_error *error) {
    nd_byte_source *source = zstd->source;
    for (bool more; out->size < size;) {
        ND_TRY(nd_byte_source_fill(source, &more, error));
        if (!more) return damaged_dictionary(zstd, "its end is missing", error);
        size_t there = source->end - source->begin, left = size - out->size,
               taken = there < left ? there : left;
        if (!nd_reserve(&zstd->allocator, &out->bytes, &out->capacity, out->size + taken))
            return nd_fail_memory(error, size, "a dictionary");
        memcpy(out->bytes + out->size, source->buffer + source->begin, taken);
        out->size += taken;
        source->begin += taken;
    }
    return ND_OK;
}

/* Decompresses a dictionary, of at most `most` bytes. */
static nd_status decompress_dictionary(nd_zstd_in *zstd, const dictionary *packed, size_t most,
                                       dictionary *out, nd_error *error) {
    ZSTD_inBuffer in = {packed->bytes, packed->size, 0};
    for (size_t result = 1; result != 0;) {
        if (out->size > most) return damaged_dictionary(zstd, "it is too large", error);
        if (!nd_reserve(&zstd->allocator, &out->bytes, &out->capacity, out->size + (1 << 16)))
            return nd_fail_memory(error, out->size, "a dictionary");
        ZSTD_outBuffer to = {out->bytes, out->capacity, out->size};
        result = ZSTD_decompressStream(zstd->context, &to, &in);
        if (ZSTD_isError(result)) return damaged_dictionary(zstd, ZSTD_getErrorName(result), error);
        if (result != 0 && in.pos == in.size && to.pos < to.size)
            return damaged_dictionary(zstd, "its end is missing", error);
        out->size = to.pos;
    }
    return ND_OK;
}

/* Loads the dictionary of a skippable frame. One with another content is skipped. */
static nd_status load_dictionary(nd_zstd_in *zstd, const dictionary *frame, size_t most,
                                 nd_error *error) {
    dictionary plain = {0};
    nd_status status = ND_OK;
    const dictionary *wanted = frame;
    if (frame->size < 4) return ND_OK;
    if (memcmp(frame->bytes, frame_mark, 4) == 0) {
        status = decompress_dictionary(zstd, frame, most, &plain, error);
        wanted = &plain;
    } else if (memcmp(frame->bytes, dictionary_mark, 4) != 0) return ND_OK;
    if (status == ND_OK &&
        ZSTD_isError(ZSTD_DCtx_loadDictionary(zstd->context, wanted->bytes, wanted->size)))
        status = damaged_dictionary(zstd, "it is none", error);
    nd_release(&zstd->allocator, plain.bytes);
    return status;
}

/* Takes the dictionary, if the file begins with one. */
static nd_status take_dictionary(nd_zstd_in *zstd, nd_error *error) {
    nd_byte_source *source = zstd->source;
    zstd->begun = true;
    size_t known = source->end - source->begin, most = (size_t)1 << zstd->window_log;
    if (known < 4 || memcmp(source->buffer + source->begin, dictionary_frame, 4) != 0) return ND_OK;
    dictionary head = {0}, frame = {0};
    nd_status status = take_bytes(zstd, 8, &head, error);
    if (status == ND_OK) {
        size_t size = 0;
        for (size_t i = 8; i-- > 4;) size = size << 8 | head.bytes[i];
        status = size > most ? damaged_dictionary(zstd, "it is too large", error)
                             : take_bytes(zstd, size, &frame, error);
    }
    if (status == ND_OK) status = load_dictionary(zstd, &frame, most, error);
    nd_release(&zstd->allocator, head.bytes);
    nd_release(&zstd->allocator, frame.bytes);
    return status;
}

bool nd_zstd_in_window_refused(const nd_zstd_in *zstd) { return zstd->window_refused; }

static void begin_frame(nd_zstd_in *zstd) {
    zstd->head_size = 0;
    zstd->frame = nd_byte_source_offset(zstd->source);
    zstd->delivered = 0;
}

nd_status nd_zstd_in_read(nd_zstd_in *zstd, void *buffer, size_t size, size_t *got,
                          nd_error *error) {
    nd_byte_source *source = zstd->source;
    ZSTD_outBuffer out = {buffer, size, 0};
    nd_status status = zstd->begun ? ND_OK : take_dictionary(zstd, error);
    while (status == ND_OK && out.pos < out.size && !zstd->ended) {
        if (zstd->inside || source->begin < source->end) {
            ZSTD_inBuffer in = {source->buffer, source->end, source->begin};
            size_t before = out.pos;
            if (!zstd->inside) begin_frame(zstd);
            size_t result = ZSTD_decompressStream(zstd->context, &out, &in);
            zstd->delivered += out.pos - before;
            keep_head(zstd, in.pos);
            source->begin = in.pos;
            if (ZSTD_isError(result)) {
                status = failed(zstd, result, error);
                break;
            }
            zstd->inside = result != 0;
            if (out.pos == out.size) break;
        }
        /* The output has room left, so libzstd needs more input. */
        bool more;
        status = nd_byte_source_fill(source, &more, error);
        if (status != ND_OK || more) continue;
        zstd->ended = true;
        if (zstd->inside)
            status = nd_fail(error, ND_ERR_INPUT,
                             "%s: truncated Zstandard stream at compressed byte %llu", source->name,
                             (unsigned long long)source->position);
    }
    *got = out.pos;
    return status;
}

/* ---- behind damage */

uint64_t nd_zstd_in_frame(const nd_zstd_in *zstd, uint64_t *delivered) {
    *delivered = zstd->delivered;
    return zstd->frame;
}

void nd_zstd_in_restart(nd_zstd_in *zstd) {
    ZSTD_DCtx_reset(zstd->context, ZSTD_reset_session_only);
    zstd->inside = zstd->ended = zstd->window_refused = false;
}

static bool begins_frame(const unsigned char *bytes) { return memcmp(bytes, frame_mark, 4) == 0; }

static nd_status read_first(void *decoder, nd_byte_source *source, const nd_allocator *allocator,
                            char *first, size_t size, size_t *got, nd_error *error) {
    (void)allocator;
    nd_zstd_in *zstd = decoder;
    ZSTD_outBuffer out = {first, size, 0};
    bool more = true;
    nd_zstd_in_restart(zstd);
    for (size_t result = 1; result != 0 && out.pos < out.size && more;) {
        ND_TRY(nd_byte_source_fill(source, &more, error));
        ZSTD_inBuffer in = {source->buffer, source->end, source->begin};
        result = more ? ZSTD_decompressStream(zstd->context, &out, &in) : 0;
        source->begin = in.pos;
        if (ZSTD_isError(result)) break;
    }
    *got = out.pos;
    return ND_OK;
}

nd_member_kind nd_zstd_frame_kind(nd_zstd_in *zstd) {
    return (nd_member_kind){.head = sizeof frame_mark,
                            .begins = begins_frame,
                            .read_first = read_first,
                            .decoder = zstd};
}

#else

uint64_t nd_zstd_in_frame(const nd_zstd_in *zstd, uint64_t *delivered) {
    (void)zstd;
    return *delivered = 0;
}

nd_member_kind nd_zstd_frame_kind(nd_zstd_in *zstd) {
    (void)zstd;
    return (nd_member_kind){.head = 0};
}

void nd_zstd_in_restart(nd_zstd_in *zstd) { (void)zstd; }

nd_status nd_zstd_in_open(nd_byte_source *source, uint64_t memory, const nd_allocator *allocator,
                          nd_zstd_in **out, nd_error *error) {
    (void)memory;
    (void)allocator;
    (void)out;
    return nd_fail(error, ND_ERR_UNSUPPORTED,
                   "%s: this build has no libzstd: Zstandard cannot be read", source->name);
}

void nd_zstd_in_close(nd_zstd_in *zstd) { (void)zstd; }

bool nd_zstd_in_window_refused(const nd_zstd_in *zstd) {
    (void)zstd;
    return false;
}

nd_status nd_zstd_in_read(nd_zstd_in *zstd, void *buffer, size_t size, size_t *got,
                          nd_error *error) {
    (void)zstd;
    (void)buffer;
    (void)size;
    *got = 0;
    return nd_fail(error, ND_ERR_UNSUPPORTED,
                   "this build has no libzstd: Zstandard cannot be read");
}

#endif

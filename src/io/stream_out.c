/* Output is collected in one buffer; plain writes of at least its size bypass it. The bytes written
 * depend only on the bytes given, not on how the calls divide them, nor on the time (the gzip
 * header has no time and no name). */
#include "io/stream_out.h"

#include "base/limits.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef ND_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef ND_WITH_ZSTD
#include <zstd.h>
#endif

enum { buffer_size = ND_LIMIT(256 << 10, 13) };

static const size_t largest_write = (size_t)1 << 30;

/* A pipe that is ready for writing takes so many bytes without making the writer wait (PIPE_BUF is
 * at least 512 by POSIX, and 4096 on Linux). */
enum { AT_ONCE = PIPE_BUF };

struct nd_stream_out {
    nd_allocator allocator;
    int fd;
    bool waits;            /* not a regular file: its reader may make the writer wait */
    nd_progress *progress; /* polled during such a wait; NULL: none */
    char *name;
    nd_compression compression;
    bool finished;
    bool at_member; /* a member has ended, and the next one has not begun */
    uint64_t position;
    unsigned char *buffer;
    size_t used;
    nd_error failure; /* the first one; every later call returns it, for the output has a gap */
#ifdef ND_WITH_ZLIB
    z_stream deflate;
    bool deflating;
#endif
#ifdef ND_WITH_ZSTD
    ZSTD_CCtx *zstd;
#endif
};

/* ---------------------------------------------------------------- to the descriptor */

/* Waits until the reader takes bytes, or is gone. */
static nd_status await(const nd_stream_out *stream, nd_error *error) {
    struct pollfd writable = {.fd = stream->fd, .events = POLLOUT};
    for (;;) {
        int ready = poll(&writable, 1, stream->progress ? ND_PROGRESS_PATIENCE : -1);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return ND_OK; /* if something is wrong, the write reports it */
        ND_TRY(nd_progress_poll(stream->progress, error));
    }
}

static nd_status write_all(nd_stream_out *stream, const unsigned char *bytes, size_t size,
                           nd_error *error) {
    const size_t most = stream->waits ? AT_ONCE : largest_write;
    while (size > 0) {
        if (stream->waits) ND_TRY(await(stream, error));
        ssize_t written = write(stream->fd, bytes, size < most ? size : most);
        if (written < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
            return nd_fail_os(error, errno, "%s: cannot write", stream->name);
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
            stream->position += (uint64_t)written;
        }
    }
    return ND_OK;
}

static nd_status flush(nd_stream_out *stream, nd_error *error) {
    size_t used = stream->used;
    stream->used = 0;
    return write_all(stream, stream->buffer, used, error);
}

static nd_status write_plain(nd_stream_out *stream, const unsigned char *bytes, size_t size,
                             nd_error *error) {
    if (size > buffer_size - stream->used) ND_TRY(flush(stream, error));
    if (size >= buffer_size) return write_all(stream, bytes, size, error);
    if (size > 0) memcpy(stream->buffer + stream->used, bytes, size);
    stream->used += size;
    return ND_OK;
}

/* ---------------------------------------------------------------- gzip */

#ifdef ND_WITH_ZLIB

static nd_status gzip_open(nd_stream_out *stream, nd_error *error) {
    /* 15 + 16: the largest window, with gzip's header and trailer. */
    if (deflateInit2(&stream->deflate, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return nd_fail(error, ND_ERR_MEMORY, "out of memory for zlib's compressor");
    stream->deflating = true;
    return ND_OK;
}

static nd_status gzip_write(nd_stream_out *stream, const unsigned char *bytes, size_t size,
                            bool last, nd_error *error) {
    z_stream *deflating = &stream->deflate;
    int result = Z_OK;
    do {
        size_t step = size < largest_write ? size : largest_write;
        deflating->next_in = (z_const Bytef *)(uintptr_t)bytes;
        deflating->avail_in = (uInt)step;
        do {
            if (stream->used == buffer_size) ND_TRY(flush(stream, error));
            deflating->next_out = stream->buffer + stream->used;
            deflating->avail_out = (uInt)(buffer_size - stream->used);
            result = deflate(deflating, last && step == size ? Z_FINISH : Z_NO_FLUSH);
            stream->used = buffer_size - deflating->avail_out;
        } while (deflating->avail_out == 0 && result != Z_STREAM_END);
        bytes += step;
        size -= step;
    } while (size > 0);
    if (last) deflateReset(deflating);
    return ND_OK;
}

static void gzip_close(nd_stream_out *stream) {
    if (stream->deflating) deflateEnd(&stream->deflate);
}

#else

static nd_status gzip_open(nd_stream_out *stream, nd_error *error) {
    return nd_fail(error, ND_ERR_UNSUPPORTED, "%s: this build has no zlib: gzip cannot be written",
                   stream->name);
}

static nd_status gzip_write(nd_stream_out *stream, const unsigned char *bytes, size_t size,
                            bool last, nd_error *error) {
    (void)bytes;
    (void)size;
    (void)last;
    return gzip_open(stream, error);
}

static void gzip_close(nd_stream_out *stream) { (void)stream; }

#endif

/* ---------------------------------------------------------------- Zstandard */

#ifdef ND_WITH_ZSTD

static nd_status zstd_failed(const nd_stream_out *stream, size_t result, nd_error *error) {
    return nd_fail(error, ND_ERR_MEMORY, "%s: libzstd's compressor failed: %s", stream->name,
                   ZSTD_getErrorName(result));
}

static nd_status zstd_open(nd_stream_out *stream, nd_error *error) {
    stream->zstd = ZSTD_createCCtx();
    if (!stream->zstd)
        return nd_fail(error, ND_ERR_MEMORY, "out of memory for libzstd's compressor");
    size_t result = ZSTD_CCtx_setParameter(stream->zstd, ZSTD_c_compressionLevel, 3);
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setParameter(stream->zstd, ZSTD_c_checksumFlag, 1);
    return ZSTD_isError(result) ? zstd_failed(stream, result, error) : ND_OK;
}

static nd_status zstd_write(nd_stream_out *stream, const unsigned char *bytes, size_t size,
                            bool last, nd_error *error) {
    ZSTD_inBuffer in = {bytes, size, 0};
    for (;;) {
        if (stream->used == buffer_size) ND_TRY(flush(stream, error));
        ZSTD_outBuffer out = {stream->buffer, buffer_size, stream->used};
        size_t result = ZSTD_compressStream2(stream->zstd, &out, &in,
                                             last ? ZSTD_e_end : ZSTD_e_continue);
        stream->used = out.pos;
        if (ZSTD_isError(result)) return zstd_failed(stream, result, error);
        if (last ? result == 0 : in.pos == in.size) return ND_OK;
    }
}

static void zstd_close(nd_stream_out *stream) { ZSTD_freeCCtx(stream->zstd); }

#else

static nd_status zstd_open(nd_stream_out *stream, nd_error *error) {
    return nd_fail(error, ND_ERR_UNSUPPORTED,
                   "%s: this build has no libzstd: Zstandard cannot be written", stream->name);
}

static nd_status zstd_write(nd_stream_out *stream, const unsigned char *bytes, size_t size,
                            bool last, nd_error *error) {
    (void)bytes;
    (void)size;
    (void)last;
    return zstd_open(stream, error);
}

static void zstd_close(nd_stream_out *stream) { (void)stream; }

#endif

/* ---------------------------------------------------------------- the stream */

/* Whether a write may have to wait for a reader: not to a regular file, nor to the null device. */
static bool may_wait(int fd) {
    struct stat s, null;
    if (fstat(fd, &s) != 0) return true;
    bool to_null = S_ISCHR(s.st_mode) && stat("/dev/null", &null) == 0 && null.st_rdev == s.st_rdev;
    return !S_ISREG(s.st_mode) && !to_null;
}

nd_status nd_stream_out_open_fd(int fd, const char *name, nd_compression compression,
                                const nd_allocator *allocator, nd_stream_out **out,
                                nd_error *error) {
    ND_TRY(nd_compression_check_name(name, error));
    nd_allocator memory = nd_allocator_or_default(allocator);
    size_t name_size = strlen(name) + 1;
    nd_stream_out *stream = nd_allocate_zero(&memory, 1, sizeof *stream);
    if (!stream) return nd_fail_memory(error, sizeof *stream, "an output stream");
    stream->allocator = memory;
    stream->fd = fd;
    stream->waits = may_wait(fd);
    stream->compression = compression;
    stream->name = nd_allocate(&memory, name_size, 1);
    stream->buffer = nd_allocate(&memory, buffer_size, 1);
    nd_status status = ND_OK;
    if (!stream->name || !stream->buffer)
        status = nd_fail_memory(error, name_size + buffer_size, "an output buffer");
    else memcpy(stream->name, name, name_size);
    if (status == ND_OK && compression == ND_COMPRESSION_GZIP) status = gzip_open(stream, error);
    if (status == ND_OK && compression == ND_COMPRESSION_ZSTD) status = zstd_open(stream, error);
    if (status != ND_OK) {
        nd_stream_out_free(stream);
        return status;
    }
    *out = stream;
    return ND_OK;
}

/* Compresses bytes. last: they end a member. */
static nd_status put_member(nd_stream_out *stream, const unsigned char *bytes, size_t size,
                            bool last, nd_error *error) {
    if (stream->at_member && size == 0) return ND_OK;
    if (stream->compression == ND_COMPRESSION_GZIP)
        ND_TRY(gzip_write(stream, bytes, size, last, error));
    if (stream->compression == ND_COMPRESSION_ZSTD)
        ND_TRY(zstd_write(stream, bytes, size, last, error));
    stream->at_member = last;
    return ND_OK;
}

static nd_status put(nd_stream_out *stream, const unsigned char *bytes, size_t size, bool last,
                     nd_error *error) {
    ND_TRY(stream->compression == ND_COMPRESSION_NONE
               ? write_plain(stream, bytes, size, error)
               : put_member(stream, bytes, size, last, error));
    return last ? flush(stream, error) : ND_OK;
}

static nd_status put_or_fail(nd_stream_out *stream, const void *bytes, size_t size, bool last,
                             nd_error *error) {
    nd_error *failure = &stream->failure;
    if (failure->status == ND_OK && stream->finished)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s has been finished", stream->name);
    if (failure->status == ND_OK && put(stream, bytes, size, last, failure) == ND_OK) {
        stream->finished = last;
        return ND_OK;
    }
    return nd_fail(error, failure->status, "%s", failure->message);
}

nd_status nd_stream_out_write(nd_stream_out *stream, const void *bytes, size_t size,
                              nd_error *error) {
    return put_or_fail(stream, bytes, size, false, error);
}

nd_status nd_stream_out_end_member(nd_stream_out *stream, nd_error *error) {
    nd_error *failure = &stream->failure;
    if (stream->compression == ND_COMPRESSION_NONE) return ND_OK;
    if (failure->status == ND_OK &&
        put_member(stream, (const unsigned char *)"", 0, true, failure) == ND_OK)
        return ND_OK;
    return nd_fail(error, failure->status, "%s", failure->message);
}

nd_compression nd_stream_out_compression(const nd_stream_out *stream) {
    return stream->compression;
}

nd_status nd_stream_out_finish(nd_stream_out *stream, nd_error *error) {
    return put_or_fail(stream, "", 0, true, error);
}

void nd_stream_out_free(nd_stream_out *stream) {
    if (!stream) return;
    nd_allocator memory = stream->allocator;
    gzip_close(stream);
    zstd_close(stream);
    nd_release(&memory, stream->buffer);
    nd_release(&memory, stream->name);
    nd_release(&memory, stream);
}

void nd_stream_out_set_progress(nd_stream_out *stream, nd_progress *progress) {
    stream->progress = progress;
}

uint64_t nd_stream_out_position(const nd_stream_out *stream) { return stream->position; }

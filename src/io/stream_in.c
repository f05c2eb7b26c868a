/* The first bytes tell the compression. A plain stream delivers those bytes, and then reads
 * straight into the caller's buffer; a compressed one is read through its decoder, which in a
 * job of several threads runs on one beside the caller. */
#include "io/stream_in.h"

#include "io/byte_source.h"
#include "io/file.h"
#include "io/gzip_ahead.h"
#include "io/gzip_in.h"
#include "io/gzip_members.h"
#include "io/more_in.h"
#include "io/read_ahead.h"
#include "io/zstd_in.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct nd_stream_in {
    nd_allocator allocator;
    char *name;
    nd_byte_source source;
    uint64_t memory;
    uint32_t threads;
    nd_compression compression;
    unsigned char first[ND_MAGIC_SIZE]; /* a plain stream has yet to deliver [given .. known) */
    size_t given, known;
    nd_gzip_in *gzip;
    nd_gzip_ahead *ahead; /* instead of `gzip` */
    nd_zstd_in *zstd;
    nd_more_in *more;
    nd_read_ahead *beside; /* reads one of these; NULL: the caller does */
    nd_error failure;      /* the first one; every later read returns it */
};

static nd_status open_gzip(nd_stream_in *stream, nd_error *error) {
    nd_byte_source *source = &stream->source;
    bool by_members = stream->threads > 1 || nd_gzip_members_are_fast();
    return by_members && !source->waits
               ? nd_gzip_ahead_open(source, stream->threads, &stream->allocator, &stream->ahead,
                                    error)
               : nd_gzip_in_open(source, &stream->allocator, &stream->gzip, error);
}

static nd_status open_decoder(nd_stream_in *stream, nd_error *error) {
    nd_byte_source *source = &stream->source;
    if (stream->compression == ND_COMPRESSION_GZIP) return open_gzip(stream, error);
    if (stream->compression == ND_COMPRESSION_ZSTD)
        return nd_zstd_in_open(source, stream->memory, &stream->allocator, &stream->zstd, error);
    return nd_more_in_open(source, stream->compression, stream->memory, &stream->allocator,
                           &stream->more, error);
}

/* nd_read_ahead_fn */
static nd_status decode(void *context, void *buffer, size_t size, size_t *got, nd_error *error) {
    nd_stream_in *stream = context;
    if (stream->ahead) return nd_gzip_ahead_read(stream->ahead, buffer, size, got, error);
    if (stream->gzip) return nd_gzip_in_read(stream->gzip, buffer, size, got, error);
    if (stream->zstd) return nd_zstd_in_read(stream->zstd, buffer, size, got, error);
    return nd_more_in_read(stream->more, buffer, size, got, error);
}

/* Lets another thread decode a file, if the job has several. A pipe is read by the caller: the
 * other thread would have to wait for it. */
static nd_status read_ahead(nd_stream_in *stream, nd_error *error) {
    if (stream->threads == 0 || stream->source.waits) return ND_OK;
    return nd_read_ahead_open(decode, stream, &stream->source, stream->threads, &stream->allocator,
                              &stream->beside, error);
}

static nd_status begin(nd_stream_in *stream, nd_error *error) {
    nd_byte_source *source = &stream->source;
    bool enough = false;
    while (!enough && !source->ended) {
        size_t got;
        ND_TRY(nd_byte_source_read(source, stream->first + stream->known,
                                   ND_MAGIC_SIZE - stream->known, &got, error));
        stream->known += got;
        stream->compression = nd_compression_of_bytes(stream->first, stream->known, &enough);
    }
    if (stream->compression == ND_COMPRESSION_NONE) return ND_OK;
    ND_TRY(nd_byte_source_buffer(source, stream->first, stream->known, &stream->allocator, error));
    ND_TRY(open_decoder(stream, error));
    return read_ahead(stream, error);
}

/* Whether a read may have to wait for bytes. */
static bool waits(int fd) {
    struct stat s;
    return fstat(fd, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

/* From here on the descriptor belongs to the stream: it is closed even if opening fails. */
nd_status nd_stream_in_open_fd(int fd, const char *name, const nd_stream_in_options *options,
                               nd_stream_in **out, nd_error *error) {
    const nd_stream_in_options o = options ? *options : (nd_stream_in_options){.memory = 0};
    nd_allocator memory = nd_allocator_or_default(o.allocator);
    size_t name_size = strlen(name) + 1;
    nd_stream_in *stream = nd_allocate_zero(&memory, 1, sizeof *stream);
    char *copy = nd_allocate(&memory, name_size, 1);
    if (!stream || !copy) {
        nd_release(&memory, stream);
        nd_release(&memory, copy);
        if (fd != 0) close(fd);
        return nd_fail_memory(error, sizeof *stream + name_size, "an input stream");
    }
    stream->allocator = memory;
    stream->name = memcpy(copy, name, name_size);
    stream->source = (nd_byte_source){
        .fd = fd, .name = stream->name, .waits = waits(fd), .progress = o.progress};
    stream->memory = o.memory;
    stream->threads = o.threads;
    nd_status status = begin(stream, error);
    if (status != ND_OK) {
        nd_stream_in_close(stream);
        return status;
    }
    *out = stream;
    return ND_OK;
}

nd_status nd_stream_in_open(const char *path, const nd_stream_in_options *options,
                            nd_stream_in **out, nd_error *error) {
    if (strcmp(path, "-") == 0)
        return nd_stream_in_open_fd(0, "standard input", options, out, error);
    int fd = nd_open(path, O_RDONLY | O_NONBLOCK, 0); /* a pipe's open would wait for a writer */
    if (fd < 0) return nd_fail_os(error, errno, "%s", path);
#ifdef POSIX_FADV_SEQUENTIAL
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    return nd_stream_in_open_fd(fd, path, options, out, error);
}

void nd_stream_in_close(nd_stream_in *stream) {
    if (!stream) return;
    nd_allocator memory = stream->allocator;
    nd_read_ahead_close(stream->beside);
    nd_gzip_in_close(stream->gzip);
    nd_gzip_ahead_close(stream->ahead);
    nd_zstd_in_close(stream->zstd);
    nd_more_in_close(stream->more);
    nd_byte_source_close(&stream->source, &memory);
    if (stream->source.fd != 0) close(stream->source.fd);
    nd_release(&memory, stream->name);
    nd_release(&memory, stream);
}

const char *nd_stream_in_name(const nd_stream_in *stream) { return stream->name; }

nd_compression nd_stream_in_compression(const nd_stream_in *stream) { return stream->compression; }

bool nd_stream_in_window_refused(const nd_stream_in *stream) {
    return (stream->zstd && nd_zstd_in_window_refused(stream->zstd)) ||
           (stream->more && nd_more_in_refused(stream->more));
}

bool nd_stream_in_is_file(const nd_stream_in *stream) {
    struct stat s;
    return stream->compression == ND_COMPRESSION_NONE && stream->source.fd != 0 &&
           fstat(stream->source.fd, &s) == 0 && S_ISREG(s.st_mode);
}

/* Whether a read of a plain stream waits until the buffer is full. */
typedef enum read_amount { WHOLE, SOME } read_amount;

static nd_status read_plain(nd_stream_in *stream, unsigned char *buffer, size_t size,
                            read_amount amount, size_t *got, nd_error *error) {
    size_t waiting = stream->known - stream->given;
    *got = size < waiting ? size : waiting;
    if (*got > 0) memcpy(buffer, stream->first + stream->given, *got);
    stream->given += *got;
    while ((amount == SOME ? *got == 0 : *got < size) && !stream->source.ended) {
        size_t more;
        ND_TRY(nd_byte_source_read(&stream->source, buffer + *got, size - *got, &more, error));
        *got += more;
    }
    return ND_OK;
}

static nd_status read_on(nd_stream_in *stream, void *buffer, size_t size, read_amount amount,
                         size_t *got, nd_error *error) {
    *got = 0;
    if (stream->failure.status != ND_OK)
        return nd_fail(error, stream->failure.status, "%s", stream->failure.message);
    ND_TRY(nd_progress_poll(stream->source.progress, error));
    nd_status status;
    if (stream->compression == ND_COMPRESSION_NONE)
        status = read_plain(stream, buffer, size, amount, got, &stream->failure);
    else if (stream->beside)
        status = nd_read_ahead_read(stream->beside, buffer, size, got, &stream->failure);
    else status = decode(stream, buffer, size, got, &stream->failure);
    return status == ND_OK ? ND_OK : nd_fail(error, status, "%s", stream->failure.message);
}

nd_status nd_stream_in_read(nd_stream_in *stream, void *buffer, size_t size, size_t *got,
                            nd_error *error) {
    return read_on(stream, buffer, size, WHOLE, got, error);
}

nd_status nd_stream_in_read_some(nd_stream_in *stream, void *buffer, size_t size, size_t *got,
                                 nd_error *error) {
    return read_on(stream, buffer, size, SOME, got, error);
}

nd_status nd_stream_in_read_at(const nd_stream_in *stream, void *buffer, size_t size,
                               uint64_t offset, nd_error *error) {
    return nd_file_read_at(stream->source.fd, buffer, size, offset, stream->name, error);
}

void nd_stream_in_seek(nd_stream_in *stream, uint64_t offset) {
    (void)lseek(stream->source.fd, (off_t)offset, SEEK_SET); /* of a regular file: it succeeds */
    stream->source.position = offset;
    stream->source.ended = false;
    stream->given = stream->known;
}

/* ---- behind damage */

static const nd_gzip_in *gzip_of(const nd_stream_in *stream) {
    return stream->ahead ? nd_gzip_ahead_decoder(stream->ahead) : stream->gzip;
}

static nd_status reopen(nd_stream_in *stream, nd_error *error) {
    stream->failure = (nd_error){.status = ND_OK};
    nd_read_ahead_close(stream->beside);
    stream->beside = NULL;
    if (stream->zstd) {
        nd_zstd_in_restart(stream->zstd);
    } else {
        nd_gzip_in_close(stream->gzip);
        nd_gzip_ahead_close(stream->ahead);
        stream->gzip = NULL;
        stream->ahead = NULL;
        ND_TRY(open_gzip(stream, error));
    }
    return read_ahead(stream, error);
}

nd_status nd_stream_in_resume(nd_stream_in *stream, nd_record_begins_fn *begins,
                              const void *context, nd_stream_gap *gap, bool *resumed,
                              nd_error *error) {
    const nd_gzip_in *gzip = gzip_of(stream);
    *gap = (nd_stream_gap){0};
    *resumed = false;
    if ((!gzip && !stream->zstd) || stream->failure.status != ND_ERR_INPUT) return ND_OK;
    gap->begin = gzip ? nd_gzip_in_member(gzip, &gap->delivered)
                      : nd_zstd_in_frame(stream->zstd, &gap->delivered);
    const nd_member_kind kind = gzip ? nd_gzip_member_kind : nd_zstd_frame_kind(stream->zstd);
    const nd_resume_request request = {&stream->source, &kind, gap->begin, begins, context};
    ND_TRY(nd_member_resume(&request, &stream->allocator, resumed, error));
    if (!*resumed) return ND_OK;
    gap->end = nd_byte_source_offset(&stream->source);
    return reopen(stream, error);
}

uint64_t nd_stream_in_position(const nd_stream_in *stream) {
    return stream->beside ? nd_read_ahead_position(stream->beside) : stream->source.position;
}

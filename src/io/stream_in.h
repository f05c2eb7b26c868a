/* A stream of bytes from a file, a pipe or memory, decompressed: gzip (any number of members) and
 * Zstandard (any number of frames, skippable ones too) are known by their first bytes. Zero padding
 * after the last gzip member is accepted (tar and tapes write it); anything else is an error. */
#ifndef ND_IO_STREAM_IN_H
#define ND_IO_STREAM_IN_H

#include "base/alloc.h"
#include "base/job_progress.h"

typedef enum nd_compression {
    ND_COMPRESSION_NONE,
    ND_COMPRESSION_GZIP,
    ND_COMPRESSION_ZSTD
} nd_compression;

/* By the first bytes of a file, ND_MAGIC_SIZE where it has as many. */
enum { ND_MAGIC_SIZE = 4 };
nd_compression nd_compression_of_bytes(const unsigned char *first, size_t known);

typedef struct nd_stream_in nd_stream_in;

/* Zeros: malloc, nobody is asked, and windows of 8 MiB. */
typedef struct nd_stream_in_options {
    const nd_allocator *allocator;
    nd_progress *progress; /* asked at each read, and while bytes have to be waited for */
    uint64_t memory;       /* of the reader's job; 0: there is none */
} nd_stream_in_options;

/* A Zstandard window, which its decoder keeps in memory, takes at most this part of the job's
 * memory, rounded down to a power of two: at 1 GiB all that `zstd -22 --ultra` and `--long=27`
 * write, at 64 MiB all of `zstd -19`. A frame with a larger one is refused. */
enum { ND_WINDOW_SHARE = 8 };

/* Takes the descriptor over (nd_stream_in_close closes it, unless it is 0). `name` is for messages
 * and is copied. Reads the first bytes. */
nd_status nd_stream_in_open_fd(int fd, const char *name, const nd_stream_in_options *options,
                               nd_stream_in **out, nd_error *error);
/* Opens `path`; "-" is standard input, named "standard input" in messages. A pipe that nobody has
 * opened for writing is waited for by the first read. `options` NULL: zeros. */
nd_status nd_stream_in_open(const char *path, const nd_stream_in_options *options,
                            nd_stream_in **out, nd_error *error);
void nd_stream_in_close(nd_stream_in *stream);

const char *nd_stream_in_name(const nd_stream_in *stream);
nd_compression nd_stream_in_compression(const nd_stream_in *stream);
/* Whether it failed because a Zstandard window is too large for the memory. */
bool nd_stream_in_window_refused(const nd_stream_in *stream);
/* Whether its bytes are those of a regular file, so that they can be had again by opening it again.
 * Not of standard input. */
bool nd_stream_in_is_file(const nd_stream_in *stream);

/* Fills `buffer` with up to `size` bytes and sets *got; fewer than `size` only at the end (so 0:
 * nothing is left). A truncated or damaged stream is ND_ERR_INPUT and names file and compressed
 * byte offset; what came before it has been delivered by then or is in *got. */
nd_status nd_stream_in_read(nd_stream_in *stream, void *buffer, size_t size, size_t *got,
                            nd_error *error);

/* The same, but of a stream that is not compressed what has come so far: at least one byte, none
 * only at the end. */
nd_status nd_stream_in_read_some(nd_stream_in *stream, void *buffer, size_t size, size_t *got,
                                 nd_error *error);

/* Bytes of the underlying file read so far (compressed), for progress. */
uint64_t nd_stream_in_position(const nd_stream_in *stream);

#endif

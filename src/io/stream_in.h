/* Reads bytes from a file or a pipe, decompressed. Gzip (any number of members), Zstandard (any
 * number of frames, also skippable ones, one of which may hold a dictionary), bzip2, xz and LZ4
 * (any number of streams) are recognised by their first bytes. Zero padding after the last gzip
 * member is accepted, because tar and tapes write it; other bytes there are an error. One thread at
 * a time. */
#ifndef ND_IO_STREAM_IN_H
#define ND_IO_STREAM_IN_H

#include "base/alloc.h"
#include "base/job_progress.h"
#include "io/compression.h"
#include "io/member_resume.h"

typedef struct nd_stream_in nd_stream_in;

/* Zeros: malloc, no progress, Zstandard windows up to 8 MiB, and no threads. */
typedef struct nd_stream_in_options {
    const nd_allocator *allocator;
    nd_progress *progress; /* polled at each read, and while the stream waits for bytes */
    uint64_t memory;       /* of the reader's job, bytes; 0: there is no job */
    uint32_t threads; /* of the job; 0: there is none. With several, a compressed file is decoded
                         on others beside the caller's; the bytes are those of 1 */
} nd_stream_in_options;

/* Takes over the descriptor: nd_stream_in_close closes it, unless it is 0. `name` is for messages
 * and is copied. Reads the first bytes. */
nd_status nd_stream_in_open_fd(int fd, const char *name, const nd_stream_in_options *options,
                               nd_stream_in **out, nd_error *error);
/* Opens `path`; "-" is standard input, and "standard input" in messages. The first read waits for a
 * pipe that no process has opened for writing. `options` NULL: zeros. */
nd_status nd_stream_in_open(const char *path, const nd_stream_in_options *options,
                            nd_stream_in **out, nd_error *error);
void nd_stream_in_close(nd_stream_in *stream);

const char *nd_stream_in_name(const nd_stream_in *stream);
nd_compression nd_stream_in_compression(const nd_stream_in *stream);
/* Whether reading failed because a Zstandard window is too large for the memory. */
bool nd_stream_in_window_refused(const nd_stream_in *stream);
/* Whether the bytes are those of an uncompressed regular file, so that opening the file again gives
 * them again. False for standard input. */
bool nd_stream_in_is_file(const nd_stream_in *stream);

/* Fills `buffer` with up to `size` bytes and sets *got: fewer than `size` only at the end, so 0 if
 * nothing is left. A truncated or damaged stream is ND_ERR_INPUT with the file and the compressed
 * byte offset; the bytes before the damage have been delivered, the last of them in *got. */
nd_status nd_stream_in_read(nd_stream_in *stream, void *buffer, size_t size, size_t *got,
                            nd_error *error);

/* The same, except that an uncompressed stream delivers what has arrived so far: at least one byte,
 * and none only at the end. */
nd_status nd_stream_in_read_some(nd_stream_in *stream, void *buffer, size_t size, size_t *got,
                                 nd_error *error);

/* Reads exactly `size` bytes at an offset, and leaves the stream where it is; any number of threads
 * may do so at the same time. REQUIRES: nd_stream_in_is_file. */
nd_status nd_stream_in_read_at(const nd_stream_in *stream, void *buffer, size_t size,
                               uint64_t offset, nd_error *error);
/* Goes on reading at an offset. REQUIRES: nd_stream_in_is_file. */
void nd_stream_in_seek(nd_stream_in *stream, uint64_t offset);

/* A damaged member of a gzip file, or frame of a Zstandard file. */
typedef struct nd_stream_gap {
    uint64_t begin, end; /* compressed offsets: of the member, and of the one that is read next */
    uint64_t delivered;  /* bytes of the member that were delivered, the last ones */
} nd_stream_gap;

/* After reading has failed with ND_ERR_INPUT: looks for the next member, or frame, that begins with
 * a record, and reads on there. *resumed false: there is none, or the stream is not such a regular
 * file; then gap->end is 0. */
nd_status nd_stream_in_resume(nd_stream_in *stream, nd_record_begins_fn *begins,
                              const void *context, nd_stream_gap *gap, bool *resumed,
                              nd_error *error);

/* Bytes of the underlying, possibly compressed, file read so far; for progress. */
uint64_t nd_stream_in_position(const nd_stream_in *stream);

#endif

/* A stream of bytes to a descriptor, compressed as asked: gzip (level 6) or Zstandard (level 3,
 * checksum on). */
#ifndef ND_IO_STREAM_OUT_H
#define ND_IO_STREAM_OUT_H

#include "base/job_progress.h"
#include "io/stream_in.h"

typedef struct nd_stream_out nd_stream_out;

/* By the end of the name: .gz, .zst, else none. */
nd_compression nd_compression_of_name(const char *path);

/* Writes to `fd`, which stays the caller's. `name` is for messages and is copied. Output is
 * buffered. ND_ERR_ARGUMENT: the name ends as those of another compression do (.xz, .GZ). */
nd_status nd_stream_out_open_fd(int fd, const char *name, nd_compression compression,
                                const nd_allocator *allocator, nd_stream_out **out,
                                nd_error *error);
/* From now on `progress` is asked while a pipe or a terminal takes nothing: ND_ERR_CANCELLED is its
 * answer. */
void nd_stream_out_set_progress(nd_stream_out *stream, nd_progress *progress);
nd_status nd_stream_out_write(nd_stream_out *stream, const void *bytes, size_t size,
                              nd_error *error);
/* Ends the compressed stream and writes all that is buffered. Nothing may be written after. */
nd_status nd_stream_out_finish(nd_stream_out *stream, nd_error *error);
void nd_stream_out_free(nd_stream_out *stream);
/* Bytes written to the descriptor so far. */
uint64_t nd_stream_out_position(const nd_stream_out *stream);

#endif

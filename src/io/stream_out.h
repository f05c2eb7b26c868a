/* Writes bytes to a descriptor, plain, or compressed with gzip (level 6) or Zstandard (level 3,
 * checksum on). One thread at a time. */
#ifndef ND_IO_STREAM_OUT_H
#define ND_IO_STREAM_OUT_H

#include "base/alloc.h"
#include "base/job_progress.h"
#include "io/compression.h"

typedef struct nd_stream_out nd_stream_out;

/* Writes to `fd`, which stays the caller's. `name` is for messages and is copied. Output is
 * buffered. ND_ERR_ARGUMENT: as of nd_compression_check_name. */
nd_status nd_stream_out_open_fd(int fd, const char *name, nd_compression compression,
                                const nd_allocator *allocator, nd_stream_out **out,
                                nd_error *error);
/* From now on `progress` is polled while a pipe or a terminal takes nothing; writing may then
 * return ND_ERR_CANCELLED. */
void nd_stream_out_set_progress(nd_stream_out *stream, nd_progress *progress);
nd_status nd_stream_out_write(nd_stream_out *stream, const void *bytes, size_t size,
                              nd_error *error);
/* Ends a gzip member or a Zstandard frame: what is written next can be read without what was
 * written before. Does nothing to a plain stream, or if nothing was written since. */
nd_status nd_stream_out_end_member(nd_stream_out *stream, nd_error *error);
nd_compression nd_stream_out_compression(const nd_stream_out *stream);
/* Ends the compressed stream and writes the buffer. Nothing may be written after that. */
nd_status nd_stream_out_finish(nd_stream_out *stream, nd_error *error);
void nd_stream_out_free(nd_stream_out *stream);
/* Bytes written to the descriptor so far. */
uint64_t nd_stream_out_position(const nd_stream_out *stream);

#endif

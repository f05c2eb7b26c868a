/* Decodes bzip2, xz and LZ4 frames, each by its library: any number of streams or frames, one
 * behind the other. */
#ifndef ND_IO_MORE_IN_H
#define ND_IO_MORE_IN_H

#include "io/byte_source.h"
#include "io/compression.h"

typedef struct nd_more_in nd_more_in;

/* The source has its buffer, which begins with the stream's first bytes. It stays the caller's, and
 * must outlive the decoder. memory: as in nd_stream_in_options. ND_ERR_UNSUPPORTED: this build does
 * not have the library. */
nd_status nd_more_in_open(nd_byte_source *source, nd_compression compression, uint64_t memory,
                          const nd_allocator *allocator, nd_more_in **out, nd_error *error);
void nd_more_in_close(nd_more_in *in);

/* Whether reading failed because a stream needs more memory. */
bool nd_more_in_refused(const nd_more_in *in);

/* As nd_stream_in_read. */
nd_status nd_more_in_read(nd_more_in *in, void *buffer, size_t size, size_t *got, nd_error *error);

#endif

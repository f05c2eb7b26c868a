/* Decodes gzip by members, and on several threads, where a file has many of them: one per record,
 * as web archives have them, or one per block.
 *
 * Where a member begins is known only when the one before it has been decoded. But its first bytes
 * can be looked for: the file is cut into segments at places that look like the beginning of a
 * member, and each segment is decoded on a thread of its own. If one does not end where it was cut,
 * or is damaged, or no such place is near because a member is long, nd_gzip_in decodes it in order,
 * up to the end of a member behind it. So the bytes, and the errors, are those of nd_gzip_in. */
#ifndef ND_IO_GZIP_AHEAD_H
#define ND_IO_GZIP_AHEAD_H

#include "io/gzip_in.h"

typedef struct nd_gzip_ahead nd_gzip_ahead;

/* The source has its buffer, which begins with the stream's first bytes. It stays the caller's, and
 * must outlive the decoder. `threads`: of the job; the decoder takes as many, 1 to 8;
 * with 1 the caller decodes. */
nd_status nd_gzip_ahead_open(nd_byte_source *source, uint32_t threads,
                             const nd_allocator *allocator, nd_gzip_ahead **out, nd_error *error);
void nd_gzip_ahead_close(nd_gzip_ahead *ahead);

/* As nd_stream_in_read. */
nd_status nd_gzip_ahead_read(nd_gzip_ahead *ahead, void *buffer, size_t size, size_t *got,
                             nd_error *error);

/* The decoder that failed, after a failure. NULL: nothing was decoded in order. */
const nd_gzip_in *nd_gzip_ahead_decoder(const nd_gzip_ahead *ahead);

#endif

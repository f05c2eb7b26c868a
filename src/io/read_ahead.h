/* Reads a decoder on a thread of its own, ahead of the caller: while the caller works on one piece
 * of the output, the next one is decoded. A short output is decoded by the caller.
 *
 * How many bytes a decoder gives in front of damage depends on how many it is asked for at a time.
 * So it is always asked for the same, on one thread, too, and at any size of the caller's reads. */
#ifndef ND_IO_READ_AHEAD_H
#define ND_IO_READ_AHEAD_H

#include "io/byte_source.h"

typedef struct nd_read_ahead nd_read_ahead;

/* Reads as nd_stream_in_read does. */
typedef nd_status nd_read_ahead_fn(void *decoder, void *buffer, size_t size, size_t *got,
                                   nd_error *error);

/* `source` is where the decoder reads; `threads`: of the job; with 1 the caller decodes. REQUIRES:
 * the source does not wait, so that closing does not. */
nd_status nd_read_ahead_open(nd_read_ahead_fn *fn, void *decoder, const nd_byte_source *source,
                             uint32_t threads, const nd_allocator *allocator, nd_read_ahead **out,
                             nd_error *error);
/* Ends the thread. The decoder can then be closed. NULL is accepted. */
void nd_read_ahead_close(nd_read_ahead *ahead);

/* As nd_stream_in_read. After a failure the thread does nothing, and the decoder is the caller's.
 */
nd_status nd_read_ahead_read(nd_read_ahead *ahead, void *buffer, size_t size, size_t *got,
                             nd_error *error);

/* The source's position when the bytes that are delivered were decoded. */
uint64_t nd_read_ahead_position(const nd_read_ahead *ahead);

#endif

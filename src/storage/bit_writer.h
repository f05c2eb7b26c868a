/* Numbers of some bits each, one after the other from the lowest bit of byte 0 up, on their way to
 * a section of a sealed file or to a spool. */
#ifndef ND_STORAGE_BIT_WRITER_H
#define ND_STORAGE_BIT_WRITER_H

#include "base/bits.h"
#include "base/limits.h"
#include "storage/sealed_file.h"

enum { ND_BIT_STREAM_BUFFER = ND_LIMIT(4096, 16) };

/* The last bits, fewer than 64. Apart from the stream, so that a loop can have them in registers.
 */
typedef struct nd_bits {
    uint64_t word;
    unsigned used;
} nd_bits;

/* Zero-initialised but for one of file and spool. */
typedef struct nd_bit_stream {
    nd_sealed_writer *file; /* or */
    nd_spool *spool;
    nd_bits bits;
    size_t waiting; /* bytes of the buffer */
    unsigned char buffer[ND_BIT_STREAM_BUFFER];
} nd_bit_stream;

nd_status nd_bit_stream_flush(nd_bit_stream *stream, nd_error *error);

/* 64 bits where no others are left. */
static inline nd_status nd_bit_stream_put_word(nd_bit_stream *s, uint64_t word, nd_error *error) {
    if (s->waiting + 8 > ND_BIT_STREAM_BUFFER) ND_TRY(nd_bit_stream_flush(s, error));
    nd_store_le64(s->buffer + s->waiting, word);
    s->waiting += 8;
    return ND_OK;
}

/* size: 1 to 63. `bits` are the stream's, or a copy that becomes them in the end. */
static inline nd_status nd_bit_stream_put(nd_bit_stream *s, nd_bits *bits, uint64_t value,
                                          unsigned size, nd_error *error) {
    unsigned free = 64 - bits->used;
    bits->word |= value << bits->used;
    if (size < free) {
        bits->used += size;
        return ND_OK;
    }
    ND_TRY(nd_bit_stream_put_word(s, bits->word, error));
    bits->word = size == free ? 0 : value >> free;
    bits->used = size - free;
    return ND_OK;
}

/* What is left, in whole bytes, or, with `words`, in a whole word. */
nd_status nd_bit_stream_finish(nd_bit_stream *stream, bool words, nd_error *error);

#endif

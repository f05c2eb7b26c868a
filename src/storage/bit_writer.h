/* Packs numbers of any width into a string of bits, from the lowest bit of byte 0 upward, and
 * writes it to a section of a sealed file or to a spool. */
#ifndef ND_STORAGE_BIT_WRITER_H
#define ND_STORAGE_BIT_WRITER_H

#include "base/bits.h"
#include "base/limits.h"
#include "storage/sealed_file.h"

enum { ND_BIT_WRITER_BUFFER = ND_LIMIT(4096, 16) };

/* The last bits, fewer than 64. They are a struct of their own, so that a loop can keep a copy in
 * registers. */
typedef struct nd_bits {
    uint64_t word;
    unsigned used;
} nd_bits;

/* Zero-initialised except either `file` or `spool`, which the caller owns. */
typedef struct nd_bit_writer {
    nd_sealed_writer *file;
    nd_spool *spool;
    nd_bits bits;
    size_t waiting; /* bytes in the buffer */
    unsigned char buffer[ND_BIT_WRITER_BUFFER];
} nd_bit_writer;

/* Writes the buffer. */
nd_status nd_bit_writer_flush(nd_bit_writer *stream, nd_error *error);

/* Appends 64 bits. REQUIRES: there are no last bits. */
static inline nd_status nd_bit_writer_put_word(nd_bit_writer *s, uint64_t word, nd_error *error) {
    if (s->waiting + 8 > ND_BIT_WRITER_BUFFER) ND_TRY(nd_bit_writer_flush(s, error));
    nd_store_le64(s->buffer + s->waiting, word);
    s->waiting += 8;
    return ND_OK;
}

/* Appends a number of `size` bits, 1 to 63. `bits` are the stream's, or a copy that the caller
 * stores back in the end. */
static inline nd_status nd_bit_writer_put(nd_bit_writer *s, nd_bits *bits, uint64_t value,
                                          unsigned size, nd_error *error) {
    unsigned free = 64 - bits->used;
    bits->word |= value << bits->used;
    if (size < free) {
        bits->used += size;
        return ND_OK;
    }
    ND_TRY(nd_bit_writer_put_word(s, bits->word, error));
    bits->word = size == free ? 0 : value >> free;
    bits->used = size - free;
    return ND_OK;
}

/* Writes everything, filling the last byte with zeros. */
nd_status nd_bit_writer_finish(nd_bit_writer *stream, nd_error *error);
/* Writes everything, filling the last word of 8 bytes with zeros. */
nd_status nd_bit_writer_finish_word(nd_bit_writer *stream, nd_error *error);

#endif

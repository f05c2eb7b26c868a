#include "storage/bit_writer.h"

static nd_status write_bytes(nd_bit_writer *s, const void *bytes, size_t size, nd_error *error) {
    return s->file ? nd_sealed_write(s->file, bytes, size, error)
                   : nd_spool_append(s->spool, bytes, size, error);
}

nd_status nd_bit_writer_flush(nd_bit_writer *s, nd_error *error) {
    size_t size = s->waiting;
    s->waiting = 0;
    return write_bytes(s, s->buffer, size, error);
}

/* Writes the last bits in `size` bytes. */
static nd_status finish(nd_bit_writer *s, size_t size, nd_error *error) {
    unsigned char last[8];
    ND_TRY(nd_bit_writer_flush(s, error));
    nd_store_le64(last, s->bits.word);
    return write_bytes(s, last, size, error);
}

nd_status nd_bit_writer_finish(nd_bit_writer *s, nd_error *error) {
    return finish(s, (s->bits.used + 7) / 8, error);
}

nd_status nd_bit_writer_finish_word(nd_bit_writer *s, nd_error *error) {
    return finish(s, s->bits.used > 0 ? 8 : 0, error);
}

#include "storage/bit_writer.h"

nd_status nd_bit_stream_flush(nd_bit_stream *s, nd_error *error) {
    size_t size = s->waiting;
    s->waiting = 0;
    return s->file ? nd_sealed_write(s->file, s->buffer, size, error)
                   : nd_spool_append(s->spool, s->buffer, size, error);
}

nd_status nd_bit_stream_finish(nd_bit_stream *s, bool words, nd_error *error) {
    unsigned char last[8];
    size_t size = words && s->bits.used > 0 ? 8 : (s->bits.used + 7) / 8;
    ND_TRY(nd_bit_stream_flush(s, error));
    nd_store_le64(last, s->bits.word);
    return s->file ? nd_sealed_write(s->file, last, size, error)
                   : nd_spool_append(s->spool, last, size, error);
}

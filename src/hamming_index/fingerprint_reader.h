/* Reads fingerprints one by one: from a file (doc/internals/formats.md, "Fingerprint files"), whose
 * rows are an id and hexadecimal digits, or which is an array of raw numbers; from a callback; or
 * from an array in memory. All are checked in the same way. Where a source has no ids, an id is the
 * position.
 *
 * A reader belongs to one thread. The source must outlive it. */
#ifndef ND_HAMMING_INDEX_FINGERPRINT_READER_H
#define ND_HAMMING_INDEX_FINGERPRINT_READER_H

#include "io/stream_in.h"

#include <stdbool.h>

typedef struct nd_fingerprint_reader nd_fingerprint_reader;

/* input: how a file is read; its progress callback is called at each read. ND_ERR_ARGUMENT: not
 * exactly one source, or a format that does not hold fingerprints of `bits` bits. */
nd_status nd_fingerprint_reader_open(const nd_fingerprint_source *source, uint32_t bits,
                                     const nd_stream_in_options *input, nd_fingerprint_reader **out,
                                     nd_error *error);
/* NULL is accepted. */
void nd_fingerprint_reader_close(nd_fingerprint_reader *in);

/* Whether the source can be opened and read again at little cost: an array, or raw numbers in a
 * regular file that is not compressed. */
bool nd_fingerprint_reader_is_rereadable(const nd_fingerprint_reader *in);

/* Reads the next fingerprint; *more false: there is none. Its id is NULL where it is the position,
 * else valid until the next call. ND_ERR_INPUT: it is no row, or it has more than `bits` bits. */
nd_status nd_fingerprint_reader_next(nd_fingerprint_reader *in, nd_fingerprinted *out, bool *more,
                                     nd_error *error);

/* Reads up to `most` fingerprints of a source that can be read again; *count 0: there are no more.
 * On failure *count is the number of those before it. */
nd_status nd_fingerprint_reader_read(nd_fingerprint_reader *in, nd_fingerprint *out, size_t most,
                                     size_t *count, nd_error *error);

#endif

/* Files of fingerprints, read one by one (doc/formats.md, "Fingerprint files"): rows of id and
 * hexadecimal digits, or raw numbers whose position is the id. Or those of a callback or an array,
 * checked in the same way. */
#ifndef ND_HAMMING_INDEX_FINGERPRINT_READER_H
#define ND_HAMMING_INDEX_FINGERPRINT_READER_H

#include "io/stream_in.h"

#include <stdbool.h>

typedef struct nd_fingerprint_in nd_fingerprint_in;

/* `input` says how a file is read; its progress, too, is asked at each read. ND_ERR_ARGUMENT: a
 * format that does not hold fingerprints of `bits`, or no source. */
nd_status nd_fingerprint_in_open(const nd_fingerprint_source *source, uint32_t bits,
                                 const nd_stream_in_options *input, nd_fingerprint_in **out,
                                 nd_error *error);
/* NULL is accepted. */
void nd_fingerprint_in_close(nd_fingerprint_in *in);

/* Whether they can be read again, for little, by opening the source again: an array, or raw numbers
 * in a regular file that is not compressed. */
bool nd_fingerprint_in_lasts(const nd_fingerprint_in *in);

/* The next one, its id NULL where the position is the id; valid until the next call. *more false:
 * there is none. ND_ERR_INPUT: not a row, or more than `bits` bits. */
nd_status nd_fingerprint_in_next(nd_fingerprint_in *in, nd_fingerprinted *out, bool *more,
                                 nd_error *error);

/* The same of at most `most` of a source that lasts; *count 0: there are no more. On failure *count
 * are those before it. */
nd_status nd_fingerprint_in_some(nd_fingerprint_in *in, nd_fingerprint *out, size_t most,
                                 size_t *count, nd_error *error);

#endif

/* Reads fingerprints one by one from a source: a file (doc/internals/formats.md, "Fingerprint
 * files") of rows with an id and hexadecimal digits, or of raw numbers; a callback; or an array in
 * memory. All are checked in the same way. If a source has no ids, the id of a fingerprint is its
 * position.
 *
 * A reader belongs to one thread. The source must outlive it. */
#ifndef ND_HAMMING_INDEX_FINGERPRINT_READER_H
#define ND_HAMMING_INDEX_FINGERPRINT_READER_H

#include "io/stream_in.h"

#include <stdbool.h>

typedef struct nd_fingerprint_reader nd_fingerprint_reader;

/* Reads the caller's structure (base/options.h). */
nd_status nd_fingerprint_source_read(const nd_fingerprint_source *given, nd_fingerprint_source *out,
                                     nd_error *error);

/* Opens a source. `input`: how a file is read; its progress callback is called at each read.
 * ND_ERR_ARGUMENT: there is not exactly one source, or the format does not hold fingerprints of
 * `bits` bits. */
nd_status nd_fingerprint_reader_open(const nd_fingerprint_source *source, uint32_t bits,
                                     const nd_stream_in_options *input, nd_fingerprint_reader **out,
                                     nd_error *error);
/* NULL is accepted. */
void nd_fingerprint_reader_close(nd_fingerprint_reader *in);

/* Whether the source can be opened and read again at little cost: an array, or raw numbers in a
 * regular file that is not compressed. */
bool nd_fingerprint_reader_is_rereadable(const nd_fingerprint_reader *in);

/* Reads the next fingerprint; *more false: there is none. Its id is NULL if the id is the position;
 * otherwise it is valid until the next call. ND_ERR_INPUT: the row is not valid, or the fingerprint
 * has more than `bits` bits. */
nd_status nd_fingerprint_reader_next(nd_fingerprint_reader *in, nd_fingerprinted *out, bool *more,
                                     nd_error *error);

/* Reads up to `most` fingerprints of a source that can be read again; *count 0: there are no more.
 * On failure *count is the number of fingerprints before it. */
nd_status nd_fingerprint_reader_read(nd_fingerprint_reader *in, nd_fingerprint *out, size_t most,
                                     size_t *count, nd_error *error);

#endif

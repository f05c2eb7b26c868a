/* The encoding of CSV or TSV, guessed by the first bytes of a file: its rows are too short to
 * guess the encoding of each. */
#ifndef ND_CORPUS_TABLE_ENCODING_H
#define ND_CORPUS_TABLE_ENCODING_H

#include "corpus/corpus.h"

/* Sets the encoding of a source whose first bytes are these, of which at most ND_RECOGNISE_BYTES
 * are read. It is none if the source is no table, if the bytes are UTF-8, or if nothing can be
 * guessed. */
nd_status nd_table_guess_encoding(nd_source *source, const char *bytes, size_t size,
                                  const nd_allocator *allocator, nd_error *error);

#endif

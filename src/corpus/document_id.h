/* The ids of documents. A document without an id of its own is identified by its position. */
#ifndef ND_CORPUS_DOCUMENT_ID_H
#define ND_CORPUS_DOCUMENT_ID_H

#include "corpus/record_reader.h"

/* The id of a document, and its position. Valid until the buffer is used again. Starts
 * zero-initialised; the caller frees `bytes`. */
typedef struct nd_id_buffer {
    char *bytes;
    size_t capacity;
    const char *id; /* in `bytes`, or in the memory of the document */
    size_t length;
    const char *source; /* name of the input as given; "": a callback's record, or a document of an
                           index */
    uint64_t line; /* from 1; of a callback or a directory the number of the record; 0: a document
                      of an index */
} nd_id_buffer;

/* Sets buffer->id, length and line (not source) for a record of a block: the document's own id, or
 * "FILE:LINE", or the number of a callback's record. */
nd_status nd_corpus_document_id(nd_corpus *corpus, const nd_block *block, size_t record,
                                const nd_document *document, nd_id_buffer *buffer, nd_error *error);

#endif

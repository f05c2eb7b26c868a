/* The id of a document, and the position of its record in the input. */
#ifndef ND_CORPUS_DOCUMENT_ID_H
#define ND_CORPUS_DOCUMENT_ID_H

#include "corpus/record_reader.h"

/* Filled by the functions that find an id, and reused from document to document. `id` and `source`
 * are valid until the buffer is filled again. Zero-initialised. `bytes` is memory of the caller's
 * allocator; the caller releases it. */
typedef struct nd_id_buffer {
    char *bytes;
    size_t capacity;
    const char *id;
    size_t length;
    const char *source; /* the name of the input as given; "": a callback's record, or a document of
                           an index */
    uint64_t line;      /* from 1; of a callback: number of the record; of a directory: number of
                           the file; 0: a document of an index */
} nd_id_buffer;

/* Finds the id of a document of a block: its own id, else FILE:LINE, else the number of a
 * callback's record; and its position. A text of a list is a file of its own: its source is its
 * id. */
nd_status nd_document_id(const nd_source *source, const nd_raw_record *record,
                         const nd_document *document, const nd_allocator *allocator,
                         nd_id_buffer *buffer, nd_error *error);

#endif

/* The ids of documents, with their inputs and lines, by number. */
#ifndef ND_REPEATS_DOCUMENT_NAMES_H
#define ND_REPEATS_DOCUMENT_NAMES_H

#include "corpus/document_id.h"
#include "io/spool.h"

typedef struct nd_document_names {
    nd_spool bytes;
    uint64_t *offsets; /* by document */
    size_t count, capacity;
} nd_document_names;

void nd_document_names_init(nd_document_names *names, const nd_allocator *allocator,
                            nd_temp_space *disk, size_t memory_limit);
void nd_document_names_free(nd_document_names *names);

/* Adds the name of the next document. `source` is the input's name. */
nd_status nd_document_names_add(nd_document_names *names, const char *id, size_t length,
                                const char *source, uint64_t line, nd_error *error);
/* Fills the buffer with the name of a document. */
nd_status nd_document_names_find(const nd_document_names *names, uint64_t document,
                                 nd_id_buffer *out, nd_error *error);

#endif

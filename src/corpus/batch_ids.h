/* The ids of the documents of a batch, one behind the other in one array. */
#ifndef ND_CORPUS_BATCH_IDS_H
#define ND_CORPUS_BATCH_IDS_H

#include "corpus/document_scan.h"

/* Zero-initialised. `size` 0 makes it empty, for the next block. */
typedef struct nd_batch_ids {
    char *bytes;
    size_t size, capacity;
    nd_id_buffer buffer; /* scratch */
} nd_batch_ids;

/* The id bytes[start, +length). The array still grows, so this is an offset, not a pointer. */
typedef struct nd_batch_id {
    size_t start, length;
} nd_batch_id;

/* Finds the id of a document (nd_document_id) and appends it. After that `bytes` is not NULL, also
 * if all ids are empty. */
nd_status nd_batch_ids_add(nd_batch_ids *ids, const nd_scan_item *item,
                           const nd_allocator *allocator, nd_batch_id *out, nd_error *error);

void nd_batch_ids_free(nd_batch_ids *ids, const nd_allocator *allocator);

#endif

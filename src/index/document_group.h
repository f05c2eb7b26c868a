/* Documents that are looked up together in a store (nd_document_search_look_up): copies of their
 * sketches, keys and shingles, which their sketcher makes one document after the other. */
#ifndef ND_INDEX_DOCUMENT_GROUP_H
#define ND_INDEX_DOCUMENT_GROUP_H

#include "base/limits.h"
#include "index/document_sketcher.h"

/* A group is full at so many documents, or at about so many shingles of 8 bytes. */
enum { ND_GROUP_DOCUMENTS = ND_LIMIT(2048, 3), ND_GROUP_SHINGLES = 1 << 20 };

/* Zeros at first. */
typedef struct nd_document_group {
    nd_sketched_document documents[ND_GROUP_DOCUMENTS];
    size_t shingle_at[ND_GROUP_DOCUMENTS];
    size_t count;
    uint8_t *sketches;
    uint64_t *keys, *shingles;
    size_t shingle_count, sketch_capacity, key_capacity, shingle_capacity;
} nd_document_group;

void nd_document_group_free(nd_document_group *group, const nd_allocator *allocator);

void nd_document_group_empty(nd_document_group *group);
bool nd_document_group_is_full(const nd_document_group *group);

/* Appends a document without its id. REQUIRES: the group is not full. */
nd_status nd_document_group_add(nd_document_group *group, const nd_index_settings *settings,
                                const nd_sketched_document *document, const nd_allocator *allocator,
                                nd_error *error);

/* Returns the documents, valid until the group changes. */
const nd_sketched_document *nd_document_group_documents(nd_document_group *group,
                                                        const nd_index_settings *settings);

#endif

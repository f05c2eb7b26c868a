/* The public search context of an index of documents (nd_search): it sketches a text, then searches
 * the index for it. */
#ifndef ND_INDEX_SEARCHER_H
#define ND_INDEX_SEARCHER_H

#include "index/document_search.h"
#include "index/index_store.h"

struct nd_searcher {
    nd_allocator allocator;
    nd_index_store *index;
    nd_document_sketcher *sketcher;
    nd_document_search *search;
};

typedef struct nd_searcher_options {
    const nd_dictionary *dictionary; /* of ND_SEGMENT; NULL: none */
    uint32_t max_compare;
} nd_searcher_options;

/* The index must outlive the searcher. */
nd_status nd_searcher_make(nd_index_store *index, const nd_searcher_options *options,
                           const nd_allocator *allocator, nd_searcher **out, nd_error *error);

#endif

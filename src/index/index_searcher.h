/* The public search context of an index of documents (nd_index_search): it sketches a text, then
 * searches the index for it. */
#ifndef ND_INDEX_INDEX_SEARCHER_H
#define ND_INDEX_INDEX_SEARCHER_H

#include "index/document_search.h"
#include "index/index_store.h"

struct nd_index_searcher {
    nd_allocator allocator;
    nd_index_store *index;
    nd_document_sketcher *sketcher; /* NULL: documents come with all their parts */
    nd_document_search *search;
};

/* Makes a searcher for documents that come with all their parts. The index must outlive the
 * searcher. */
nd_status nd_index_searcher_make(nd_index_store *index, uint32_t max_compare,
                                 const nd_allocator *allocator, nd_index_searcher **out,
                                 nd_error *error);
/* Makes a searcher that is for texts, too. `dictionary`: for ND_SEGMENT; NULL: none. */
nd_status nd_index_searcher_make_for_texts(nd_index_store *index, uint32_t max_compare,
                                           const nd_dictionary *dictionary,
                                           const nd_allocator *allocator, nd_index_searcher **out,
                                           nd_error *error);

#endif

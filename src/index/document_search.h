/* Searches the store of an index of documents for the duplicates of one document. */
#ifndef ND_INDEX_DOCUMENT_SEARCH_H
#define ND_INDEX_DOCUMENT_SEARCH_H

#include "index/document_sketcher.h"
#include "store/store.h"

/* The search context of one thread. */
typedef struct nd_document_search nd_document_search;

/* The result of a search. Valid until the context is used again. */
typedef struct nd_search_result {
    const nd_match *matches; /* best first */
    size_t count;
    uint64_t left_out; /* comparisons that max_compare did not allow */
} nd_search_result;

nd_status nd_document_search_create(const nd_index_settings *settings, uint32_t max_compare,
                                    const nd_allocator *allocator, nd_document_search **out,
                                    nd_error *error);
/* NULL is accepted. */
void nd_document_search_free(nd_document_search *search);

/* Finds the duplicates of a document in a store of the same settings, without the document that has
 * the number `except` (UINT32_MAX: none). If the index has sets, a document without document->set
 * must have its packed set. */
nd_status nd_document_search_find(nd_document_search *search, const nd_store *store,
                                  const nd_sketched_document *document, nd_search_kind kind,
                                  uint32_t except, nd_error *error);

const nd_search_result *nd_document_search_result(const nd_document_search *search);

#endif

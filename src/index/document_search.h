/* Searches the store of an index of documents for the duplicates of documents. */
#ifndef ND_INDEX_DOCUMENT_SEARCH_H
#define ND_INDEX_DOCUMENT_SEARCH_H

#include "index/document_group.h"
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

/* A search has two steps, of which the first is faster for many documents together. Looks up the
 * keys of 1 to ND_GROUP_DOCUMENTS documents in a store of the same settings. */
nd_status nd_document_search_look_up(nd_document_search *search, const nd_store *store,
                                     const nd_sketched_document *documents, size_t count,
                                     nd_error *error);
/* Finds the duplicates of document i of those, without the document that has the number `except`
 * (UINT32_MAX: none). The documents and the store must not have changed. */
nd_status nd_document_search_find(nd_document_search *search, const nd_store *store, size_t i,
                                  nd_search_kind kind, uint32_t except, nd_error *error);

const nd_search_result *nd_document_search_result(const nd_document_search *search);

#endif

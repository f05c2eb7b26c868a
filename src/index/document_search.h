/* Searching an opened index for one text: what is behind nd_search and nd_index_add. */
#ifndef ND_INDEX_DOCUMENT_SEARCH_H
#define ND_INDEX_DOCUMENT_SEARCH_H

#include "store/store.h"

/* A text as an index would keep it, and the index's documents that it duplicates. Its parts belong
 * to the searcher, until it is used again. */
typedef struct nd_searched {
    nd_stored_document document; /* of a text: without id; the set only when asked for */
    const nd_match *matches;
    size_t count;
    uint64_t left_out;
} nd_searched;

/* The first searches with prepared documents alone (index/document_sketcher.h), the second with
 * texts, too. */
nd_status nd_searcher_make(const nd_index_settings *settings, uint32_t max_compare,
                           const nd_allocator *allocator, nd_searcher **out, nd_error *error);
nd_status nd_searcher_make_for_texts(const nd_index_settings *settings, uint32_t max_compare,
                                     const nd_allocator *allocator, nd_searcher **out,
                                     nd_error *error);

/* Analyses and sketches a text. The searcher remembers it. */
nd_status nd_searcher_take(nd_searcher *searcher, const char *text, size_t length, nd_error *error);
/* The same of a prepared document, whose parts stay the caller's, until the next one. */
void nd_searcher_take_document(nd_searcher *searcher, const nd_stored_document *document);
/* The text's duplicates in a store, of which `except` (UINT32_MAX: none) does not count. */
nd_status nd_searcher_search(nd_searcher *searcher, const nd_store *store, nd_search_kind kind,
                             uint32_t except, nd_error *error);
/* The packed set of a text goes into searched->document. */
nd_status nd_searcher_pack(nd_searcher *searcher, nd_error *error);

/* The index whose public searcher it is. */
void nd_searcher_bind(nd_searcher *searcher, nd_index *index);
nd_index *nd_searcher_index(const nd_searcher *searcher);

const nd_searched *nd_searcher_found(const nd_searcher *searcher);

#endif

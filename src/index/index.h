/* An index of documents: its handle, and calls on it that only the library makes. */
#ifndef ND_INDEX_INDEX_H
#define ND_INDEX_INDEX_H

#include "index/document_settings.h"
#include "index/index_store.h"

struct nd_index {
    nd_index_store shared;
    nd_index_parts parts; /* the options with which it was made */
};

/* Like nd_index_create, but also for ND_SEGMENT. Only a stream may have an index with that
 * analyzer, because only a stream keeps to one dictionary and one ICU. */
nd_status nd_index_make(const char *path, const nd_index_parts *parts,
                        const nd_allocator *allocator, nd_error *error);

/* Makes a searcher that only nd_index_add_document may use. */
nd_status nd_index_make_searcher(nd_index *index, nd_index_searcher **out, nd_error *error);
/* Like nd_index_add, for a document that comes with all its parts (document_sketcher.h). A call to
 * the system for each document would take as long as finding its duplicates, so only
 * nd_index_seal_added gives it to the log. REQUIRES: the index has no document with its id. */
nd_status nd_index_add_document(nd_index *index, nd_index_searcher *searcher,
                                const nd_stored_document *document, bool *added,
                                const nd_match **evidence, nd_error *error);
/* Makes a group of the added documents, which the next nd_index_sync writes to the log and makes
 * durable: so another thread can do both. */
nd_status nd_index_seal_added(nd_index *index, nd_error *error);

#endif

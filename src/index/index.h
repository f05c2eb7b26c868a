/* The handle of an index. The public calls on it are here where they are the same for both kinds,
 * or are for documents; those for fingerprints are in hamming_index/. */
#ifndef ND_INDEX_INDEX_H
#define ND_INDEX_INDEX_H

#include "index/document_settings.h"
#include "index/index_store.h"

struct nd_index {
    nd_index_store shared;
};

/* Like nd_index_create, but also for ND_SEGMENT: only a stream, which keeps to one dictionary and
 * one ICU, may have an index with that analyzer. */
nd_status nd_index_make(const char *path, const nd_index_options *options,
                        const nd_allocator *allocator, nd_error *error);

/* A searcher for nd_index_add_document alone. */
nd_status nd_index_make_searcher(nd_index *index, nd_searcher **out, nd_error *error);
/* Like nd_index_add without replacing, for a document with all its parts (document_sketcher.h). */
nd_status nd_index_add_document(nd_index *index, nd_searcher *searcher,
                                const nd_stored_document *document, bool *added,
                                const nd_match **evidence, nd_error *error);

/* An empty index of documents in memory alone: nothing is durable, and nd_index_close forgets
 * everything. It holds at most ND_MEMTABLE_MOST documents. */
nd_status nd_index_open_in_memory(const nd_index_options *options, const nd_allocator *allocator,
                                  nd_index **out, nd_error *error);

#endif

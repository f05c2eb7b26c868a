/* Makes from a text the parts that an index of documents stores: sketch, band keys and shingle set.
 *
 * The parts depend only on the text and the settings of the index. So any number of threads may
 * make them, each with its own sketcher, for one writer that adds them (nd_index_add_document). */
#ifndef ND_INDEX_DOCUMENT_SKETCHER_H
#define ND_INDEX_DOCUMENT_SKETCHER_H

#include "store/document_row.h"
#include "store/manifest.h"

typedef struct nd_document_sketcher nd_document_sketcher;

/* `dictionary`: for ND_SEGMENT; NULL: none. It must outlive the sketcher. */
nd_status nd_document_sketcher_create(const nd_index_settings *settings,
                                      const nd_dictionary *dictionary,
                                      const nd_allocator *allocator, nd_document_sketcher **out,
                                      nd_error *error);
/* NULL is accepted. */
void nd_document_sketcher_free(nd_document_sketcher *sketcher);

/* The analyzer that makes the shingles. It belongs to the sketcher. */
nd_analyzer *nd_document_sketcher_analyzer(nd_document_sketcher *sketcher);

/* Makes all parts of *out, except its id, from the shingles that the analyzer made of a text, and
 * overwrites them. The parts belong to the sketcher, until the next text. 8 bytes behind the set
 * can be read. */
nd_status nd_document_sketcher_make(nd_document_sketcher *sketcher, const nd_shingles *shingles,
                                    nd_stored_document *out, nd_error *error);

/* A document that is compared first, and packed only if it is stored. In an index with sets it has
 * its shingles or its packed set. */
typedef struct nd_sketched_document {
    nd_stored_document stored;
    uint64_t *shingles;
    size_t shingle_count;
} nd_sketched_document;

/* Makes sketch, keys and shingles. They belong to the sketcher, until the next text. */
nd_status nd_document_sketcher_sketch(nd_document_sketcher *sketcher, const char *text,
                                      size_t length, nd_sketched_document *out, nd_error *error);
/* Packs the set of the document that was sketched last. */
nd_status nd_document_sketcher_pack(nd_document_sketcher *sketcher, nd_sketched_document *document,
                                    nd_error *error);

#endif

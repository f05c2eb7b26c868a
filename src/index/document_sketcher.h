/* A text as an index of documents keeps it: its sketch, band keys and shingle set. */
#ifndef ND_INDEX_DOCUMENT_SKETCHER_H
#define ND_INDEX_DOCUMENT_SKETCHER_H

#include "similarity/shingle_set.h"
#include "store/document_row.h"
#include "store/manifest.h"

typedef struct nd_sketched_document {
    const uint8_t *sketch;
    const uint64_t *keys;   /* one per band (nd_band_number) */
    const nd_hash_set *set; /* NULL in an index without sets */
} nd_sketched_document;

/* Makes them, for one thread. */
typedef struct nd_document_sketcher nd_document_sketcher;

/* `dictionary`: of ND_SEGMENT; NULL: none. It must outlive the sketcher. */
nd_status nd_document_sketcher_create(const nd_index_settings *settings,
                                      const nd_dictionary *dictionary,
                                      const nd_allocator *allocator, nd_document_sketcher **out,
                                      nd_error *error);
/* NULL is accepted. */
void nd_document_sketcher_free(nd_document_sketcher *sketcher);

/* *out and what it points to are the sketcher's, until the next text. */
nd_status nd_document_sketch(nd_document_sketcher *sketcher, const char *text, size_t length,
                             const nd_sketched_document **out, nd_error *error);
/* Packs the set of the document that was sketched last. *out has no id, and is valid until the next
 * call of a function of the sketcher. */
nd_status nd_document_pack(nd_document_sketcher *sketcher, nd_stored_document *out,
                           nd_error *error);

#endif

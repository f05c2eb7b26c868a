/* From a text to the parts that an index stores of it: sketch, band keys, packed shingle set.
 *
 * The parts depend on the text and the index's settings alone. So any number of threads may make
 * them, each with its own sketcher, for one writer that adds them (nd_index_add_document). */
#ifndef ND_INDEX_DOCUMENT_SKETCHER_H
#define ND_INDEX_DOCUMENT_SKETCHER_H

#include "store/store.h"

typedef struct nd_document_sketcher nd_document_sketcher;

/* `dictionary`: for ND_SEGMENT, used as long as the sketcher; NULL: none. */
nd_status nd_document_sketcher_create(const nd_index_settings *settings,
                                      const nd_dictionary *dictionary,
                                      const nd_allocator *allocator, nd_document_sketcher **out,
                                      nd_error *error);
/* NULL is accepted. */
void nd_document_sketcher_free(nd_document_sketcher *sketcher);

/* Sets sketch and keys of *out, and clears its other parts. *shingles: those of the text, in its
 * order and with repeats; where the index keeps sets they are narrowed (similarity/packed_set.h).
 * All is valid until the next text; the shingles may be changed in place. ND_ERR_INPUT: the text is
 * not UTF-8. */
nd_status nd_document_sketcher_sketch(nd_document_sketcher *sketcher, const char *text,
                                      size_t length, nd_stored_document *out, nd_shingles *shingles,
                                      nd_error *error);
/* Packs narrowed shingles, which it sorts in place, as the set of *out: bytes valid until the next
 * text. Does nothing where the index keeps no sets. */
nd_status nd_document_sketcher_pack(nd_document_sketcher *sketcher, uint64_t *shingles,
                                    size_t count, nd_stored_document *out, nd_error *error);

/* Both: all parts of *out except its id. */
nd_status nd_document_sketcher_make(nd_document_sketcher *sketcher, const char *text, size_t length,
                                    nd_stored_document *out, nd_error *error);

#endif

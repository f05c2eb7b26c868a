/* A cache of what was made of recently compared documents: their shingles, or the words of their
 * vectors. A cluster's first document is compared with each of the others, and would be read and
 * analysed again for each.
 *
 * Arrays are copied one behind the other into slabs of memory, and the slabs are filled in turn, so
 * the oldest arrays give way to the new ones. A slab is large, so that the system can give it large
 * pages. */
#ifndef ND_DEDUP_COMPARED_SETS_H
#define ND_DEDUP_COMPARED_SETS_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_compared_sets nd_compared_sets;

/* Slabs take at most `memory` bytes, one after the other as they are needed; 0: nothing is kept.
 * There is a slot of 16 bytes for each KiB of it, but at most one per document. */
nd_status nd_compared_sets_create(const nd_allocator *allocator, size_t memory, size_t documents,
                                  nd_compared_sets **out, nd_error *error);
/* NULL is accepted. */
void nd_compared_sets_free(nd_compared_sets *sets);

/* Keeps a copy of the words of a document in place of those in its slot. Words that do not fit in a
 * slab, or for which memory cannot be allocated, are not kept. */
void nd_compared_sets_keep(nd_compared_sets *sets, uint32_t rank, const uint64_t *words,
                           size_t count);
/* Returns the words of a document, or NULL if they are not kept. They are valid until others are
 * kept, and must not be changed. */
uint64_t *nd_compared_sets_find(const nd_compared_sets *sets, uint32_t rank, size_t *count);

#endif

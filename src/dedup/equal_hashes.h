/* Finds documents that share a hash, in words sorted by it. The upper half of a word is a part of
 * the hash, the lower half the document. The documents of a run agree in 40 bits of the hash: 8 are
 * the number of the part, 32 are in the word. */
#ifndef ND_DEDUP_EQUAL_HASHES_H
#define ND_DEDUP_EQUAL_HASHES_H

#include "io/external_sort.h"

/* Called with a run of two or more documents, in the order of input. */
typedef nd_status nd_hash_run_fn(void *context, const uint64_t *words, size_t count,
                                 nd_error *error);

nd_status nd_hash_runs_each(const nd_external_sort *sorter, const nd_allocator *allocator,
                            nd_hash_run_fn *fn, void *context, nd_error *error);

#endif

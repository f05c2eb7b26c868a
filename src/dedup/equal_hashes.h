/* Documents that share a hash, found in words sorted by it: the upper half of a word is a part of
 * the hash, the lower half the document. Runs agree in 40 bits of the hash: 8 by the part, 32 by
 * the word. */
#ifndef ND_DEDUP_EQUAL_HASHES_H
#define ND_DEDUP_EQUAL_HASHES_H

#include "io/external_sort.h"

/* A run of two documents or more, in the order of input. */
typedef nd_status nd_hash_run_fn(void *context, const uint64_t *words, size_t count,
                                 nd_error *error);

nd_status nd_hash_runs_each(const nd_external_sort *sorter, const nd_allocator *allocator,
                            nd_hash_run_fn *fn, void *context, nd_error *error);

#endif

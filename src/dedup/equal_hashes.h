/* Finds documents that share a hash, in hashes that are sorted as keys of one band. The documents
 * of a run agree in ND_BAND_BITS bits of the hash (sketch/band_key.h). */
#ifndef ND_DEDUP_EQUAL_HASHES_H
#define ND_DEDUP_EQUAL_HASHES_H

#include "io/key_sort.h"
#include "job/run_context.h"

/* Called with a run of two or more documents, in the order of input. Any thread calls it, but one
 * at a time, and the runs come in the same order each time. */
typedef nd_status nd_hash_run_fn(void *context, const uint64_t *words, size_t count,
                                 nd_error *error);

nd_status nd_hash_runs_each(const nd_key_sort *sorter, const nd_run *run, nd_hash_run_fn *fn,
                            void *context, nd_error *error);

#endif

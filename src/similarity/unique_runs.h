/* Runs of tokens that occur once in each of two texts: what the texts surely have in common. */
#ifndef ND_SIMILARITY_UNIQUE_RUNS_H
#define ND_SIMILARITY_UNIQUE_RUNS_H

#include "base/alloc.h"
#include "base/status.h"

/* a[a .. a + length - 1] = b[b .. b + length - 1]. */
typedef struct nd_unique_run {
    uint32_t a, b;
} nd_unique_run;

/* Finds runs of `length` >= 1 tokens that occur exactly once in a and exactly once in b: as many
 * as can ascend in both. They may overlap. REQUIRES: less than 2^32 - 1 tokens each. The caller
 * frees *runs by nd_release; NULL: no runs. O(n log n); at most 60 bytes of memory per token of b,
 * and 24 per run. */
nd_status nd_unique_runs_find(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count,
                              size_t length, const nd_allocator *allocator, nd_unique_run **runs,
                              size_t *run_count, nd_error *error);

#endif

/* Sorts with a comparison function, and can be cancelled, unlike qsort: for so many elements that
 * sorting takes seconds. */
#ifndef ND_BASE_MERGE_SORT_H
#define ND_BASE_MERGE_SORT_H

#include "base/alloc.h"
#include "base/job_progress.h"

typedef int nd_compare_fn(const void *a, const void *b);

/* Sorts ascending; equal elements come in any order. Takes as much memory again. `progress` is
 * checked all the time; ND_ERR_CANCELLED: the elements are lost. */
nd_status nd_merge_sort(void *elements, size_t count, size_t size, nd_compare_fn *compare,
                        const nd_allocator *allocator, nd_progress *progress, nd_error *error);

#endif

/* Memory from the caller's allocator, with sizes checked for overflow; growing arrays. */
#ifndef ND_BASE_ALLOC_H
#define ND_BASE_ALLOC_H

#include "neardup.h"

/* malloc, realloc, free. */
extern const nd_allocator nd_allocator_default;

/* The given allocator, or the default one for NULL. */
nd_allocator nd_allocator_or_default(const nd_allocator *allocator);

/* count * size bytes; NULL: out of memory, or the product overflows. A request for 0 bytes gets
 * 1. */
void *nd_allocate(const nd_allocator *allocator, size_t count, size_t size);
/* The same, zeroed. */
void *nd_allocate_zero(const nd_allocator *allocator, size_t count, size_t size);
/* On failure returns NULL, and `memory` stays valid. */
void *nd_reallocate(const nd_allocator *allocator, void *memory, size_t count, size_t size);
/* NULL is accepted. */
void nd_release(const nd_allocator *allocator, void *memory);

/* Makes room for `need` elements of `size` bytes in the array *memory of *capacity elements. An
 * array that is too small grows by half at least. False: out of memory, nothing has changed. */
bool nd_reserve_bytes(const nd_allocator *allocator, void **memory, size_t *capacity, size_t need,
                      size_t size);

/* The same, typed: nd_reserve(a, &array, &capacity, need). */
#define nd_reserve(allocator, array, capacity, need)                                               \
    ((need) <= *(capacity) ||                                                                      \
     nd_reserve_bytes((allocator), (void **)(array), (capacity), (need), sizeof **(array)))

#endif

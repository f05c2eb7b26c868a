/* The packed shingle sets of some documents, one behind the other in one array. */
#ifndef ND_SIMILARITY_PACKED_SETS_H
#define ND_SIMILARITY_PACKED_SETS_H

#include "base/alloc.h"
#include "base/status.h"

/* Zero-initialised. `size` 0 makes it empty, for the next documents. ND_SET_BEHIND bytes behind
 * `size` can be read, as unpacking a set does. */
typedef struct nd_packed_sets {
    unsigned char *bytes;
    size_t size, capacity;
    uint64_t *scratch;
    size_t scratch_capacity;
} nd_packed_sets;

enum { ND_SET_BEHIND = 8 };

/* Appends the packed set of `count` shingles, which it narrows, sorts and cuts to distinct ones in
 * place. *set_size: its bytes. */
nd_status nd_packed_sets_add(nd_packed_sets *sets, const nd_allocator *allocator,
                             uint64_t *shingles, size_t count, size_t *set_size, nd_error *error);

void nd_packed_sets_free(nd_packed_sets *sets, const nd_allocator *allocator);

#endif

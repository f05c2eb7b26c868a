/* Lists the exact copies of each original. nd_fates leads only from a copy to its original; listing
 * every pair needs the other direction. */
#ifndef ND_DEDUP_COPY_GROUPS_H
#define ND_DEDUP_COPY_GROUPS_H

#include "dedup/fates.h"
#include "dedup/ranks.h"

typedef struct nd_copy_groups {
    nd_allocator allocator;
    uint64_t *words;     /* document of the original << 32 | rank of the copy, ascending */
    uint32_t *documents; /* the document of each copy, in the same order */
    size_t count;
} nd_copy_groups;

typedef struct nd_copy_range {
    const uint32_t *documents;
    size_t count;
} nd_copy_range;

/* Makes the groups. Memory: 12 bytes per copy, and 8 more bytes per copy while they are made. */
nd_status nd_copy_groups_make(const nd_fates *fates, const nd_ranks *ranks, nd_copy_groups *out,
                              nd_error *error);
void nd_copy_groups_free(nd_copy_groups *groups);

/* Returns the copies of a document, in the order of rank. Most have none. O(log copies). */
nd_copy_range nd_copies_of(const nd_copy_groups *groups, uint32_t original);
/* Returns the group that begins at index i of `words`. */
nd_copy_range nd_copies_at(const nd_copy_groups *groups, size_t i);
static inline uint32_t nd_copy_original(const nd_copy_groups *groups, size_t i) {
    return (uint32_t)(groups->words[i] >> 32);
}
static inline uint32_t nd_copy_at(nd_copy_range range, size_t i) { return range.documents[i]; }

#endif

/* The exact copies of each original: the way back from nd_fates, for listing every pair. */
#ifndef ND_DEDUP_COPY_GROUPS_H
#define ND_DEDUP_COPY_GROUPS_H

#include "dedup/fates.h"
#include "dedup/ranks.h"

typedef struct nd_copy_groups {
    nd_allocator allocator;
    uint64_t *words;     /* original << 32 | rank of the copy, ascending */
    uint32_t *documents; /* the copy's document, in that order */
    size_t count;
} nd_copy_groups;

typedef struct nd_copy_range {
    const uint32_t *documents;
    size_t count;
} nd_copy_range;

/* 12 bytes per copy, and 8 more while it is made. */
nd_status nd_copy_groups_make(const nd_fates *fates, const nd_ranks *ranks, nd_copy_groups *out,
                              nd_error *error);
void nd_copy_groups_free(nd_copy_groups *groups);

/* Copies of a document, by rank; none for most. O(log copies). */
nd_copy_range nd_copies_of(const nd_copy_groups *groups, uint32_t original);
/* The group that begins at index i, and its original. */
nd_copy_range nd_copies_at(const nd_copy_groups *groups, size_t i);
static inline uint32_t nd_copy_original(const nd_copy_groups *groups, size_t i) {
    return (uint32_t)(groups->words[i] >> 32);
}
static inline uint32_t nd_copy_at(nd_copy_range range, size_t i) { return range.documents[i]; }

#endif

/* Which documents are exact copies of which, the other way round than the table of documents has
 * it: needed where every pair is listed. */
#ifndef ND_DEDUP_COPY_GROUPS_H
#define ND_DEDUP_COPY_GROUPS_H

#include "job/job.h"

typedef struct nd_copy_groups {
    uint64_t *words;     /* original << 32 | rank of the copy, ascending */
    uint32_t *documents; /* the copy's document, in that order */
    size_t count;
} nd_copy_groups;

typedef struct nd_copy_range {
    const uint32_t *documents;
    size_t count;
} nd_copy_range;

/* 12 bytes a copy, and 8 more for the time of making. */
nd_status nd_copy_groups_make(const nd_job *job, nd_copy_groups *out, nd_error *error);
void nd_copy_groups_free(const nd_job *job, nd_copy_groups *groups);

/* Copies of a document, in the order of priority; none for most. O(log copies). */
nd_copy_range nd_copies_of(const nd_copy_groups *groups, uint32_t original);
/* The group that begins at index i, and its original. */
nd_copy_range nd_copies_at(const nd_copy_groups *groups, size_t i);
static inline uint32_t nd_copy_original(const nd_copy_groups *groups, size_t i) {
    return (uint32_t)(groups->words[i] >> 32);
}
static inline uint32_t nd_copy_at(nd_copy_range range, size_t i) { return range.documents[i]; }

#endif

/* Merges many ascending lists into the candidates of one document, ascending and each once. */
#ifndef ND_DEDUP_CANDIDATE_MERGE_H
#define ND_DEDUP_CANDIDATE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nd_candidate_list {
    const uint32_t *next, *end; /* ranks, ascending */
    bool large;                 /* they are members of a large bucket */
    /* The bucket, and by rank the document's own bucket: members of another bucket are passed over.
     * NULL: none are. */
    const uint32_t *own;
    uint32_t bucket;
} nd_candidate_list;

/* Passes over members of other buckets, up to the next candidate or the end. */
static inline void nd_candidate_list_skip(nd_candidate_list *list) {
    while (list->own && list->next < list->end && list->own[*list->next] != list->bucket)
        list->next++;
}

/* Removes the smallest rank from all lists. Returns false at the end. *only_large: no list of a
 * small bucket had it. O(lists) per step. Lists that are used up are dropped, so that a document
 * with one list, the usual case, costs one comparison per step. */
static inline bool nd_candidate_next(nd_candidate_list *lists, size_t *count, uint32_t *rank,
                                     bool *only_large) {
    if (*count == 0) return false;
    uint32_t least = *lists[0].next;
    for (size_t i = 1; i < *count; i++)
        if (*lists[i].next < least) least = *lists[i].next;
    *rank = least;
    *only_large = true;
    for (size_t i = *count; i-- > 0;) {
        if (*lists[i].next != least) continue;
        *only_large = *only_large && lists[i].large;
        lists[i].next++;
        nd_candidate_list_skip(&lists[i]);
        if (lists[i].next == lists[i].end) lists[i] = lists[--*count];
    }
    return true;
}

/* Drops the lists of large buckets. Returns how many members were left in them; a member of several
 * lists counts several times. */
static inline uint64_t nd_candidates_drop_large(nd_candidate_list *lists, size_t *count) {
    uint64_t dropped = 0;
    for (size_t i = *count; i-- > 0;) {
        if (!lists[i].large) continue;
        dropped += (uint64_t)(lists[i].end - lists[i].next);
        lists[i] = lists[--*count];
    }
    return dropped;
}

#endif

/* The candidates of one document, ascending and each once, out of many ascending lists. */
#ifndef ND_DEDUP_CANDIDATE_MERGE_H
#define ND_DEDUP_CANDIDATE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nd_candidate_list {
    const uint32_t *next, *end; /* ranks, ascending */
    bool wide;                  /* members of a wide bucket */
} nd_candidate_list;

/* Takes the smallest rank out of all lists. Returns false at the end. *only_wide: no list of small
 * buckets had it. The lists that are used up are dropped, so that a document with one list, the
 * usual case, costs one step a candidate. O(lists) a step. */
static inline bool nd_candidate_next(nd_candidate_list *lists, size_t *count, uint32_t *rank,
                                     bool *only_wide) {
    if (*count == 0) return false;
    uint32_t least = *lists[0].next;
    for (size_t i = 1; i < *count; i++)
        if (*lists[i].next < least) least = *lists[i].next;
    *rank = least;
    *only_wide = true;
    for (size_t i = *count; i-- > 0;) {
        if (*lists[i].next != least) continue;
        *only_wide = *only_wide && lists[i].wide;
        if (++lists[i].next == lists[i].end) lists[i] = lists[--*count];
    }
    return true;
}

/* Drops the lists of wide buckets; returns how many members they still had, those of several lists
 * several times. */
static inline uint64_t nd_candidates_drop_wide(nd_candidate_list *lists, size_t *count) {
    uint64_t dropped = 0;
    for (size_t i = *count; i-- > 0;) {
        if (!lists[i].wide) continue;
        dropped += (uint64_t)(lists[i].end - lists[i].next);
        lists[i] = lists[--*count];
    }
    return dropped;
}

#endif

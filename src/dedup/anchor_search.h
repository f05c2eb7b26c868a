/* Looks the shingles of a text up in a table of anchors: the documents that the text may contain.
 */
#ifndef ND_DEDUP_ANCHOR_SEARCH_H
#define ND_DEDUP_ANCHOR_SEARCH_H

#include "dedup/anchor_table.h"

/* The memory of one thread. */
typedef struct nd_anchor_search nd_anchor_search;

nd_status nd_anchor_search_create(const nd_anchor_table *table, nd_anchor_search **out,
                                  nd_error *error);
void nd_anchor_search_free(nd_anchor_search *search);

/* The result for a text, valid until the next search. */
typedef struct nd_anchored {
    const uint32_t *documents; /* documents with enough anchors among the text's shingles */
    const uint32_t *buckets;   /* the large buckets that the text is in */
    size_t document_count, bucket_count;
    size_t left_out; /* documents that were not looked at, because there are too many */
} nd_anchored;

/* `self`: the document whose text it is; it is not among the result. `shingles`: of the text, which
 * may repeat, and some of which may share a number; they are overwritten. Expected time O(count +
 * documents with a rare anchor). */
nd_status nd_anchor_search_run(nd_anchor_search *search, uint32_t self, uint64_t *shingles,
                               size_t count, nd_anchored *out, nd_error *error);

#endif

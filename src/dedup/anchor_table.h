/* The anchors (sketch/anchors.h) of a range of documents, by hash: which documents have a shingle
 * of a text among their anchors. Const once made; any number of threads may look shingles up
 * (anchor_search.h).
 *
 * An anchor of many documents is *common*. It has no list of its documents, because the lists of a
 * template with n pages would cost n^2 steps. Each document has a list of its common anchors
 * instead: they are counted for documents that share a rare anchor with the text.
 *
 * A document whose common anchors alone are enough is called common, too. The pages of a template
 * have the same shingles in common, and so, in the same order, nearly the same anchors: documents
 * with the same list of common anchors are a *pattern*. A text with enough of its anchors makes
 * pairs with the documents of the pattern, if these are few, or else joins its large bucket
 * (candidates.h). If n of its h anchors are needed, a text that has n of them has at least one of
 * any h - n + 1. So only the h - n + 1 rarest ones lead to the pattern. Documents that are kept
 * apart (text/differ_by.h) have different patterns: the pages of a template may differ in their
 * numbers by the thousand, and are then no candidates for each other. */
#ifndef ND_DEDUP_ANCHOR_TABLE_H
#define ND_DEDUP_ANCHOR_TABLE_H

#include "dedup/candidates.h"

/* In the low half of an entry: the other bits are the number of a common anchor. */
#define ND_COMMON_ANCHOR (UINT32_C(1) << 31)

/* The documents with the same common anchors. */
typedef struct nd_anchor_pattern {
    uint32_t begin, count; /* members[begin, +count) */
    uint32_t bucket;       /* its large bucket; ND_NO_BUCKET: it has few documents, and none */
    uint64_t key;          /* of its documents (nd_anchor_key) */
} nd_anchor_pattern;

typedef struct nd_anchor_table {
    nd_allocator allocator;
    uint32_t first, count;       /* documents [first, first + count) */
    const uint64_t *differ_keys; /* by document; NULL: nothing keeps texts apart */
    uint64_t *entries; /* ascending by number (nd_band_number): its low half << 32 | document -
                          first */
    size_t entry_count, entry_capacity;
    uint32_t *begins; /* by the upper bits of a number: its first entry; one entry more: the end */
    unsigned shift;   /* of the lower bits */
    uint64_t *filter; /* by the upper bits of a number: two bits for each number that has entries */
    uint16_t *needed; /* by document - first: anchors that make it a candidate */
    uint32_t common_count;
    uint32_t *commons;       /* the common anchors of all documents, one document after the other */
    uint32_t *common_begins; /* by document - first: its first one; one more: the end */
    nd_anchor_pattern *patterns; /* ascending by key */
    size_t pattern_count, pattern_capacity;
    uint32_t *members;    /* by pattern: its documents, - first */
    uint32_t *led;        /* patterns, ascending, by the common anchors that lead to them */
    uint32_t *led_begins; /* by common anchor: its first one; one more: the end */
} nd_anchor_table;

/* A table of zeros that has its allocator can be freed, too. */
void nd_anchor_table_free(nd_anchor_table *table);

/* The key of a document, which another one must have to be its duplicate. */
static inline uint64_t nd_anchor_key(const nd_anchor_table *table, uint32_t document) {
    return table->differ_keys ? table->differ_keys[document] : 0;
}

/* The two bits of a number in its word of the filter. */
static inline uint64_t nd_anchor_bits(uint64_t number) {
    return UINT64_C(1) << (number & 63) | UINT64_C(1) << (number >> 6 & 63);
}

#endif

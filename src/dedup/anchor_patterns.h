/* The patterns of a table of anchors: finds the documents with the same common anchors. */
#ifndef ND_DEDUP_ANCHOR_PATTERNS_H
#define ND_DEDUP_ANCHOR_PATTERNS_H

#include "dedup/anchor_table.h"

/* Adds the patterns to a table that has `needed` and the common anchors of its documents; adds the
 * large buckets of patterns with many documents to *out. sizes[c]: how many documents have common
 * anchor c. */
nd_status nd_anchor_patterns_add(nd_anchor_table *table, const uint32_t *sizes,
                                 const nd_ranks *ranks, nd_candidates *out, nd_error *error);

#endif

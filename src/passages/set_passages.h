/* Finds the passages that the queries of nd_passages share with a document of an index. Of such a
 * document only the set of shingles is known (similarity/packed_set.h).
 *
 * Each shingle of the set is looked up in the table of the queries' shingles. If consecutive
 * shingles of a query are all in the set, they count as one common run, the longest at its
 * position. The set does not say whether they are also consecutive in the document.
 *
 * A set that shares nothing costs one lookup per shingle. Shared shingles cost time linear in the
 * number of their positions in the queries. */
#ifndef ND_PASSAGES_SET_PASSAGES_H
#define ND_PASSAGES_SET_PASSAGES_H

#include "passages/text_passages.h"

/* One thread's search context. Zero-initialised, except for queries, allocator, least and gap. */
typedef struct nd_set_finder {
    const nd_passage_queries *queries; /* with ngram > 0 */
    nd_allocator allocator;
    uint32_t least, gap;     /* in tokens; least >= ngram */
    nd_query_passage *found; /* the passages; b_begin and b_end are 0 */
    uint64_t *values, *positions, *scratch;
    size_t found_count, found_capacity, value_capacity, position_count, position_capacity,
        scratch_capacity;
} nd_set_finder;

/* Fills found[0, found_count), sorted by query, then by position in the query. Two passages of a
 * query overlap if a shingle between them is missing from the set. If gap > 0, passages of a query
 * that overlap, or have at most `gap` tokens between them, are merged. *whole: false if the set is
 * damaged; then nothing is found. REQUIRES: 8 bytes behind the set can be read. */
nd_status nd_set_find(nd_set_finder *finder, const unsigned char *packed, size_t size, bool *whole,
                      nd_error *error);
void nd_set_finder_free(nd_set_finder *finder);

#endif

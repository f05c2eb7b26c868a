/* The passages that the queries of nd_passages share with a document of an index, of which only the
 * set of shingles is known (similarity/packed_set.h).
 *
 * Each shingle of the set is looked up in the table of the queries' shingles. Where the shingles
 * that follow each other in a query are all in the set, they count as a common run, the longest at
 * its position. Whether they also follow each other in the document, the set does not say.
 *
 * A set that shares nothing costs one lookup per shingle. Shared shingles cost time linear in their
 * positions in the queries. */
#ifndef ND_PASSAGES_SET_PASSAGES_H
#define ND_PASSAGES_SET_PASSAGES_H

#include "passages/text_passages.h"

/* One thread's memory. Zero, except for queries, allocator, least and gap. */
typedef struct nd_set_seeker {
    const nd_passage_queries *queries; /* with ngram > 0 */
    nd_allocator allocator;
    uint32_t least, gap;     /* tokens; least >= ngram */
    nd_query_passage *found; /* b: 0 */
    uint64_t *values, *places, *scratch;
    size_t found_count, found_capacity, value_capacity, place_count, place_capacity,
        scratch_capacity;
} nd_set_seeker;

/* Fills found[0, found_count), sorted by query, then by position in the query. Two passages of a
 * query overlap where a shingle between them is missing from the set. gap > 0: passages of a query
 * that overlap, or have at most that many tokens between them, are merged. *whole: false if the set
 * is damaged; then nothing is found. REQUIRES: 8 bytes behind the set can be read. */
nd_status nd_set_seek(nd_set_seeker *seeker, const unsigned char *packed, size_t size, bool *whole,
                      nd_error *error);
void nd_set_seeker_free(nd_set_seeker *seeker);

#endif

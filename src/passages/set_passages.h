/* What the queries of nd_passages share with a document of an index, of which its set of shingles
 * alone is known (similarity/packed_set.h).
 *
 * Each shingle of the set is looked up in the table of the queries'. Where shingles that follow
 * each other in a query are all in the set, that is taken for a run of their tokens, the longest
 * that there is at its place: whether they follow each other in the document, too, the set does not
 * tell. A set that shares nothing costs a look in the table for each of its shingles; what it
 * shares, time linear in the places of those shingles in the queries. */
#ifndef ND_PASSAGES_SET_PASSAGES_H
#define ND_PASSAGES_SET_PASSAGES_H

#include "passages/text_passages.h"

/* One thread's means. Zero-initialised but for the first members. */
typedef struct nd_set_seeker {
    const nd_passage_queries *queries; /* with ngram > 0 */
    nd_allocator allocator;
    uint32_t least, gap;     /* tokens; least >= ngram */
    nd_query_passage *found; /* b: 0 */
    uint64_t *values, *places, *scratch;
    size_t found_count, found_capacity, value_capacity, place_count, place_capacity,
        scratch_capacity;
} nd_set_seeker;

/* Fills found[0, found_count): by query, then by place in the query. Two of a query may have tokens
 * in common: those of the shingles that follow each other in it, but for some between them that are
 * not in the set. gap > 0: passages of a query that have, or have at most that many tokens between
 * them, are one. *whole: false where the set is damaged, and nothing is found. 8 bytes behind it
 * can be read. */
nd_status nd_set_seek(nd_set_seeker *seeker, const unsigned char *packed, size_t size, bool *whole,
                      nd_error *error);
void nd_set_seeker_free(nd_set_seeker *seeker);

#endif

/* Many queries of Hamming tables at once: every fingerprint within k of each.
 *
 * Each table is swept once, part by part in the cache, instead of being looked into everywhere. Its keys are taken in groups that agree in `depth` bits, and against each group are held the queries that differ from
 * these bits by a pattern of errors: sorted in the table's order, those of a pattern stand together (near_pairs.h). A pair that several tables find is told by the first. The fewer bits the depth has the
 * fewer patterns there are and the more comparisons: the costs decide.
 *
 * Memory: 24 bytes a query (40 where fingerprints have 128 bits), 4 a group, of which there are no more than fingerprints, and some MB, however both are spread. */
#ifndef ND_MATCH_HAMMING_BATCH_H
#define ND_MATCH_HAMMING_BATCH_H

#include "match/hamming_search.h"

/* Whether so many queries are faster together than one after the other (nd_hamming_search_all). k: at most that of the design. */
bool nd_hamming_batch_pays(const nd_hamming_tables *tables, size_t count, uint32_t k);

#ifdef ND_TINY_LIMITS
enum { ND_BATCH_HITS = 3 };
#else
enum { ND_BATCH_HITS = 256 };
#endif
/* At most ND_BATCH_HITS of the hits, each once: their order depends on tables, queries and k alone. Return ND_ERR_CANCELLED, or another failure, to end it. */
typedef nd_status nd_hamming_hits_fn(void *context, const nd_hamming_hit *hits, size_t count, nd_error *error);

/* Fewer than 2^32 queries with no more bits than the design. */
nd_status nd_hamming_batch(const nd_hamming_tables *tables, const nd_fingerprint *queries, size_t count, uint32_t k, nd_hamming_hits_fn *fn,
                           void *context, const nd_allocator *allocator, nd_error *error);

#endif

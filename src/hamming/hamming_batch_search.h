/* Many queries of Hamming tables at once: every fingerprint within k of each.
 *
 * Each table is swept once, in parts of some thousand neighbouring keys, which are unpacked into
 * the cache, instead of being looked into everywhere. In a part every query that may have something
 * there looks at its places, as one alone does (hamming_planner.h): a place for each pattern of
 * errors, a wide one for those that stand side by side. The queries are sorted by the bits that a
 * part agrees in, so that those with a pattern of errors in these bits stand together, and many
 * look one after the other, each with one comparison of vectors or a few. At a place that is
 * crowded all of them look together (block_join.h). A pair that several tables find is told by the
 * first.
 *
 * Memory: 20 bytes a query (36 where fingerprints have 128 bits) and some MB, however both are
 * spread. */
#ifndef ND_HAMMING_HAMMING_BATCH_SEARCH_H
#define ND_HAMMING_HAMMING_BATCH_SEARCH_H

#include "base/limits.h"
#include "hamming/hamming_search.h"

/* Whether so many queries are faster together than one after the other (nd_hamming_search_all). k:
 * at most that of the design. */
bool nd_hamming_batch_pays(const nd_hamming_tables *tables, size_t count, uint32_t k);

enum { ND_BATCH_HITS = ND_LIMIT(256, 3) };
/* At most ND_BATCH_HITS of the hits, each once: their order depends on tables, queries and k alone.
 * Return ND_ERR_CANCELLED, or another failure, to end it. */
typedef nd_status nd_hamming_hits_fn(void *context, const nd_hamming_hit *hits, size_t count,
                                     nd_error *error);

/* Fewer than 2^32 queries with no more bits than the design. */
nd_status nd_hamming_batch(const nd_hamming_tables *tables, const nd_fingerprint *queries,
                           size_t count, uint32_t k, nd_hamming_hits_fn *fn, void *context,
                           const nd_allocator *allocator, nd_error *error);

#endif

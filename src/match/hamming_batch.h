/* Many queries of Hamming tables at once: every fingerprint within k of each.
 *
 * Each table is swept once, part by part in the cache, instead of being looked into everywhere. Its keys are taken in groups that agree in `depth` bits, and against each group are held the queries that differ from
 * these bits by a pattern of errors: sorted in the table's order, those of a pattern stand together (near_pairs.h). A pair that several tables find is told by the first. The fewer bits the depth has the
 * fewer patterns there are and the more comparisons: the costs decide, and also whether so few queries are faster one after the other (hamming_search.h).
 *
 * Memory: 12 bytes a query (20 where fingerprints have 128 bits), 4 a group, of which there are no more than fingerprints, and some MB a thread, however both are spread. */
#ifndef ND_MATCH_HAMMING_BATCH_H
#define ND_MATCH_HAMMING_BATCH_H

#include "match/hamming_tables.h"
#include "match/pair_queue.h"

typedef enum nd_hamming_batch_way { ND_BATCH_BY_COST = 0, ND_BATCH_ONE_BY_ONE, ND_BATCH_SWEPT } nd_hamming_batch_way;

typedef struct nd_hamming_batch {
    const nd_fingerprint *queries; /* with no more bits than the design */
    size_t count;                  /* below 2^32 */
    uint32_t k;                    /* at most that of the design */
    uint32_t threads;              /* 1 to ND_MAX_WORKERS */
    nd_hamming_batch_way way;      /* for tests and measurements, else by cost */
    /* Gets each pair once: a = place of the query, b = entry of the first table (nd_hamming_places). From one thread at a time; the order depends on tables, queries, k and way alone. */
    nd_hamming_pairs_fn *fn;
    void *context;
} nd_hamming_batch;

nd_status nd_hamming_batch_run(const nd_hamming_tables *tables, const nd_hamming_batch *batch, const nd_allocator *allocator, nd_error *error);

#endif

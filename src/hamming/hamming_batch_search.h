/* Searches Hamming tables for many queries at once: every fingerprint within distance k of each.
 *
 * Each table is scanned once, in parts of some thousand neighbouring keys, of which 32 bits each
 * are unpacked into the cache (table_scan.h). That replaces a random access per probe. A query
 * probes a part as it would probe the table (hamming_planner.h): one probe for each pattern of
 * errors, a wide probe for patterns that are neighbours. A key that is near the query in its 32
 * bits is compared in full.
 *
 * Queries are sorted by the bits that all keys of a part share. So the queries that probe a part
 * with the same pattern of errors in these bits are neighbours, and go through it one after the
 * other. A probe takes one comparison of vectors, or a few. If a probed range of keys is crowded,
 * all queries that probe it are joined with it (block_join.h). A pair that several tables find is
 * reported by the first.
 *
 * The first table gives the entry of each hit, so it is scanned last: then it finds the keys of the
 * hits of the others, too. That replaces a random access per hit, and hits come nearly in the order
 * of their entries.
 *
 * Memory: 20 bytes per query, 24 per hit of another table than the first (36 and 40 with
 * fingerprints of 128 bits), and some MB, however keys and queries are distributed. If these hits
 * are more than the queries, so many of them at a time are looked up in the first table instead. */
#ifndef ND_HAMMING_HAMMING_BATCH_SEARCH_H
#define ND_HAMMING_HAMMING_BATCH_SEARCH_H

#include "base/limits.h"
#include "hamming/hamming_search.h"

/* Whether so many queries are faster as a batch than by nd_hamming_search_tables. k: at most that
 * of the design. */
bool nd_hamming_batch_pays(const nd_hamming_tables *tables, size_t count, uint32_t k);

enum { ND_BATCH_HITS = ND_LIMIT(256, 3) };
/* At most ND_BATCH_HITS hits. Each hit comes once. Their order depends on tables, queries and k
 * alone. Return ND_ERR_CANCELLED, or another failure, to end the search. */
typedef nd_status nd_hamming_hits_fn(void *context, const nd_hamming_hit *hits, size_t count,
                                     nd_error *error);

typedef struct nd_hamming_batch {
    const nd_hamming_tables *tables;
    const nd_fingerprint *queries; /* with no more bits than the design */
    size_t count;                  /* below 2^32 */
    uint32_t k;                    /* at most that of the design */
    nd_hamming_hits_fn *fn;
    void *context;
} nd_hamming_batch;
/* ND_ERR_ARGUMENT: count, k or a query is out of range. */
nd_status nd_hamming_batch_search(const nd_hamming_batch *batch, const nd_allocator *allocator,
                                  nd_error *error);

#endif

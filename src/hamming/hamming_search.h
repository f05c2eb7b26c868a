/* Queries of Hamming tables: every fingerprint within k, once, with its documents.
 *
 * The places to look at, patterns of errors in each table's window, are taken some dozens at a
 * time, and go through the memory in rounds, so that all of them wait for it together: samples,
 * words of the directory, keys. */
#ifndef ND_HAMMING_HAMMING_SEARCH_H
#define ND_HAMMING_HAMMING_SEARCH_H

#include "hamming/hamming_tables.h"

/* One thread's means. */
typedef struct nd_hamming_prober nd_hamming_prober;
nd_status nd_hamming_prober_create(const nd_allocator *allocator, nd_hamming_prober **out,
                                   nd_error *error);
/* NULL is accepted. */
void nd_hamming_prober_free(nd_hamming_prober *prober);

/* A fingerprint that was found: its entry in the first table leads to the documents
 * (nd_hamming_places). Set *more (true before) to false to end the search of this query. */
typedef struct nd_hamming_hit {
    const nd_hamming_tables *tables;
    size_t query; /* its number among those asked for together */
    nd_fingerprint fingerprint;
    uint32_t distance;
    uint64_t entry;
} nd_hamming_hit;
typedef nd_status nd_hamming_hit_fn(void *context, const nd_hamming_hit *hit, bool *more,
                                    nd_error *error);

/* k: above that of the design all keys of the first table are compared with the query. The query
 * has no more bits than the design. *more (true before) is false when fn has ended it. */
nd_status nd_hamming_search(const nd_hamming_tables *tables, nd_hamming_prober *prober,
                            nd_fingerprint query, uint32_t k, nd_hamming_hit_fn *fn, void *context,
                            bool *more, nd_error *error);

/* The same for many queries, whose places wait for the memory together, or which are held against
 * the unpacked keys together where the design is a scan. Hits come in any order. */
nd_status nd_hamming_search_all(const nd_hamming_tables *tables, nd_hamming_prober *prober,
                                const nd_fingerprint *queries, size_t count, uint32_t k,
                                nd_hamming_hit_fn *fn, void *context, nd_error *error);

#endif

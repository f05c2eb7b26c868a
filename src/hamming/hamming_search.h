/* Searches Hamming tables: finds every fingerprint within distance k of a query, each once, with
 * its documents.
 *
 * A query probes each table of the design at every pattern of errors in the table's window. Probes
 * are taken some dozens at a time and go through the memory in rounds (samples, words of the
 * directory, keys), so that their cache misses overlap. */
#ifndef ND_HAMMING_HAMMING_SEARCH_H
#define ND_HAMMING_HAMMING_SEARCH_H

#include "hamming/hamming_tables.h"

/* The search context of one thread: its buffers. */
typedef struct nd_hamming_search_context nd_hamming_search_context;
nd_status nd_hamming_search_context_create(const nd_allocator *allocator,
                                           nd_hamming_search_context **out, nd_error *error);
/* NULL is accepted. */
void nd_hamming_search_context_free(nd_hamming_search_context *context);

/* A fingerprint that was found. Its entry in the first table leads to its documents
 * (document_lists.h). */
typedef struct nd_hamming_hit {
    const nd_hamming_tables *tables;
    size_t query; /* index in the request */
    nd_fingerprint fingerprint;
    uint32_t distance;
    uint64_t entry;
} nd_hamming_hit;
/* Set *more, which is true before, to false to end the search of this query. */
typedef nd_status nd_hamming_hit_fn(void *context, const nd_hamming_hit *hit, bool *more,
                                    nd_error *error);

/* Queries have no more bits than the design. With k above that of the design, all keys of the first
 * table are compared with each query. Hits come in any order. */
typedef struct nd_hamming_request {
    const nd_hamming_tables *tables;
    const nd_fingerprint *queries;
    size_t count;
    uint32_t k;
    nd_hamming_hit_fn *fn;
    void *context;
} nd_hamming_request;
nd_status nd_hamming_search_tables(nd_hamming_search_context *context,
                                   const nd_hamming_request *request, nd_error *error);

#endif

/* Searches an index of fingerprints for many queries at once, with the search context of one thread
 * (nd_hamming_searcher). */
#ifndef ND_HAMMING_INDEX_HAMMING_SEARCHER_H
#define ND_HAMMING_INDEX_HAMMING_SEARCHER_H

#include "hamming_index/hamming_index.h"

/* The most queries of a call. */
enum { ND_HAMMING_SEARCH_MOST = 1 << 20 };

typedef struct nd_hamming_searcher_request {
    const nd_fingerprint *queries; /* REQUIRES: none has more bits than the index */
    size_t count;                  /* at most ND_HAMMING_SEARCH_MOST */
    const nd_hamming_search_options *how;
} nd_hamming_searcher_request;

/* Does nd_hamming_search for each query. counts[i]: matches of query i. *matches: the matches of
 * the first query, then of the second, and so on; valid until the searcher is used again.
 *
 * A call with several queries fails if they have more matches than are kept in memory.
 * nd_hamming_searcher_had_too_many returns true then, and the caller can search fewer queries at
 * once. */
nd_status nd_hamming_searcher_search(nd_hamming_searcher *searcher,
                                     const nd_hamming_searcher_request *request,
                                     const nd_hamming_match **matches, uint64_t *counts,
                                     nd_error *error);
bool nd_hamming_searcher_had_too_many(const nd_hamming_searcher *searcher);

#endif

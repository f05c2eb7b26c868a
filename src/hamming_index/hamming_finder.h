/* Many queries of an index of fingerprints at once, by the search context of one thread
 * (nd_finder). */
#ifndef ND_HAMMING_INDEX_HAMMING_FINDER_H
#define ND_HAMMING_INDEX_HAMMING_FINDER_H

#include "hamming_index/hamming_index.h"

/* The most queries of a call. */
enum { ND_FIND_MOST = 1 << 20 };

typedef struct nd_finder_request {
    const nd_fingerprint *queries; /* with no more bits than the index: this is not checked */
    size_t count;                  /* at most ND_FIND_MOST */
    uint32_t k;
    nd_find_kind kind;
    uint64_t limit;
} nd_finder_request;

/* nd_find for each query. counts[i]: matches of query i. *matches: those of the first query, then
 * those of the second, and so on; valid until the finder is used again.
 *
 * A call of several queries fails if they have more matches than memory is meant for.
 * nd_finder_had_too_many says so; the caller can ask fewer queries at once. */
nd_status nd_finder_search(nd_finder *finder, const nd_finder_request *request,
                           const nd_hamming_match **matches, uint64_t *counts, nd_error *error);
bool nd_finder_had_too_many(const nd_finder *finder);

#endif

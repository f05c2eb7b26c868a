/* The inside of a finder: many queries at once. */
#ifndef ND_HAMMING_INDEX_HAMMING_FINDER_H
#define ND_HAMMING_INDEX_HAMMING_FINDER_H

#include "hamming_index/hamming_index.h"

/* The most queries that may be asked together. */
enum { ND_FIND_MOST = 1 << 20 };

/* nd_find of `count` <= ND_FIND_MOST queries, whose bits are not looked at any more. counts[i]: of
 * query i; *matches: those of all, one query's behind the other's, valid until the finder is used
 * again. Where several queries have more matches than memory is for, it fails, and
 * nd_finder_had_too_many says so: then fewer are to be asked together. */
nd_status nd_finder_search(nd_finder *finder, const nd_fingerprint *queries, size_t count,
                           uint32_t k, nd_find_kind kind, uint64_t limit,
                           const nd_hamming_match **matches, uint64_t *counts, nd_error *error);
bool nd_finder_had_too_many(const nd_finder *finder);

#endif

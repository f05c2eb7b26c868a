/* The shingle sets of a sample, by shingle, so that a text is compared exactly with all of them at
 * once: the time does not grow with the sets that share nothing with it.
 *
 * Each shingle has the list of the sets that have it. Shingles of the same sets share a list, so
 * that a paragraph which many texts have is counted at once. A common shingle, which many sets
 * have, has none: texts with the same menu or licence would cost their lists again and again. How
 * many common shingles a text has is enough to tell which sets it may be similar to, and only these
 * are compared. */
#ifndef ND_SIMILARITY_OVERLAP_INDEX_H
#define ND_SIMILARITY_OVERLAP_INDEX_H

#include "base/alloc.h"
#include "base/status.h"

/* A set of at least one shingle, as nd_set_make makes it. The hashes stay the caller's, and must
 * outlive the index. */
typedef struct nd_listed_set {
    const uint64_t *hashes;
    size_t size;
} nd_listed_set;

typedef struct nd_overlap_index nd_overlap_index;

/* Bytes for each shingle of each set, at most: of the index while it is made, and of a search. */
enum { ND_OVERLAP_INDEX_BYTES = 42, ND_OVERLAP_SEARCH_BYTES = 8 };

/* Fewer than 2^31 sets of fewer than 2^31 shingles together. */
typedef struct nd_overlap_settings {
    nd_measure measure;
    double threshold; /* above 0 */
} nd_overlap_settings;
nd_status nd_overlap_index_create(const nd_listed_set *sets, size_t count,
                                  const nd_overlap_settings *settings,
                                  const nd_allocator *allocator, nd_overlap_index **out,
                                  nd_error *error);
void nd_overlap_index_free(nd_overlap_index *index);

/* The memory of one thread for searches in an index. */
typedef struct nd_overlap_search nd_overlap_search;
nd_status nd_overlap_search_create(const nd_overlap_index *index, const nd_allocator *allocator,
                                   nd_overlap_search **out, nd_error *error);
void nd_overlap_search_free(nd_overlap_search *search);
/* From now on texts find this set only if their similarity is at least `least`, which is not below
 * the threshold. */
void nd_overlap_search_raise(nd_overlap_search *search, uint32_t set, double least);

/* A set that is similar to a text. */
typedef struct nd_similar_set {
    uint32_t set; /* number in the index */
    uint32_t intersection, set_union;
    uint32_t smaller; /* the size of the smaller set */
    double similarity;
} nd_similar_set;

/* Finds all sets whose similarity with the text reaches the threshold, in any order.
 * `shingles`: of the text, unsorted and with repeats; the call may sort them. *similar is valid
 * until the next search. Any number of threads, each with a search of its own. */
void nd_overlap_search_run(nd_overlap_search *search, uint64_t *shingles, size_t count,
                           const nd_similar_set **similar, size_t *similar_count);

#endif

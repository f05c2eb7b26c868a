/* One thread's additions to a Count-Min sketch. A few words are in most documents, and their
 * counters are far apart in memory. So the buffer counts frequent features itself, and adds a
 * feature's count to the sketch when another feature takes its slot. */
#ifndef ND_TERMS_COUNT_MIN_BUFFER_H
#define ND_TERMS_COUNT_MIN_BUFFER_H

#include "terms/count_min.h"

typedef struct nd_feature_counter nd_feature_counter;

/* `counts` stays the caller's and must outlive the buffer. */
nd_status nd_feature_counter_create(nd_feature_counts *counts, const nd_allocator *allocator,
                                    nd_feature_counter **out, nd_error *error);
/* Adds the buffered counts to the sketch, and frees the buffer. NULL is accepted. */
void nd_feature_counter_free(nd_feature_counter *counter);

/* Adds a document, given by its features, each as often as it occurs. Overwrites `features`. Once
 * the buffer is freed, the sketch is as after nd_feature_counts_add of the distinct features. */
nd_status nd_feature_counter_add(nd_feature_counter *counter, uint64_t *features, size_t count,
                                 nd_error *error);

#endif
